package store

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"parley"
	"parley/store/engine"
)

// Schedules keeps the messages that are planned. A time is taken in the transaction that stores its message, so it
// comes once, whatever ends the daemon and however many there are.
type Schedules struct{ db *database }

// The errors of a time for which no message is stored.
var (
	// ErrTimeTaken says that somebody else took the time, or the schedule has changed.
	ErrTimeTaken = parley.Errorf(parley.InvalidArgument, "the time has been taken")
	// ErrTimeSent says that the time had its message before the clock was put back.
	ErrTimeSent = parley.Errorf(parley.InvalidArgument, "the time has had its message")
	// ErrStillWaits says that all recipients have an earlier message of the schedule before them.
	ErrStillWaits = parley.Errorf(parley.InvalidArgument, "an earlier message still waits")
)

type scheduleRow struct {
	ID, OwnerID, Name, Message, Every, Zone string
	Start                                   bool
	ChainID                                 string
	Hop                                     int
	CreatedAt                               int64
	State                                   string
	NextAt, SetAt                           int64
	InARow                                  int
	Last                                    outcomeRow `gorm:"embedded"`
	Owner                                   string     // its name
}

// outcomeRow are the columns of what came of the last time.
type outcomeRow struct {
	LastAt, DoneAt             int64
	Outcome, Reason, MessageID string
	Missed                     int
}

var schedulesTable = engine.Table[scheduleRow]{
	Name: "schedules",
	Key:  []string{"id"},
	Columns: engine.ColumnsOf[scheduleRow](onlyColumns(
		"id", "owner_id", "name", "message", "every", "zone", "start", "chain_id", "hop", "created_at", "state",
		"next_at", "set_at",
	)),
}

func (r *scheduleRow) schedule() (parley.Schedule, error) {
	s := parley.Schedule{
		ID: r.ID, Name: r.Name, OwnerID: r.OwnerID, Owner: r.Owner, Every: r.Every, Zone: r.Zone, Start: r.Start,
		State: parley.ScheduleState(r.State), Next: instantOrNil(r.NextAt), NextFrom: instant(r.SetAt),
		Created: instant(r.CreatedAt), InARow: r.InARow, ChainID: r.ChainID, Hop: r.Hop,
	}
	if l := r.Last; l.LastAt != 0 {
		s.Last = &parley.ScheduleOutcome{
			Due: instant(l.LastAt), At: instant(l.DoneAt), End: parley.ScheduleEnd(l.Outcome), Reason: l.Reason,
			Missed: l.Missed, MessageID: l.MessageID, Late: parley.IsLate(instant(l.LastAt), instant(l.DoneAt)),
		}
	}
	return s, json.Unmarshal([]byte(r.Message), &s.Message)
}

const schedulesQuery = `SELECT p.*, a.name AS owner FROM schedules p JOIN agents a ON a.id = p.owner_id`

// List returns all schedules: those with the nearest time first, and those without one last.
func (s *Schedules) List(ctx context.Context) ([]parley.Schedule, error) {
	var rows []scheduleRow
	if err := s.db.read(ctx, "reading the schedules", &rows, schedulesQuery); err != nil {
		return nil, err
	}
	list := make([]parley.Schedule, len(rows))
	for i := range rows {
		var err error
		if list[i], err = rows[i].schedule(); err != nil {
			return nil, s.db.fail("reading the schedules", err)
		}
	}
	slices.SortStableFunc(list, func(a, b parley.Schedule) int { return cmpTimes(a.Next, b.Next) })
	return list, nil
}

// cmpTimes compares two times; none is later than any.
func cmpTimes(a, b *time.Time) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return a.Compare(*b)
}

