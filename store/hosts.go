package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/internal/sh"
)

// What is this host's is told from what is another's. With a file, whose host has no name, all is its own.

// ownDeliveries is a condition for a statement about deliveries: those to terminals of this host, and to agents without
// a terminal. Only their host moves those of others on.
func ownDeliveries(host string) string {
	if host == "" {
		return ""
	}
	return fmt.Sprintf(` AND EXISTS (SELECT 1 FROM agents a WHERE a.id = deliveries.recipient_id
		AND (a.kind <> 'terminal' OR a.host IN ('', '%s')))`, strings.NewReplacer("'", "''", "?", "").Replace(host))
}

// isOwn reports whether an agent that is not stopped belongs to a host, if it has a terminal.
func isOwn(own, kind, host string) bool {
	return own == "" || kind != string(parley.KindTerminal) || host == "" || host == own
}

// refuseElsewhere returns AGENT_EXISTS for an agent that another host has, unless it was stopped there.
func (t agentsIn) refuseElsewhere(a *parley.Agent) error {
	if t.tx.Host == "" {
		return nil
	}
	old, err := t.load(a.ID)
	if err != nil || old.State == string(parley.StateTerminated) || isOwn(t.tx.Host, old.Kind, old.Host) {
		return err
	}
	return parley.Errorf(parley.AgentExists, "%s is an agent of host %s", a.Name, old.Host).With("host", old.Host).
		Suggest("Choose another name, or stop it there first: ssh %s parley stop %s", sh.Word(old.Host),
			a.Name)
}

// dutyFact begins the names of the facts that hold which host has a duty.
const dutyFact = "duty_"

// OnDuty reports whether this host has a duty, which one host that is able to has for all. It takes the duty if
// nobody has it, or if the host that has it is away.
func (s *Hosts) OnDuty(ctx context.Context, duty string) (mine bool, err error) {
	if s.db.base.SQL.Embedded {
		return true, nil
	}
	const doing, query = "looking who has a duty", `SELECT value FROM facts WHERE name = ?`
	var holder string
	if err := s.db.read(ctx, doing, &holder, query, dutyFact+duty); err != nil {
		return false, err
	}
	if h := s.Team().Host(holder); h != nil && !h.Away {
		return h.Name == s.db.base.Host && !s.LeaseOver(), nil
	}

	err = s.db.write(ctx, "taking a duty", func(t *tx) error {
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
	if s.db.base.SQL.Embedded {
		return nil
	}
	return s.db.write(ctx, "leaving a duty", func(t *tx) error {
		_, err := t.Exec(`DELETE FROM facts WHERE name = ? AND value = ?`, dutyFact+duty, t.Host)
		return err
	})
}

// Hosts keeps what becomes of the agents of other hosts.
type Hosts struct{ db *database }

// Team returns the hosts that share the database. The caller must not change it.
func (db *Hosts) Team() *Team {
	if t := db.db.hosts.Load(); t != nil {
		return t
	}
	return &Team{}
}

// Leads reports whether this daemon does what one host does for all.
func (db *Hosts) Leads() bool {
	return db.db.base.SQL.Embedded || !db.LeaseOver() && db.Team().Leader() == db.db.base.Host
}

// LeaseOver reports whether this daemon may not type any more, since it may not be its host.
func (db *Hosts) LeaseOver() bool {
	return db.db.base.Lease != nil && db.db.base.Lease.Over(time.Now())
}
