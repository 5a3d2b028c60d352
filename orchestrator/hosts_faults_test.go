package orchestrator

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/store"
	"parley/store/postgrestest"
	"parley/store/storetest"
	"parley/tmux/tmuxtest"
)

// The network between a daemon and the database stalls and is cut while a text is between paste and Enter.
func TestCutBetweenPasteAndEnterLosesNothing(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	proxy, through := postgrestest.NewProxy(t, url)
	ann, bob := hostOf(t, url, "ann"), hostOf(t, through, "bob")
	log := bob.launch("bobby", "framed", tmuxtest.Agent{Slow: 50 * time.Millisecond, Shows: true})
	ann.knows("bobby")

	accepted := map[string]string{}
	for n := range 5 {
		id := ann.send("bobby", fmt.Sprintf("message %d", n))
		accepted[id] = "bobby"
		tmuxtest.Poll(t, func() bool { s := ann.delivery(id).State; return s == parley.DeliveryTyping || s.Settled() },
			func() string { return fmt.Sprintf("%+v", ann.delivery(id)) })

		proxy.Stall()
		proxy.Cut()
		time.AfterFunc(time.Duration(n)*100*time.Millisecond, proxy.Flow)
		ann.settle(t, accepted)
	}
	bob.check(t, map[string]string{"bobby": log}, accepted)
}

// A daemon sleeps for longer than its lease. What waited for it goes when it wakes up, once.
func TestDaemonThatSleptTypesOnce(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	ann, bob := hostOf(t, url, "ann"), hostOf(t, url, "bob")
	log := bob.launch("bobby", "framed", tmuxtest.Agent{Shows: true})
	bob.close()
	daemon, _, _ := bob.startCrashing(t, crashTeam{URL: url, Host: "bob"})
	ann.knows("bobby")

	must.Do(t, daemon.Process.Signal(syscall.SIGSTOP))
	tmuxtest.Poll(t, func() bool { _, away := ann.roster.Away(ann.roster.ByName("bobby")); return away },
		func() string { return "bob sleeps, and ann does not know it" })
	id := ann.send("bobby", "while you sleep")
	ann.held(id, "host bob has been away since")
	_, err := op.ReadTerminal.Call(ann.operator(), ann, parley.ReadTerminalRequest{Agent: "bobby"})
	if parley.ErrorCode(err) != parley.AgentUnavailable {
		t.Errorf("its screen: got %v", err)
	}

	must.Do(t, daemon.Process.Signal(syscall.SIGCONT))
	ann.arrived(id)

	// Another daemon has taken over from one that slept: the old one types nothing more.
	must.Do(t, daemon.Process.Signal(syscall.SIGSTOP))
	bob.back(url, "bob")
	next := ann.send("bobby", "for the other one")
	must.Do(t, daemon.Process.Signal(syscall.SIGCONT))
	ann.arrived(next)
	last := ann.send("bobby", "when both are awake")
	ann.arrived(last)
	must.Do(t, daemon.Process.Kill())
	_ = daemon.Wait() // it was killed
	bob.check(t, map[string]string{"bobby": log}, map[string]string{id: "bobby", next: "bobby", last: "bobby"})
}

// The clock of a host is wrong by a day. Leases are on the database's clock, so it is not away.
func TestHostWithAWrongClockTakesPart(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	ann := hostOf(t, url, "ann")
	wrong := func() time.Time { return time.Now().Add(-25 * time.Hour) }
	bob := newTeam(t, func(o *Options) {
		o.Now = wrong
		o.Store = must.Have(store.Open(context.Background(), store.Options{
			URL: url, Host: "bob", Path: filepath.Join(o.Workspace, "parley.db"), Now: wrong,
		}))(t)
	})
	log := bob.launch("bobby", "framed", tmuxtest.Agent{})
	ann.knows("bobby")

	ann.arrived(ann.send("bobby", "what time is it there?"))
	bob.wantMessages(log, 1)
	ann.screenFrom("bobby")
	for _, h := range must.Have(op.ListHosts.Call(ann.operator(), ann, parley.ListHostsRequest{}))(t).Hosts {
		if h.Name == "bob" && h.Away {
			t.Errorf("%s is away", h.Name)
		}
	}
}

// The database does not take the answer of a host at once. The asker gets it even so.
func TestAnswerOfAnotherHostIsStoredAgain(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	ann, bob := hostOf(t, url, "ann"), hostOf(t, url, "bob")
	bob.launch("bobby", "framed", tmuxtest.Agent{})
	ann.knows("bobby")

	must.Do(t, postgrestest.Do(url, `CREATE SEQUENCE answers`, // its numbers stay when a transaction is rolled back
		`CREATE FUNCTION refuse_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF nextval('answers') = 1 THEN RAISE EXCEPTION 'the disk is full' USING ERRCODE = '53100'; END IF;
			RETURN NEW; END $$`,
		`CREATE TRIGGER refuse_first BEFORE UPDATE OF answer ON relays FOR EACH ROW EXECUTE FUNCTION refuse_first()`))
	t.Cleanup(func() {
		must.Do(t, postgrestest.Do(url, `DROP TRIGGER refuse_first ON relays`, `DROP FUNCTION refuse_first`,
			`DROP SEQUENCE answers`))
	})

	ctx, stop := context.WithTimeout(ann.operator(), time.Minute)
	defer stop()
	must.Have(op.ReadTerminal.Call(ctx, ann, parley.ReadTerminalRequest{Agent: "bobby"}))(t)
	if n := must.Have(postgrestest.Look[int](t.Context(), url, `SELECT last_value FROM answers`))(t); n[0] != 2 {
		t.Errorf("the answer was stored at attempt %d, want 2", n[0])
	}
}
