package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"parley"
)

// Deliveries keeps how far each message has come on its way to a recipient.
type Deliveries struct{ db *database }

// isOpen selects the deliveries that parley still has to work on. It must be spelled as
// in the index, or SQLite does not use that.
const isOpen = `(d.state = 'queued' OR d.state = 'held' OR d.state = 'typing')`

// Key names a delivery.
type Key struct {
	MessageSeq  int64
	RecipientID string
}

// Job is a delivery to a terminal that is still open.
type Job struct {
	Key          Key
	Message      parley.Message // without recipients
	State        parley.DeliveryState
	parley.Cause        // why it is no further
	PaneSeq      uint64 // given by the last Claim, 0 before
	QueuedAt     time.Time
	Announced    bool // the text is too long for the terminal, which got an announcement of it
	Door         bool // the last Claim was for the program's own door or argument, and not for its terminal
	Argument     bool // it was for the argument of its start
}

// Waits reports whether the delivery waits to be typed, as after a retry.
func (j *Job) Waits() bool { return waits(j.State) }

func waits(state parley.DeliveryState) bool {
	return state == parley.DeliveryQueued || state == parley.DeliveryHeld
}

// Change is a rung that a delivery reaches, with what proves it or why the delivery gets no further.
type Change struct {
	State parley.DeliveryState
	parley.Cause

	TurnStarted time.Time // when the recipient began to work on it, by its own report; zero if unknown
}

// Announced is the rung of a message whose text of so many characters was only announced to its recipient.
func Announced(characters int) Change {
	return Change{
		State: parley.DeliverySubmitted, Cause: parley.ProofAnnounced.With(number(int64(characters), "character")),
	}
}

func (c *Change) step(at time.Time) parley.Step {
	s := parley.Step{State: c.State, At: instant(nanos(at)), Evidence: c.Words(), Code: c.Code()}
	if !c.TurnStarted.IsZero() {
		started := c.TurnStarted.UTC()
		s.TurnStarted = &started
	}
	return s
}

// follows lists the rungs that a delivery may reach from each rung. One that was given up
// may still turn out to have been read; one that was read stays so, unless its program is seen to have given it back:
// see climb.
var follows = map[parley.DeliveryState][]parley.DeliveryState{
	parley.DeliveryQueued: {
		parley.DeliveryHeld,
		parley.DeliverySubmitted,
		parley.DeliveryRead,
		parley.DeliveryFailed,
		parley.DeliveryExpired,
	},
	parley.DeliveryHeld: {
		parley.DeliveryQueued,
		parley.DeliveryHeld,
		parley.DeliverySubmitted,
		parley.DeliveryRead,
		parley.DeliveryFailed,
		parley.DeliveryExpired,
	},
	parley.DeliveryTyping: {
		parley.DeliveryTyping,
		parley.DeliveryQueued,
		parley.DeliveryHeld,
		parley.DeliverySubmitted,
		parley.DeliveryRead,
		parley.DeliveryFailed,
		parley.DeliveryUnconfirmed,
	},
	parley.DeliverySubmitted:   {parley.DeliverySubmitted, parley.DeliveryRead},
	parley.DeliveryRead:        {parley.DeliveryAnswered},
	parley.DeliveryUnconfirmed: {parley.DeliverySubmitted, parley.DeliveryRead},
	parley.DeliveryFailed:      {parley.DeliveryRead},
	parley.DeliveryExpired:     {parley.DeliveryRead},
}

// answered returns the last rung, with the ID of the reply as evidence.
func answered(by string) Change {
	return Change{State: parley.DeliveryAnswered, Cause: parley.ProofReply.In("message " + parley.Short(by))}
}

func linesOf(steps []parley.Step) string {
	var lines strings.Builder
	for _, st := range steps {
		lines.WriteString(stepLine(st))
	}
	return lines.String()
}

// stepLine encodes a step as it is appended to a delivery's steps.
func stepLine(st parley.Step) string {
	b, err := json.Marshal(st)
	if err != nil { // a year beyond 9999
		return ""
	}
	return string(b) + "\n"
}

// parseSteps is the inverse of linesOf. It skips what is not a step.
func parseSteps(lines string) []parley.Step {
	var steps []parley.Step
	for line := range strings.Lines(lines) {
		var st parley.Step
		if json.Unmarshal([]byte(line), &st) == nil {
			steps = append(steps, st)
		}
	}
	return steps
}

// deliveryState is the part of a delivery that decides which rungs follow.
type deliveryState struct {
	State      string
	Reason     string
	ReasonCode parley.ReasonCode
	ReadAt     *int64
	AnsweredBy string
}

