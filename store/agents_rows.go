package store

import (
	"parley"
)

// agentRow is a row of agents.
type agentRow struct {
	ID            string
	Name          string
	Description   string
	Role          string
	Capabilities  []string `gorm:"serializer:json"`
	TeamGroups    []string `gorm:"serializer:json"`
	Kind          string
	State         string
	Since         int64
	Evidence      string
	ExitStatus    *int
	Host          string
	Profile       string
	Command       []string `gorm:"serializer:json"`
	Dir           string
	Orchestrate   bool
	Interruptible bool
	Socket        string
	Pane          string
	Approval      string
	CreatedAt     int64 `gorm:"autoCreateTime:false"`
	LastActive    int64
}

// TableName is gorm's way to ask.
func (agentRow) TableName() string { return "agents" }

func rowOf(a *parley.Agent) agentRow {
	return agentRow{ID: a.ID, Name: a.Name, Description: a.Description, Role: a.Role,
		Capabilities: list(a.Capabilities), TeamGroups: list(a.Groups), Kind: string(a.Kind), State: string(a.State),
		Since: nanos(a.Since), Evidence: a.Evidence, ExitStatus: a.ExitStatus, Host: a.Host,
		Profile: a.Profile, Command: list(a.Command), Dir: a.Dir, Orchestrate: a.Orchestrate, Interruptible: a.Interruptible, Approval: string(a.Approval),
		Socket: a.Socket, Pane: a.Pane, CreatedAt: nanos(a.CreatedAt), LastActive: nanos(a.LastActive)}
}

// list makes an absent list an empty one: gorm would store NULL.
func list(l []string) []string {
	if l == nil {
		return []string{}
	}
	return l
}

func unlist(l []string) []string {
	if len(l) == 0 {
		return nil
	}
	return l
}

func (r *agentRow) agent() parley.Agent {
	return parley.Agent{ID: r.ID, Name: r.Name, Description: r.Description, Role: r.Role,
		Capabilities: unlist(r.Capabilities), Groups: unlist(r.TeamGroups), Kind: parley.AgentKind(r.Kind),
		State: parley.AgentState(r.State), Since: instant(r.Since), Evidence: r.Evidence,
		ExitStatus: r.ExitStatus, Host: r.Host, Profile: r.Profile, Command: unlist(r.Command), Dir: r.Dir,
		Orchestrate: r.Orchestrate, Interruptible: r.Interruptible, Socket: r.Socket, Pane: r.Pane,
		Approval: parley.Approval(r.Approval), IsSpecial: r.Approval == string(parley.ApprovalGiven),
		CreatedAt: instant(r.CreatedAt), LastActive: instant(r.LastActive)}
}
