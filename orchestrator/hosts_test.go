package orchestrator

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/store"
	"parley/store/storetest"
	"parley/tmux/tmuxtest"
)

// hostOf starts a host of a team, with a directory and a tmux server to itself.
func hostOf(t *testing.T, url, name string) *testTeam {
	t.Helper()
	return newTeam(t, func(o *Options) { o.Store = openHost(t, url, name, o.Workspace) })
}

func openHost(t *testing.T, url, name, dir string) *store.Store {
	t.Helper()
	o := store.Options{URL: url, Host: name, Path: filepath.Join(dir, "parley.db")}
	return must.Have(store.Open(context.Background(), o))(t)
}

// back starts the daemon of a host again.
func (te *testTeam) back(url, name string) {
	te.t.Helper()
	te.reopen(func(o *Options) { o.Store = openHost(te.t.(*testing.T), url, name, o.Workspace) })
}

// knows waits until a host knows an agent.
func (te *testTeam) knows(name string) {
	te.t.Helper()
	tmuxtest.Poll(te.t, func() bool { return te.roster.ByName(name) != nil },
		func() string { return "it does not know " + name })
}

func TestAgentsOfSeveralHostsTalk(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	ann, bob := hostOf(t, url, "ann"), hostOf(t, url, "bob")
	annie := ann.launch("annie", "framed", tmuxtest.Agent{})
	bobby := bob.launch("bobby", "framed", tmuxtest.Agent{})

	// A message for the other host is typed there, and its fate is known here.
	ann.knows("bobby")
	res := ann.sends(ann.operator(), parley.SendMessageRequest{To: parley.Names{"bobby"},
		Text: "over there", WaitSeconds: 30})
	if !res.Deliveries[0].State.Delivered() {
		t.Errorf("the sender is told %+v", res.DeliveryStatus)
	}
	bob.wantMessages(bobby, 1)
	bob.knows("annie")
	bob.arrived(bob.send("annie", "and back"))
	ann.wantMessages(annie, 1)

	_, err := op.LaunchAgent.Call(ann.operator(), ann, parley.LaunchAgentRequest{Name: "bobby",
		Command: []string{"cat"}})
	if err == nil {
		t.Error("its name was taken on another host")
	}

	// Names and the pause are the team's.
	key := must.Have(op.RegisterAgent.Call(ann.operator(), ann,
		parley.RegisterAgentRequest{Username: "mail"}))(t).APIKey
	tmuxtest.Poll(t, func() bool { _, ok := bob.roster.Authenticate(t.Context(), key); return ok },
		func() string { return "the other host does not know the key" })
	must.Have(op.PauseCommunication.Call(bob.operator(), bob, parley.PauseCommunicationRequest{Paused: true}))(t)
	tmuxtest.Poll(t, func() bool { return ann.rooms.pause.Is() != nil }, func() string { return "ann goes on" })
	must.Have(op.PauseCommunication.Call(ann.operator(), ann, parley.PauseCommunicationRequest{}))(t)

	// What waits for a host that is away says so, and goes when it is back.
	bob.close()
	tmuxtest.Poll(t, func() bool { return ann.inState("bobby", parley.StateUnreachable).Evidence != "" },
		func() string { return "bobby is there" })
	id := ann.send("bobby", "when you are back")
	ann.held(id, "host bob has been away since")
	ann.rooms.elsewhere.SSH["bob"] = "robert@box"
	if n := ann.need(parley.NeedLost); n.Command != "ssh robert@box" {
		t.Errorf("the operator is told %+v", n)
	}
	bob.back(url, "bob")
	ann.arrived(id)
	bob.wantMessages(bobby, 2)

	// A host that is gone for good is removed.
	bob.close()
	tmuxtest.Poll(t, func() bool {
		_, err = op.RemoveHost.Call(ann.operator(), ann, parley.RemoveHostRequest{Name: "bob"})
		return err == nil
	},
		func() string { return fmt.Sprint(err) })
	ann.inState("bobby", parley.StateTerminated)
	bob.back(url, "bob")
	bob.inState("bobby", parley.StateTerminated)
}

