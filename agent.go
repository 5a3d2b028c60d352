package parley

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// ShortID is how many characters of an id a header shows, and how many are
// needed at least to name an agent or a message by its id.
const ShortID = 8

// Short returns the first eight characters of an id.
func Short(id string) string {
	if len(id) <= ShortID {
		return id
	}
	return id[:ShortID]
}

// AgentKind says how an agent is reached.
type AgentKind string

// The kinds of agent.
const (
	KindTerminal  AgentKind = "terminal"  // launched in a tmux session
	KindMailbox   AgentKind = "mailbox"   // registered over the API; reads its inbox
	KindResponder AgentKind = "responder" // a model answers for it
	KindHuman     AgentKind = "human"     // the operator
	KindSystem    AgentKind = "system"    // parley itself: it sends, is not listed, and reads nothing
)

// AgentState is what an agent is doing, as far as there is evidence for it.
type AgentState string

// The states of an agent. A mailbox and the operator are always idle until
// they are terminated; a responder is busy while its model writes.
const (
	StateStarting    AgentState = "starting"
	StateIdle        AgentState = "idle"
	StateBusy        AgentState = "busy"
	StateWaiting     AgentState = "waiting"     // a dialog is open
	StateDrafting    AgentState = "drafting"    // an unsent text stands in its composer
	StateBlocked     AgentState = "blocked"     // by a usage limit, an error of its model's server, a compaction
	StateUnknown     AgentState = "unknown"     // its terminal shows nothing that is known
	StateExited      AgentState = "exited"      // its program ended by itself
	StateUnreachable AgentState = "unreachable" // lost: its terminal went away
	StateTerminated  AgentState = "terminated"  // stopped on purpose
)

// Live reports whether the agent's program is believed to run.
func (s AgentState) Live() bool {
	switch s {
	case StateStarting, StateIdle, StateBusy, StateWaiting, StateDrafting, StateBlocked, StateUnknown:
		return true
	}
	return false
}

// Availability is the contract's reading of a state.
type Availability string

// How available an agent is.
const (
	Available   Availability = "available"
	Busy        Availability = "busy"
	Unavailable Availability = "unavailable"
)

// MailboxFresh is how recently a mailbox must have called to be available.
const MailboxFresh = 5 * time.Minute

// Agent is a member of the team.
type Agent struct {
	ID            string     `json:"id"`
	Name          string     `json:"name"`
	Description   string     `json:"description,omitempty"`
	Role          string     `json:"role,omitempty"`
	Capabilities  []string   `json:"capabilities,omitempty"`
	Groups        []string   `json:"groups,omitempty"`
	Kind          AgentKind  `json:"kind"`
	State         AgentState `json:"state"`
	Since         time.Time  `json:"since"`              // when it came into its state
	Evidence      string     `json:"evidence,omitempty"` // how the state is known
	ExitStatus    *int       `json:"exit_status,omitempty"`
	Host          string     `json:"host,omitempty"`
	Profile       string     `json:"profile,omitempty"`
	Command       []string   `json:"command,omitempty"`
	Dir           string     `json:"dir,omitempty"` // in which it was launched
	Orchestrate   bool       `json:"orchestrate,omitempty"`
	Interruptible bool       `json:"interruptible,omitempty"` // urgent messages may be typed into its work
	Socket        string     `json:"socket,omitempty"`        // of the tmux server on which it was adopted
	Pane          string     `json:"pane,omitempty"`          // in which it was
	Approval      Approval   `json:"approval,omitempty"`      // of its wish to be special
	IsSpecial     bool       `json:"is_special_agent"`
	AutoRespond   bool       `json:"auto_respond"` // a model answers what is sent to it, once it is approved
	Responder     *Responder `json:"-"`            // how; nil for nobody
	CreatedAt     time.Time  `json:"created_at"`
	LastActive    time.Time  `json:"last_active"`
}

// Adopted reports whether its program was not started by parley and is not parley's to
// end.
func (a *Agent) Adopted() bool { return a.Socket != "" }

// AvailabilityAt returns how available the agent is at a moment.
func (a *Agent) AvailabilityAt(now time.Time) Availability {
	switch {
	case a.State == StateTerminated:
		return Unavailable
	case a.Kind == KindHuman:
		return Available
	case a.Kind == KindMailbox && now.Sub(a.LastActive) > MailboxFresh:
		return Unavailable
	case a.State == StateIdle:
		return Available
	case a.State == StateStarting, a.State == StateBusy, a.State == StateWaiting, a.State == StateDrafting:
		return Busy
	}

	return Unavailable
}

// OperatorName is the address of the person at the keyboard.
const OperatorName = "operator"

// SystemName is whose messages those are that parley sends by itself.
const SystemName = "parley"

var (
	nameForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,31}$`)
	hexForm  = regexp.MustCompile(`^[0-9a-fA-F-]{8,}$`)
	reserved = []string{"all", OperatorName, SystemName, "system"}
)

// CheckName returns an INVALID_ARGUMENT error unless name can be given to an
// agent: a letter, then letters, digits, - and _, at most 32; not reserved, and
// not to be taken for an id.
func CheckName(name string) error {
	switch {
	case !nameForm.MatchString(name):
		return Errorf(InvalidArgument, "%q cannot be an agent's name", CleanLine(name)).
			Suggest("Use a letter, then letters, digits, - or _, 32 characters at most.")
	case slices.Contains(reserved, strings.ToLower(name)):
		return Errorf(InvalidArgument, "the name %q is reserved", name).
			Suggest("Choose a name other than ALL, operator, parley and system.")
	case hexForm.MatchString(name):
		return Errorf(InvalidArgument, "the name %q could be taken for an id", name).
			Suggest("Choose a name that is not made of eight or more hexadecimal digits.")
	}
	return nil
}
