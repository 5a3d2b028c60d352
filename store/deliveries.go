package store

import (
	"context"
	"time"

	"parley"
	"parley/store/engine"
)

// Deliveries keeps how far each message has come on its way to a recipient.
type Deliveries struct{ *database }

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
	Key       Key
	Message   parley.Message // without recipients
	State     parley.DeliveryState
	Reason    string
	Code      parley.ReasonCode // of the reason
	PaneSeq   uint64            // given by the last Claim, 0 before
	QueuedAt  time.Time
	Announced bool // the text is too long for the terminal, which got an announcement of it
}

// Pending returns the deliveries that are queued or held for a recipient's terminal,
// urgent ones first, then in the order of acceptance. It leaves out those that the
// conversation protocol withholds.
func (s *Deliveries) Pending(ctx context.Context, recipientID string, limit int) ([]Job, error) {
	return s.jobs(ctx, `d.state <> 'typing' AND NOT (`+isWithheld+`)`, recipientID, limit)
}

// PendingAmong is like Pending, but only for these messages, withheld ones included.
func (s *Deliveries) PendingAmong(ctx context.Context, recipientID string, messageIDs []string) ([]Job, error) {
	return s.jobs(ctx, `d.state <> 'typing' AND m.id IN ?`, recipientID, len(messageIDs), messageIDs)
}

// Typing returns the deliveries to a recipient that were claimed and not closed. There is
// at most one, unless two couriers were at work.
func (s *Deliveries) Typing(ctx context.Context, recipientID string) ([]Job, error) {
	return s.jobs(ctx, `d.state = 'typing'`, recipientID, engine.MaxBatch)
}

func (s *Deliveries) jobs(ctx context.Context, which, recipientID string, limit int, args ...any) ([]Job, error) {
	var rows []itemRow
	err := s.read(ctx, "reading pending deliveries", &rows, `SELECT `+itemColumns+`
		FROM deliveries d JOIN messages m ON m.seq = d.message_seq`+itemAgents+`
		WHERE d.recipient_id = ? AND `+isOpen+` AND `+which+`
		ORDER BY d.urgent DESC, d.message_seq LIMIT ?`, append(append([]any{recipientID}, args...), limit)...)
	jobs := make([]Job, len(rows))
	for i := range rows {
		jobs[i] = rows[i].job()
	}
	return jobs, err
}

func (r *itemRow) job() Job {
	d := &r.Delivery
	return Job{
		Key:       Key{d.MessageSeq, d.RecipientID},
		Message:   r.Message.message(),
		State:     parley.DeliveryState(d.State),
		Reason:    d.Reason,
		Code:      parley.ReasonCode(d.ReasonCode),
		PaneSeq:   uint64(d.PaneSeq),
		QueuedAt:  instant(d.QueuedAt),
		Announced: d.Announced,
	}
}

// Claim marks a queued or held delivery as being typed, with the sequence number that the
// pane will store. announced says that the terminal gets an announcement of the text. ErrStale when
// it is neither.
func (s *Deliveries) Claim(ctx context.Context, k Key, paneSeq uint64, announced bool) error {
	return s.writeIn(ctx, "claiming the delivery", claimOf(k.MessageSeq), func(t *tx) error {
		claims.Add(t, claimRow{Key: k, paneSeq: int64(paneSeq), announced: announced, by: t.Current()})
		return nil
	})
}

// followedDeliveries tells the rungs that deliveries have reached.
var followedDeliveries = reread{
	about: isOf(parley.EventDelivery),
	read: func(_ querier, about []followedEvent, n *News) error {
		for _, e := range about {
			n.Deliveries = append(n.Deliveries, NewRung{
				Key: Key{e.MessageSeq, e.RecipientID}, State: parley.DeliveryState(e.State), Code: e.ReasonCode,
			})
		}
		return nil
	},
}

// rungsOf returns the deliveries of messages, by their numbers.
func rungsOf(q querier, messages []int64) (map[int64][]NewRung, error) {
	var rows []struct {
		MessageSeq                   int64
		RecipientID, State, Withheld string
		ReasonCode                   parley.ReasonCode
		AtOnce                       bool
	}
	err := q.Query(&rows, `SELECT message_seq, recipient_id, state, reason_code, withheld,
			coalesce(read_at <= queued_at, false) AS at_once FROM deliveries
		WHERE message_seq IN ? ORDER BY message_seq, recipient_id`, messages)

	byMessage := map[int64][]NewRung{}
	for i := range rows {
		d := &rows[i]
		byMessage[d.MessageSeq] = append(byMessage[d.MessageSeq], NewRung{
			Key: Key{d.MessageSeq, d.RecipientID}, State: parley.DeliveryState(d.State), Code: d.ReasonCode,
			Withheld: d.Withheld, AtOnce: d.AtOnce,
		})
	}

	return byMessage, err
}
