package team

import (
	"cmp"
	"context"
	"slices"

	"parley"
	"parley/store"
)

// SwapKeys ends the keys of a member for which ends returns true, adds one unless added is nil,
// and returns the ended keys. The caller must not hold Keys.Changing.
func (r *Roster) SwapKeys(ctx context.Context, m *Member, added *store.APIKey, ends func(*Key) bool) ([]*Key, error) {
	ring := &r.Keys
	ring.Changing.Lock()
	defer ring.Changing.Unlock()

	var ended []*Key
	err := r.store.SwapKeys(ctx, store.KeySwap{
		AgentID: m.ID, Added: added, By: cmp.Or(parley.CallerFrom(ctx).Label(), parley.SystemName),
		Ends: func() []string {
			ended = slices.DeleteFunc(ring.List(m), func(k *Key) bool { return !ends(k) })
			return KeyIDs(ended)
		},
		Stored: func() {
			ring.Remove(ended)
			ring.Add(m, added)
		},
	})
	if err != nil {
		return nil, err
	}

	return ended, nil
}

// KeyIDs returns the ids of the keys, never nil.
func KeyIDs(keys []*Key) []string {
	ids := []string{}
	for _, k := range keys {
		ids = append(ids, k.KeyID)
	}
	return ids
}

// Revive replaces the record of a member and all its keys: the member of a stopped agent becomes
// the agent a. The caller must hold m.Changing, and must not hold Keys.Changing.
func (r *Roster) Revive(ctx context.Context, m *Member, a parley.Agent, key *store.APIKey) error {
	r.Keys.Changing.Lock()
	defer r.Keys.Changing.Unlock()

	if err := r.store.ReviveAgent(ctx, a, key); err != nil {
		return err
	}

	r.Keys.Remove(r.Keys.List(m))
	r.Keys.Add(m, key)
	m.SetAgent(a)

	return nil
}
