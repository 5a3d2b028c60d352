package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"parley"
)

// Workspace keeps what concerns the workspace as a whole: its pause, its counts, and the
// database itself.
type Workspace struct{ db *database }

// Ping returns nil when the database can be read, and the last change did not fail for want of room.
func (s *Workspace) Ping(ctx context.Context) error {
	if err := cmp.Or(s.Refusal(), s.Full()); err != nil {
		return err
	}
	var n int64
	return s.db.read(ctx, "reading the database", &n, `SELECT count(*) FROM (SELECT 1 FROM agents LIMIT 1) a`)
}

// Incidents tells what happened to the database's files while they were open, in words for
// the operator. The channel is never closed.
func (s *Workspace) Incidents() <-chan string { return s.db.base.Safety.News }

// Vanished is closed when the database's files were removed or replaced while they were open, and what
// they held is saved. The next Open goes on with that.
func (s *Workspace) Vanished() <-chan struct{} { return s.db.base.Safety.Saved }

// Refusal returns why the store accepts nothing more, nil while all is well.
func (s *Workspace) Refusal() error {
	if err := s.db.base.Safety.Refusal(); err != nil {
		return failure(s.db.base.Path, "writing to the database", err)
	}
	return nil
}

// Full returns how the last change failed for want of room on the disk, nil while there is room.
func (s *Workspace) Full() error {
	if err := s.db.base.Safety.Full(); err != nil {
		return failure(s.db.base.Path, "writing to the database", err)
	}
	return nil
}

// overlapsFact is the name of the fact that holds the overlaps.
const overlapsFact = "overlaps"

// Overlap is a file that two agents change. The agents are sorted by their ids.
type Overlap struct {
	Agents     [2]string `json:"agents"`
	Repository string    `json:"repository,omitempty"`
	Name       string    `json:"name"`  // below the checkout, or the path of a file outside of any
	Paths      [2]string `json:"paths"` // of each agent's copy; equal in one directory
	Since      time.Time `json:"since"`
	Told       time.Time `json:"told,omitzero"` // when the agents were told
	Gone       time.Time `json:"gone,omitzero"` // since when it is no longer so
}

// Overlaps returns the overlaps that this host's daemon stored last, or those of the daemons of all hosts.
func (s *Workspace) Overlaps(ctx context.Context, all bool) (list []Overlap, err error) {
	which, name := `name = ?`, overlapsFact+s.db.base.Host
	if all {
		which, name = `name LIKE ?`, overlapsFact+"%"
	}
	var values []string
	err = s.db.read(ctx, "reading which files two agents change", &values,
		`SELECT value FROM facts WHERE `+which+` ORDER BY name`, name)
	for _, value := range values {
		var of []Overlap
		if err := json.Unmarshal([]byte(value), &of); err != nil {
			return nil, fmt.Errorf("read which files two agents change: %w", err)
		}
		list = append(list, of...)
	}
	return list, err
}

// SetOverlaps stores all overlaps.
func (s *Workspace) SetOverlaps(ctx context.Context, list []Overlap) error {
	return s.db.write(ctx, "storing which files two agents change", func(t *tx) error {
		value, err := json.Marshal(list)
		if err != nil {
			return err
		}
		_, err = t.Exec(`INSERT INTO facts (name, value) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, overlapsFact+t.Host, string(value))
		return err
	})
}

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

// placesFact is the name of the fact that holds the places.
const placesFact = "places"

// Place is where a program takes messages, as the operator said.
type Place struct {
	Program string `json:"program"`
	Place   string `json:"place"` // what stands there before the cursor
}

// hostPlace is a place on a host: at the same path on another one there may be another program.
type hostPlace struct {
	Place
	Host string `json:"host,omitempty"` // "" for a file
}

// Places returns the places that the operator has named on this host.
func (s *Workspace) Places(ctx context.Context) ([]Place, error) {
	var values []string
	err := s.db.read(ctx, "reading where programs take messages", &values,
		`SELECT value FROM facts WHERE name = ?`, placesFact)
	if err != nil {
		return nil, err
	}
	all, err := parsePlaces(values)
	var own []Place
	for _, p := range all {
		if p.Host == s.db.base.Host {
			own = append(own, p.Place)
		}
	}
	return own, err
}

func parsePlaces(values []string) ([]hostPlace, error) {
	if len(values) == 0 {
		return nil, nil
	}
	var places []hostPlace
	if err := json.Unmarshal([]byte(values[0]), &places); err != nil {
		return nil, fmt.Errorf("read where programs take messages: %w", err)
	}
	return places, nil
}

// AddPlace keeps a place. It changes nothing if that is there.
func (s *Workspace) AddPlace(ctx context.Context, p Place) error {
	return s.changePlaces(ctx, "keeping where a program takes messages", func(places []hostPlace) []hostPlace {
		own := hostPlace{p, s.db.base.Host}
		if slices.Contains(places, own) {
			return places
		}
		return append(places, own)
	})
}

// ForgetPlaces takes back the places of a program.
func (s *Workspace) ForgetPlaces(ctx context.Context, program string) error {
	return s.changePlaces(ctx, "forgetting where a program takes messages", func(places []hostPlace) []hostPlace {
		return slices.DeleteFunc(places, func(p hostPlace) bool {
			return p.Program == program && p.Host == s.db.base.Host
		})
	})
}

func (s *Workspace) changePlaces(ctx context.Context, doing string, change func([]hostPlace) []hostPlace) error {
	return s.db.write(ctx, doing, func(t *tx) error {
		var values []string
		if err := t.Query(&values, `SELECT value FROM facts WHERE name = ?`, placesFact); err != nil {
			return err
		}
		places, err := parsePlaces(values)
		if err != nil {
			return err
		}
		n := len(places)
		if places = change(places); len(places) == n {
			return nil
		}
		value, err := json.Marshal(places)
		if err != nil {
			return err
		}
		_, err = t.Exec(`INSERT INTO facts (name, value) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, placesFact, string(value))
		return err
	})
}
