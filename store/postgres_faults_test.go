package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"parley"
	"parley/internal/must"
	"parley/store/engine"
	"parley/store/postgrestest"
)

// A pooler that swallows notifications makes hosts slower, and nothing else.
func TestHostsFollowWithoutNotifications(t *testing.T) {
	needsServer(t)
	s, path := openNew(t, 2)
	must.Do(t, s.Close())
	open := func(name, url string) *Store {
		o := Options{URL: url, Host: name, Path: "/home/" + name + "/parley.db"}
		s := must.Have(Open(t.Context(), o))(t)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}

	proxy, through := postgrestest.NewProxy(t, at(t, path).URL)
	proxy.Deaf.Store(true)
	ann, bob := open("ann", at(t, path).URL), open("bob", through)
	heard := newsFor(bob)
	sent := must.Have(ann.Messages.Append(t.Context(), post(0, 1)))(t)
	heard.until(t, "a message",
		func(n *News) bool { return len(n.Messages) == 1 && n.Messages[0].ID == sent.Message.ID })

	answer := asks(t.Context(), ann, "bob")
	r := takes(t, bob)
	must.Do(t, bob.Relays.AnswerRelay(t.Context(), r, RelayAnswer{Text: "done"}))
	if got := <-answer; got.err != nil || got.Text != "done" {
		t.Errorf("ann is told %+v", got)
	}
}

// A network that stalls and is cut again and again loses nothing, and stores nothing twice.
func TestStallsAndCutsLoseNothing(t *testing.T) {
	needsServer(t)
	s, path := openNew(t, 2)
	must.Do(t, s.Close())
	proxy, through := postgrestest.NewProxy(t, at(t, path).URL)
	s = must.Have(Open(t.Context(), Options{URL: through, Path: path}))(t)
	t.Cleanup(func() { _ = s.Close() })

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range 10 {
			proxy.Stall()
			<-time.After(20 * time.Millisecond)
			proxy.Cut()
			proxy.Flow()
			<-time.After(50 * time.Millisecond)
		}
	}()

	acknowledged, failed := 0, 0
	for running := true; running; {
		if _, err := s.Messages.Append(t.Context(), post(0, 1)); err == nil {
			acknowledged++
		} else {
			failed++ // it may be stored even so: it says that this is not known
		}
		select {
		case <-ended:
			running = false
		default:
		}
	}
	proxy.Flow()
	must.Have(s.Messages.Append(t.Context(), post(0, 1)))(t)
	if failed == 0 {
		wantStored(t, s, acknowledged+1)
	}
	page := must.Have(s.Inbox.Page(t.Context(), InboxQuery{RecipientID: agentID(1), Limit: 1}))(t)
	if page.Total < acknowledged+1 || page.Total > acknowledged+failed+1 {
		t.Errorf("%d are stored; %d were acknowledged, %d failed", page.Total, acknowledged+1, failed)
	}
}

