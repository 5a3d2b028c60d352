package store

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

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

// Holds keeps the deliveries that the conversation protocol withholds.
type Holds struct{ db *database }

// Withheld is a delivery that the conversation protocol withholds.
type Withheld struct {
	Job
	Why   string    // the rule that withholds it
	Until time.Time // when the protocol decides again; zero for no time
}

// Withheld returns at most limit of the withheld deliveries, in the order of acceptance.
func (s *Holds) Withheld(ctx context.Context, limit int) ([]Withheld, error) {
	var rows []itemRow
	err := s.db.read(ctx, "reading withheld deliveries", &rows, `SELECT `+itemColumns+`
		FROM deliveries d JOIN messages m ON m.seq = d.message_seq`+itemAgents+`
		WHERE `+isWithheld+` ORDER BY d.message_seq LIMIT ?`, limit)
	list := make([]Withheld, len(rows))
	for i := range rows {
		d := &rows[i].Delivery
		list[i] = Withheld{rows[i].job(), d.Withheld, instant(d.WithheldUntil)}
	}
	return list, err
}

// Passing is a delivery to be released, and the rung on which it goes on.
type Passing struct {
	Key
	State parley.DeliveryState
}

// Unwithhold releases withheld deliveries, and returns the keys of those that it released:
// not of those that were read or given up meanwhile.
func (s *Holds) Unwithhold(ctx context.Context, list []Passing, evidence string) ([]Key, error) {
	var passed []Key
	err := s.db.write(ctx, "releasing a delivery", func(t *tx) error {
		passed = nil
		for _, p := range list {
			changed, err := deliveriesIn{t}.withhold(p.Key, "", time.Time{})
			if err != nil {
				return err
			}
			if !changed {
				continue
			}

			passed = append(passed, p.Key)
			released := Change{State: p.State, Cause: parley.ProofReleased.With(evidence)}
			if err := (deliveriesIn{t}).write(p.Key, []Change{released}, 0); err != nil {
				return err
			}
		}

		return nil
	})

	return passed, err
}

// Rewithhold replaces the rule that withholds deliveries. It skips those that are no
// longer withheld.
func (s *Holds) Rewithhold(ctx context.Context, list []Withheld) error {
	return s.db.write(ctx, "holding a delivery", func(t *tx) error {
		for _, w := range list {
			changed, err := deliveriesIn{t}.withhold(w.Key, w.Why, w.Until)
			if err != nil {
				return err
			}
			if !changed {
				continue
			}

			held := Change{State: parley.DeliveryHeld, Cause: w.Cause}
			if err := (deliveriesIn{t}).write(w.Key, []Change{held}, 0); err != nil {
				return err
			}
		}

		return nil
	})
}

// withhold changes the rule of a delivery, and reports whether it was withheld.
func (t deliveriesIn) withhold(k Key, why string, until time.Time) (changed bool, err error) {
	n, err := t.tx.Exec(`UPDATE deliveries SET withheld = ?, withheld_until = ?
		WHERE message_seq = ? AND recipient_id = ? AND state = 'held' AND withheld <> ''`,
		why, nanos(until), k.MessageSeq, k.RecipientID)
	return n > 0, err
}
