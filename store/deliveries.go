package store

import (
	"context"

	"parley"
	"parley/store/engine"
)

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

// Silent returns the deliveries to a recipient that are unconfirmed since its program, which was given them through
// its own entrance, had said nothing of them. Those that were dismissed do not count.
func (s *Deliveries) Silent(ctx context.Context, recipientID string) ([]Job, error) {
	// The empty text keeps SQLite from reading the whole inbox.
	return s.jobsWhere(ctx, `d.recipient_id || '' = ? AND `+isRetriable+` AND d.state = 'unconfirmed' AND d.dismissed = 0
		AND d.door = 1 AND d.reason_code = '`+string(parley.EndedDoorSilent)+`'`, recipientID, engine.MaxBatch)
}

func (s *Deliveries) jobs(ctx context.Context, which, recipientID string, limit int, args ...any) ([]Job, error) {
	return s.jobsWhere(ctx, `d.recipient_id = ? AND `+isOpen+` AND `+which, recipientID, limit, args...)
}

func (s *Deliveries) jobsWhere(ctx context.Context, which, recipientID string, limit int, args ...any) ([]Job, error) {
	var rows []itemRow
	err := s.read(ctx, "reading deliveries", &rows, `SELECT `+itemColumns+`
		FROM deliveries d JOIN messages m ON m.seq = d.message_seq`+itemAgents+`
		WHERE `+which+`
		ORDER BY d.urgent DESC, d.message_seq LIMIT ?`, append(append([]any{recipientID}, args...), limit)...)
	jobs := make([]Job, len(rows))
	for i := range rows {
		jobs[i] = rows[i].job()
	}
	return jobs, err
}

// ClaimDoor marks a queued or held delivery as being handed to the program through its own entrance. ErrStale when it
// is neither.
func (s *Deliveries) ClaimDoor(ctx context.Context, k Key) error {
	return s.writeIn(ctx, "claiming the delivery", claimOf(k.MessageSeq), func(t *tx) error {
		claims.Add(t, claimRow{Key: k, door: true, by: t.Current()})
		return nil
	})
}

// ClaimArgument marks a queued or held delivery as being handed to the program as an argument of its start. ErrStale
// when it is neither.
func (s *Deliveries) ClaimArgument(ctx context.Context, k Key) error {
	starting := parley.Hold{Code: parley.HoldArgument, Reason: parley.HoldArgument.Words("it is starting")}
	return s.writeIn(ctx, "claiming the delivery", claimOf(k.MessageSeq), func(t *tx) error {
		claims.Add(t, claimRow{Key: k, door: true, reason: starting, by: t.Current()})
		return nil
	})
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
