// Package relay carries acts from one host to another: a call of an operation goes through the database to the
// daemon of the other host, which makes the same call there and sends back what came of it.
package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/op"
	"parley/orchestrator/team"
	"parley/store"
)

// Ask calls an operation on another host, in the name of the caller of ctx. Its errors are those of the
// operation, and those of store.Relays.AskHost.
func Ask[Req, Res any](
	ctx context.Context, s *store.Store, host string, o op.Operation[Req, Res], req Req,
) (*Res, error) {
	request, err := json.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("write what host %s is asked: %w", host, err)
	}

	answer, err := s.Relays.AskHost(ctx, store.Relay{
		Host: host, Operation: o.Name, Request: string(request), AskerID: parley.CallerFrom(ctx).ID,
	})
	if err != nil {
		return nil, err
	}

	if answer.Failed {
		refusal := new(parley.Error)
		if err := json.Unmarshal([]byte(answer.Text), refusal); err != nil {
			return nil, fmt.Errorf("read the error of host %s: %w", host, err)
		}
		return nil, refusal
	}

	res := new(Res)
	if err := json.Unmarshal([]byte(answer.Text), res); err != nil {
		return nil, fmt.Errorf("read the answer of host %s: %w", host, err)
	}
	return res, nil
}

// fromKey is the key of the host that asks for what a call does.
type fromKey struct{}

// From returns the host that asked for the call of ctx, "" for a call that was made here.
func From(ctx context.Context) string {
	host, _ := ctx.Value(fromKey{}).(string)
	return host
}

// Taker does what other hosts ask of this one.
type Taker struct {
	Store   *store.Store
	Roster  *team.Roster
	Service parley.Service
	Refuse  bool // do nothing for other hosts, and tell them so
	Log     *slog.Logger
}

// atOnce is how many acts of other hosts run at a time. Others wait, and are withdrawn if that takes long.
const atOnce = 16

// Run takes what other hosts ask, and does it, until ctx ends. It waits for what it has begun.
func (t *Taker) Run(ctx context.Context) {
	var begun sync.WaitGroup
	defer begun.Wait()

	for slots := make(chan struct{}, atOnce); ; {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}

		r := t.next(ctx)
		if r == nil {
			return
		}
		begun.Go(func() {
			t.do(ctx, *r)
			<-slots
		})
	}
}

// next waits for what another host asks, and takes it; nil when ctx ends.
func (t *Taker) next(ctx context.Context) *store.Relay {
	for {
		rings := t.Store.Relays.RelaysRing()
		r, err := t.Store.Relays.TakeRelay(ctx)
		switch {
		case r != nil:
			return r
		case ctx.Err() != nil:
			return nil
		case err != nil:
			t.Log.Warn("what other hosts ask cannot be read now", "error", err)
		}

		select {
		case <-rings:
		case <-time.After(t.Store.Relays.RelayPause()):
		case <-ctx.Done():
			return nil
		}
	}
}

// do does what another host asks, and answers it.
func (t *Taker) do(ctx context.Context, r store.Relay) {
	var answer store.RelayAnswer
	res, err := t.call(ctx, r)
	if err == nil {
		answer.Text, err = text(res)
	}
	if err != nil {
		answer.Failed = true
		answer.Text, _ = text(parley.AsError(err)) // an Error of parley's can be written
	}

	t.answer(ctx, r, answer)
}

// answerAgain is the pause before an answer that was not stored is stored again.
const answerAgain = time.Second

// answer answers another host. It tries again until ctx ends: while this daemon is there, its asker waits.
func (t *Taker) answer(ctx context.Context, r store.Relay, answer store.RelayAnswer) {
	for told := false; ; told = true {
		err := t.Store.Relays.AnswerRelay(context.WithoutCancel(ctx), r, answer)
		if err == nil {
			return
		}

		if !told {
			t.Log.Warn("another host was not answered yet", "host", r.AskedFrom, "operation", r.Operation, "error", err)
		}
		if wait.Pause(ctx, answerAgain) != nil {
			return
		}
	}
}

// call calls the operation that another host asks for, as the agent who asks. The agent may do here what
// this host knows it may.
func (t *Taker) call(ctx context.Context, r store.Relay) (any, error) {
	if t.Refuse {
		return nil, parley.
			Errorf(parley.NotAuthorized, "host %s does nothing for other hosts (its setting local_acts_only)", r.Host).
			With("host", r.Host).Suggest("Run it there.")
	}

	m := t.Roster.ByID(r.AskerID)
	op := op.Find(r.Operation)
	if m == nil || op == nil {
		return nil, parley.Errorf(parley.NotAuthorized, "host %s does not know who asks for what", r.Host).
			With("host", r.Host).Suggest("Use the same version of parley on all hosts.")
	}
	caller, ok := t.Roster.CallerOf(m)
	if !ok {
		return nil, parley.Errorf(parley.Unauthenticated, "%s was stopped", m.Name).Suggest("Launch it again.")
	}

	call, err := op.Decode([]byte(r.Request))
	if err != nil {
		return nil, err
	}
	return call.Call(context.WithValue(parley.WithCaller(ctx, caller), fromKey{}, r.AskedFrom), t.Service)
}

func text(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}
