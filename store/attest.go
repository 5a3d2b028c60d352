package store

import (
	"context"
	"slices"
	"time"

	"parley"
)

// Witness is a recipient's own report that it got messages.
type Witness struct {
	RecipientID string
	Refs        []string  // message IDs, or the first eight or more characters of them
	At          time.Time // of the report
	Evidence    string    // the report in words
	TurnStarted time.Time // when it began to work on them; zero when the report does not say
	MayRefuse   bool      // its program may refuse what it has reported: the report proves nothing yet
}

// Attest records such a report and returns the whole IDs of those messages that were
// typed to the recipient; it skips the others. A delivery that is being typed, or was
// given up as unconfirmed, moves on to read, or to submitted if an announcement was typed. One
// that is there already keeps the report as a further step, once. A report from before a
// message was taken back says nothing of it. Only those are told while its program may
// refuse what it has reported.
//
// The courier of that terminal must not be typing.
func (s *Deliveries) Attest(ctx context.Context, w Witness) (typed []string, err error) {
	err = s.db.write(ctx, "recording what the agent reports", func(t *tx) error {
		typed = nil
		for _, ref := range w.Refs {
			d, err := deliveriesIn{t}.findTyped(w.RecipientID, ref)
			if err != nil {
				return err
			}
			if d == nil || w.MayRefuse && !parley.DeliveryState(d.State).Delivered() {
				continue
			}

			typed = append(typed, d.MessageID)
			if err := (deliveriesIn{t}).attest(d, &w); err != nil {
				return err
			}
		}

		return nil
	})

	return typed, err
}

// wasTyped selects the deliveries whose text has reached a terminal or its program, or may have: also
// one that was given up as unconfirmed and waits for another attempt. One that the program
// refused is as good as not typed: it may have been reported before that.
const wasTyped = `(d.pane_seq > 0 OR d.door = 1) AND d.reason_code <> '` + string(parley.EndedRefused) + `'
	AND (d.state IN ('typing', 'unconfirmed', 'submitted', 'read', 'answered')
		OR d.state IN ('queued', 'held') AND d.typed_before = 1)`

// findTyped returns the delivery of the message that ref names, nil when it was not typed
// to the recipient.
func (t deliveriesIn) findTyped(recipientID, ref string) (*deliveryRow, error) {
	return t.find(recipientID, ref, " AND "+wasTyped)
}

func (t deliveriesIn) attest(d *deliveryRow, w *Witness) error {
	taken := func(s parley.Step) bool { return s.Code == parley.EndedUndone && !w.At.After(s.At) }
	if slices.ContainsFunc(parseSteps(d.Steps), taken) { // back since the report
		return nil
	}

	was := parley.DeliveryState(d.State)
	if d.Door {
		through := *w
		through.Evidence = parley.ThroughDoor + ", and " + w.Evidence
		if d.isArgument() {
			through.Evidence = parley.AsArgument + ", and " + w.Evidence
		}
		w = &through
	}
	if was.Read() || was == parley.DeliverySubmitted && d.Announced {
		return t.addReport(d, w)
	}

	var changes []Change
	if was != parley.DeliverySubmitted {
		changes = append(changes, w.change(parley.DeliverySubmitted))
	}
	if d.Announced {
		changes = append(changes, Announced(d.Characters))
	} else {
		changes = append(changes, w.change(parley.DeliveryRead))
	}

	changes[0].TurnStarted = w.TurnStarted
	present := deliveryState{
		State: d.State, Reason: d.Reason, ReasonCode: parley.ReasonCode(d.ReasonCode),
		ReadAt: d.ReadAt, AnsweredBy: d.AnsweredBy,
	}
	steps, err := present.climb(changes)
	if err != nil {
		return err
	}

	return t.write(d.key(), steps, nanos(t.tx.Now))
}

// change returns a rung that the report proves.
func (w *Witness) change(state parley.DeliveryState) Change {
	return Change{State: state, Cause: parley.ProofReport.In(w.Evidence)}
}

// addReport adds a step to a delivered message that says when its recipient began to
// work on it, unless an earlier step does.
func (t deliveriesIn) addReport(d *deliveryRow, w *Witness) error {
	if delivery := d.delivery(); w.TurnStarted.IsZero() || !delivery.TurnStarted().IsZero() {
		return nil
	}

	c := w.change(parley.DeliveryState(d.State))
	c.TurnStarted = w.TurnStarted
	_, err := t.tx.Exec(`UPDATE deliveries SET steps = steps || ? WHERE message_seq = ? AND recipient_id = ?`,
		stepLine(c.step(t.tx.Now)), d.MessageSeq, d.RecipientID)

	return err
}
