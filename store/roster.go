package store

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"
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
