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

type keyRow struct {
	ID        string
	AgentID   string
	Hash      []byte
	Origin    string
	CreatedAt int64
	LastUsed  int64
	ExpiresAt int64
	Browser   string
	Address   string
}

var keysTable = engine.Table[keyRow]{
	Name:    "agent_keys",
	Key:     []string{"id"},
	Columns: engine.ColumnsOf[keyRow](butFor()),
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
		Device:    parley.Device{Browser: r.Browser, Address: r.Address},
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
		Browser:   k.Device.Browser,
		Address:   k.Device.Address,
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

func keysOf(q querier, agentIDs []string) (keys []APIKey, err error) {
	var rows []keyRow
	err = q.Query(&rows, `SELECT `+keysTable.Columns.Names()+` FROM agent_keys WHERE agent_id IN ?`, agentIDs)
	for i := range rows {
		keys = append(keys, rows[i].key())
	}
	return keys, err
}

// Tokens keeps what the programs of agents used, and how far their transcripts were read.
type Tokens struct{ db *database }

// The tables of what programs used.
var (
	transcriptsTable  = engine.Table[struct{}]{Name: "transcripts", Key: []string{"agent_id", "path"}}
	tokenRecordsTable = engine.Table[struct{}]{Name: "token_records", Key: []string{"id"}}
	tokenDaysTable    = engine.Table[struct{}]{Name: "token_days", Key: []string{"agent_id", "day", "model"}}
)

// Transcript is a transcript of an agent's program, and how far it was read.
type Transcript struct {
	AgentID  string
	Path     string
	Form     string
	Since    time.Time // what is older is not the agent's
	Position int64     // bytes
	Skipping bool      // the position is within a line that is too long
	Model    string    // as named by an earlier line
	Records  int       // that were read
	Unknown  parley.UsageUnknown
	SeenAt   time.Time // when it was last named or had grown
}

type transcriptRow struct {
	AgentID, Path, Form, Model, Unknown string
	Since, Position, SeenAt             int64
	Skipping                            bool
	Records                             int
}

// Transcripts returns all transcripts that were named or had grown since a time.
func (s *Tokens) Transcripts(ctx context.Context, since time.Time) ([]Transcript, error) {
	var rows []transcriptRow
	err := s.db.read(ctx, "reading which transcripts there are", &rows, `SELECT * FROM transcripts WHERE seen_at >= ?`,
		nanos(since))
	list := make([]Transcript, len(rows))
	for i, r := range rows {
		list[i] = Transcript{
			r.AgentID, r.Path, r.Form, instant(r.Since), r.Position, r.Skipping, r.Model, r.Records,
			parley.UsageUnknown(r.Unknown), instant(r.SeenAt),
		}
	}
	return list, err
}

// TokenRecord is what one response of a model used.
type TokenRecord struct {
	ID     string // with the form of the transcript: the same for each copy of the record
	At     time.Time
	Day    string
	Model  string
	Tokens parley.Tokens
}

// countDay adds to a day what a record has more than the one of the same id that is counted.
var countDay = `INSERT INTO token_days
		(agent_id, day, model, responses, input, cached, cache_write, output, reasoning)
	SELECT coalesce(r.agent_id, ?), coalesce(r.day, ?), coalesce(r.model, ?), CASE WHEN r.id IS NULL THEN 1 ELSE 0 END,
		` + excess("input") + `, ` + excess("cached") + `, ` + excess("cache_write") + `,
		` + excess("output") + `, ` + excess("reasoning") + `
	FROM (SELECT CAST(? AS BIGINT) AS input, CAST(? AS BIGINT) AS cached, CAST(? AS BIGINT) AS cache_write,
		CAST(? AS BIGINT) AS output, CAST(? AS BIGINT) AS reasoning) n LEFT JOIN token_records r ON r.id = ? WHERE true
	ON CONFLICT (agent_id, day, model) DO UPDATE SET responses = token_days.responses + excluded.responses,
		input = token_days.input + excluded.input, cached = token_days.cached + excluded.cached,
		cache_write = token_days.cache_write + excluded.cache_write, output = token_days.output + excluded.output,
		reasoning = token_days.reasoning + excluded.reasoning`

var keepRecord = `INSERT INTO token_records
		(id, agent_id, day, model, at, input, cached, cache_write, output, reasoning)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (id) DO UPDATE SET input = ` + larger("input") + `, cached = ` + larger("cached") + `,
		cache_write = ` + larger("cache_write") + `, output = ` + larger("output") + `,
		reasoning = ` + larger("reasoning")

const keepTranscript = `INSERT INTO transcripts
		(agent_id, path, form, since, position, skipping, model, records, unknown, seen_at)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (agent_id, path) DO UPDATE SET form = excluded.form, position = excluded.position,
		skipping = excluded.skipping, model = excluded.model, records = excluded.records, unknown = excluded.unknown,
		seen_at = excluded.seen_at`

// excess is what a record has more than the one that is counted, not less than nothing.
func excess(column string) string {
	return engine.Greatest(`n.`+column+` - coalesce(r.`+column+`, 0)`, `0`)
}

func larger(column string) string {
	return engine.Greatest(`token_records.`+column, `excluded.`+column)
}

// CountTokens counts the records that were read off a transcript, each response once, and stores how
// far it was read. Of several records of one response the largest numbers count.
func (s *Tokens) CountTokens(ctx context.Context, from Transcript, records []TokenRecord) error {
	return s.db.write(ctx, "counting what an agent's program used", func(t *tx) error {
		for _, r := range records {
			n := r.Tokens
			_, err := t.Exec(countDay, from.AgentID, r.Day, r.Model,
				n.Input, n.Cached, n.CacheWrite, n.Output, n.Reasoning, r.ID)
			if err == nil {
				_, err = t.Exec(keepRecord, r.ID, from.AgentID, r.Day, r.Model, nanos(r.At),
					n.Input, n.Cached, n.CacheWrite, n.Output, n.Reasoning)
			}
			if err != nil {
				return err
			}
		}

		_, err := t.Exec(keepTranscript, from.AgentID, from.Path, from.Form, nanos(from.Since), from.Position,
			from.Skipping, from.Model, from.Records, string(from.Unknown), nanos(from.SeenAt))
		return err
	})
}

// ForgetTokenRecords forgets of what is older which responses are counted. The sums stay.
func (s *Tokens) ForgetTokenRecords(ctx context.Context, before time.Time) error {
	return s.db.write(ctx, "forgetting old responses", func(t *tx) error {
		_, err := t.Exec(`DELETE FROM token_records WHERE at < ?`, nanos(before))
		return err
	})
}

// TokenDay is what a model of an agent used on a day.
type TokenDay struct {
	AgentID, Day, Model string
	Responses           int
	Tokens              parley.Tokens `gorm:"embedded"`
}

// TokenHour is what a model of an agent used in an hour.
type TokenHour struct {
	AgentID, Model string
	Hour           int64 // since 1970
	Responses      int
	Tokens         parley.Tokens `gorm:"embedded"`
}

// TokenHours returns what agents used since a time, the oldest hour first, as far as it is remembered.
func (s *Tokens) TokenHours(ctx context.Context, since time.Time) ([]TokenHour, error) {
	var hours []TokenHour
	err := s.db.read(ctx, "summing up what agents used by the hour", &hours,
		`SELECT agent_id, model, at / ? AS hour, count(*) AS responses, CAST(sum(input) AS BIGINT) AS input,
			CAST(sum(cached) AS BIGINT) AS cached, CAST(sum(cache_write) AS BIGINT) AS cache_write,
			CAST(sum(output) AS BIGINT) AS output, CAST(sum(reasoning) AS BIGINT) AS reasoning
		FROM token_records WHERE at >= ? GROUP BY 3, 1, 2 ORDER BY 3, 1, 2`, time.Hour.Nanoseconds(), nanos(since))
	return hours, err
}

// TokenDays returns what agents used from a day on, the newest day of each agent first. Without an
// agent it returns all.
func (s *Tokens) TokenDays(ctx context.Context, agentID, from string) ([]TokenDay, error) {
	where, args := ` WHERE day >= ?`, []any{from}
	if agentID != "" {
		where, args = where+` AND agent_id = ?`, append(args, agentID)
	}
	var days []TokenDay
	err := s.db.read(ctx, "summing up what agents used", &days, `SELECT * FROM token_days`+where+
		` ORDER BY agent_id, day DESC, model`, args...)
	return days, err
}
