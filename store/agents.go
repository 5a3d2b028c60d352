package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"parley"
	"parley/store/engine"
)

// Agents keeps the agents and their states.
type Agents struct{ db *database }

// List returns all agents by name, including those that were terminated.
func (s *Agents) List(ctx context.Context) ([]parley.Agent, error) {
	var rows []agentRow
	if err := s.db.read(ctx, "reading the agents", &rows, `SELECT * FROM agents ORDER BY lower(name)`); err != nil {
		return nil, err
	}

	responders, err := respondersOf(s.db.reading(ctx), ``)
	if err != nil {
		return nil, s.db.fail("reading the responders", err)
	}

	agents := make([]parley.Agent, len(rows))
	for i := range rows {
		agents[i] = rows[i].answeredBy(responders[rows[i].ID])
	}

	return agents, nil
}

// CreateAgent stores a new agent, with a key unless it is nil. AGENT_EXISTS when
// another agent ever had its ID or its name, in any case.
func (s *Agents) CreateAgent(ctx context.Context, a parley.Agent, key *APIKey) error {
	return s.db.write(ctx, "storing the agent", func(t *tx) error {
		row := agentsIn{t}.row(&a)
		if err := agentsTable.Insert(t, row); err != nil {
			return err
		}

		agentsIn{t}.logLifecycle(&row, "created")
		if err := (respondersIn{t}).replace(a.ID, a.Responder); err != nil {
			return err
		}

		return keysIn{t}.replace(a.ID, key)
	})
}

// ReviveAgent replaces everything about the agent with this ID, including its keys,
// but not the time of its creation. AGENT_NOT_FOUND, or AGENT_EXISTS
// when its new name belongs to another.
func (s *Agents) ReviveAgent(ctx context.Context, a parley.Agent, key *APIKey) error {
	return s.db.write(ctx, "storing the agent", func(t *tx) error {
		if err := (agentsIn{t}).refuseElsewhere(&a); err != nil {
			return err
		}
		row := agentsIn{t}.row(&a)
		n, err := agentsTable.Update(t, &row, butFor("id", "created_at"), `id = ?`, a.ID)
		switch {
		case engine.Duplicate(err):
			return nameTaken(a.Name)
		case err != nil:
			return err
		case n == 0:
			return noAgent(a.ID)
		}

		agentsIn{t}.logLifecycle(&row, "revived")
		if err := (respondersIn{t}).replace(a.ID, a.Responder); err != nil {
			return err
		}

		return keysIn{t}.replace(a.ID, key)
	})
}

// SetAgentState records an agent's state, its evidence, and its program's exit status.
// It returns since when the agent has been in that state. If all of it is already
// stored, nothing changes; if only the evidence is new, the time is kept.
// AGENT_NOT_FOUND.
func (s *Agents) SetAgentState(
	ctx context.Context, id string, state parley.AgentState, evidence string, exit *int,
) (since time.Time, err error) {
	err = s.db.write(ctx, "storing the agent's state", func(t *tx) error {
		row, err := agentsIn{t}.load(id)
		if err != nil {
			return err
		}

		changed := row.State != string(state)
		if changed {
			row.Since = nanos(t.Now)
		}

		since = instant(row.Since)
		if !changed && row.Evidence == evidence && equalStatus(row.ExitStatus, exit) {
			return nil
		}

		row.State, row.Evidence, row.ExitStatus = string(state), evidence, exit
		if _, err := t.Exec(`UPDATE agents SET state = ?, since = ?, evidence = ?, exit_status = ? WHERE id = ?`,
			row.State, row.Since, evidence, exit, id); err != nil {
			return err
		}

		agentsIn{t}.logLifecycle(row, "is "+row.State)

		return nil
	})

	return since, err
}

// SetAgentProgram records what an agent runs. AGENT_NOT_FOUND.
func (s *Agents) SetAgentProgram(ctx context.Context, id string, p parley.Program) error {
	return s.db.write(ctx, "storing the agent's program", func(t *tx) error {
		if _, err := (agentsIn{t}).load(id); err != nil {
			return err
		}
		tell(t, changedAgent, id, "")
		_, err := t.Exec(`UPDATE agents SET profile = ?, command = ?, session = ?, session_state = ? WHERE id = ?`,
			p.Profile, jsonList(p.Command), p.Session.ID, string(p.Session.State), id)
		return err
	})
}

// SetAgentSession records the own session of an agent's program. AGENT_NOT_FOUND.
func (s *Agents) SetAgentSession(ctx context.Context, id string, session parley.Session) error {
	return s.db.write(ctx, "storing the agent's session", func(t *tx) error {
		if _, err := (agentsIn{t}).load(id); err != nil {
			return err
		}
		_, err := t.Exec(`UPDATE agents SET session = ?, session_state = ? WHERE id = ?`,
			session.ID, string(session.State), id)
		return err
	})
}

