package store

import (
	"context"
	"slices"
	"time"

	"parley"
)

// deliveryState is the part of a delivery that decides which rungs follow.
type deliveryState struct {
	State      string
	Reason     string
	ReadAt     *int64
	AnsweredBy string
}

// climb returns the steps that the changes make: those that change something, and those
// that follow because the recipient has read or answered the message. ErrStale when one
// does not follow.
func (d *deliveryState) climb(changes []Change) ([]Change, error) {
	state, reason := parley.DeliveryState(d.State), d.Reason
	steps := make([]Change, 0, len(changes)+1)
	for _, c := range changes {
		if c.State == state && c.Reason == reason {
			continue
		}
		switch {
		case c.Code == parley.EndedUndone && (state == parley.DeliverySubmitted || state == parley.DeliveryRead):
			d.ReadAt = nil
		case !slices.Contains(follows[state], c.State):
			return nil, ErrStale
		}

		state, reason = c.State, c.Reason
		steps = append(steps, c)
	}

	if d.ReadAt != nil && len(steps) > 0 && !state.Read() {
		steps = append(steps, Change{
			State:    parley.DeliveryRead,
			Evidence: "its recipient marked it read while it was being typed",
			Code:     parley.ProofCall,
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
	if err := t.Query(&rows, `SELECT state, reason, read_at, answered_by FROM deliveries
		WHERE message_seq = ? AND recipient_id = ?`+ownDeliveries(t.Host),
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

	return t.write(k, steps, nanos(t.Now))
}

// write adds steps to a delivery, which is on the last of them then. readAt is the
// time of reading, if one of the steps is read and the delivery has no such time yet.
func (t deliveriesIn) write(k Key, steps []Change, readAt int64) error {
	for _, c := range steps {
		t.emit(k, c)
	}

	lines, read := stepLines(steps, t.Now)
	last := steps[len(steps)-1]
	set, args := `state = ?, reason = ?, reason_code = ?, steps = steps || ?`,
		[]any{string(last.State), last.Reason, last.reasonCode(), lines}
	if read {
		set, args = set+`, read_at = coalesce(read_at, ?)`, append(args, readAt)
		hasRead(t.tx, k.RecipientID)
	}

	if last.Code == parley.EndedUndone {
		set += `, read_at = NULL`
		hasRead(t.tx, k.RecipientID)
	}

	_, err := t.Exec(`UPDATE deliveries SET `+set+` WHERE message_seq = ? AND recipient_id = ?`,
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
		Detail:      c.words(),
		ReasonCode:  c.Code,
	})
}

// Advance moves a delivery up the ladder, one or more rungs at once, each with its step
// and its event. A change to the present rung for the same reason does nothing. ErrStale
// when a rung does not follow from the one before. A delivery that its recipient read
// while it was being typed goes on to read.
func (s *Deliveries) Advance(ctx context.Context, k Key, changes ...Change) error {
	return s.writeIn(ctx, "moving the delivery on", outcomeOf(k.MessageSeq), func(t *tx) error {
		typing := deliveryState{State: string(parley.DeliveryTyping)}
		steps, err := typing.climb(changes)
		if err == nil && changes[0].State != parley.DeliveryTyping {
			closes.Add(t, closeRow{Key: k, steps: steps, changes: changes, by: t.Current()})
			return nil
		}
		return deliveriesIn{t}.advance(k, changes)
	})
}
