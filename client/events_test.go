package client_test

import (
	"context"
	"testing"
	"time"

	"parley"
	"parley/client"
)

// follow gathers what Events yields.
func follow(ctx context.Context, c *client.Client, after int64) <-chan parley.Event {
	out := make(chan parley.Event, 100)
	go func() {
		defer close(out)
		for e, err := range c.Events(ctx, after) {
			if err != nil {
				e.Detail = err.Error()
			}
			out <- e
		}
	}()
	return out
}

func expectSeq(t *testing.T, events <-chan parley.Event, want ...int64) {
	t.Helper()
	for _, w := range want {
		select {
		case e, ok := <-events:
			if !ok || e.Seq != w || e.Detail != "" {
				t.Fatalf("got %+v (%v), want event %d", e, ok, w)
			}
		case <-time.After(patience):
			t.Fatalf("event %d has not come", w)
		}
	}
}

func register(t *testing.T, m *memory, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := m.RegisterAgent(t.Context(), parley.RegisterAgentRequest{Username: name}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEventsAreFollowedThroughARestart(t *testing.T) {
	m := newMemory()
	b := &breaking{Handler: handler(m, m)}
	addr, stop := at(t, "tcp", "127.0.0.1:0", b)
	register(t, m, "one", "two")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	events := follow(ctx, connect(t, client.Options{URL: "http://" + addr, Key: operatorKey}), 1)
	expectSeq(t, events, 2)
	register(t, m, "three")
	expectSeq(t, events, 3)

	stop()
	register(t, m, "four", "five")
	b.left.Store(2)
	at(t, "tcp", addr, b)
	expectSeq(t, events, 4, 5)
	register(t, m, "six")
	expectSeq(t, events, 6)

	cancel()
	select {
	case e, ok := <-events:
		if ok {
			t.Errorf("after the end of its context it yields %+v", e)
		}
	case <-time.After(patience):
		t.Error("it goes on after its context has ended")
	}
}

func TestEventsEndWithWhatCannotBeMended(t *testing.T) {
	m := newMemory()
	addr, _ := at(t, "tcp", "127.0.0.1:0", handler(m, m))
	n := 0
	for e, err := range connect(t, client.Options{URL: "http://" + addr, Key: "wrong"}).Events(t.Context(), 0) {
		if n++; parley.ErrorCode(err) != parley.Unauthenticated {
			t.Errorf("got %+v, %v", e, err)
		}
	}
	if n != 1 {
		t.Errorf("it yields %d times, want once", n)
	}
}

func TestEventsMayBeLeft(t *testing.T) {
	m := newMemory()
	register(t, m, "one", "two")
	addr, _ := at(t, "tcp", "127.0.0.1:0", handler(m, m))
	for e, err := range connect(t, client.Options{URL: "http://" + addr, Key: operatorKey}).Events(t.Context(), 0) {
		if err != nil || e.Seq != 1 {
			t.Errorf("got %+v, %v", e, err)
		}
		break
	}
}
