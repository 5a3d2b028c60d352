package store

import (
	"context"

	"parley"
)

// MarkRead records that a recipient has read messages, with the evidence. refs are IDs,
// or the first eight or more characters of them. It finds messages for this recipient,
// and posts of its threads, which count as read. A message that still waits for the
// terminal is no longer typed; one that is being typed becomes read afterwards.
// marked and already hold whole IDs, notFound refs as given; each message stands once in
// one of them.
func (s *Inbox) MarkRead(
	ctx context.Context, recipientID string, refs []string, evidence string,
) (marked, notFound, already []string, err error) {
	err = s.db.write(ctx, "marking messages as read", func(t *tx) error {
		marked, notFound, already = []string{}, []string{}, []string{}
		seen := map[string]bool{}
		for _, ref := range refs {
			d, err := deliveriesIn{t}.findForReader(recipientID, ref)
			if err != nil {
				return err
			}

			list, id := &notFound, ref
			switch {
			case d == nil:
			case d.ReadAt != nil:
				list, id = &already, d.MessageID
			default:
				list, id = &marked, d.MessageID
			}

			if seen[id] {
				continue
			}

			seen[id], *list = true, append(*list, id)
			if list == &marked {
				if err := (deliveriesIn{t}).markRead(d, evidence); err != nil {
					return err
				}
			}
		}

		return nil
	})

	return marked, notFound, already, err
}

// NoteGiven records that a call gave a recipient messages in full, how says by which. Those that still wait for its
// terminal are submitted by that and no longer typed, and so are those that were given up, or are unconfirmed and were
// never typed: what was typed may still stand in the terminal. They stay unread. It skips all others, those that the
// conversation protocol withholds too.
func (s *Inbox) NoteGiven(ctx context.Context, recipientID string, messageIDs []string, how string) error {
	return s.db.write(ctx, "recording what the agent was given", func(t *tx) error {
		for _, id := range messageIDs {
			d, err := deliveriesIn{t}.find(recipientID, id, " AND (d.state <> 'unconfirmed' OR d.pane_seq = 0)")
			if err != nil {
				return err
			}
			if d == nil || holdOf(parley.DeliveryState(d.State), d.Withheld, d.WithheldUntil) != nil {
				continue
			}
			switch state := parley.DeliveryState(d.State); {
			case waits(state), state.Failed(), state == parley.DeliveryUnconfirmed:
			default:
				continue
			}

			given := Change{State: parley.DeliverySubmitted, Cause: parley.ProofFetched.With(how)}
			if err := (deliveriesIn{t}).write(Key{d.MessageSeq, d.RecipientID}, []Change{given}, 0); err != nil {
				return err
			}
		}

		return nil
	})
}

// ignored is the part of an ignored message that the agent log keeps.
type ignored struct {
	MessageID string `json:"message_id"`
	Reason    string `json:"reason"`
}

// Ignore marks one message as read and archived, because its recipient will not answer
// it. The reason, which may be empty, goes into the agent log. MESSAGE_NOT_FOUND when
// the message was not for this recipient. It returns what that settled, nil for nothing.
func (s *Inbox) Ignore(ctx context.Context, recipientID, ref, reason string) (settled *Act, err error) {
	err = s.db.write(ctx, "ignoring a message", func(t *tx) error {
		d, err := deliveriesIn{t}.findForReader(recipientID, ref)
		switch {
		case err != nil:
			return err
		case d == nil:
			return noMessage(ref)
		}

		if d.ReadAt == nil {
			if err := (deliveriesIn{t}).markRead(d, "ignored by its recipient"); err != nil {
				return err
			}
		}

		if _, err := t.Exec(`UPDATE deliveries SET archived = 1 WHERE message_seq = ? AND recipient_id = ?`,
			d.MessageSeq, d.RecipientID); err != nil {
			return err
		}

		summary := "Ignored message " + parley.Short(d.MessageID)
		agentsIn{t}.log(recipientID, typeCommunication, summary, ignored{d.MessageID, reason})

		var of []messageRow
		if err := t.Query(&of, `SELECT sender_id, chain_id, hop FROM messages WHERE id = ?`, d.MessageID); err != nil {
			return err
		}
		for _, m := range of {
			settled, err = settle(t, m.SenderID, recipientID, m.ChainID, m.Hop)
		}

		return err
	})

	return settled, err
}

// findForReader returns the delivery of the message that ref names, also of a post that
// the agent may read in a thread without a delivery: that one counts as read. It returns
// nil when there is none, or more than one.
func (t deliveriesIn) findForReader(recipientID, ref string) (*deliveryRow, error) {
	d, err := t.find(recipientID, ref, "")
	if d != nil || err != nil {
		return d, err
	}
	post, err := threadsIn(t).findReadablePost(recipientID, ref)
	if post == "" || err != nil {
		return nil, err
	}
	return &deliveryRow{MessageID: post, RecipientID: recipientID, ReadAt: new(int64)}, nil
}

// markRead takes a delivery to read, or, while it is being typed, lets it get there when
// that has ended.
func (t deliveriesIn) markRead(d *deliveryRow, evidence string) error {
	k := Key{d.MessageSeq, d.RecipientID}
	if parley.DeliveryState(d.State) != parley.DeliveryTyping {
		read := Change{State: parley.DeliveryRead, Cause: parley.ProofCall.With(evidence)}
		return t.write(k, []Change{read}, nanos(t.tx.Now))
	}
	hasRead(t.tx, k.RecipientID)
	_, err := t.tx.Exec(`UPDATE deliveries SET read_at = ? WHERE message_seq = ? AND recipient_id = ?`,
		nanos(t.tx.Now), k.MessageSeq, k.RecipientID)
	return err
}
