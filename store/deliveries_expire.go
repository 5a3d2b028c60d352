package store

import (
	"context"
	"time"

	"parley"
)

// expireBatch is how many deliveries expire in one change, so that other writes do not
// wait long.
const expireBatch = 200

// Expire gives up the deliveries that have been queued or held since before a time, and
// returns their keys.
func (s *Deliveries) Expire(ctx context.Context, before time.Time) ([]Key, error) {
	var expired []Key
	for {
		var some []Key
		err := s.write(ctx, "expiring deliveries", func(t *tx) (err error) {
			some, err = deliveriesIn{t}.expire(before)
			return err
		})
		expired = append(expired, some...)
		if err != nil || len(some) < expireBatch {
			return expired, err
		}
	}
}

// expire expires one batch.
func (t deliveriesIn) expire(before time.Time) ([]Key, error) {
	var keys []Key
	err := t.Query(&keys, `SELECT d.message_seq, d.recipient_id FROM deliveries d
		WHERE `+isOpen+` AND d.state <> 'typing' AND d.queued_at < ? LIMIT ?`, nanos(before), expireBatch)
	expired := Change{
		State:  parley.DeliveryExpired,
		Reason: parley.EndedExpired.Words(""),
		Code:   parley.EndedExpired,
	}
	for i := 0; i < len(keys) && err == nil; i++ {
		err = t.write(keys[i], []Change{expired}, 0)
	}

	return keys, err
}
