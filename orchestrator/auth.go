package orchestrator

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"github.com/google/uuid"

	"parley"
	"parley/store"
	"parley/tmux"
)

// newID is random, not time-ordered: headers show its first eight characters,
// and those of agents made at the same time would be equal.
func newID() string { return uuid.NewString() }

// newKey makes an API key of 256 random bits and what is stored of it: its hash, and
// its first characters, by which it is named.
func (r *roster) newKey(origin parley.KeyOrigin) (key string, stored *store.APIKey) {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails: it ends the program instead
	key = "parley_" + base64.RawURLEncoding.EncodeToString(secret)
	return key, &store.APIKey{
		Hash: hashKey(key),
		Key:  parley.Key{KeyID: key[:parley.KeyIDLength], Origin: origin, CreatedAt: r.now()},
	}
}

// hashKey needs no salt and no slowness: keys are random and long.
func hashKey(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}

// Authenticate returns whose key it is. The key of a terminated agent is
// nobody's.
func (r *roster) Authenticate(_ context.Context, key string) (parley.Caller, bool) {
	held := r.keys.find(hashKey(key))
	if held == nil {
		return parley.Caller{}, false
	}
	caller, ok := r.callerOf(held.member)
	if ok {
		held.used.Store(r.now().UnixNano())
	}
	return caller, ok
}

// callerOf notes that the member was heard of and returns it as a caller.
func (r *roster) callerOf(m *member) (parley.Caller, bool) {
	a := m.snapshot()
	if a.State == parley.StateTerminated {
		return parley.Caller{}, false
	}
	m.noteSeen(r.now())
	return parley.Caller{ID: m.id, Name: m.name, Kind: a.Kind, Orchestrate: a.Orchestrate}, true
}

// CallerNamed is the agent of that name or id, for who is believed without a key. The
// operator cannot be named so.
func (r *roster) CallerNamed(_ context.Context, ref string) (parley.Caller, bool) {
	m, err := r.find(ref)
	if err != nil || m.kind == parley.KindHuman {
		return parley.Caller{}, false
	}
	return r.callerOf(m)
}

// Operator is the person at the keyboard.
func (r *roster) Operator() parley.Caller {
	m := r.named(parley.OperatorName)
	return parley.Caller{ID: m.id, Name: m.name, Kind: m.kind, Operator: true}
}

// CallerOfProcess returns the agent whose program the process is or descends
// from. It is how an agent is known whose environment was taken from it.
func (r *roster) CallerOfProcess(pid int) (parley.Caller, bool) {
	line, err := tmux.Ancestors(pid)
	if err != nil {
		r.log.Warn("look up a caller's process", "pid", pid, "error", err)
		return parley.Caller{}, false
	}
	line = append(line, pid)
	for _, m := range r.all() {
		if t := m.place(); t != nil && slices.Contains(line, t.pid) && m.snapshot().State.Live() {
			return r.callerOf(m)
		}
	}
	return parley.Caller{}, false
}

// sender is the member that a call comes from.
func (r *roster) sender(ctx context.Context) (*member, error) {
	c := parley.CallerFrom(ctx)
	if m := r.id(c.ID); m != nil {
		return m, nil
	}
	return nil, parley.Errorf(parley.Unauthenticated, "it is not known who calls").
		Suggest("Send your API key as `Authorization: Bearer KEY`; register_agent gives you one.")
}
