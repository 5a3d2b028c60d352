package store

import (
	"context"
	"sync"
)

// Totals are what was ever stored.
type Totals struct{ Messages, Deliveries int64 }

// counted is how far the deliveries have been counted: there are millions, none
// is ever removed, and a message's are stored with it.
type counted struct {
	sync.Mutex
	messages, deliveries int64
}

// Totals counts messages and deliveries. The first call reads all deliveries, a
// later one those that have come since.
func (s *Workspace) Totals(ctx context.Context) (Totals, error) {
	s.counted.Lock()
	defer s.counted.Unlock()

	const doing = "counting all messages"
	var last, more int64
	err := s.read(ctx, doing, &last, `SELECT coalesce(max(seq), 0) FROM messages`)
	if err == nil {
		err = s.read(
			ctx,
			doing,
			&more,
			`SELECT count(*) FROM deliveries WHERE message_seq > ? AND message_seq <= ?`,
			s.counted.messages,
			last,
		)
	}

	if err != nil {
		return Totals{}, err
	}

	s.counted.messages, s.counted.deliveries = last, s.counted.deliveries+more

	return Totals{Messages: last, Deliveries: s.counted.deliveries}, nil
}

// Ping returns nil when the database can be read.
func (s *Workspace) Ping(ctx context.Context) error {
	var n int64
	return s.read(ctx, "looking into the database", &n, `SELECT count(*) FROM (SELECT 1 FROM agents LIMIT 1)`)
}
