package store

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/store/engine"
)

// openHosts opens a database as several hosts do, and returns their stores.
func openHosts(t *testing.T, names ...string) (hosts []*Store) {
	t.Helper()
	needsServer(t)
	s, path := openNew(t, 2)
	must.Do(t, s.Close())
	for _, name := range names {
		o := at(t, path)
		o.Path, o.Host = "/home/"+name+"/parley.db", name
		s := must.Have(Open(t.Context(), o))(t)
		t.Cleanup(func() { _ = s.Close() })
		hosts = append(hosts, s)
	}
	return hosts
}

// newsOf collects the news of a host.
type newsOf struct {
	mu   sync.Mutex
	all  []*News
	came chan struct{}
}

// newsFor lets a host follow the others.
func newsFor(s *Store) *newsOf {
	n := &newsOf{came: make(chan struct{}, 1000)}
	s.Hosts.Follow(func(news *News) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.all = append(n.all, news)
		n.came <- struct{}{}
	})
	return n
}

// until waits for the news that has something.
func (n *newsOf) until(t *testing.T, what string, has func(*News) bool) {
	t.Helper()
	late := time.After(must.Patience)
	for {
		n.mu.Lock()
		for _, news := range n.all {
			if has(news) {
				n.mu.Unlock()
				return
			}
		}
		n.mu.Unlock()

		select {
		case <-n.came:
		case <-late:
			t.Fatalf("the other host was not told of %s", what)
		}
	}
}

// A host that has not followed the others yet still knows what the record holds.
func TestNewestEventIsThatOfTheRecord(t *testing.T) {
	hosts := openHosts(t, "ann", "bob")
	ann, bob := hosts[0], hosts[1]
	before := bob.Events.LastEvent()
	send(t, ann, post(0, 1))

	if got, want := must.Have(bob.Events.Newest(t.Context()))(t), ann.Events.LastEvent(); got != want || got == before {
		t.Errorf("the newest event: got %d, want %d, which comes after %d", got, want, before)
	}
}

func TestHostsTellEachOtherWhatTheyWrite(t *testing.T) {
	hosts := openHosts(t, "ann", "bob")
	ann, bob := hosts[0], hosts[1]
	heard := newsFor(bob)

	sent := must.Have(ann.Messages.Append(t.Context(), post(0, 1)))(t)
	heard.until(t, "a message", func(n *News) bool {
		return len(n.Messages) == 1 && n.Messages[0].ID == sent.Message.ID && len(n.Messages[0].Deliveries) == 1
	})
	must.Do(t, ann.Keys.SwapKeys(t.Context(), KeySwap{AgentID: agentID(1), By: "ann",
		Added: &APIKey{Hash: []byte("x"), Key: parley.Key{KeyID: "k"}}}))
	heard.until(t, "a key", func(n *News) bool { return len(n.Keys) == 1 && len(n.Agents) == 1 })
	must.Do(t, ann.Workspace.SetPause(t.Context(), agentID(0), &parley.Pause{By: "ann"}, nil))
	heard.until(t, "a pause", func(n *News) bool { return n.Paused && n.Pause.By == "ann" })
	must.Do(t, ann.Conversations.AddAct(t.Context(), Act{Action: "mute", One: agentID(0), Other: agentID(1)}, nil,
		time.Time{}))
	heard.until(t, "an act", func(n *News) bool { return len(n.Acts) == 1 && n.Acts[0].Other == agentID(1) })

	// What bob writes now, it writes after it has taken all of that; and its own is no news.
	must.Have(bob.Messages.Append(t.Context(), post(1, 0)))(t)
	heard.mu.Lock()
	defer heard.mu.Unlock()
	messages := 0
	for _, n := range heard.all {
		messages += len(n.Messages)
	}
	if messages != 1 {
		t.Errorf("bob was told of %d messages, want the one of ann", messages)
	}
	if got, want := bob.Events.LastEvent(), ann.Events.LastEvent(); got < want {
		t.Errorf("bob knows the events up to %d, ann up to %d", got, want)
	}
	if events := must.Have(bob.Events.List(t.Context(), EventQuery{Limit: 100}))(t); len(events) == 0 {
		t.Error("no events")
	} else {
		for _, e := range events {
			if e.Type == changedEvent {
				t.Errorf("people see %+v", e)
			}
		}
	}
}

// Two hosts change the pause at the same time, again and again. In the end both remember what the database has.
func TestHostsRememberThePauseInTheOrderOfCommits(t *testing.T) {
	hosts := openHosts(t, "ann", "bob")
	remembered := make([]atomic.Pointer[parley.Pause], len(hosts))
	for i, s := range hosts {
		s.Hosts.Follow(func(n *News) {
			if n.Paused {
				remembered[i].Store(n.Pause)
			}
		})
	}

	var writers sync.WaitGroup
	for i, s := range hosts {
		writers.Go(func() {
			for range 20 {
				p := &parley.Pause{By: s.Hosts.Team().Own}
				must.Do(t, s.Workspace.SetPause(t.Context(), agentID(0), p, func() { remembered[i].Store(p) }))
			}
		})
	}
	writers.Wait()

	want := must.Have(hosts[0].Workspace.Pause(t.Context()))(t)
	for i, s := range hosts {
		must.Do(t, s.Hosts.TakeBack(t.Context())) // a transaction begins with what others wrote
		if got := remembered[i].Load(); got.By != want.By {
			t.Errorf("%s remembers the pause of %s, the database has that of %s", s.Hosts.Team().Own, got.By, want.By)
		}
	}
}

// A host that is far behind and cannot read what the others wrote refuses its own writes, and does not try for ever.
func TestHostThatCannotReadRefusesToWrite(t *testing.T) {
	hosts := openHosts(t, "ann", "bob")
	ann, bob := hosts[0], hosts[1]
	newsFor(bob)
	must.Do(t, bob.db.base.ReaderPool.Close())
	for range engine.ManyEvents + 1 {
		send(t, ann, post(0, 1))
	}

	done := make(chan error, 1)
	go func() { done <- bob.Agents.TouchAgents(t.Context(), map[string]time.Time{agentID(0): time.Now()}) }()
	select {
	case err := <-done:
		if err == nil {
			t.Error("bob wrote, though it has not taken what ann wrote")
		}
	case <-time.After(must.Patience):
		// A store that still tries cannot be closed.
		bob.db.base.Safety.Condemn(parley.Errorf(parley.Internal, "the test gives up"))
		t.Fatal("bob neither wrote nor refused")
	}
}
