package orchestrator

import (
	"log/slog"
	"sync"
	"time"

	"parley"
	"parley/internal/notify"
	"parley/orchestrator/answer"
	"parley/orchestrator/meter"
	"parley/orchestrator/terminal"
	"parley/program/profile"
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
	Settings   Settings
	Daemon     Daemon
	Now        func() time.Time           // default: time.Now
	Log        *slog.Logger               // default: none
	Model      answer.Model               // answers for responders; nil: no model is available
	Responders []parley.DeclaredResponder // from the team's file
	Away       Away                       // how the operator is told while away
	Costs      Costs                      // prices and budgets

	OperatorKey *store.APIKey // of the operator, believed while there are no agents; nil: none
}

// Daemon is the process that the orchestrator runs in.
type Daemon struct {
	Info     parley.WorkspaceStatusResult // facts about it
	ShutDown func()                       // ends it; called by the operation ShutDown
	Wrong    []parley.Need                // what it found out of order at its start: Text, Command and Action
}

// interval tells when a periodic task is due. Not safe for concurrent use.
type interval struct {
	every time.Duration
	last  time.Time
}

func newInterval(every time.Duration) *interval { return &interval{every, time.Now()} }

// due reports whether the interval has passed since the last time it was due.
func (i *interval) due() bool {
	if time.Since(i.last) < i.every {
		return false
	}
	i.last = time.Now()
	return true
}

// Costs are what models cost, and what agents may use on a day.
type Costs struct {
	Prices meter.Prices
	Team   meter.Budget
	Agents map[string]meter.Budget // by name in lower case
}

// Away is how the operator is told of what needs them while away, and answers from there.
type Away struct {
	Notifier *notify.Notifier // nil: none
	Codes    *AnswerCodes     // that notices answer with; nil: none
	Push     *notify.Notifier // tells the devices; nil: none
	Devices  *notify.Devices  // that Push tells, those of this host; nil: none
}

// AnswerCodes are the one-time codes with which a notice answers a dialog: each is good for one option of one dialog,
// once, for a while. They are in memory only, so they end with the daemon. Safe for concurrent use.
type AnswerCodes struct {
	Now func() time.Time

	mu   sync.Mutex
	held map[string]answerCode
}

// answerCode is what one code does.
type answerCode struct {
	agent, dialog, choice string
	ends                  time.Time
}
