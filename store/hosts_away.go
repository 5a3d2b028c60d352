package store

import (
	"context"
	"time"

	"parley"
	"parley/plain"
)

// openOf selects open deliveries to terminals of agents that are not stopped, with their hosts.
const openOf = `SELECT d.message_seq, d.recipient_id, d.state, d.reason_code, a.host, h.lease_until AS until
	FROM deliveries d JOIN agents a ON a.id = d.recipient_id AND a.kind = 'terminal'
	LEFT JOIN hosts h ON h.name = a.host WHERE ` + isOpen

type openRow struct {
	MessageSeq               int64
	RecipientID, State, Host string
	ReasonCode               parley.ReasonCode
	Until                    *time.Time
}

func (r *openRow) key() Key { return Key{r.MessageSeq, r.RecipientID} }

// awayAtOnce is how many deliveries are held or let go in one transaction.
const awayAtOnce = 500

// HoldAway holds what waits for agents of hosts that are away, and says so with a cause. What a host has
// begun to type stays with it.
func (s *Hosts) HoldAway(ctx context.Context, cause func(host string, since *time.Time) parley.Cause) error {
	if s.db.base.SQL.Embedded {
		return nil
	}
	return s.db.write(ctx, "holding what waits for a host", func(t *tx) error {
		var rows []openRow
		if err := t.Query(&rows, openOf+` AND d.state <> 'typing' AND d.withheld = '' AND a.host NOT IN ('', ?)
			AND d.reason_code <> ? AND a.state <> 'terminated'
			AND (h.name IS NULL OR h.lease_until <= clock_timestamp())
			ORDER BY d.message_seq LIMIT ?`, t.Host, string(parley.HoldHostAway), awayAtOnce); err != nil {
			return err
		}

		for i := range rows {
			held := Change{State: parley.DeliveryHeld, Cause: cause(rows[i].Host, rows[i].Until)}
			if err := (deliveriesIn{t}).write(rows[i].key(), []Change{held}, 0); err != nil {
				return err
			}
		}
		return nil
	})
}

// TakeBack queues what others have held while this host was away.
func (s *Hosts) TakeBack(ctx context.Context) error {
	if s.db.base.SQL.Embedded {
		return nil
	}
	return s.db.write(ctx, "queueing what waited for this host", func(t *tx) error {
		var rows []openRow
		if err := t.Query(&rows, openOf+` AND d.reason_code = ? AND a.host = ? ORDER BY d.message_seq`,
			string(parley.HoldHostAway), t.Host); err != nil {
			return err
		}
		for i := range rows {
			back := Change{State: parley.DeliveryQueued, Cause: parley.ProofStored.In("its host is back")}
			if err := (deliveriesIn{t}).write(rows[i].key(), []Change{back}, 0); err != nil {
				return err
			}
		}
		return nil
	})
}

// Removed says what became of what a removed host had.
type Removed struct {
	Agents []string // that are terminated
	Failed int      // deliveries that waited
}

// RemoveHost removes a host that is away: its agents are terminated, and what waits for them fails.
// INVALID_ARGUMENT for a host that is there, or unknown. A daemon that still runs there can write
// nothing more.
func (s *Hosts) RemoveHost(ctx context.Context, name, by string) (done Removed, err error) {
	if s.db.base.SQL.Embedded {
		return done, parley.Errorf(parley.InvalidArgument, "this workspace has one host, since its database is a file").
			Suggest("See docs/machines.md: several hosts share a database on a server.")
	}

	err = s.db.write(ctx, "removing a host", func(t *tx) error {
		done = Removed{}
		if err := (hostsIn{t}).removable(name); err != nil {
			return err
		}
		if err := (deliveriesIn{t}).fail(name, &done); err != nil {
			return err
		}
		if err := (agentsIn{t}).terminateAll(name, by, &done); err != nil {
			return err
		}
		if _, err := t.Exec(`DELETE FROM hosts WHERE name = ?`, name); err != nil {
			return err
		}
		_, err := t.Exec(`UPDATE workspace SET epoch = epoch + 1 WHERE one = 1`)
		return err
	})
	return done, err
}

// removable returns why a host cannot be removed, nil if it can.
func (t hostsIn) removable(name string) error {
	var rows []hostRow
	if err := t.tx.Query(&rows, hostsQuery); err != nil {
		return err
	}
	var agents int
	if err := t.tx.Query(&agents, `SELECT count(*) FROM agents WHERE host = ? AND kind = 'terminal'
		AND state <> 'terminated'`, name); err != nil {
		return err
	}

	h := teamOf(t.tx.Host, rows).Host(name)
	switch {
	case h == nil && agents == 0:
		return parley.Errorf(parley.InvalidArgument, "there is no host %q",
			plain.CleanLine(plain.Truncate(name, 64))).
			Suggest("parley host list shows the hosts of the team.")
	case h != nil && !h.Away:
		return parley.Errorf(parley.InvalidArgument, "host %s is at work (%s)", name, h.Holder).With("host", name).
			Suggest("Stop its daemon first, there: parley down. Then try again.")
	}
	return nil
}

// fail ends what waits for the agents of a host. What may have been typed is unconfirmed.
func (t deliveriesIn) fail(host string, done *Removed) error {
	var rows []openRow
	if err := t.tx.Query(&rows, openOf+` AND a.host = ? ORDER BY d.message_seq`, host); err != nil {
		return err
	}
	for i := range rows {
		end := Change{State: parley.DeliveryFailed, Cause: parley.EndedHostRemoved.With(host)}
		if rows[i].State == string(parley.DeliveryTyping) {
			end.State = parley.DeliveryUnconfirmed
		}
		if err := t.write(rows[i].key(), []Change{end}, 0); err != nil {
			return err
		}
		done.Failed++
	}
	return nil
}

// terminateAll ends the agents of a host, and their keys.
func (t agentsIn) terminateAll(host, by string, done *Removed) error {
	var rows []agentRow
	if err := t.tx.Query(&rows, `SELECT * FROM agents WHERE host = ? AND kind = 'terminal' AND state <> 'terminated'
		ORDER BY name`, host); err != nil {
		return err
	}

	for i := range rows {
		r := &rows[i]
		r.State, r.Since = string(parley.StateTerminated), nanos(t.tx.Now)
		r.Evidence = "its host " + host + " was removed by " + by
		if _, err := t.tx.Exec(`UPDATE agents SET state = ?, since = ?, evidence = ? WHERE id = ?`,
			r.State, r.Since, r.Evidence, r.ID); err != nil {
			return err
		}
		if err := keysIn(t).replace(r.ID, nil); err != nil {
			return err
		}
		t.logLifecycle(r, "is "+r.State)
		done.Agents = append(done.Agents, r.Name)
	}
	return nil
}
