package orchestrator

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/op"
)

// handClock is a clock that a test moves, also while others look at it.
type handClock struct{ at atomic.Pointer[time.Time] }

// newHandClock returns a clock that shows the beginning of 2026.
func newHandClock() *handClock {
	c := &handClock{}
	c.set(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	return c
}

func (c *handClock) set(at time.Time)         { c.at.Store(&at) }
func (c *handClock) advance(by time.Duration) { c.set(c.now().Add(by)) }
func (c *handClock) now() time.Time           { return *c.at.Load() }

// tight sets low limits and a clock that the test moves.
func tight(clock *handClock) func(*Options) {
	return func(o *Options) {
		o.Settings.MessagesPerMinute, o.Settings.BroadcastsPerMinute, o.Settings.RegistrationsPerMinute = 3, 2, 2
		o.Settings.Watch = time.Hour
		o.Now = clock.now
	}
}

// wantLimited checks that err says when to try again.
func wantLimited(t *testing.T, what string, err error, seconds int) {
	t.Helper()
	e := parley.AsError(err)
	if err == nil || e.Code != parley.RateLimited || e.Details["retry_after_seconds"] != seconds || e.Action == "" {
		t.Errorf("%s: got %v, want %s for %d s", what, err, parley.RateLimited, seconds)
	}
}

func TestEachSenderHasItsOwnLimit(t *testing.T) {
	t.Parallel()
	clock := newHandClock()
	te := newTeam(t, tight(clock))
	coder, planner := te.as("coder"), te.as("planner")
	send := func(ctx context.Context, key string) (*parley.SendMessageResult, error) {
		to := parley.Names{"planner"}
		if parley.CallerFrom(ctx).Name == "planner" {
			to = parley.Names{"coder"}
		}
		return op.SendMessage.Call(ctx, te, parley.SendMessageRequest{To: to, Text: "hi", IdempotencyKey: key})
	}

	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}

	first, err := send(coder, "k1")
	must("the first", err)
	for range 5 {
		_, err := send(coder, "k1")
		must("a repetition", err)
	}

	_, err = op.SendMessage.Call(coder, te, parley.SendMessageRequest{To: parley.Names{"planner"}, Text: " "})
	if parley.ErrorCode(err) != parley.InvalidArgument {
		t.Errorf("an empty text: %v", err)
	}

	for _, key := range []string{"k2", ""} {
		_, err := send(coder, key)
		must("within the limit", err)
	}

	for _, key := range []string{"k3", ""} {
		_, err := send(coder, key)
		wantLimited(t, "the fourth", err, 20)
	}

	again, err := send(coder, "k1")
	must("a repetition beyond the limit", err)
	if err == nil && again.MessageID != first.MessageID {
		t.Errorf("a repetition gave message %s, want %s", again.MessageID, first.MessageID)
	}

	for range 3 {
		_, err := send(planner, "")
		must("another sender", err)
	}

	for range 20 {
		_, err := op.SendMessage.Call(te.operator(), te, parley.SendMessageRequest{To: parley.Names{"coder"},
			Text: "hi"})
		must("the operator", err)
	}

	clock.advance(19 * time.Second)
	_, err = send(coder, "")
	wantLimited(t, "after 19 s", err, 1)
	clock.advance(time.Second)
	_, err = send(coder, "")
	must("after 20 s", err)
	_, err = send(coder, "")
	wantLimited(t, "at once again", err, 20)
}

func TestBroadcastsHaveALimitOfTheirOwn(t *testing.T) {
	t.Parallel()
	clock := newHandClock()
	te := newTeam(t, tight(clock))
	coder, _ := te.as("coder"), te.as("planner")
	for n := range 3 {
		_, err := op.BroadcastMessage.Call(coder, te, parley.BroadcastMessageRequest{Text: "hi"})
		switch {
		case n < 2 && err != nil:
			t.Errorf("broadcast %d: %v", n, err)
		case n == 2:
			wantLimited(t, "the third broadcast", err, 30)
		}
	}

	for n := range 3 {
		if _, err := op.SendMessage.Call(coder, te, parley.SendMessageRequest{To: parley.Names{"planner"},
			Text: "hi"}); err != nil {
			t.Errorf("message %d after the broadcasts: %v", n, err)
		}
	}
}

func TestRegistrationsAreLimitedByOrigin(t *testing.T) {
	t.Parallel()
	clock := newHandClock()
	te := newTeam(t, tight(clock))
	n := 0
	register := func(c parley.Caller) error {
		n++
		_, err := op.RegisterAgent.Call(parley.WithCaller(context.Background(), c), te,
			parley.RegisterAgentRequest{Username: fmt.Sprintf("agent-%d", n)})
		return err
	}

	for _, c := range []parley.Caller{{Address: "127.0.0.1:1"}, {Address: "127.0.0.2:2"}} {
		if err := register(c); err != nil {
			t.Errorf("from %+v: %v", c, err)
		}
	}

	wantLimited(t, "the third, over IPv6", register(parley.Caller{Address: "[::1]:3"}), 30)
	wantLimited(t, "the third, over the socket", register(parley.Caller{Unplaced: true, Address: "@"}), 30)

	wantLimited(t, "the third", register(parley.Caller{Address: "127.0.0.1:3"}), 30)
	wantLimited(t, "the third, in other words", register(parley.Caller{Address: "[::ffff:127.0.0.1]:3"}), 30)
	for _, c := range []parley.Caller{{Address: "192.0.2.7:1"}, {Address: "[2001:db8::1]:1"},
		{Address: "[2001:db8::2]:1"}, te.roster.Operator(), te.roster.Operator(), te.roster.Operator()} {
		if err := register(c); err != nil {
			t.Errorf("from %+v: %v", c, err)
		}
	}

	wantLimited(t, "the third of a network", register(parley.Caller{Address: "[2001:db8::3%eth0]:1"}), 30)
	coder := parley.CallerFrom(te.as("coder"))
	for i := range 3 {
		if err := register(coder); (err != nil) != (i == 2) {
			t.Errorf("registration %d by an agent: %v", i, err)
		}
	}
}