// Add stores a schedule, and returns it as it is stored. One of the same owner and name is replaced, and keeps its
// ID; if it is the same rule and message, it goes on as it is. A call that was made before stores nothing. most
// bounds how many an owner may have that are not done; more are RATE_LIMITED.
func (s *Schedules) Add(ctx context.Context, p parley.Schedule, c Call, most int) (stored parley.Schedule, err error) {
	message, err := json.Marshal(p.Message)
	if err != nil {
		return p, err
	}
	row := scheduleRow{
		ID: p.ID, OwnerID: p.OwnerID, Name: p.Name, Message: string(message), Every: p.Every, Zone: p.Zone,
		Start: p.Start, ChainID: p.ChainID, Hop: p.Hop, CreatedAt: nanos(p.Created), State: string(p.State),
		NextAt: nanos(*p.Next), SetAt: nanos(p.NextFrom),
	}

	err = s.db.write(ctx, "storing the schedule", func(t *tx) error {
		row := row
		var found []scheduleRow
		made, again, err := recordCall(t, c)
		if err != nil {
			return err
		}
		if again {
			err = t.Query(&found, schedulesQuery+` WHERE p.id = ?`, made.Made)
		} else if row.Name != "" {
			err = t.Query(&found, schedulesQuery+` WHERE p.owner_id = ? AND p.name = ?`, row.OwnerID, row.Name)
		}
		switch {
		case err != nil:
			return err
		case again && len(found) == 0:
			return parley.ScheduleNotFound(parley.Short(made.Made))
		case again, len(found) > 0 && found[0].same(&row):
			stored, err = found[0].schedule()
			return err
		case len(found) > 0:
			row.ID = found[0].ID
			if _, err := t.Exec(`DELETE FROM schedules WHERE id = ?`, row.ID); err != nil {
				return err
			}
		}

		var n int
		if err := t.Query(&n, `SELECT count(*) FROM schedules WHERE owner_id = ? AND state <> ?`, row.OwnerID,
			parley.ScheduleDone); err != nil {
			return err
		}
		if n >= most {
			return parley.Errorf(parley.RateLimited, "you have %d schedules, and no more are allowed", n).
				Suggest("Remove one that is not needed: change_schedule with remove.")
		}
		tell(t, changedPlans, "", "")
		stored, err = row.schedule()
		stored.Owner = p.Owner
		if err != nil {
			return err
		}
		return schedulesTable.Insert(t, row)
	})

	return stored, err
}

// same reports whether a rule is another one's with the same message, which goes on.
func (r *scheduleRow) same(x *scheduleRow) bool {
	return r.Every != "" && r.State != string(parley.ScheduleDone) && r.Every == x.Every && r.Message == x.Message &&
		r.Zone == x.Zone && r.Start == x.Start
}

// Change stores the state and the next time that f gives a schedule. It returns what f does.
func (s *Schedules) Change(ctx context.Context, id string, f func(*parley.Schedule) error) error {
	return s.db.write(ctx, "changing the schedule", func(t *tx) error {
		var rows []scheduleRow
		if err := t.Query(&rows, schedulesQuery+` WHERE p.id = ?`, id); err != nil {
			return err
		}
		if len(rows) == 0 {
			return parley.ScheduleNotFound(parley.Short(id))
		}
		p, err := rows[0].schedule()
		if err != nil {
			return err
		}
		if err := f(&p); err != nil {
			return err
		}

		var next int64
		if p.Next != nil {
			next = nanos(*p.Next)
		}
		tell(t, changedPlans, "", "")
		_, err = t.Exec(`UPDATE schedules SET state = ?, next_at = ?, set_at = ? WHERE id = ?`, p.State, next,
			nanos(p.NextFrom), id)
		return err
	})
}

// Remove removes a schedule. Its messages stay.
func (s *Schedules) Remove(ctx context.Context, id string) error {
	return s.db.write(ctx, "removing the schedule", func(t *tx) error {
		tell(t, changedPlans, "", "")
		n, err := t.Exec(`DELETE FROM schedules WHERE id = ?`, id)
		if err == nil && n == 0 {
			return parley.ScheduleNotFound(parley.Short(id))
		}
		return err
	})
}

// Forget removes the schedules of which the last time came before a time, and none is left.
func (s *Schedules) Forget(ctx context.Context, before time.Time) error {
	return s.db.write(ctx, "removing old schedules", func(t *tx) error {
		_, err := t.Exec(`DELETE FROM schedules WHERE state = ? AND done_at < ?`, parley.ScheduleDone, nanos(before))
		return err
	})
}

// Record takes a time without a message. ErrTimeTaken.
func (s *Schedules) Record(ctx context.Context, at ScheduleTime, end parley.ScheduleEnd, reason string) error {
	return s.db.write(ctx, "storing what came of a schedule", func(t *tx) error {
		return takeTime(t, at, end, reason, "")
	})
}

// takeTime takes a time, with the message that comes of it, if any.
func takeTime(t *tx, at ScheduleTime, end parley.ScheduleEnd, reason, messageID string) error {
	state := parley.ScheduleActive
	if at.Next.IsZero() {
		state = parley.ScheduleDone
	}
	set, args := `in_a_row = in_a_row + 1`, []any{}
	if messageID != "" {
		set, args = `in_a_row = 0, message_id = ?`, []any{messageID}
	}

	tell(t, changedPlans, "", "")
	args = append(args, state, nanos(at.Next), nanos(at.Now), nanos(at.Due), nanos(at.Now), end, reason, at.Missed,
		at.ScheduleID, parley.ScheduleActive, nanos(at.Taken))
	n, err := t.Exec(`UPDATE schedules SET `+set+`, state = ?, next_at = ?, set_at = ?, last_at = ?, done_at = ?,
		outcome = ?, reason = ?, missed = ? WHERE id = ? AND state = ? AND next_at = ?`, args...)
	if err == nil && n == 0 {
		return ErrTimeTaken
	}
	return err
}
