package parley

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"parley/plain"
)

// ShortID is the number of characters of an id that headers show, and the least that
// names an agent, a message or a thread.
const ShortID = 8

// Short returns the first ShortID characters of an id.
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
	KindSystem    AgentKind = "system"    // parley itself: it only sends, and is not listed
)

// AgentState says what an agent is doing, as far as there is evidence.
type AgentState string

// The states of an agent. A mailbox and the operator are always idle until
// they are terminated; a responder is busy while its model writes.
const (
	StateStarting    AgentState = "starting"
	StateIdle        AgentState = "idle"
	StateBusy        AgentState = "busy"
	StateWaiting     AgentState = "waiting"     // a dialog is open
	StateDrafting    AgentState = "drafting"    // an unsent text stands in its composer
	StateBlocked     AgentState = "blocked"     // by a usage limit, an error of its model's server, or a compaction
	StateUnknown     AgentState = "unknown"     // its terminal shows nothing that parley recognizes
	StateExited      AgentState = "exited"      // its program ended by itself
	StateUnreachable AgentState = "unreachable" // its terminal went away
	StateTerminated  AgentState = "terminated"  // stopped on purpose
)

// AgentStates returns every state of an agent.
func AgentStates() []AgentState {
	return []AgentState{
		StateStarting, StateIdle, StateBusy, StateWaiting, StateDrafting, StateBlocked, StateUnknown,
		StateExited, StateUnreachable, StateTerminated,
	}
}

// Live reports whether the agent's program is believed to run.
func (s AgentState) Live() bool {
	switch s {
	case StateStarting, StateIdle, StateBusy, StateWaiting, StateDrafting, StateBlocked, StateUnknown:
		return true
	}
	return false
}

// Availability sums up a state in the three words of the contract (docs/measured/contract.md).
type Availability string

// The availabilities.
const (
	Available   Availability = "available"
	Busy        Availability = "busy"
	Unavailable Availability = "unavailable"
)

// MailboxFresh is how long a mailbox stays available after its last call.
const MailboxFresh = 5 * time.Minute

// Agent is a member of the team: whoever can send and receive messages. Its kind says how messages reach it. A
// terminal agent is a program in tmux that parley has launched or adopted, and messages are typed into its terminal.
// A mailbox reads its inbox over the API. For a responder a model answers. The human is the operator.
//
// Its ID never changes and is never given again; headers show the first eight characters. Its name is unique while
// it lives, and a stopped agent's name can be launched again, which revives the same ID. An agent is named by its
// name, its ID, or the beginning of its ID.
//
// An agent acts only as itself: who calls is read off the connection, never off a parameter (see CallerFrom). With
// Orchestrate it may also launch, stop and steer others, as the operator may.
//
// A terminal agent begins as starting and changes between idle, busy, waiting, drafting and blocked as its program's
// reports and its screen show; Evidence says which of them. It ends as exited or terminated, or is unreachable while
// its terminal cannot be seen. docs/start.md has the states, docs/security.md who may do what.
type Agent struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	AgentSpec
	Kind        AgentKind    `json:"kind"`
	State       AgentState   `json:"state"`
	Since       time.Time    `json:"since"`              // when it entered its state
	Evidence    string       `json:"evidence,omitempty"` // how the state is known
	ExitStatus  *int         `json:"exit_status,omitempty"`
	Host        string       `json:"host,omitempty"`
	Profile     string       `json:"profile,omitempty"`
	Runs        string       `json:"runs,omitempty"` // the profile of the program seen in its terminal, if the launch hid it
	Command     []string     `json:"command,omitempty"`
	Dir         string       `json:"dir,omitempty"` // the directory in which it was launched
	Worktree    *Worktree    `json:"worktree,omitempty"`
	Socket      string       `json:"socket,omitempty"`   // of an adopted agent's tmux server
	Pane        string       `json:"pane,omitempty"`     // of an adopted agent
	Approval    Approval     `json:"approval,omitempty"` // of its request to be a special agent
	IsSpecial   bool         `json:"is_special_agent"`
	AutoRespond bool         `json:"auto_respond"`        // a model answers its messages, once it is approved
	Responder   *Responder   `json:"-"`                   // how a model answers; nil if none does
	Session     Session      `json:"session,omitzero"`    // its program's own session
	NoResume    bool         `json:"no_resume,omitempty"` // a restart begins a new session
	PromptHash  string       `json:"-"`                   // of the first prompt of its launch
	Reserved    Ports        `json:"reserved_ports,omitempty"`
	Pull        *PullRequest `json:"pull_request,omitempty"`
	OwnEnv      []string     `json:"-"` // the names of the variables that its launch set for it alone
	Seal        string       `json:"-"` // the secret word in the footers of its terminal; "" if it has none
	CreatedAt   time.Time    `json:"created_at"`
	LastActive  time.Time    `json:"last_active"`
}

