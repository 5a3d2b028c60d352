package store

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"parley"
)

// The names of the facts that hold the pause, and the day on which each budget last paused communication.
const (
	pauseFact       = "pause"
	budgetPauseFact = "budget_pauses"
)

// The states in the event of a pause.
const (
	pauseBegins = "paused"
	pauseEnds   = "resumed"
)

// Pause returns the pause of communication, nil when there is none.
func (s *Workspace) Pause(ctx context.Context) (*parley.Pause, error) {
	var values []string
	err := s.db.read(ctx, "reading whether communication is paused", &values,
		`SELECT value FROM facts WHERE name = ?`, pauseFact)
	if err != nil {
		return nil, err
	}
	return parsePause(values)
}

// parsePause reads the fact of a pause, if there is one.
func parsePause(values []string) (*parley.Pause, error) {
	if len(values) == 0 {
		return nil, nil
	}

	p := new(parley.Pause)
	if err := json.Unmarshal([]byte(values[0]), p); err != nil {
		return nil, fmt.Errorf("read who paused communication: %w", err)
	}

	return p, nil
}

// SetPause begins a pause, or ends it if p is nil, in the name of an agent. It calls stored, which must not
// wait, in the order in which all hosts commit; stored may be nil.
func (s *Workspace) SetPause(ctx context.Context, agentID string, p *parley.Pause, stored func()) error {
	return s.db.write(ctx, "pausing communication", func(t *tx) error {
		t.Then(stored)
		e := eventRow{Type: parley.EventCommunication, AgentID: agentID, State: pauseEnds}
		if p == nil {
			emit(t, e)
			_, err := t.Exec(`DELETE FROM facts WHERE name = ?`, pauseFact)
			return err
		}

		value, err := json.Marshal(p)
		if err != nil {
			return err
		}

		e.State, e.Detail = pauseBegins, p.Reason
		emit(t, e)
		_, err = t.Exec(`INSERT INTO facts (name, value) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, pauseFact, string(value))

		return err
	})
}

// BudgetPauses returns the day on which each budget last paused communication, by the id of the agent whose
// budget it is, "" for the team's.
func (s *Workspace) BudgetPauses(ctx context.Context) (days map[string]string, err error) {
	var values []string
	err = s.db.read(ctx, "reading which budgets paused communication", &values,
		`SELECT value FROM facts WHERE name = ?`, budgetPauseFact)
	if err != nil || len(values) == 0 {
		return nil, err
	}
	if err := json.Unmarshal([]byte(values[0]), &days); err != nil {
		return nil, fmt.Errorf("read which budgets paused communication: %w", err)
	}
	return days, nil
}

// NoteBudgetPause stores that a budget paused communication on a day, and forgets those of other days.
func (s *Workspace) NoteBudgetPause(ctx context.Context, agentID, day string) error {
	return s.db.write(ctx, "storing which budget paused communication", func(t *tx) error {
		var values []string
		if err := t.Query(&values, `SELECT value FROM facts WHERE name = ?`, budgetPauseFact); err != nil {
			return err
		}

		days := map[string]string{}
		if len(values) > 0 {
			if err := json.Unmarshal([]byte(values[0]), &days); err != nil {
				return fmt.Errorf("read which budgets paused communication: %w", err)
			}
		}
		maps.DeleteFunc(days, func(_, then string) bool { return then != day })
		days[agentID] = day

		value, err := json.Marshal(days)
		if err != nil {
			return err
		}
		_, err = t.Exec(`INSERT INTO facts (name, value) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, budgetPauseFact, string(value))
		return err
	})
}
