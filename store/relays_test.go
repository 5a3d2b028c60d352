package store

import (
	"context"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

// asked is what came of asking another host.
type asked struct {
	RelayAnswer
	err error
}

// asks lets one host ask another in the background.
func asks(ctx context.Context, s *Store, host string) <-chan asked {
	done := make(chan asked, 1)
	go func() {
		a, err := s.Relays.AskHost(ctx, Relay{Host: host, Operation: "stop_agent", Request: `{"agent":"x"}`, AskerID: agentID(0)})
		done <- asked{a, err}
	}()
	return done
}

// takes waits until a host gets a relay.
func takes(t *testing.T, s *Store) Relay {
	t.Helper()
	late := time.After(must.Patience)
	for {
		rings := s.Relays.RelaysRing()
		if r := must.Have(s.Relays.TakeRelay(t.Context()))(t); r != nil {
			return *r
		}
		select {
		case <-rings:
		case <-time.After(s.Relays.RelayPause()):
		case <-late:
			t.Fatal("no relay came")
		}
	}
}

// relayRows counts what the database has of relays, with a condition.
func relayRows(t *testing.T, s *Store, where string) (n int) {
	t.Helper()
	must.Do(t, s.db.read(t.Context(), "counting", &n, `SELECT count(*) FROM relays WHERE `+where))
	return n
}

// tampers changes the database behind the backs of the hosts.
func tampers(t *testing.T, s *Store, statement string) {
	t.Helper()
	must.Have(s.db.base.WriterPool.Exec(statement))(t)
}

func TestRelayIsTakenOnceAndAnswered(t *testing.T) {
	hosts := openHosts(t, "ann", "bob", "cleo")
	ann, bob, cleo := hosts[0], hosts[1], hosts[2]
	for _, s := range hosts {
		s.Hosts.Follow(func(*News) {})
	}

	answer := asks(t.Context(), ann, "bob")
	r := takes(t, bob)
	if r.Operation != "stop_agent" || r.Request != `{"agent":"x"}` || r.AskerID != agentID(0) || r.AskedFrom != "ann" {
		t.Errorf("bob got %+v", r)
	}
	if again := must.Have(bob.Relays.TakeRelay(t.Context()))(t); again != nil {
		t.Errorf("bob got it twice: %+v", again)
	}
	if other := must.Have(cleo.Relays.TakeRelay(t.Context()))(t); other != nil {
		t.Errorf("cleo got it: %+v", other)
	}
	if relayRows(t, ann, `request <> ''`) != 0 {
		t.Error("the request is kept, though it was taken")
	}

	// Only the host that took it answers.
	must.Do(t, cleo.Relays.AnswerRelay(t.Context(), r, RelayAnswer{Text: `"cleo"`}))
	must.Do(t, bob.Relays.AnswerRelay(t.Context(), r, RelayAnswer{Text: `{"done":1}`, Failed: true}))
	if got := <-answer; got.err != nil || got.Text != `{"done":1}` || !got.Failed {
		t.Errorf("ann is told %+v", got)
	}
	if relayRows(t, ann, `true`) != 0 {
		t.Error("the relay is kept, though it was answered")
	}
}

func TestRelayThatNobodyTakesIsWithdrawn(t *testing.T) {
	hosts := openHosts(t, "ann", "bob")
	ann, bob := hosts[0], hosts[1]

	answer := asks(t.Context(), ann, "bob")
	must.Become(t, "the request is stored", func() bool { return relayRows(t, ann, `true`) == 1 })
	tampers(t, ann, `UPDATE relays SET deadline = clock_timestamp()`)
	if late := must.Have(bob.Relays.TakeRelay(t.Context()))(t); late != nil {
		t.Errorf("bob took it after its deadline: %+v", late)
	}
	got := <-answer
	wantCode(t, "nobody took it", got.err, parley.AgentUnavailable)

	// When nobody waits for it any more, it is withdrawn too.
	ctx, cancel := context.WithCancel(t.Context())
	answer = asks(ctx, ann, "bob")
	must.Become(t, "the request is stored", func() bool { return relayRows(t, ann, `true`) == 1 })
	cancel()
	if got := <-answer; got.err != context.Canceled {
		t.Errorf("got %v, want the end of the context", got.err)
	}
	if relayRows(t, ann, `true`) != 0 {
		t.Error("it may still be taken")
	}

	// A host that is away, or unknown, is not asked.
	must.Do(t, bob.Close())
	_, err := ann.Relays.AskHost(t.Context(), Relay{Host: "bob"})
	wantCode(t, "a host that is away", err, parley.AgentUnavailable)
	_, err = ann.Relays.AskHost(t.Context(), Relay{Host: "dora"})
	wantCode(t, "an unknown host", err, parley.InvalidArgument)
}

func TestRelayWhoseTakerIsGoneIsNotKnown(t *testing.T) {
	hosts := openHosts(t, "ann", "bob")
	ann, bob := hosts[0], hosts[1]

	answer := asks(t.Context(), ann, "bob")
	r := takes(t, bob)
	tampers(t, ann, `UPDATE hosts SET epoch = 1000000 WHERE name = 'bob'`)
	tampers(t, ann, `UPDATE workspace SET epoch = 1000000`)
	got := <-answer
	wantCode(t, "another daemon is bob now", got.err, parley.DaemonUnavailable)
	err := bob.Relays.AnswerRelay(t.Context(), r, RelayAnswer{})
	wantCode(t, "the old daemon answers", err, parley.StorageUnavailable)
}

func TestRelayThatTheServerForgotIsNotKnown(t *testing.T) {
	hosts := openHosts(t, "ann", "bob")
	ann, bob := hosts[0], hosts[1]

	answer := asks(t.Context(), ann, "bob")
	r := takes(t, bob)
	tampers(t, ann, `TRUNCATE relays`)
	got := <-answer
	wantCode(t, "the server forgot it", got.err, parley.DaemonUnavailable)
	must.Do(t, bob.Relays.AnswerRelay(t.Context(), r, RelayAnswer{}))
}

func TestRelaysOfAskersThatAreGoneArePruned(t *testing.T) {
	hosts := openHosts(t, "ann", "bob")
	ann, bob := hosts[0], hosts[1]

	answer := asks(t.Context(), ann, "bob")
	takes(t, bob)
	must.Have(bob.Workspace.Prune(t.Context(), Retention{}, nil))(t)
	if relayRows(t, ann, `true`) != 1 {
		t.Error("a relay at work was removed")
	}
	tampers(t, ann, `UPDATE relays SET created_at = clock_timestamp() - interval '2 hours'`)
	must.Have(bob.Workspace.Prune(t.Context(), Retention{}, nil))(t)
	got := <-answer
	wantCode(t, "it was removed", got.err, parley.DaemonUnavailable)
}
