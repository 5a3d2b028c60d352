package store

import (
	"context"
	"encoding/json"
	"time"

	"parley"
)

// Keys keeps the API keys of agents, as hashes.
type Keys struct{ *database }

// APIKey is a key of the API as it is stored: its hash, and what may be shown of it.
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
}

var newKeyColumns = columns[keyRow]{
	{"id", func(r *keyRow) any { return r.ID }},
	{"agent_id", func(r *keyRow) any { return r.AgentID }},
	{"hash", func(r *keyRow) any { return r.Hash }},
	{"origin", func(r *keyRow) any { return r.Origin }},
	{"created_at", func(r *keyRow) any { return r.CreatedAt }},
	{"last_used", func(r *keyRow) any { return r.LastUsed }},
}

// List returns all keys, by agent and then the oldest first. The agents' names are left out.
func (s *Keys) List(ctx context.Context) ([]APIKey, error) {
	var rows []keyRow
	err := s.read(ctx, "reading the keys", &rows, `SELECT `+newKeyColumns.names()+`
		FROM agent_keys ORDER BY agent_id, created_at, id`)
	keys := make([]APIKey, len(rows))
	for i, r := range rows {
		keys[i] = APIKey{
			Hash: r.Hash,
			Key: parley.Key{
				KeyID:     r.ID,
				AgentID:   r.AgentID,
				Origin:    parley.KeyOrigin(r.Origin),
				CreatedAt: instant(r.CreatedAt),
			},
		}

		if r.LastUsed != 0 {
			used := instant(r.LastUsed)
			keys[i].LastUsed = &used
		}
	}

	return keys, err
}

// SwapKeys ends the keys with these ids and adds one, if there is one to add, in one
// step. by is who wanted it, for the agent log. AGENT_NOT_FOUND.
func (s *Keys) SwapKeys(ctx context.Context, agentID string, ended []string, added *APIKey, by string) error {
	return s.write(ctx, "storing the agent's keys", func(t *tx) error {
		if _, err := loadAgent(t, agentID); err != nil {
			return err
		}

		for _, id := range ended {
			n, err := t.exec(`DELETE FROM agent_keys WHERE id = ? AND agent_id = ?`, id, agentID)
			if err != nil {
				return err
			}
			if n > 0 {
				logKey(t, agentID, "ended", id, by)
			}
		}

		if added == nil {
			return nil
		}

		return addKey(t, agentID, added, by)
	})
}

// addKey stores a new key; a time that is missing is now.
func addKey(t *tx, agentID string, k *APIKey, by string) error {
	at := nanos(k.CreatedAt)
	if at == 0 {
		at = nanos(t.now)
	}

	err := insert(t, "agent_keys", newKeyColumns, keyRow{
		ID:        k.KeyID,
		AgentID:   agentID,
		Hash:      k.Hash,
		Origin:    string(k.Origin),
		CreatedAt: at,
	})
	if err == nil && by != "" {
		logKey(t, agentID, "made", k.KeyID, by)
	}

	return err
}

// keyNote logs what became of a key.
func logKey(t *tx, agentID, what, id, by string) {
	details, err := json.Marshal(struct {
		KeyID string `json:"key_id"`
		By    string `json:"by"`
	}{id, by})
	if err != nil {
		details = []byte("{}")
	}
	t.note(logRow{AgentID: agentID, LogType: typeLifecycle, Message: "Key " + id + " " + what, Details: string(details)})
}

// renewKey replaces all keys of an agent by one, or by none.
func replaceKeys(t *tx, agentID string, k *APIKey) error {
	if _, err := t.exec(`DELETE FROM agent_keys WHERE agent_id = ?`, agentID); err != nil || k == nil {
		return err
	}
	return addKey(t, agentID, k, "")
}

// TouchKeys records when keys were last used, by their ids. What is known better, or
// of a key that has ended, is passed over.
func (s *Keys) TouchKeys(ctx context.Context, used map[string]time.Time) error {
	if len(used) == 0 {
		return nil
	}
	return s.write(ctx, "storing when keys were used", func(t *tx) error {
		for id, at := range used {
			if _, err := t.exec(`UPDATE agent_keys SET last_used = ? WHERE id = ? AND last_used < ?`, nanos(at), id, nanos(at)); err != nil {
				return err
			}
		}
		return nil
	})
}
