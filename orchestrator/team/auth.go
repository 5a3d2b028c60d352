package team

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"

	"github.com/google/uuid"

	"parley"
	"parley/store"
)

// NewID returns a random UUID. It is not ordered by time: headers show the first eight characters,
// which would be equal for agents made at the same time.
func NewID() string { return uuid.NewString() }

// NewKey makes an API key of 256 random bits, and the record of it to store: its hash, and its
// first parley.KeyIDLength characters as its id. The key is not good until a Keyring holds it.
func (r *Roster) NewKey(origin parley.KeyOrigin) (key string, stored *store.APIKey) {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails: it ends the program instead
	key = "parley_" + base64.RawURLEncoding.EncodeToString(secret)
	return key, &store.APIKey{
		Hash: HashKey(key),
		Key:  parley.Key{KeyID: key[:parley.KeyIDLength], Origin: origin, CreatedAt: r.now()},
	}
}

// HashKey returns the hash by which a key is stored and looked up. It needs no salt and may be
// fast, because keys are long and random.
func HashKey(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}

// NewSession makes a session of the page of its public key, and the record of it to store.
func (r *Roster) NewSession(origin parley.KeyOrigin, publicKey string, from parley.Device) *store.APIKey {
	hash := HashKey(publicKey)
	id := ("parley_" + base64.RawURLEncoding.EncodeToString(hash))[:parley.KeyIDLength]
	return &store.APIKey{Hash: hash, Key: parley.Key{KeyID: id, Origin: origin, CreatedAt: r.now(), Device: from}}
}

// Authenticate returns the agent that the key belongs to, and notes the use of both; nobody, but
// invited, for an invitation. It reports false for an unknown key, for that of a terminated agent, for a key or an
// invitation that has expired, and for what opens the page, which is no key by itself.
func (r *Roster) Authenticate(_ context.Context, key string) (parley.Caller, bool) {
	held := r.Keys.Find(HashKey(key))
	if held == nil || held.Ended(r.now()) || held.Origin.OfPage() {
		return parley.Caller{}, false
	}
	if held.Origin == parley.KeyInvitation {
		held.used.Store(r.now().UnixNano())
		return parley.Caller{Invited: true}, r.now().Before(held.CreatedAt.Add(r.InvitationLife))
	}

	caller, ok := r.CallerOf(held.Member)
	if ok {
		held.used.Store(r.now().UnixNano())
	}
	return caller, ok
}

// Session returns whose session of the page the public key belongs to, who has signed a request with it, and notes its
// use and from where; nobody, but watching, for one that may only look. It reports false for one that was not used for
// too long.
func (r *Roster) Session(publicKey string, from parley.Device) (parley.Caller, bool) {
	held := r.Keys.Find(HashKey(publicKey))
	if held == nil || held.Ended(r.now()) || !held.Origin.IsSession() {
		return parley.Caller{}, false
	}

	caller, ok := r.CallerOf(held.Member)
	if held.Origin == parley.KeyWatch {
		caller = parley.Caller{Watches: caller.ID}
	} else {
		caller.Session = held.KeyID
	}
	held.used.Store(r.now().UnixNano())
	held.from.Store(&from)
	return caller, ok
}

// CallerOf returns the member as a caller and notes that it called just now. It reports false
// when the member is terminated.
func (r *Roster) CallerOf(m *Member) (parley.Caller, bool) {
	a := m.Agent()
	if a.State == parley.StateTerminated {
		return parley.Caller{}, false
	}
	m.NoteSeen(r.now())
	return parley.Caller{
		ID:          m.ID,
		Name:        m.Name,
		Kind:        a.Kind,
		Operator:    m.Name == parley.OperatorName,
		Sandboxed:   a.Sandboxed(),
		Orchestrate: a.Orchestrate && !a.Sandboxed(), // what it launched would not be in one
		Newcomer:    a.Approval == parley.ApprovalNewcomer,
		Seal:        a.Seal,
	}, true
}

// CallerNamed returns the agent with that name or id as a caller, for transports that trust the
// name without a key. It reports false for the operator, who cannot be claimed by name.
func (r *Roster) CallerNamed(_ context.Context, ref string) (parley.Caller, bool) {
	m, err := r.Find(ref)
	if err != nil || m.Kind == parley.KindHuman {
		return parley.Caller{}, false
	}
	return r.CallerOf(m)
}

// Operator returns the person at the keyboard as a caller. EnsureOperator must have succeeded.
func (r *Roster) Operator() parley.Caller {
	m := r.ByName(parley.OperatorName)
	return parley.Caller{ID: m.ID, Name: m.Name, Kind: m.Kind, Operator: true}
}

// Caller returns the member that the call of ctx comes from. The error is UNAUTHENTICATED when
// there is none.
func (r *Roster) Caller(ctx context.Context) (*Member, error) {
	c := parley.CallerFrom(ctx)
	if m := r.ByID(c.ID); m != nil {
		return m, nil
	}
	return nil, parley.Errorf(parley.Unauthenticated, "it is not known who calls").
		Suggest("Send your API key as `Authorization: Bearer KEY`, or as api_key; register_agent gives you one.")
}
