package store

import (
	"context"
)

// dutyFact begins the names of the facts that hold which host has a duty.
const dutyFact = "duty_"

// OnDuty reports whether this host has a duty, which one host that is able to has for all. It takes the duty if
// nobody has it, or if the host that has it is away.
func (s *Hosts) OnDuty(ctx context.Context, duty string) (mine bool, err error) {
	if s.base.SQL.Embedded {
		return true, nil
	}
	const doing, query = "looking who has a duty", `SELECT value FROM facts WHERE name = ?`
	var holder string
	if err := s.read(ctx, doing, &holder, query, dutyFact+duty); err != nil {
		return false, err
	}
	if h := s.Team().Host(holder); h != nil && !h.Away {
		return h.Name == s.base.Host && !s.LeaseOver(), nil
	}

	err = s.write(ctx, "taking a duty", func(t *tx) error {
		mine = false
		var rows []hostRow
		if err := t.Query(&rows, hostsQuery); err != nil {
			return err
		}
		if err := t.Query(&holder, query, dutyFact+duty); err != nil {
			return err
		}
		if h := teamOf(t.Host, rows).Host(holder); h != nil && !h.Away {
			return nil
		}
		mine = true
		_, err := t.Exec(`INSERT INTO facts (name, value) VALUES (?, ?)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, dutyFact+duty, t.Host)
		return err
	})

	return mine && err == nil, err
}

// LeaveDuty lets another host have a duty.
func (s *Hosts) LeaveDuty(ctx context.Context, duty string) error {
	if s.base.SQL.Embedded {
		return nil
	}
	return s.write(ctx, "leaving a duty", func(t *tx) error {
		_, err := t.Exec(`DELETE FROM facts WHERE name = ? AND value = ?`, dutyFact+duty, t.Host)
		return err
	})
}
