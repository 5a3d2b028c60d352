package store

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"parley"
	"parley/plain"
	"parley/store/engine"
)

type agentRow struct {
	ID           string
	Name         string
	Role         string           // apart from the rest of what describes it: messages are read with it
	Spec         parley.AgentSpec `gorm:"serializer:json"`
	Kind         string
	State        string
	Since        int64
	Evidence     string
	ExitStatus   *int
	Host         string
	Profile      string
	Command      []string `gorm:"serializer:json"`
	Dir          string
	Worktree     string // JSON; "" if it has none
	Socket       string
	Pane         string
	Approval     string
	Seal         string
	Session      string
	SessionState string
	NoResume     bool
	PromptHash   string
	OwnEnv       []string `gorm:"serializer:json"`
	Ports        string   // JSON; "" if it has none
	PullRequest  string   // JSON; "" if it has none
	CreatedAt    int64    `gorm:"autoCreateTime:false"`
	LastActive   int64
}

var agentsTable = engine.Table[agentRow]{
	Name:    "agents",
	Key:     []string{"id"},
	Grows:   true,
	Columns: engine.ColumnsOf[agentRow](butFor()),
	Refused: func(err error, rows []agentRow) error {
		if engine.Duplicate(err) {
			return nameTaken(rows[0].Name)
		}
		return err
	},
}

// onlyColumns selects some columns, and butFor all others.
func onlyColumns(columns ...string) func(string) bool {
	return func(name string) bool { return slices.Contains(columns, name) }
}

func butFor(columns ...string) func(string) bool {
	return func(name string) bool { return !slices.Contains(columns, name) }
}

func jsonList(list []string) string {
	text, _ := json.Marshal(list) // strings
	return string(text)
}

// row returns the row of an agent. Times that are missing are now.
func (t agentsIn) row(a *parley.Agent) agentRow {
	row := agentRow{
		ID:           a.ID,
		Name:         a.Name,
		Role:         a.Role,
		Spec:         a.AgentSpec,
		Kind:         string(a.Kind),
		State:        string(a.State),
		Since:        nanos(a.Since),
		Evidence:     a.Evidence,
		ExitStatus:   a.ExitStatus,
		Host:         a.Host,
		Profile:      a.Profile,
		Command:      notNil(a.Command),
		Dir:          a.Dir,
		Worktree:     worktreeText(a.Worktree),
		Socket:       a.Socket,
		Pane:         a.Pane,
		Approval:     string(a.Approval),
		Seal:         a.Seal,
		Session:      a.Session.ID,
		SessionState: string(a.Session.State),
		NoResume:     a.NoResume,
		PromptHash:   a.PromptHash,
		OwnEnv:       notNil(a.OwnEnv),
		Ports:        portsText(a.Reserved),
		PullRequest:  pullText(a.Pull),
		CreatedAt:    nanos(a.CreatedAt),
		LastActive:   nanos(a.LastActive),
	}

	row.Spec.Role = ""
	for _, at := range []*int64{&row.Since, &row.CreatedAt, &row.LastActive} {
		if *at == 0 {
			*at = nanos(t.tx.Now)
		}
	}

	return row
}

// notNil returns an empty list for nil, which would be stored as null.
func notNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// nilIfEmpty is the inverse of notNil.
func nilIfEmpty(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}

// answeredBy returns the agent with the model that answers for it; nil for none.
func (r *agentRow) answeredBy(p *parley.Responder) parley.Agent {
	a := r.agent()
	if p != nil {
		a.Responder, a.AutoRespond = p, p.AutoRespond
	}
	return a
}

