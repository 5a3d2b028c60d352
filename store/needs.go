package store

import (
	"context"
	"slices"
	"time"

	"parley"
)

// Needs lists the deliveries that wait for the operator.
type Needs struct{ db *database }

// Unconfirmed returns the unconfirmed deliveries that were not dismissed, the newest first, with their steps. What
// agents' programs send each other past parley is nobody's to see to.
func (s *Needs) Unconfirmed(ctx context.Context) ([]InboxItem, error) {
	var rows []itemRow
	err := s.db.read(ctx, "reading unconfirmed deliveries", &rows, `SELECT `+itemColumns+`
		FROM deliveries d`+messageThen+`
		WHERE `+isRetriable+` AND d.state = 'unconfirmed' AND d.dismissed = 0 AND `+isOurs+`
		ORDER BY d.message_seq DESC LIMIT ?`, maxNeeds)

	items := make([]InboxItem, len(rows))
	for i := range rows {
		items[i] = InboxItem{Message: rows[i].Message.message(), Delivery: rows[i].Delivery.delivery()}
	}

	return items, err
}

// isUnanswered selects the deliveries of requests to which the recipient did not reply.
// A request with a deadline is a debt instead, and nobody must answer one in a thread. A
// later message to the same agent counts as an answer too: see Owed.
const isUnanswered = `m.type = 'request' AND m.requires_response = 0 AND m.thread_id = ''
	AND d.state IN ('submitted', 'read') AND d.dismissed = 0 AND NOT EXISTS (SELECT 1 FROM messages a
		WHERE a.in_reply_to = m.id AND a.in_reply_to <> '' AND a.sender_id = d.recipient_id)`

// lastWordAt is when the recipient of d last wrote to the sender of m, 0 if it did not
// since the message.
const lastWordAt = `coalesce((SELECT a.accepted_at FROM deliveries ad JOIN messages a ON a.seq = ad.message_seq
	WHERE ad.conversation_id = d.conversation_id AND (ad.kind = 'direct' OR ad.kind = 'steering')
		AND ad.message_seq > d.message_seq AND ad.recipient_id = m.sender_id
	ORDER BY ad.message_seq DESC LIMIT 1), 0)`

// receivedAt is when the recipient r of d got the message: in a terminal when the whole
// text was proven to be there, in a mailbox when it was stored.
const receivedAt = `CASE r.kind WHEN 'terminal' THEN coalesce(d.read_at, d.queued_at) ELSE d.queued_at END`

// Owed returns the deliveries of requests that were accepted between two times, arrived
// before the later one, and were not answered: since their arrival, the recipient neither
// replied to them nor wrote anything to their sender. The oldest come first.
func (s *Needs) Owed(ctx context.Context, from, before time.Time) ([]InboxItem, error) {
	var rows []itemRow
	err := s.db.read(ctx, "reading unanswered requests", &rows, `SELECT `+itemColumns+`
		FROM messages m CROSS JOIN deliveries d`+itemOn+`
		WHERE m.accepted_at > ? AND m.accepted_at < ? AND `+isUnanswered+`
			AND `+receivedAt+` < ? AND `+lastWordAt+` <= `+receivedAt+`
		ORDER BY m.accepted_at LIMIT ?`, nanos(from), nanos(before), nanos(before), maxNeeds)

	var items []InboxItem
	for i := range rows {
		item := InboxItem{Message: rows[i].Message.message(), Delivery: rows[i].Delivery.delivery()}
		if Arrived(item.Delivery).Before(before) {
			items = append(items, item)
		}
	}

	return items, err
}

// Arrived returns when a delivery was first proven, the zero time if it was not.
func Arrived(d parley.Delivery) time.Time {
	i := slices.IndexFunc(d.Steps, func(st parley.Step) bool { return st.State.Delivered() })
	if i < 0 {
		return time.Time{}
	}
	return d.Steps[i].At
}

// Dismiss takes a message's deliveries out of what Unconfirmed, Undelivered, NotAnswered, Owed and
// Overdue return, and returns their number. ref is as for Message. A retry undoes it.
func (s *Needs) Dismiss(ctx context.Context, ref string) (int, error) {
	seq, err := s.db.seqOf(ctx, "finding the message", ref, ` FROM messages m WHERE true`)
	if err != nil {
		return 0, err
	}

	var n int64
	err = s.db.write(ctx, "dismissing a delivery", func(t *tx) error {
		const same = `d.message_seq = deliveries.message_seq AND d.recipient_id = deliveries.recipient_id`
		n, err = t.Exec(`UPDATE deliveries SET dismissed = 1
			WHERE message_seq = ? AND dismissed = 0 AND (state = 'unconfirmed' OR state = 'failed' OR state = 'expired'
				OR EXISTS (SELECT 1 FROM messages m JOIN deliveries d ON d.message_seq = m.seq
					WHERE `+same+` AND `+isUnanswered+`)
				OR EXISTS (SELECT 1 FROM debts b
					WHERE b.message_seq = deliveries.message_seq AND b.debtor_id = deliveries.recipient_id
						AND `+isOwed+` AND b.operator_told_at > 0)
				OR EXISTS (SELECT 1 FROM deliveries d JOIN responders p ON p.agent_id = d.recipient_id
					WHERE `+same+` AND `+isUnansweredByModel+`))`, seq)

		return err
	})

	return int(n), err
}