// A server without free connections is told with the next step. When there are some again, the store goes on.
func TestServerWithoutConnectionsIsSaid(t *testing.T) {
	needsServer(t)
	const most = 12
	server := must.Have(postgrestest.Start(fmt.Sprintf("max_connections=%d", most)))(t)
	t.Cleanup(func() { must.Do(t, server.Close()) })
	s := must.Have(Open(t.Context(), Options{URL: server.URL("postgres")}))(t)
	t.Cleanup(func() { _ = s.Close() })
	addAgents(t, s, 2)

	others := must.Have(sql.Open("pgx", server.URL("postgres")))(t)
	t.Cleanup(func() { _ = others.Close() })
	others.SetMaxIdleConns(most)
	first := must.Have(others.Conn(t.Context()))(t)
	must.Become(t, "the store sees it", func() bool {
		var left int
		must.Do(t, first.QueryRowContext(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE application_name = 'parley'`).Scan(&left))
		return left == 0
	})
	held := []*sql.Conn{first}
	for range most - 1 {
		held = append(held, must.Have(others.Conn(t.Context()))(t))
	}

	_, err := s.Messages.Append(t.Context(), post(0, 1))
	wantCode(t, "Append", err, parley.StorageUnavailable)
	if e := parley.AsError(err); !strings.Contains(e.Message, "no connections") ||
		!strings.Contains(e.Action, "max_connections") {
		t.Errorf("got %s %s", e.Message, e.Action)
	}

	for _, c := range held {
		must.Do(t, c.Close())
	}
	must.Do(t, others.Close())
	must.Become(t, "it stores again", func() bool {
		_, err := s.Messages.Append(t.Context(), post(0, 1))
		return err == nil
	})
	wantStored(t, s, 1)
}

// A daemon that is stopped in the middle of a transaction delays the others, and refuses none of their
// messages. Its own change is made when it goes on, once.
func TestStoppedTransactionGivesWay(t *testing.T) {
	needsServer(t)
	ann, path := openNew(t, 2)
	bob := must.Have(Open(t.Context(), Options{URL: at(t, path).URL, Host: "bob", Path: "/home/bob/parley.db"}))(t)
	t.Cleanup(func() { _ = bob.Close() })

	begun, goOn, ended := make(chan bool, 2), make(chan bool), make(chan error)
	go func() {
		ended <- bob.db.write(t.Context(), "sleeping", func(tx *tx) error {
			begun <- true
			<-goOn
			_, err := tx.Exec(`SELECT 1`)
			return err
		})
	}()

	<-begun
	must.Have(ann.Messages.Append(t.Context(), post(0, 1)))(t)
	close(goOn)
	must.Do(t, <-ended)
	wantStored(t, ann, 1)
	if len(begun) != 1 {
		t.Error("the change was not made again")
	}
}

// The schema does not change while other hosts are at work.
func TestUpdateWaitsForTheOtherHosts(t *testing.T) {
	needsServer(t)
	_, path := openNew(t, 0)
	_, err := open(t.Context(), Options{URL: at(t, path).URL, Host: "bob", Path: "/home/bob/parley.db"},
		tuning{migrations: later(t, &engine.Postgres, "SELECT 1;")})
	wantCode(t, "Open", err, parley.StorageUnavailable)
	if e := parley.AsError(err); !strings.Contains(e.Message, "other hosts use") ||
		!strings.Contains(e.Action, "parley down") {
		t.Errorf("got %s %s", e.Message, e.Action)
	}
}

// What a host writes names the hosts that it concerns.
func TestWritesRingAtTheHostsThatTheyConcern(t *testing.T) {
	hosts := openHosts(t, "ann", "bob", "cleo")
	ann, bob := hosts[0], hosts[1]
	far := testAgent(7)
	far.Host = "bob"
	must.Do(t, bob.Agents.CreateAgent(t.Context(), far, nil))
	mail := testAgent(8)
	mail.Kind = parley.KindMailbox
	must.Do(t, bob.Agents.CreateAgent(t.Context(), mail, nil))

	conn := must.Have(pgx.ConnectConfig(t.Context(), ann.db.base.Session.(*engine.ServerSession).Config))(t)
	defer conn.Close(context.WithoutCancel(t.Context()))
	must.Have(conn.Exec(t.Context(), `LISTEN `+pgx.Identifier{ann.db.base.Doorbell.Channel}.Sanitize()))(t)
	expect := func(what, want string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if got := must.Have(conn.WaitForNotification(ctx))(t).Payload; got != want {
			t.Errorf("%s: the ring says %q, want %q", what, got, want)
		}
	}

	sent := send(t, ann, post(0, 7))
	expect("a message to an agent of bob", "\nbob\n")
	must.Do(t, bob.Deliveries.Claim(t.Context(), Key{sent.Seq, agentID(7)}, 1, false))
	expect("a claim", "\nbob\n")
	send(t, ann, post(0, 8))
	expect("a message to a mailbox", "\n\n")
	send(t, ann, post(0, 7, 8))
	expect("a message to both", "\nbob\n")
	must.Do(t, ann.Workspace.SetPause(t.Context(), agentID(0), &parley.Pause{By: "ann"}, nil))
	expect("a pause", "")
}