func (r *agentRow) agent() parley.Agent {
	approval, spec := parley.Approval(r.Approval), r.Spec
	spec.Role = r.Role
	spec.Capabilities, spec.Groups = nilIfEmpty(spec.Capabilities), nilIfEmpty(spec.Groups)

	return parley.Agent{
		ID:         r.ID,
		Name:       r.Name,
		AgentSpec:  spec,
		Kind:       parley.AgentKind(r.Kind),
		State:      parley.AgentState(r.State),
		Since:      instant(r.Since),
		Evidence:   r.Evidence,
		ExitStatus: r.ExitStatus,
		Host:       r.Host,
		Profile:    r.Profile,
		Command:    nilIfEmpty(r.Command),
		Dir:        r.Dir,
		Worktree:   worktreeOf(r.Worktree),

		Socket:     r.Socket,
		Pane:       r.Pane,
		Approval:   approval,
		Seal:       r.Seal,
		Session:    parley.Session{ID: r.Session, State: parley.SessionState(r.SessionState)},
		NoResume:   r.NoResume,
		PromptHash: r.PromptHash,
		OwnEnv:     nilIfEmpty(r.OwnEnv),
		Reserved:   portsOf(r.Ports),
		Pull:       pullOf(r.PullRequest),
		IsSpecial:  approval == parley.ApprovalGiven,
		CreatedAt:  instant(r.CreatedAt),
		LastActive: instant(r.LastActive),
	}
}

// load returns the row of an agent. AGENT_NOT_FOUND.
func (t agentsIn) load(id string) (*agentRow, error) {
	var rows []agentRow
	if err := t.tx.Query(&rows, `SELECT * FROM agents WHERE id = ?`, id); err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, noAgent(id)
	}
	return &rows[0], nil
}

// touch runs a statement for each ID, with its time, the ID and the time again.
func touch(ctx context.Context, d *database, what, statement string, times map[string]time.Time) error {
	if len(times) == 0 {
		return nil
	}
	return d.write(ctx, what, func(t *tx) error {
		for id, at := range times {
			if _, err := t.Exec(statement, nanos(at), id, nanos(at)); err != nil {
				return err
			}
		}
		return nil
	})
}

// logLifecycle adds an agent's state to its log and to the events.
func (t agentsIn) logLifecycle(r *agentRow, what string) {
	t.log(r.ID, typeLifecycle, "Agent "+r.Name+" "+what, struct {
		AgentID    string `json:"agent_id"`
		Name       string `json:"name"`
		Kind       string `json:"kind"`
		State      string `json:"state"`
		Evidence   string `json:"evidence,omitempty"`
		ExitStatus *int   `json:"exit_status,omitempty"`
	}{r.ID, r.Name, r.Kind, r.State, r.Evidence, r.ExitStatus})
	emit(t.tx, eventRow{Type: parley.EventAgent, AgentID: r.ID, State: r.State, Detail: r.Evidence})
}

func nameTaken(name string) error {
	return parley.Errorf(parley.AgentExists, "an agent named %q already exists", plain.CleanLine(name)).
		Suggest("Choose another name; get_agent_status shows those that are taken.")
}

func equalStatus(a, b *int) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func worktreeText(w *parley.Worktree) string {
	if w == nil {
		return ""
	}
	text, _ := json.Marshal(w) // strings and a bool
	return string(text)
}

// worktreeOf is the inverse of worktreeText. What it cannot read is no worktree.
func worktreeOf(text string) *parley.Worktree {
	w := new(parley.Worktree)
	if text == "" || json.Unmarshal([]byte(text), w) != nil {
		return nil
	}
	return w
}

// portsText returns ports as they are stored.
func portsText(p parley.Ports) string {
	if len(p) == 0 {
		return ""
	}
	text, _ := json.Marshal(p) // texts and numbers
	return string(text)
}

// portsOf is the inverse of portsText. What it cannot read is no port.
func portsOf(text string) (p parley.Ports) {
	if text == "" || json.Unmarshal([]byte(text), &p) != nil {
		return nil
	}
	return p
}

type storedPull struct {
	parley.PullRequest
	Told parley.PullTold `json:"told"`
}

func pullText(p *parley.PullRequest) string {
	if p == nil {
		return ""
	}
	text, _ := json.Marshal(storedPull{*p, p.Told}) // texts, numbers and times
	return string(text)
}

// pullOf is the inverse of pullText. What it cannot read is no pull request.
func pullOf(text string) *parley.PullRequest {
	var p storedPull
	if text == "" || json.Unmarshal([]byte(text), &p) != nil {
		return nil
	}
	p.PullRequest.Told = p.Told
	return &p.PullRequest
}