// climb returns the steps that the changes make: those that change something, and those
// that follow because the recipient has read or answered the message. ErrStale when one
// does not follow.
func (d *deliveryState) climb(changes []Change) ([]Change, error) {
	state, reason := parley.DeliveryState(d.State), d.ReasonCode.In(d.Reason)
	steps := make([]Change, 0, len(changes)+1)
	for _, c := range changes {
		if c.State == state && c.Reason() == reason {
			continue
		}
		switch {
		case c.Code() == parley.EndedUndone && (state == parley.DeliverySubmitted || state == parley.DeliveryRead):
			d.ReadAt = nil
		case !slices.Contains(follows[state], c.State):
			return nil, ErrStale
		}

		state, reason = c.State, c.Reason()
		steps = append(steps, c)
	}

	if d.ReadAt != nil && len(steps) > 0 && !state.Read() {
		steps = append(steps, Change{
			State: parley.DeliveryRead,
			Cause: parley.ProofCall.With("its recipient marked it read while it was being typed"),
		})
	}

	if d.AnsweredBy != "" && len(steps) > 0 && state != parley.DeliveryAnswered {
		steps = append(steps, answered(d.AnsweredBy))
	}

	return steps, nil
}

// advance moves a delivery on from its present rung.
func (t deliveriesIn) advance(k Key, changes []Change) error {
	var rows []deliveryState
	if err := t.tx.Query(&rows, `SELECT state, reason, reason_code, read_at, answered_by FROM deliveries
		WHERE message_seq = ? AND recipient_id = ?`+ownDeliveries(t.tx.Host),
		k.MessageSeq, k.RecipientID); err != nil {
		return err
	}

	if len(rows) == 0 {
		return ErrStale
	}

	steps, err := rows[0].climb(changes)
	if err != nil || len(steps) == 0 {
		return err
	}

	return t.write(k, steps, nanos(t.tx.Now))
}

// write adds steps to a delivery, which is on the last of them then. readAt is the
// time of reading, if one of the steps is read and the delivery has no such time yet.
func (t deliveriesIn) write(k Key, steps []Change, readAt int64) error {
	for _, c := range steps {
		t.emit(k, c)
	}

	lines, read := stepLines(steps, t.tx.Now)
	last := steps[len(steps)-1]
	set, args := `state = ?, reason = ?, reason_code = ?, steps = steps || ?`,
		[]any{string(last.State), last.Reason().Words(), string(last.Reason().Code()), lines}
	if read {
		set, args = set+`, read_at = coalesce(read_at, ?)`, append(args, readAt)
		hasRead(t.tx, k.RecipientID)
	}

	if last.Code() == parley.EndedUndone {
		set += `, read_at = NULL`
		hasRead(t.tx, k.RecipientID)
	}

	_, err := t.tx.Exec(`UPDATE deliveries SET `+set+` WHERE message_seq = ? AND recipient_id = ?`,
		append(args, k.MessageSeq, k.RecipientID)...)
	return err
}

// stepLines encodes steps as the database stores them, and reports whether one of them is
// read.
func stepLines(changes []Change, at time.Time) (lines string, read bool) {
	steps := make([]parley.Step, len(changes))
	for i := range changes {
		steps[i] = changes[i].step(at)
		read = read || changes[i].State == parley.DeliveryRead
	}
	return linesOf(steps), read
}

// emit adds the event of a delivery's new rung.
func (t deliveriesIn) emit(k Key, c Change) {
	emit(t.tx, eventRow{
		Type:        parley.EventDelivery,
		MessageSeq:  k.MessageSeq,
		RecipientID: k.RecipientID,
		State:       string(c.State),
		Detail:      c.Words(),
		ReasonCode:  c.Code(),
	})
}

// Advance moves a delivery up the ladder, one or more rungs at once, each with its step
// and its event. A change to the present rung for the same reason does nothing. ErrStale
// when a rung does not follow from the one before. A delivery that its recipient read
// while it was being typed goes on to read.
func (s *Deliveries) Advance(ctx context.Context, k Key, changes ...Change) error {
	return s.db.writeIn(ctx, "moving the delivery on", outcomeOf(k.MessageSeq), func(t *tx) error {
		typing := deliveryState{State: string(parley.DeliveryTyping)}
		steps, err := typing.climb(changes)
		if err == nil && changes[0].State != parley.DeliveryTyping {
			closes.Add(t, closeRow{Key: k, steps: steps, changes: changes, by: t.Current()})
			return nil
		}
		return deliveriesIn{t}.advance(k, changes)
	})
}