// Ports are the TCP ports that are reserved for an agent on its host, by the names of the variables that tell its
// program. They are the same from its first launch until its worktree is removed, or another launch does not name them.
type Ports map[string]int

// String returns the ports as variables: API_PORT=21341 PORT=21340.
func (p Ports) String() string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		words = append(words, fmt.Sprintf("%s=%d", name, p[name]))
	}
	return strings.Join(words, " ")
}

// Adopted reports whether the agent's program was started outside parley. parley does not
// end such a program.
func (a *Agent) Adopted() bool { return a.Socket != "" }

// Lost reports whether the terminal that parley gave the agent went away.
func (a *Agent) Lost() bool {
	return a.Kind == KindTerminal && a.State == StateUnreachable && !a.Adopted()
}

// AvailabilityAt returns how available the agent is at the given time.
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

// OperatorName is the name of the person at the keyboard.
const OperatorName = "operator"

// SystemName is the sender of the messages that parley itself sends.
const SystemName = "parley"

var (
	nameForm = expression(`^[A-Za-z][A-Za-z0-9_-]{0,31}$`)
	hexForm  = expression(`^[0-9a-fA-F-]{8,}$`)
	reserved = []string{"all", "you", OperatorName, SystemName, "system"}
)

// CheckName returns an INVALID_ARGUMENT error unless an agent may have the name: a
// letter, then letters, digits, - and _, at most 32 characters; neither reserved nor like
// an id.
func CheckName(name string) error {
	switch {
	case !nameForm().MatchString(name):
		return Errorf(InvalidArgument, "%q cannot be an agent's name", plain.CleanLine(name)).
			Suggest("Use a letter, then letters, digits, - or _, 32 characters at most.")
	case slices.Contains(reserved, strings.ToLower(name)):
		return Errorf(InvalidArgument, "the name %q is reserved", name).
			Suggest("Choose a name other than ALL, you, operator, parley and system.")
	case hexForm().MatchString(name):
		return Errorf(InvalidArgument, "the name %q looks like an id", name).
			Suggest("Choose a name that does not consist of eight or more hexadecimal digits.")
	}
	return nil
}

// RegisterAgentRequest registers a mailbox agent. It needs no credential.
type RegisterAgentRequest struct {
	Username     string   `json:"username" alias:"name" required:"true" doc:"The name you want, unique: a letter, then letters, digits, - or _, at most 32."`
	Description  string   `json:"agent_description" alias:"description" doc:"Your purpose, in a sentence." max:"2000"`
	Role         string   `json:"role,omitempty" doc:"Your role in the team, e.g. reviewer." max:"100"`
	Capabilities []string `json:"capabilities,omitempty" doc:"What you can do: words or short phrases." max:"50"`
	Groups       []string `json:"groups,omitempty" doc:"Groups to join; a broadcast can address a group." max:"50"`
	Special      bool     `json:"special,omitempty" alias:"is_special_agent" doc:"Ask to be a special agent; the operator decides."`

	Config      *ResponderConfig `json:"special_agent_config,omitempty" object:"true" doc:"For a special agent: the model that answers for it."`
	AutoRespond *bool            `json:"auto_respond,omitempty" doc:"no: the special agent reads its inbox itself."`
}