// Whoever read an event on one host goes on after it on another, though that one has not followed yet.
func TestEventsGoOnAfterThoseOfOtherHosts(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	ann, bob := hostOf(t, url, "ann"), hostOf(t, url, "bob")
	ann.as("reader")
	for range 20 {
		ann.send("reader", "news")
		after := parley.ReadEventsRequest{After: ann.store.Events.LastEvent()}
		must.Have(op.ReadEvents.Call(bob.operator(), bob, after))(t)
	}

	_, err := op.ReadEvents.Call(bob.operator(), bob,
		parley.ReadEventsRequest{After: ann.store.Events.LastEvent() + 1000})
	if parley.ErrorCode(err) != parley.InvalidArgument {
		t.Errorf("an event that no host has written: got %v", err)
	}
}

func TestLimitsCountTheMessagesOfAllHosts(t *testing.T) {
	t.Parallel()
	url, clock := storetest.URL(t), newHandClock()
	limited := func(name string) *testTeam {
		return newTeam(t, tight(clock), func(o *Options) { o.Store = openHost(t, url, name, o.Workspace) })
	}
	ann, bob := limited("ann"), limited("bob")
	ann.as("reader")
	sender := ann.as("mail")
	bob.knows("mail")

	var accepted atomic.Int64
	var calls sync.WaitGroup
	for i := range 20 {
		host := []*testTeam{ann, bob}[i%2]
		calls.Go(func() {
			_, err := op.SendMessage.Call(sender, host, parley.SendMessageRequest{To: parley.Names{"reader"},
				Text: "hi"})
			switch parley.ErrorCode(err) {
			case "":
				accepted.Add(1)
			case parley.RateLimited:
			default:
				t.Error(err)
			}
		})
	}
	calls.Wait()
	if got := accepted.Load(); got != 3 {
		t.Errorf("%d messages of one sender were accepted over two hosts, the limit is 3", got)
	}
}

// TestKilledHostLosesNothingAndTypesNothingTwice kills the daemon of one of three hosts while all of them
// send to each other.
func TestKilledHostLosesNothingAndTypesNothingTwice(t *testing.T) {
	t.Parallel()
	const kills = 4
	url := storetest.URL(t)
	names := []string{"ann", "bob", "cleo"}
	hosts, logs := map[string]*testTeam{}, map[string]string{}
	for _, name := range names {
		hosts[name] = hostOf(t, url, name)
		logs["agent-"+name] = hosts[name].launch("agent-"+name, "framed", tmuxtest.Agent{Shows: true})
	}
	for _, name := range names {
		hosts["ann"].knows("agent-" + name)
		hosts["cleo"].knows("agent-" + name)
	}

	bob, accepted := hosts["bob"], map[string]string{}
	bob.close()
	for n := range kills {
		cmd, in, answers := bob.startCrashing(t, crashTeam{URL: url, Host: "bob"})
		kill := time.AfterFunc(time.Duration(rand.IntN(250))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		for i := range 4 {
			to := "agent-" + names[i%len(names)]
			if _, err := fmt.Fprintf(in, "%s message %d of bob, %d\n", to, i, n); err == nil && answers.Scan() {
				accepted[answers.Text()] = to
			}
			for _, from := range []string{"ann", "cleo"} {
				to := "agent-" + names[(i+n)%len(names)]
				accepted[hosts[from].send(to, fmt.Sprintf("message %d of %s, %d", i, from, n))] = to
			}
		}
		for answers.Scan() {
			t.Errorf("the daemon said %q unasked", answers.Text())
		}
		_ = cmd.Wait()
		kill.Stop()
	}

	bob.back(url, "bob")
	bob.settle(t, accepted)
	bob.check(t, logs, accepted)
	for name, log := range logs {
		for _, m := range tmuxtest.Messages(t, log) {
			if !strings.Contains(m.Text, "message") {
				t.Errorf("%s got %q", name, m.Text)
			}
		}
	}
}