// Queued returns how many deliveries of each agent are queued, held or being typed, by agents' IDs. It is much cheaper
// than Counts where many messages are unread.
func (s *Needs) Queued(ctx context.Context) (map[string]int, error) {
	var rows []struct {
		RecipientID string
		N           int
	}
	err := s.db.read(ctx, "counting messages", &rows,
		`SELECT d.recipient_id, count(*) AS n FROM deliveries d WHERE `+isOpen+` GROUP BY d.recipient_id`)

	queued := make(map[string]int, len(rows))
	for _, r := range rows {
		queued[r.RecipientID] = r.N
	}

	return queued, err
}

// maxUndelivered is how many dead deliveries are returned at most, as many as some broadcasts have.
const maxUndelivered = 2000

// isUndelivered selects the deliveries that ended without arriving after their message was accepted, and of
// which nobody has been told. A recipient that was gone before is told of in the receipt.
const isUndelivered = isRetriable + ` AND (d.state = 'failed' OR d.state = 'expired') AND d.dismissed = 0
	AND d.reason_code <> '` + string(parley.EndedTerminated) + `' AND d.reason_code <> '` +
	string(parley.EndedWithdrawn) + `'`

// Undelivered is a delivery that ended without arriving.
type Undelivered struct {
	InboxItem
	Key Key
}

// Undelivered returns the deliveries that ended without arriving and of which nobody has been told, in the
// order of their messages.
func (s *Needs) Undelivered(ctx context.Context) ([]Undelivered, error) {
	var rows []itemRow
	err := s.db.read(ctx, "reading what did not arrive", &rows, `SELECT `+itemColumns+`
		FROM deliveries d`+messageThen+`
		WHERE `+isUndelivered+` ORDER BY d.message_seq, r.name LIMIT ?`, maxUndelivered)

	dead := make([]Undelivered, len(rows))
	for i := range rows {
		item := InboxItem{Message: rows[i].Message.message(), Delivery: rows[i].Delivery.delivery()}
		dead[i] = Undelivered{item, Key{rows[i].Delivery.MessageSeq, rows[i].Delivery.RecipientID}}
	}
	return dead, err
}

// NoteUndelivered records that somebody has been told of deliveries: Undelivered no longer returns them.
func (s *Needs) NoteUndelivered(ctx context.Context, keys []Key) error {
	return s.db.write(ctx, "noting who was told", func(t *tx) error {
		for _, k := range keys {
			_, err := t.Exec(`UPDATE deliveries SET dismissed = 1 WHERE message_seq = ? AND recipient_id = ?
				AND (state = 'failed' OR state = 'expired')`, k.MessageSeq, k.RecipientID)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// typeDialog is the type of the log entries of answered dialogs.
const typeDialog = "agent_dialog"

// typeTyping is the type of the log entries of what a person types from elsewhere.
const typeTyping = "agent_typing"

// LogTyping records that a person types into the terminal of an agent from elsewhere: who, in which session of the
// page. AGENT_NOT_FOUND.
func (s *Agents) LogTyping(ctx context.Context, id, by, session string) error {
	return s.db.write(ctx, "storing who typed", func(t *tx) error {
		row, err := agentsIn{t}.load(id)
		if err != nil {
			return err
		}

		agentsIn{t}.log(id, typeTyping, by+" typed into the terminal of "+row.Name, struct {
			AgentID string `json:"agent_id"`
			By      string `json:"by"`
			Session string `json:"session,omitempty"`
		}{id, by, session})
		detail := by + " types in its terminal"
		if session != "" {
			detail += ", in session " + session + " of the page"
		}
		emit(t, eventRow{Type: parley.EventTyping, AgentID: id, Detail: detail})

		return nil
	})
}

// LogDialog records that the dialog of an agent was answered: who chose what, in words.
// AGENT_NOT_FOUND.
func (s *Agents) LogDialog(ctx context.Context, id, by, question, answer string) error {
	return s.db.write(ctx, "storing how a dialog was answered", func(t *tx) error {
		row, err := agentsIn{t}.load(id)
		if err != nil {
			return err
		}

		agentsIn{t}.log(id, typeDialog, "Dialog of "+row.Name+" answered by "+by, struct {
			AgentID  string `json:"agent_id"`
			By       string `json:"by"`
			Question string `json:"question"`
			Answer   string `json:"answer"`
		}{id, by, question, answer})
		emit(t, eventRow{
			Type: parley.EventDialog, AgentID: id, State: string(parley.DeliveryAnswered),
			Detail: by + " answered “" + question + "”: " + answer,
		})

		return nil
	})
}
