package client_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/must"
	"parley/op"
)

// followed is what a stream of events yields.
type followed struct {
	parley.Event
	err error
}

// follow gathers what Events yields.
func follow(ctx context.Context, c *client.Client, after int64) <-chan followed {
	out := make(chan followed, 100)
	go func() {
		defer close(out)
		for e, err := range c.Events(ctx, after) {
			out <- followed{e, err}
		}
	}()
	return out
}

// expectRegistered waits for the events of agents that register, and no others.
func expectRegistered(t *testing.T, events <-chan followed, names ...string) {
	t.Helper()
	for _, name := range names {
		select {
		case e, ok := <-events:
			if !ok || e.err != nil || e.Agent != name {
				t.Fatalf("got %+v (open: %v), want the event of %s", e, ok, name)
			}
		case <-time.After(patience):
			t.Fatalf("the event of %s has not come", name)
		}
	}
}

func TestEventsContinueAfterARestart(t *testing.T) {
	d := newDaemon(t)
	b := &breaking{Handler: d}
	addr, stop := at(t, "tcp", "127.0.0.1:0", b)
	c := connect(t, client.Options{URL: "http://" + addr, Key: operatorKey})
	d.register(t, "one")
	page := must.Have(op.ReadEvents.Call(t.Context(), c, parley.ReadEventsRequest{}))(t)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	d.register(t, "two")
	events := follow(ctx, c, page.Next)
	expectRegistered(t, events, "two")
	d.register(t, "three")
	expectRegistered(t, events, "three")

	stop()
	d.register(t, "four")
	d.register(t, "five")
	b.left.Store(2)
	at(t, "tcp", addr, b)
	expectRegistered(t, events, "four", "five")
	d.register(t, "six")
	expectRegistered(t, events, "six")

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

func TestEventsEndWithAnErrorThatWaitingDoesNotMend(t *testing.T) {
	addr, _ := at(t, "tcp", "127.0.0.1:0", newDaemon(t))
	c := connect(t, client.Options{URL: "http://" + addr, Key: "wrong"})
	var codes []parley.Code
	for _, err := range c.Events(t.Context(), 0) {
		codes = append(codes, parley.ErrorCode(err))
	}
	if want := []parley.Code{parley.Unauthenticated}; !slices.Equal(codes, want) {
		t.Errorf("got the errors %v, want %v", codes, want)
	}
}

func TestALoopOverEventsCanBeLeft(t *testing.T) {
	d := newDaemon(t)
	d.register(t, "one")
	addr, _ := at(t, "tcp", "127.0.0.1:0", d)
	for e, err := range connect(t, client.Options{URL: "http://" + addr, Key: operatorKey}).Events(t.Context(), 0) {
		if err != nil || e.Seq != 1 {
			t.Errorf("got %+v, %v, want event 1", e, err)
		}
		break
	}
}
