package team

import (
	"cmp"
	"context"
	"parley"
	"parley/store"
	"slices"
)

// SwapKeys ends those keys of a member that are to end, and adds one unless it is nil.
func (r *Roster) SwapKeys(
	ctx context.Context,
	m *Member,
	added *store.APIKey,
	ends func(*Key) bool,
) ([]*Key, error) {
	ring := &r.Keys
	ring.Changing.Lock()
	defer ring.Changing.Unlock()

	ended := slices.DeleteFunc(ring.Of(m), func(k *Key) bool { return !ends(k) })
	if len(ended) == 0 && added == nil {
		return nil, nil
	}
	if err := r.store.SwapKeys(ctx, m.ID, KeyIDs(ended), added, cmp.Or(parley.CallerFrom(ctx).Name, parley.SystemName)); err != nil {
		return nil, err
	}

	ring.End(ended)
	ring.Add(m, added)

	return ended, nil
}

func KeyIDs(keys []*Key) []string {
	ids := []string{}
	for _, k := range keys {
		ids = append(ids, k.KeyID)
	}
	return ids
}

// Renew replaces what is known of a member, and all its keys.
func (r *Roster) Renew(ctx context.Context, m *Member, a parley.Agent, key *store.APIKey) error {
	r.Keys.Changing.Lock()
	defer r.Keys.Changing.Unlock()
	if err := r.store.ReviveAgent(ctx, a, key); err != nil {
		return err
	}
	r.Keys.End(r.Keys.Of(m))
	r.Keys.Add(m, key)
	m.SetAgent(a)
	return nil
}
