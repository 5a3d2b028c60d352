package team

import (
	"cmp"
	"crypto/subtle"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/store"
)

// Keyring is all keys that are good, by their hash.
type Keyring struct {
	// changing is held from before a change in the database until the change here,
	// so that the two are made in one order.
	Changing sync.Mutex

	mu     sync.RWMutex
	byHash map[string]*Key
}

// Key is a key and whose it is.
type Key struct {
	store.APIKey
	Member *Member
	used   atomic.Int64 // nanoseconds since 1970, when it was last used; 0 before
	noted  atomic.Int64 // the use that the database knows of
}

func (k *Key) IsAny() bool { return true }

// IsLaunched tells the key of a launched agent's own program.
func (k *Key) IsLaunched() bool { return k.Origin == parley.KeyLaunched }

// Add makes a key good; nil is none.
func (r *Keyring) Add(m *Member, key *store.APIKey) {
	if key == nil || m == nil {
		return
	}

	held := &Key{APIKey: *key, Member: m}
	if key.LastUsed != nil {
		held.used.Store(key.LastUsed.UnixNano())
		held.noted.Store(key.LastUsed.UnixNano())
	}

	r.mu.Lock()
	defer r.mu.Unlock()

	if r.byHash == nil {
		r.byHash = map[string]*Key{}
	}

	r.byHash[string(key.Hash)] = held
}

// End makes keys worthless.
func (r *Keyring) End(keys []*Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range keys {
		delete(r.byHash, string(k.Hash))
	}
}

// Find returns the key with this hash, nil if there is none. Looking it up tells
// nothing of a key by its time: what is looked up is a hash.
func (r *Keyring) Find(hash []byte) *Key {
	r.mu.RLock()
	defer r.mu.RUnlock()
	k := r.byHash[string(hash)]
	if k == nil || subtle.ConstantTimeCompare(k.Hash, hash) != 1 {
		return nil
	}
	return k
}

// Of returns a member's keys, or everyone's for nil; by agent, the oldest first.
func (r *Keyring) Of(m *Member) []*Key {
	r.mu.RLock()
	defer r.mu.RUnlock()

	var keys []*Key
	for _, k := range r.byHash {
		if m == nil || k.Member == m {
			keys = append(keys, k)
		}
	}

	slices.SortFunc(keys, func(a, b *Key) int {
		return cmp.Or(
			cmp.Compare(a.Member.Name, b.Member.Name),
			a.CreatedAt.Compare(b.CreatedAt),
			cmp.Compare(a.KeyID, b.KeyID),
		)
	})

	return keys
}

// TakeUsed returns the keys that were used since it was last called, by their ids.
func (r *Keyring) TakeUsed() map[string]time.Time {
	used := map[string]time.Time{}
	for _, k := range r.Of(nil) {
		if at := k.used.Load(); at != k.noted.Swap(at) {
			used[k.KeyID] = time.Unix(0, at)
		}
	}
	return used
}

// Public is the key as it may be shown.
func (k *Key) Public() parley.Key {
	out := k.Key
	out.AgentID, out.Agent, out.LastUsed = k.Member.ID, k.Member.Name, nil
	if at := k.used.Load(); at != 0 {
		used := time.Unix(0, at).UTC()
		out.LastUsed = &used
	}
	return out
}
