package store

import (
	"context"
	"time"

	"parley"
)

// expireBatch bounds how long an expiry keeps other writes waiting.
const expireBatch = 200

// Expire gives up what was accepted before a time and is still queued or held,
// and returns which deliveries those were.
func (s *Deliveries) Expire(ctx context.Context, before time.Time) ([]Key, error) {
	var expired []Key
	for {
		var some []Key
		err := s.write(ctx, "expiring deliveries", func(t *tx) (err error) {
			some, err = expireSome(t, before)
			return err
		})
		expired = append(expired, some...)
		if err != nil || len(some) < expireBatch {
			return expired, err
		}
	}
}

func expireSome(t *tx, before time.Time) ([]Key, error) {
	var keys []Key
	err := t.query(&keys, `SELECT d.message_seq, d.recipient_id FROM deliveries d
		WHERE `+isOpen+` AND d.state <> 'typing' AND d.queued_at < ? LIMIT ?`, nanos(before), expireBatch)
	for _, k := range keys {
		if err == nil {
			err = writeSteps(t, k, []Change{{State: parley.DeliveryExpired, Reason: parley.EndedExpired.Words(""), Code: parley.EndedExpired}}, 0)
		}
	}
	return keys, err
}