// Validate checks the name and the configuration of a responder, if there is one.
func (r *RegisterAgentRequest) Validate() error {
	if err := CheckName(r.Username); err != nil || r.Config == nil {
		return err
	}
	if !r.Special {
		return Errorf(InvalidArgument, "special_agent_config is for a special agent").
			With("parameter", "special_agent_config").
			Suggest("Give special: true with it, or leave it out.")
	}
	return r.Config.Check()
}

// RegisterAgentResult contains the API key, which is shown only this once.
type RegisterAgentResult struct {
	Answer
	AgentID  string `json:"agent_id"`
	Username string `json:"username"`
	APIKey   string `json:"api_key"`
	Status   string `json:"status"` // StatusActive or StatusPendingApproval
}

// AgentStatusRequest asks for one agent, or for all agents.
type AgentStatusRequest struct {
	Agent string `json:"agent,omitempty" alias:"name,agent_id,username" doc:"Name or id; all agents by default."`
}

// AgentStatus is an agent with what it has to do.
type AgentStatus struct {
	Agent
	Availability Availability  `json:"availability"`
	Elsewhere    bool          `json:"elsewhere,omitempty"`     // its terminal is on another host than the daemon that answers
	LimitedUntil *time.Time    `json:"limited_until,omitempty"` // when its usage limit ends, if it has reached one and that is known
	Unread       int           `json:"unread"`                  // unread messages in its inbox
	Queued       int           `json:"queued"`                  // of these, messages that wait for its terminal
	HeldReason   string        `json:"held_reason,omitempty"`
	HeldCode     ReasonCode    `json:"held_reason_code,omitempty"`
	WaitsFor     string        `json:"waits_for,omitempty"`       // the root cause in words, if messages are held
	HeldMessage  string        `json:"held_message_id,omitempty"` // the first message that is held
	HeldSince    *time.Time    `json:"held_since,omitempty"`      // when that message was accepted
	Owed         int           `json:"owed_replies"`              // required responses that are still open
	Overdue      int           `json:"overdue_replies"`           // of these, responses past their deadline
	Planned      *time.Time    `json:"planned_at,omitempty"`      // when the next planned message for it is due; only for the operator
	Doing        string        `json:"doing,omitempty"`           // what its program says that it does; only for the operator, and if it says so
	Context      int64         `json:"context_tokens,omitempty"`  // of its program's last response, read and written; only for the operator, and if it is known
	Checked      *ProgramCheck `json:"checked,omitempty"`         // what was found of its program's version; only for the operator, and if it was checked
	Today        *Spending     `json:"today,omitempty"`           // what its program has used today; only for the operator, and if it is known
	Quota        *Quota        `json:"quota,omitempty"`           // of the account of its program; only for the operator, and if it is known
	Facts        []string      `json:"facts,omitempty"`           // what lists say of it, in words; only for the page
}

// AgentStatusResult lists agents by name.
type AgentStatusResult struct {
	Answer
	Agents []AgentStatus `json:"agents"`
	You    string        `json:"you,omitempty"` // the caller's name
	// YourSeal is the secret word in the footers that parley types into the caller's own terminal.
	YourSeal string `json:"your_seal,omitempty"`
}

// Approval says whether an agent may be a special agent, or whether it may take part at all.
type Approval string

// The approvals. An agent that did not ask to be special has none.
const (
	ApprovalPending  Approval = "pending"
	ApprovalGiven    Approval = "approved"
	ApprovalDeclined Approval = "declined"

	ApprovalNewcomer Approval = "newcomer" // it registered from elsewhere, and the operator has not let it in yet
)

// The statuses of a registration.
const (
	StatusActive          = "active"
	StatusPendingApproval = "pending_approval"
)

// ApproveAgentRequest is the operator's decision on a special agent or on a newcomer.
type ApproveAgentRequest struct {
	Agent   string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id of the agent."`
	Approve bool   `json:"approve" required:"true" doc:"true: it becomes a special agent, or takes part; false: it does not."`
}

// ApproveAgentResult is the agent's status after the decision.
type ApproveAgentResult struct {
	Answer
	AgentID   string   `json:"agent_id"`
	Agent     string   `json:"agent"`
	IsSpecial bool     `json:"is_special_agent"`
	Approval  Approval `json:"approval"`
	Message   string   `json:"message"`
}