// SetAgentLabels records how an agent is described, what it may do, and which prompt it has.
// AGENT_NOT_FOUND.
func (s *Agents) SetAgentLabels(ctx context.Context, id string, a parley.Agent) error {
	return s.db.write(ctx, "storing the agent's description", func(t *tx) error {
		row := agentsIn{t}.row(&a)
		kept := onlyColumns("role", "spec", "no_resume", "prompt_hash")
		n, err := agentsTable.Update(t, &row, kept, `id = ?`, id)
		switch {
		case err != nil:
			return err
		case n == 0:
			return noAgent(id)
		}

		changed, err := agentsIn{t}.load(id)
		if err == nil {
			agentsIn{t}.logLifecycle(changed, "changed")
		}

		return err
	})
}

// SetAgentWorktree records the worktree of an agent; nil for none. AGENT_NOT_FOUND.
func (s *Agents) SetAgentWorktree(ctx context.Context, id string, w *parley.Worktree) error {
	return s.set(ctx, "storing the agent's worktree", id, "worktree", worktreeText(w))
}

// SetAgentPorts records the ports that are reserved for an agent. AGENT_NOT_FOUND.
func (s *Agents) SetAgentPorts(ctx context.Context, id string, ports parley.Ports) error {
	return s.set(ctx, "storing the agent's ports", id, "ports", portsText(ports))
}

// SetPullRequest records the pull request of an agent; nil for none. AGENT_NOT_FOUND.
func (s *Agents) SetPullRequest(ctx context.Context, id string, p *parley.PullRequest) error {
	return s.set(ctx, "storing the agent's pull request", id, "pull_request", pullText(p))
}

func (s *Agents) set(ctx context.Context, what, id, column string, value any) error {
	return s.db.write(ctx, what, func(t *tx) error {
		if _, err := (agentsIn{t}).load(id); err != nil {
			return err
		}
		tell(t, changedAgent, id, "")
		_, err := t.Exec(`UPDATE agents SET `+column+` = ? WHERE id = ?`, value, id)
		return err
	})
}

// TouchAgents records when agents were last active. It skips unknown agents, and
// times earlier than the recorded ones.
func (s *Agents) TouchAgents(ctx context.Context, active map[string]time.Time) error {
	return touch(ctx, s.db, "storing when agents were active",
		`UPDATE agents SET last_active = ? WHERE id = ? AND last_active < ?`, active)
}

// The types of agent log rows.
const (
	typeCommunication = "agent_communication"
	typeLifecycle     = "agent_lifecycle"
)

type logRow struct {
	AgentID string
	LogType string
	Message string
	Details string
	At      int64
}

var logTable = engine.Table[logRow]{
	Name:    "agent_log",
	Key:     []string{"id"},
	Counter: "id",
	Grows:   true,
	Columns: engine.Columns[logRow]{
		{"agent_id", func(l *logRow) any { return l.AgentID }},
		{"log_type", func(l *logRow) any { return l.LogType }},
		{"message", func(l *logRow) any { return l.Message }},
		{"details", func(l *logRow) any { return l.Details }},
		{"at", func(l *logRow) any { return l.At }},
	},
}

// log adds a row to an agent's log. details become JSON.
func (t agentsIn) log(agentID, logType, message string, details any) {
	b, err := json.Marshal(details)
	if err != nil { // a time beyond the year 9999
		b = []byte("{}")
	}
	logTable.Add(t.tx, logRow{agentID, logType, message, string(b), nanos(t.tx.Now)})
}

// communication is the part of a delivery that the agent log keeps.
type communication struct {
	SenderID    string    `json:"sender_id"`
	RecipientID string    `json:"recipient_id"`
	Type        string    `json:"message_type"`
	Content     string    `json:"message_content"`
	Timestamp   time.Time `json:"timestamp"`
}

// logContent is how many characters of a message the agent log keeps.
const logContent = 200

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

type hostRow struct {
	Name, Holder   string
	Epoch, Version int64
	StartedAt      time.Time
	LeaseUntil     time.Time
	Away           bool
}

const hostsQuery = `SELECT name, holder, epoch, version, started_at, lease_until,
	lease_until <= clock_timestamp() AS away FROM hosts ORDER BY name`

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

// Miss is that of engine.Team.
func (r *roster) Miss(away map[string]time.Time) {
	team := *r.now.Load()
	team.Hosts = slices.Clone(team.Hosts)
	for i := range team.Hosts {
		h := &team.Hosts[i]
		until, gone := away[h.Name]
		if h.Away = gone; gone {
			h.Until = until
		}
	}
	r.now.Store(&team)
}

// Size is that of engine.Team.
func (r *roster) Size() int { return len(r.now.Load().Hosts) }
