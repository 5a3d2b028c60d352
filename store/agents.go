package store

import (
	"context"
	"encoding/json"
	"time"

	"parley"
)

// Agents keeps the agents and what they are doing.
type Agents struct{ *database }

// CreateAgent stores a new agent, with a key unless it is nil. AGENT_EXISTS when its name, in any case, or
// its id was ever given to another.
func (s *Agents) CreateAgent(ctx context.Context, a parley.Agent, key *APIKey) error {
	return s.write(ctx, "storing the agent", func(t *tx) error {
		row := completeAgent(t, &a)
		if err := t.db.Create(&row).Error; err != nil {
			if duplicate(err) {
				return nameTaken(a.Name)
			}
			return err
		}

		t.wrote = true
		logLifecycle(t, &row, "created")
		if err := replaceResponder(t, a.ID, a.Responder); err != nil {
			return err
		}

		return replaceKeys(t, a.ID, key)
	})
}

// ReviveAgent replaces all that is known of the agent with this id, its keys too,
// but when it was created. AGENT_NOT_FOUND when there is none, AGENT_EXISTS when its new
// name belongs to another.
func (s *Agents) ReviveAgent(ctx context.Context, a parley.Agent, key *APIKey) error {
	return s.write(ctx, "storing the agent", func(t *tx) error {
		row := completeAgent(t, &a)
		res := t.db.Select("*").Omit("id", "created_at").Where("id = ?", a.ID).Updates(&row)
		switch {
		case duplicate(res.Error):
			return nameTaken(a.Name)
		case res.Error != nil:
			return res.Error
		case res.RowsAffected == 0:
			return noAgent(a.ID)
		}

		t.wrote = true
		logLifecycle(t, &row, "revived")
		if err := replaceResponder(t, a.ID, a.Responder); err != nil {
			return err
		}

		return replaceKeys(t, a.ID, key)
	})
}

// complete makes a row of an agent; times that are missing are now.
func completeAgent(t *tx, a *parley.Agent) agentRow {
	row := rowOf(a)
	for _, at := range []*int64{&row.Since, &row.CreatedAt, &row.LastActive} {
		if *at == 0 {
			*at = nanos(t.now)
		}
	}
	return row
}

// lifecycle logs and announces the state that an agent is in.
func logLifecycle(t *tx, r *agentRow, what string) {
	details, err := json.Marshal(struct {
		AgentID    string `json:"agent_id"`
		Name       string `json:"name"`
		Kind       string `json:"kind"`
		State      string `json:"state"`
		Evidence   string `json:"evidence,omitempty"`
		ExitStatus *int   `json:"exit_status,omitempty"`
	}{r.ID, r.Name, r.Kind, r.State, r.Evidence, r.ExitStatus})
	if err != nil {
		details = []byte("{}")
	}

	t.note(
		logRow{AgentID: r.ID, LogType: typeLifecycle, Message: "Agent " + r.Name + " " + what, Details: string(details)},
	)

	t.emit(eventRow{Type: parley.EventAgent, AgentID: r.ID, State: r.State, Detail: r.Evidence})
}

// SetAgentState records what an agent is doing, how that is known, and how its
// program ended if it did. It returns since when the agent has been in that
// state. Nothing happens when all of it is known already; the time is kept when
// only the evidence is new. AGENT_NOT_FOUND.
func (s *Agents) SetAgentState(
	ctx context.Context,
	id string,
	st parley.AgentState,
	evidence string,
	exit *int,
) (since time.Time, err error) {
	err = s.write(ctx, "storing the agent's state", func(t *tx) error {
		row, err := loadAgent(t, id)
		if err != nil {
			return err
		}

		since = instant(row.Since)
		if row.State == string(st) && row.Evidence == evidence && same(row.ExitStatus, exit) {
			return nil
		}

		if row.State != string(st) {
			row.Since = nanos(t.now)
			since = instant(row.Since)
		}

		row.State, row.Evidence, row.ExitStatus = string(st), evidence, exit
		if _, err := t.exec(`UPDATE agents SET state = ?, since = ?, evidence = ?, exit_status = ? WHERE id = ?`,
			row.State, row.Since, evidence, exit, id); err != nil {
			return err
		}

		logLifecycle(t, row, "is "+row.State)

		return nil
	})

	return since, err
}

func loadAgent(t *tx, id string) (*agentRow, error) {
	var rows []agentRow
	if err := t.db.Where("id = ?", id).Limit(1).Find(&rows).Error; err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, noAgent(id)
	}
	return &rows[0], nil
}

func same(a, b *int) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// TouchAgents records when agents were last heard of. A time earlier than the
// recorded one, or of an unknown agent, is passed over.
func (s *Agents) TouchAgents(ctx context.Context, seen map[string]time.Time) error {
	if len(seen) == 0 {
		return nil
	}
	return s.write(ctx, "storing when agents were active", func(t *tx) error {
		for id, at := range seen {
			if _, err := t.exec(`UPDATE agents SET last_active = ? WHERE id = ? AND last_active < ?`,
				nanos(at), id, nanos(at)); err != nil {
				return err
			}
		}
		return nil
	})
}

// List returns all agents, terminated ones too, by name.
func (s *Agents) List(ctx context.Context) ([]parley.Agent, error) {
	var rows []agentRow
	if err := s.reader.WithContext(ctx).Order("lower(name)").Find(&rows).Error; err != nil {
		return nil, s.fail("reading the agents", err)
	}

	by, err := s.responders(ctx)
	if err != nil {
		return nil, err
	}

	agents := make([]parley.Agent, len(rows))
	for i := range rows {
		agents[i] = rows[i].agent()
		if r := by[rows[i].ID]; r != nil {
			agents[i].Responder, agents[i].AutoRespond = r, r.AutoRespond
		}
	}

	return agents, nil
}

func nameTaken(name string) error {
	return parley.Errorf(parley.AgentExists, "there is an agent %q already", parley.CleanLine(name)).
		Suggest("Choose another name; get_agent_status shows those that are taken.")
}
