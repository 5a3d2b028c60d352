package team

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

// NewID is random, not time-ordered: headers show its first eight characters,
// and those of agents made at the same time would be equal.
func NewID() string { return uuid.NewString() }

// NewKey makes an API key of 256 random bits and what is stored of it: its hash, and
// its first characters, by which it is named.
func (r *Roster) NewKey(origin parley.KeyOrigin) (key string, stored *store.APIKey) {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails: it ends the program instead
	key = "parley_" + base64.RawURLEncoding.EncodeToString(secret)
	return key, &store.APIKey{
		Hash: HashKey(key),
		Key:  parley.Key{KeyID: key[:parley.KeyIDLength], Origin: origin, CreatedAt: r.now()},
	}
}

// HashKey needs no salt and no slowness: keys are random and long.
func HashKey(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}

// Authenticate returns whose key it is. The key of a terminated agent is
// nobody's.
func (r *Roster) Authenticate(_ context.Context, key string) (parley.Caller, bool) {
	held := r.Keys.Find(HashKey(key))
	if held == nil {
		return parley.Caller{}, false
	}
	caller, ok := r.CallerOf(held.Member)
	if ok {
		held.used.Store(r.now().UnixNano())
	}
	return caller, ok
}

// CallerOf notes that the member was heard of and returns it as a caller.
func (r *Roster) CallerOf(m *Member) (parley.Caller, bool) {
	a := m.Agent()
	if a.State == parley.StateTerminated {
		return parley.Caller{}, false
	}
	m.NoteSeen(r.now())
	return parley.Caller{ID: m.ID, Name: m.Name, Kind: a.Kind, Orchestrate: a.Orchestrate}, true
}

// CallerNamed is the agent of that name or id, for who is believed without a key. The
// operator cannot be named so.
func (r *Roster) CallerNamed(_ context.Context, ref string) (parley.Caller, bool) {
	m, err := r.Find(ref)
	if err != nil || m.Kind == parley.KindHuman {
		return parley.Caller{}, false
	}
	return r.CallerOf(m)
}

// Operator is the person at the keyboard.
func (r *Roster) Operator() parley.Caller {
	m := r.ByName(parley.OperatorName)
	return parley.Caller{ID: m.ID, Name: m.Name, Kind: m.Kind, Operator: true}
}

// CallerOfProcess returns the agent whose program the process is or descends
// from. It is how an agent is known whose environment was taken from it.
func (r *Roster) CallerOfProcess(pid int) (parley.Caller, bool) {
	line, err := tmux.Ancestors(pid)
	if err != nil {
		r.log.Warn("look up a caller's process", "pid", pid, "error", err)
		return parley.Caller{}, false
	}
	line = append(line, pid)
	for _, m := range r.All() {
		if t := m.Terminal(); t != nil && slices.Contains(line, t.PID) && m.Agent().State.Live() {
			return r.CallerOf(m)
		}
	}
	return parley.Caller{}, false
}

// Caller is the member that a call comes from.
func (r *Roster) Caller(ctx context.Context) (*Member, error) {
	c := parley.CallerFrom(ctx)
	if m := r.ByID(c.ID); m != nil {
		return m, nil
	}
	return nil, parley.Errorf(parley.Unauthenticated, "it is not known who calls").
		Suggest("Send your API key as `Authorization: Bearer KEY`; register_agent gives you one.")
}
