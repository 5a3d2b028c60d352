package store

import (
	"context"
	"encoding/json"

	"parley"
)

// MarkRead records that a recipient has read messages, and how that is known.
// refs are ids or the first eight or more characters of them; only messages for
// that recipient are found, and posts of a thread that it takes part in, which count
// as read. One that still waits for its terminal is then not typed; one that is being
// typed becomes read when that has ended. marked and already are whole ids, notFound is
// as it was given; each message is in one of them, once.
func (s *Inbox) MarkRead(
	ctx context.Context,
	recipientID string,
	refs []string,
	evidence string,
) (marked, notFound, already []string, err error) {
	err = s.write(ctx, "marking messages as read", func(t *tx) error {
		marked, notFound, already = []string{}, []string{}, []string{}
		seen := map[string]bool{}
		for _, ref := range refs {
			d, err := findForReader(t, recipientID, ref)
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
				if err := markRead(t, d, evidence); err != nil {
					return err
				}
			}
		}

		return nil
	})

	return marked, notFound, already, err
}

// ignored is what the agent log keeps of a message that gets no answer.
type ignored struct {
	MessageID string `json:"message_id"`
	Reason    string `json:"reason"`
}

// Ignore is MarkRead for one message that its recipient lets go unanswered; the
// reason, which may be empty, goes into the agent log. MESSAGE_NOT_FOUND when it was
// not for that recipient.
func (s *Inbox) Ignore(ctx context.Context, recipientID, ref, reason string) error {
	return s.write(ctx, "ignoring a message", func(t *tx) error {
		d, err := findForReader(t, recipientID, ref)
		switch {
		case err != nil:
			return err
		case d == nil:
			return noMessage(ref)
		}

		if d.ReadAt == nil {
			if err := markRead(t, d, "ignored by its recipient"); err != nil {
				return err
			}
		}

		if _, err := t.exec(`UPDATE deliveries SET archived = 1 WHERE message_seq = ? AND recipient_id = ?`, d.MessageSeq, d.RecipientID); err != nil {
			return err
		}

		details, err := json.Marshal(ignored{d.MessageID, reason})
		if err != nil {
			details = []byte("{}")
		}

		t.note(logRow{AgentID: recipientID, LogType: typeCommunication,
			Message: "Ignored message " + parley.Short(d.MessageID), Details: string(details)})
		return nil
	})
}

// meant is addressed, and finds a post that the recipient may read in a thread without
// having got it: that is read.
func findForReader(t *tx, recipientID, ref string) (*deliveryRow, error) {
	d, err := findDelivery(t, recipientID, ref)
	if d != nil || err != nil {
		return d, err
	}
	post, err := findReadablePost(t, recipientID, ref)
	if post == "" || err != nil {
		return nil, err
	}
	return &deliveryRow{MessageID: post, RecipientID: recipientID, ReadAt: new(int64)}, nil
}

// addressed returns the delivery to a recipient of the message that ref names,
// nil when there is none or more than one.
func findDelivery(t *tx, recipientID, ref string) (*deliveryRow, error) {
	if len(ref) < parley.ShortID {
		return nil, nil
	}
	from, to := idRange(ref)
	var rows []deliveryRow
	err := t.query(&rows, `SELECT m.id AS message_id, d.message_seq, d.recipient_id, d.state, d.read_at
		FROM messages m JOIN deliveries d ON d.message_seq = m.seq AND d.recipient_id = ?
		WHERE m.id >= ? AND m.id < ? ORDER BY m.id LIMIT 2`, recipientID, from, to)
	if err != nil || len(rows) != 1 {
		return nil, err
	}
	return &rows[0], nil
}

func markRead(t *tx, d *deliveryRow, evidence string) error {
	k := Key{d.MessageSeq, d.RecipientID}
	if parley.DeliveryState(d.State) != parley.DeliveryTyping {
		return writeSteps(t, k, []Change{{State: parley.DeliveryRead, Evidence: evidence, Code: parley.ProofCall}}, nanos(t.now))
	}
	t.hasRead(k.RecipientID)
	_, err := t.exec(`UPDATE deliveries SET read_at = ? WHERE message_seq = ? AND recipient_id = ?`,
		nanos(t.now), k.MessageSeq, k.RecipientID)
	return err
}
