package store

import (
	"context"
	"time"

	"parley"
	"parley/store/engine"
)

// Keys keeps the API keys of agents, as hashes.
type Keys struct{ db *database }

// APIKey is a stored key of the API: its hash, and what may be shown of it.
type APIKey struct {
	parley.Key
	Hash []byte
}

// keyRow is a row of agent_keys.
type keyRow struct {
	ID        string
	AgentID   string
	Hash      []byte
	Origin    string
	CreatedAt int64
	LastUsed  int64
	ExpiresAt int64
}

var keysTable = engine.Table[keyRow]{
	Name: "agent_keys",
	Key:  []string{"id"},
	Columns: engine.Columns[keyRow]{
		{"id", func(r *keyRow) any { return r.ID }},
		{"agent_id", func(r *keyRow) any { return r.AgentID }},
		{"hash", func(r *keyRow) any { return r.Hash }},
		{"origin", func(r *keyRow) any { return r.Origin }},
		{"created_at", func(r *keyRow) any { return r.CreatedAt }},
		{"last_used", func(r *keyRow) any { return r.LastUsed }},
		{"expires_at", func(r *keyRow) any { return r.ExpiresAt }},
	},
}

// List returns all keys by agent, the oldest first, without the agents' names.
func (s *Keys) List(ctx context.Context) ([]APIKey, error) {
	var rows []keyRow
	err := s.db.read(ctx, "reading the keys", &rows, `SELECT `+keysTable.Columns.Names()+`
		FROM agent_keys ORDER BY agent_id, created_at, id`)
	keys := make([]APIKey, len(rows))
	for i := range rows {
		keys[i] = rows[i].key()
	}

	return keys, err
}

func (r *keyRow) key() APIKey {
	return APIKey{Hash: r.Hash, Key: parley.Key{
		KeyID:     r.ID,
		AgentID:   r.AgentID,
		Origin:    parley.KeyOrigin(r.Origin),
		CreatedAt: instant(r.CreatedAt),
		LastUsed:  instantOrNil(r.LastUsed),
		ExpiresAt: instantOrNil(r.ExpiresAt),
	}}
}

// KeySwap changes the keys of an agent.
type KeySwap struct {
	AgentID string
	// Ends returns the IDs of the keys to end, none if it is nil. It is called after everything that other hosts
	// have written is taken, perhaps more than once, and must not wait.
	Ends  func() []string
	Added *APIKey // may be nil
	By    string  // the caller, for the agent log

	// Stored is called once the change is stored, in the order in which all hosts commit. It may be nil.
	Stored func()
}

// SwapKeys ends keys of an agent and adds one, in one step. AGENT_NOT_FOUND.
func (s *Keys) SwapKeys(ctx context.Context, swap KeySwap) error {
	return s.db.write(ctx, "storing the agent's keys", func(t *tx) error {
		if _, err := (agentsIn{t}).load(swap.AgentID); err != nil {
			return err
		}
		var ended []string
		if swap.Ends != nil {
			ended = swap.Ends()
		}
		if len(ended) == 0 && swap.Added == nil {
			return nil
		}

		tell(t, changedAgent, swap.AgentID, "")
		for _, id := range ended {
			n, err := t.Exec(`DELETE FROM agent_keys WHERE id = ? AND agent_id = ?`, id, swap.AgentID)
			if err != nil {
				return err
			}
			if n > 0 {
				keysIn{t}.log(swap.AgentID, "ended", id, swap.By)
			}
		}
		if swap.Added != nil {
			if err := (keysIn{t}).add(swap.AgentID, swap.Added, swap.By); err != nil {
				return err
			}
		}
		t.Then(swap.Stored)

		return nil
	})
}

// add stores a new key. A missing time of creation is now. The agent log gets a row
// unless by is empty.
func (t keysIn) add(agentID string, k *APIKey, by string) error {
	at := nanos(k.CreatedAt)
	if at == 0 {
		at = nanos(t.tx.Now)
	}

	expires := int64(0)
	if k.ExpiresAt != nil {
		expires = nanos(*k.ExpiresAt)
	}

	err := keysTable.Insert(t.tx, keyRow{
		ID:        k.KeyID,
		AgentID:   agentID,
		Hash:      k.Hash,
		Origin:    string(k.Origin),
		CreatedAt: at,
		ExpiresAt: expires,
	})
	if err == nil && by != "" {
		t.log(agentID, "made", k.KeyID, by)
	}
	if err == nil && k.Origin.IsSession() {
		emit(t.tx, eventRow{Type: parley.EventPage, AgentID: agentID,
			Detail: "a link was opened in " + k.Device.Words() + ": session " + k.KeyID})
	}

	return err
}

func (t keysIn) log(agentID, what, id, by string) {
	agentsIn(t).log(agentID, typeLifecycle, "Key "+id+" "+what, struct {
		KeyID string `json:"key_id"`
		By    string `json:"by"`
	}{id, by})
}

// replace replaces all keys of an agent by one, or by none.
func (t keysIn) replace(agentID string, k *APIKey) error {
	if _, err := t.tx.Exec(`DELETE FROM agent_keys WHERE agent_id = ?`, agentID); err != nil || k == nil {
		return err
	}
	return t.add(agentID, k, "")
}

// TouchKeys records when keys were last used, by their IDs. It skips keys that have
// ended, and times earlier than the recorded ones.
func (s *Keys) TouchKeys(ctx context.Context, used map[string]time.Time) error {
	return touch(ctx, s.db, "storing when keys were used",
		`UPDATE agent_keys SET last_used = ? WHERE id = ? AND last_used < ?`, used)
}

// keysOf returns the keys of some agents.
func keysOf(q querier, agentIDs []string) (keys []APIKey, err error) {
	var rows []keyRow
	err = q.Query(&rows, `SELECT `+keysTable.Columns.Names()+` FROM agent_keys WHERE agent_id IN ?`, agentIDs)
	for i := range rows {
		keys = append(keys, rows[i].key())
	}
	return keys, err
}
