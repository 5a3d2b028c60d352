package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"parley"
	"parley/internal/sh"
)

// Host is a machine that shares the workspace, as it was at the last look.
type Host struct {
	Name      string
	Holder    string    // its daemon
	StartedAt time.Time // of that daemon
	Until     time.Time // the end of its lease
	Away      bool      // it has ended
	Newest    int64     // the version of the schema that its daemon knows

	Epoch int64
}

// Team is the hosts of a workspace, by name. A file has one, which is not listed.
type Team struct {
	Own   string // the name of this machine; "" for a file
	Hosts []Host
}

// Host returns a host, nil if there is none of that name.
func (t *Team) Host(name string) *Host {
	i := slices.IndexFunc(t.Hosts, func(h Host) bool { return h.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Hosts[i]
}

// Leader names the host that does what one host does for all: the first one at work. "" for none.
func (t *Team) Leader() string {
	i := slices.IndexFunc(t.Hosts, func(h Host) bool { return !h.Away })
	if i < 0 {
		return ""
	}
	return t.Hosts[i].Name
}

// hostRow is a row of hosts.
type hostRow struct {
	Name, Holder   string
	Epoch, Version int64
	StartedAt      time.Time
	LeaseUntil     time.Time
	Away           bool
}

const hostsQuery = `SELECT name, holder, epoch, version, started_at, lease_until,
	lease_until <= clock_timestamp() AS away FROM hosts ORDER BY name`

// teamOf returns the hosts of rows.
func teamOf(own string, rows []hostRow) *Team {
	t := &Team{Own: own}
	for _, r := range rows {
		t.Hosts = append(t.Hosts, Host{Name: r.Name, Holder: r.Holder, StartedAt: r.StartedAt, Until: r.LeaseUntil,
			Away: r.Away, Newest: r.Version, Epoch: r.Epoch})
	}
	slices.SortFunc(t.Hosts, func(a, b Host) int { return strings.Compare(a.Name, b.Name) })
	return t
}

// roster keeps the team as it was at the last look.
type roster struct {
	own string
	now atomic.Pointer[Team]
}

// Load returns the team, nil before the first look, and for a file.
func (r *roster) Load() *Team { return r.now.Load() }

// Meet is that of engine.Team.
func (r *roster) Meet(q querier, epoch int64) (still bool, err error) {
	var rows []hostRow
	if err := q.Query(&rows, hostsQuery); err != nil {
		return false, err
	}
	team := teamOf(r.own, rows)
	if h := team.Host(r.own); h == nil || h.Epoch != epoch {
		return false, nil
	}
	r.now.Store(team)
	return true, nil
}

// Size is that of engine.Team.
func (r *roster) Size() int { return len(r.now.Load().Hosts) }

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
	if t.Host == "" {
		return nil
	}
	old, err := t.load(a.ID)
	if err != nil || old.State == string(parley.StateTerminated) || isOwn(t.Host, old.Kind, old.Host) {
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
