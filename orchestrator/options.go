package orchestrator

import (
	"log/slog"
	"time"

	"parley"
	"parley/orchestrator/answer"
	"parley/orchestrator/meter"
	"parley/orchestrator/needs"
	"parley/orchestrator/settings"
	"parley/orchestrator/terminal"
	"parley/program/profile"
	"parley/program/sessions"
	"parley/store"
	"parley/tmux"
)

// Options are the parts and settings of the service.
type Options struct {
	Store      *store.Store
	Tmux       tmux.Options // the workspace's own server; Notify is overwritten
	Profiles   profile.Set
	Workspace  string // the project directory, absolute
	LaunchDir  string // 0700: private files of launches and of agents
	Executable string // path of parley, which starts the agents
	State      string // directory of the database and the stored files; default: .parley in Workspace
	Boundary   terminal.Boundary
	Private    []string // directories besides State and LaunchDir that no file may be sent from
	Spool      string   // directory of reports written while no daemon ran; "": none
	Host       string
	Settings   settings.Settings
	Daemon     Daemon
	Now        func() time.Time           // default: time.Now
	Log        *slog.Logger               // default: none
	Model      answer.Model               // answers for responders; nil: no model is available
	Responders []parley.DeclaredResponder // from the team's file
	Away       needs.Away                 // how the operator is told while away
	Costs      Costs                      // prices and budgets

	OperatorKey *store.APIKey // of the operator, believed while there are no agents; nil: none
}

// Daemon is the process that the orchestrator runs in.
type Daemon struct {
	Info     parley.WorkspaceStatusResult // facts about it
	ShutDown func()                       // ends it; called by the operation ShutDown
	Wrong    []parley.Need                // what it found out of order at its start: Text, Command and Action
	Kept     sessions.Options             // where its user's programs keep conversations, but for Profiles and Log
}

// Costs are what models cost, and what agents may use on a day.
type Costs struct {
	Prices meter.Prices
	Team   meter.Budget
	Agents map[string]meter.Budget // by name in lower case
}

// kept says where conversations are looked for.
func (o *Options) kept() sessions.Options {
	kept := o.Daemon.Kept
	kept.Profiles, kept.Log = o.Profiles, o.Log
	return kept
}
