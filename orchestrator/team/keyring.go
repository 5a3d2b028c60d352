package team

import (
	"cmp"
	"context"
	"crypto/subtle"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/store"
)

// Keyring holds all valid keys by their hash. The zero value is empty and ready for use; all
// methods are safe for concurrent use.
type Keyring struct {
	// Changing is held from before a change in the database until the same change here, so that
	// both see all changes in one order.
	Changing sync.Mutex

	mu     sync.RWMutex
	byHash map[string]*Key
}

// Key is a valid key and the member that it belongs to.
type Key struct {
	store.APIKey
	Member *Member
	used   atomic.Int64 // when it was last used, in nanoseconds since 1970; 0 if never
	taken  atomic.Int64 // the last use that TakeUsed has returned

	from atomic.Pointer[parley.Device] // of a session of the page: where it was used last; nil if it was not
}

// IsAny selects every key: SwapKeys takes it to end all keys of a member.
func (k *Key) IsAny() bool { return true }

// IsLaunched reports whether a launch made the key for the program that it started.
func (k *Key) IsLaunched() bool { return k.Origin == parley.KeyLaunched }

// Add makes a key of a member valid. It does nothing when either is nil.
func (r *Keyring) Add(m *Member, key *store.APIKey) {
	if key == nil || m == nil {
		return
	}

	held := &Key{APIKey: *key, Member: m}
	if key.LastUsed != nil {
		held.used.Store(key.LastUsed.UnixNano())
		held.taken.Store(key.LastUsed.UnixNano())
	}

	r.mu.Lock()
	defer r.mu.Unlock()

	if r.byHash == nil {
		r.byHash = map[string]*Key{}
	}

	r.byHash[string(key.Hash)] = held
}

// Remove removes keys, which are invalid from then on.
func (r *Keyring) Remove(keys []*Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range keys {
		delete(r.byHash, string(k.Hash))
	}
}

// Find returns the key with this hash, nil if there is none. Its timing reveals nothing about
// keys, because it compares hashes.
func (r *Keyring) Find(hash []byte) *Key {
	r.mu.RLock()
	defer r.mu.RUnlock()
	k := r.byHash[string(hash)]
	if k == nil || subtle.ConstantTimeCompare(k.Hash, hash) != 1 {
		return nil
	}
	return k
}

// List returns the keys of a member, or all keys for nil, sorted by the name of the agent and then
// by age, the oldest first.
func (r *Keyring) List(m *Member) []*Key {
	r.mu.RLock()
	defer r.mu.RUnlock()

	var keys []*Key
	for _, k := range r.byHash {
		if m == nil || k.Member == m {
			keys = append(keys, k)
		}
	}

	slices.SortFunc(keys, func(a, b *Key) int {
		return cmp.Or(cmp.Compare(a.Member.Name, b.Member.Name), a.CreatedAt.Compare(b.CreatedAt),
			cmp.Compare(a.KeyID, b.KeyID))
	})

	return keys
}

// TakeUsed returns the time of the last use of each key that was used since the last call, by the
// key's id.
func (r *Keyring) TakeUsed() map[string]time.Time {
	used := map[string]time.Time{}
	for _, k := range r.List(nil) {
		if at := k.used.Load(); at != k.taken.Swap(at) {
			used[k.KeyID] = time.Unix(0, at)
		}
	}
	return used
}

// Ended reports whether the key has ended by itself.
func (k *Key) Ended(now time.Time) bool {
	seen := k.Public()
	return seen.Expired(now)
}

// Public returns the description of the key that may be shown: without its hash.
func (k *Key) Public() parley.Key {
	out := k.Key
	out.AgentID, out.Agent, out.LastUsed = k.Member.ID, k.Member.Name, nil
	if at := k.used.Load(); at != 0 {
		used := time.Unix(0, at).UTC()
		out.LastUsed = &used
	}
	if from := k.from.Load(); from != nil {
		out.Device = *from
	}
	return out
}

// SwapKeys ends the keys of a member for which ends returns true, adds one unless added is nil,
// and returns the ended keys. The caller must not hold Keys.Changing.
func (r *Roster) SwapKeys(ctx context.Context, m *Member, added *store.APIKey, ends func(*Key) bool) ([]*Key, error) {
	ring := &r.Keys
	ring.Changing.Lock()
	defer ring.Changing.Unlock()

	var ended []*Key
	err := r.store.Keys.SwapKeys(ctx, store.KeySwap{
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

	if err := r.store.Agents.ReviveAgent(ctx, a, key); err != nil {
		return err
	}

	r.Keys.Remove(r.Keys.List(m))
	r.Keys.Add(m, key)
	m.SetAgent(a)

	return nil
}
