package store

import (
	"context"

	"parley"
)

// DeliveryReasons counts the deliveries that are held or unconfirmed by their state and
// reason code. Deliveries without a code are left out.
func (s *Workspace) DeliveryReasons(ctx context.Context) (map[parley.DeliveryState]map[parley.ReasonCode]int, error) {
	var rows []struct {
		State      parley.DeliveryState
		ReasonCode parley.ReasonCode
		N          int
	}

	// Each part repeats the condition of a partial index, so that SQLite uses the index.
	err := s.read(ctx, "counting deliveries by reason", &rows, `
		SELECT d.state, d.reason_code, count(*) AS n FROM deliveries d
		WHERE `+isOpen+` AND d.state = 'held' AND d.reason_code <> '' GROUP BY d.state, d.reason_code
		UNION ALL
		SELECT d.state, d.reason_code, count(*) AS n FROM deliveries d
		WHERE `+isRetriable+` AND d.state = 'unconfirmed' AND d.reason_code <> '' AND `+isOurs+`
		GROUP BY d.state, d.reason_code`)

	counts := map[parley.DeliveryState]map[parley.ReasonCode]int{}
	for _, r := range rows {
		if counts[r.State] == nil {
			counts[r.State] = map[parley.ReasonCode]int{}
		}
		counts[r.State][r.ReasonCode] = r.N
	}

	return counts, err
}
