package store

import (
	"context"
)

// Totals is the number of messages and deliveries ever stored.
type Totals struct{ Messages, Deliveries int64 }

// Totals counts messages and deliveries. The first call reads all deliveries, a later one
// those that were stored since.
func (s *Workspace) Totals(ctx context.Context) (Totals, error) {
	s.counted.Lock()
	defer s.counted.Unlock()

	const doing = "counting all messages"
	var last, more int64
	err := s.read(ctx, doing, &last, `SELECT coalesce(max(seq), 0) FROM messages`)
	if err == nil {
		err = s.read(ctx, doing, &more, `SELECT count(*) FROM deliveries WHERE message_seq > ? AND message_seq <= ?`,
			s.counted.messages, last)
	}

	if err != nil {
		return Totals{}, err
	}

	s.counted.messages, s.counted.deliveries = last, s.counted.deliveries+more

	return Totals{Messages: last, Deliveries: s.counted.deliveries}, nil
}
