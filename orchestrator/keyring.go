package orchestrator

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

// keyring is all keys that are good, by their hash.
type keyring struct {
	// changing is held from before a change in the database until the change here,
	// so that the two are made in one order.
	changing sync.Mutex

	mu     sync.RWMutex
	byHash map[string]*heldKey
}

// heldKey is a key and whose it is.
type heldKey struct {
	store.APIKey
	member *member
	used   atomic.Int64 // nanoseconds since 1970, when it was last used; 0 before
	noted  atomic.Int64 // the use that the database knows of
}

func (k *heldKey) any() bool { return true }

// launched tells the key of a launched agent's own program.
func (k *heldKey) launched() bool { return k.Origin == parley.KeyLaunched }

// add makes a key good; nil is none.
func (r *keyring) add(m *member, key *store.APIKey) {
	if key == nil || m == nil {
		return
	}

	held := &heldKey{APIKey: *key, member: m}
	if key.LastUsed != nil {
		held.used.Store(key.LastUsed.UnixNano())
		held.noted.Store(key.LastUsed.UnixNano())
	}

	r.mu.Lock()
	defer r.mu.Unlock()

	if r.byHash == nil {
		r.byHash = map[string]*heldKey{}
	}

	r.byHash[string(key.Hash)] = held
}

// end makes keys worthless.
func (r *keyring) end(keys []*heldKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range keys {
		delete(r.byHash, string(k.Hash))
	}
}

// find returns the key with this hash, nil if there is none. Looking it up tells
// nothing of a key by its time: what is looked up is a hash.
func (r *keyring) find(hash []byte) *heldKey {
	r.mu.RLock()
	defer r.mu.RUnlock()
	k := r.byHash[string(hash)]
	if k == nil || subtle.ConstantTimeCompare(k.Hash, hash) != 1 {
		return nil
	}
	return k
}

// of returns a member's keys, or everyone's for nil; by agent, the oldest first.
func (r *keyring) of(m *member) []*heldKey {
	r.mu.RLock()
	defer r.mu.RUnlock()

	var keys []*heldKey
	for _, k := range r.byHash {
		if m == nil || k.member == m {
			keys = append(keys, k)
		}
	}

	slices.SortFunc(keys, func(a, b *heldKey) int {
		return cmp.Or(
			cmp.Compare(a.member.name, b.member.name),
			a.CreatedAt.Compare(b.CreatedAt),
			cmp.Compare(a.KeyID, b.KeyID),
		)
	})

	return keys
}

// takeUsed returns the keys that were used since it was last called, by their ids.
func (r *keyring) takeUsed() map[string]time.Time {
	used := map[string]time.Time{}
	for _, k := range r.of(nil) {
		if at := k.used.Load(); at != k.noted.Swap(at) {
			used[k.KeyID] = time.Unix(0, at)
		}
	}
	return used
}

// shown is the key as it may be shown.
func (k *heldKey) shown() parley.Key {
	out := k.Key
	out.AgentID, out.Agent, out.LastUsed = k.member.id, k.member.name, nil
	if at := k.used.Load(); at != 0 {
		used := time.Unix(0, at).UTC()
		out.LastUsed = &used
	}
	return out
}