// Said says what was done.
func (r *ApproveAgentResult) Said() string { return r.Message }

// SteerAgentRequest gives agents guidance.
type SteerAgentRequest struct {
	Agent          Names  `json:"agent" alias:"name,agent_id" required:"true" doc:"Names or ids."`
	Text           string `json:"text" alias:"message,content" required:"true" doc:"What it should do: 1 to 2,000 characters."`
	Kind           string `json:"kind,omitempty" doc:"One or two words for the header: STUCK, OFF COURSE." default:"STUCK" max:"32"`
	IdempotencyKey string `json:"idempotency_key,omitempty" doc:"Your own key: a repeated call changes nothing." max:"200"`
	WaitSeconds    int    `json:"wait_seconds,omitempty" doc:"How long to wait for the outcome." min:"0" max:"60"`
}

// GuidanceStuck is the kind of guidance for an agent that makes no progress.
const GuidanceStuck = "STUCK"

// guidanceForm keeps a kind from breaking the form of the header.
var guidanceForm = expression(`^[A-Z][A-Z0-9_ -]{0,31}$`)

// Validate checks the kind and converts it to capitals.
func (r *SteerAgentRequest) Validate() error {
	if r.Kind = strings.ToUpper(plain.CleanLine(r.Kind)); r.Kind == "" {
		r.Kind = GuidanceStuck
	}
	if !guidanceForm().MatchString(r.Kind) {
		return Errorf(InvalidArgument, "kind is %q", r.Kind).With("parameter", "kind").
			Suggest("Use a word or two of letters, digits, - and _, such as STUCK.")
	}
	return nil
}

// UpdateAgentRequest describes a running agent as it is to be, in the same way as its launch.
type UpdateAgentRequest struct {
	LaunchAgentRequest
	DryRun bool `json:"dry_run,omitempty" doc:"Only say what differs, and change nothing."`
	Fresh  bool `json:"fresh,omitempty" doc:"If it must be restarted, begin a new conversation. Without this, a change that would lose the conversation is refused."`
}

// Means says by what means a change comes about.
type Means string

// The means of a change.
const (
	InPlace   Means = "in_place" // the agent runs on
	ByMessage Means = "message"  // the agent gets its prompt as a message
	ByRestart Means = "restart"  // the program is started again
)

// Change is one way in which an agent differs from what it is to be. The values of variables are not
// in it.
type Change struct {
	What  string `json:"what"` // command, dir, model, env NAME, prompt, groups …
	Now   string `json:"now,omitempty"`
	Then  string `json:"then,omitempty"`
	Means Means  `json:"means"`
}

// UpdateAgentResult says what differs, and whether it was changed.
type UpdateAgentResult struct {
	Answer
	AgentID string   `json:"agent_id"`
	Name    string   `json:"name"`
	Changes []Change `json:"changes"` // none if nothing differs
	Changed bool     `json:"changed"`
	// LosesConversation says that the changes restart the program without its conversation.
	LosesConversation bool `json:"loses_conversation,omitempty"`

	Launched        *LaunchAgentResult `json:"launched,omitempty"` // if the program was started again
	PromptMessageID string             `json:"prompt_message_id,omitempty"`
}

// ProgramCheck sums up what parley profiles check, or check_program, found of a version of a program.
type ProgramCheck struct {
	Version string    `json:"version"`
	At      time.Time `json:"at"`
	Words   string    `json:"words"` // such as "rest, draft hold; long paste fails; dialogs not tried"
	Fails   bool      `json:"fails"` // whether anything does not hold
}

// CheckProgramRequest names an agent whose program is to be checked.
type CheckProgramRequest struct {
	Agent string `json:"agent" alias:"name,agent_id,username" required:"true" doc:"Name or id of an agent that runs the program."`
}

// CheckProgramResult says what is checked.
type CheckProgramResult struct {
	Answer
	Profile string `json:"profile"`
	Version string `json:"version"`
	Message string `json:"message"` // the same in a sentence
}

// Said says what is checked.
func (r *CheckProgramResult) Said() string { return r.Message }
