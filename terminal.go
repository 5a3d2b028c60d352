package parley

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"parley/plain"
)

// LaunchAgentRequest starts a program as an agent.
type LaunchAgentRequest struct {
	Name    string            `json:"name" required:"true" doc:"The agent's name: a letter, then letters, digits, - or _, at most 32."`
	Host    string            `json:"host,omitempty" doc:"The machine of the team on which it runs; that of the daemon that is called by default. The directory is then relative to the workspace there, and the environment is added to that of the daemon there." max:"63"`
	Profile string            `json:"profile,omitempty" doc:"The program's profile; by default that of the program's name, or generic."`
	Command []string          `json:"command,omitempty" doc:"The program and its arguments; the profile's by default."`
	Dir     string            `json:"dir,omitempty" doc:"Working directory, absolute; the workspace by default."`
	Env     map[string]string `json:"env,omitempty" doc:"The program's environment; the daemon's by default. Not stored."`
	Model   string            `json:"model,omitempty" doc:"The model that the program is to use, in the program's own word." max:"100"`
	Prompt  string            `json:"prompt,omitempty" doc:"The first message to it. It is delivered like any other: once the program is ready for it."`
	AgentSpec
	Worktree string   `json:"worktree,omitempty" doc:"A git branch: the program runs in a worktree of its own on that; true for a branch named after the agent." max:"200"`
	Copy     []string `json:"copy,omitempty" doc:"Files that a new worktree gets a copy of, relative to the repository." max:"100"`
	Setup    []string `json:"setup,omitempty" doc:"Shell commands that run in a new worktree before the program." max:"20"`
	Resume   bool     `json:"resume,omitempty" doc:"Let its program continue the conversation that a stopped or lost agent of this name had, in that one's directory. Its prompt is then not sent again."`
	Session  string   `json:"session,omitempty" doc:"Take up the conversation with this id, of list_sessions, in its own directory and with its program. Only for the operator." max:"128"`
	NoResume bool     `json:"no_resume,omitempty" doc:"Let each restart begin a new conversation."`
	OwnEnv   []string `json:"own_env,omitempty" doc:"The names of the variables in env that are meant for this agent alone, to compare them later." max:"200"`
	Width    int      `json:"width,omitempty" doc:"Columns of its terminal." min:"20" max:"1000" default:"200"`
	Height   int      `json:"height,omitempty" doc:"Rows of its terminal." min:"5" max:"500" default:"50"`
}

// Validate checks the name, and what is asked of a conversation and of a worktree.
func (r *LaunchAgentRequest) Validate() error {
	return cmp.Or(CheckName(r.Name), r.checkPorts(), checkSession(r.Session, r.Worktree != "" || r.Resume),
		r.checkWorktree())
}

// portForm matches the names of variables that a port may have.
var portForm = expression(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// checkPorts refuses what is no variable's name, and variables that have another meaning.
func (r *LaunchAgentRequest) checkPorts() error {
	for i, name := range r.Ports {
		switch {
		case !portForm().MatchString(name), strings.HasPrefix(strings.ToUpper(name), "PARLEY_"):
			return Errorf(InvalidArgument, "%q cannot be the variable of a port", plain.CleanLine(name)).
				With("parameter", "ports").
				Suggest("Use letters, digits and _, such as API_PORT. Names that begin with PARLEY_ are reserved.")
		case slices.Contains(r.Ports[:i], name), slices.Contains(r.OwnEnv, name):
			return Errorf(InvalidArgument, "the variable %s is set twice", name).With("parameter", "ports").
				Suggest("Name it once, in ports or in env.")
		}
	}
	return nil
}

// LaunchAgentResult is the agent that was launched, and how to see its terminal.
type LaunchAgentResult struct {
	Answer
	AgentID string     `json:"agent_id"`
	Name    string     `json:"name"`
	State   AgentState `json:"state"`
	Profile string     `json:"profile"`
	ByName  bool       `json:"profile_by_name,omitempty"` // the profile was found by the program's name
	PID     int        `json:"pid"`
	Attach  []string   `json:"attach"`         // the command that shows its terminal
	Host    string     `json:"host,omitempty"` // the other machine on which it runs

	Reserved   Ports  `json:"reserved_ports,omitempty"`
	PortsMoved string `json:"ports_moved,omitempty"` // in words: which of them are others than before, and why

	Dir          string `json:"dir,omitempty"`
	Conversation string `json:"conversation,omitempty"` // its program's own: ConversationResumed or ConversationNew; "" if it cannot be continued

	Worktree  *Worktree `json:"worktree,omitempty"`   // in which it runs, if that was asked for
	NotCopied []string  `json:"not_copied,omitempty"` // what it was to get there, and the repository does not have

	PromptMessageID string `json:"prompt_message_id,omitempty"` // of the first message, whose status tells whether it arrived

	Hint    string `json:"hint,omitempty"`            // what else there is, at the first launch of a program
	Warning string `json:"warning,omitempty"`         // why messages to it wait although it runs
	Unknown bool   `json:"unknown_program,omitempty"` // since nobody has said that its program takes messages
}

// The conversations of a program that was launched, if it is one that can continue them.
const (
	ConversationResumed = "resumed"
	ConversationNew     = "new"
)

// AdoptAgentRequest makes an agent of a program that already runs in a pane of the
// user's own tmux.
type AdoptAgentRequest struct {
	Name    string `json:"name,omitempty" doc:"The agent's name: a letter, then letters, digits, - or _, at most 32; the profile's by default."`
	Profile string `json:"profile,omitempty" doc:"The program's profile; recognized from the program by default."`
	Pane    string `json:"pane" required:"true" doc:"The pane it runs in, such as %3 ($TMUX_PANE there)."`
	Socket  string `json:"socket" required:"true" doc:"The absolute path of that tmux server's socket: the first part of $TMUX there."`
	AgentSpec
}

var paneForm = expression(`^%[0-9]{1,9}$`)

// Validate checks the name, the form of the pane's id, and that the socket's path is
// absolute.
func (r *AdoptAgentRequest) Validate() error {
	if !paneForm().MatchString(r.Pane) {
		return Errorf(InvalidArgument, "%q is not the id of a tmux pane", plain.CleanLine(plain.Truncate(r.Pane, 64))).
			With("parameter", "pane").
			Suggest("Give an id such as %%3; `tmux display-message -p '#{pane_id}'` prints it in the pane.")
	}

	if !filepath.IsAbs(r.Socket) {
		return Errorf(InvalidArgument, "%q is not the path of a socket", plain.CleanLine(plain.Truncate(r.Socket,
			200))).
			With("parameter", "socket").
			Suggest("Give its absolute path; `tmux display-message -p '#{socket_path}'` prints it.")
	}

	if r.Name == "" {
		return nil
	}

	return CheckName(r.Name)
}

// AdoptAgentResult is the agent that was adopted, where it runs, and how its program gets
// parley's tools.
type AdoptAgentResult struct {
	Answer
	AgentID string     `json:"agent_id"`
	Name    string     `json:"name"`
	State   AgentState `json:"state"`
	Profile string     `json:"profile"`
	Program string     `json:"program"` // that runs in the terminal
	PID     int        `json:"pid"`     // of the program
	Pane    string     `json:"pane"`
	Socket  string     `json:"socket"`
	Attach  []string   `json:"attach"`            // the command that shows its terminal
	AddMCP  []string   `json:"add_mcp,omitempty"` // the command that gives it parley's tools, if known
	MCP     []string   `json:"mcp"`               // the command of the MCP server over stdio

	// NativeTool is a tool of the program's own with which it reaches other sessions, without parley seeing it; "" if
	// none is known.
	NativeTool string `json:"native_tool,omitempty"`
}

// StopAgentRequest names the agent to stop.
type StopAgentRequest struct {
	Agent  string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
	Reason string `json:"reason,omitempty" doc:"Why, for the log." max:"500"`
}

// StopAgentResult says what was stopped.
type StopAgentResult struct {
	Answer
	AgentID  string `json:"agent_id"`
	Name     string `json:"name"`
	Ended    int    `json:"processes_ended"`     // the number of processes that were ended
	HadEnded bool   `json:"had_ended,omitempty"` // its program had ended before
	Released bool   `json:"released,omitempty"`  // an adopted agent left the team; its program, if it ran, keeps running
}

// RestartAgentRequest names the agent to stop and launch again. Its program continues its conversation
// if it can. It keeps its directory and environment as long as the daemon knows them; otherwise those
// given here apply.
type RestartAgentRequest struct {
	Agent   string            `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
	Profile string            `json:"profile,omitempty" doc:"Another profile for its program; as before by default."`
	Fresh   bool              `json:"fresh,omitempty" doc:"Begin a new conversation instead of continuing its own."`
	Dir     string            `json:"dir,omitempty" doc:"Working directory, if the daemon no longer knows it."`
	Env     map[string]string `json:"env,omitempty" doc:"Environment, if the daemon no longer knows it."`
}

// AttachInfoRequest asks how to attach to an agent's terminal.
type AttachInfoRequest struct {
	Agent string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
}

// AttachInfoResult says where a terminal is, with the command that shows it.
type AttachInfoResult struct {
	Answer
	AgentID string   `json:"agent_id"`
	Name    string   `json:"name"`
	Socket  string   `json:"socket"`
	Session string   `json:"session"`
	Pane    string   `json:"pane"`
	Command []string `json:"command"`
	Adopted bool     `json:"adopted,omitempty"` // it runs on the user's own tmux server
	Host    string   `json:"host,omitempty"`    // the other machine on which it is, where ssh leads
}

// Validate refuses what is only for a launch.
func (r *UpdateAgentRequest) Validate() error {
	if r.Session != "" {
		return Errorf(InvalidArgument, "an agent that runs takes up no other conversation").
			With("parameter", "session").Suggest("Launch another agent with it.")
	}
	return r.LaunchAgentRequest.Validate()
}

// HashPrompt returns by what a prompt is known again, "" for none.
func HashPrompt(prompt string) string {
	if prompt == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(prompt))
	return hex.EncodeToString(sum[:])
}

// AgentSpec is how an agent is described, what it may do and how it runs. Whoever launches or adopts it says so, the
// agent keeps it, and it can be changed while the agent runs, or by a restart where a field says so. Its tags are all
// that a request, a file, a flag and a comparison need to know of a field.
type AgentSpec struct {
	Description      string   `json:"description,omitempty" yaml:"description" doc:"Its purpose, in a sentence." max:"2000"`
	Role             string   `json:"role,omitempty" yaml:"role" doc:"Its role in the team." max:"100"`
	Capabilities     []string `json:"capabilities,omitempty" yaml:"capabilities" flag:"capability" doc:"What it can do: words or short phrases." max:"50"`
	Groups           []string `json:"groups,omitempty" yaml:"groups" flag:"group" doc:"Its groups." max:"50"`
	Orchestrate      bool     `json:"orchestrate,omitempty" yaml:"orchestrate" doc:"Let it launch and stop other agents."`
	Interruptible    bool     `json:"interruptible,omitempty" yaml:"interruptible" doc:"Let urgent messages interrupt its work, and end copy mode in its terminal."`
	ResumeAfterLimit bool     `json:"resume_after_limit,omitempty" yaml:"resume_after_limit" doc:"Type what waits for it once a usage limit has ended, if its program says when."`
	Fallback         []string `json:"fallback,omitempty" yaml:"fallback" doc:"Profiles of programs: the first that can goes on for it, when a usage limit lasts longer than fallback_after." max:"10"`
	Door             string   `json:"door,omitempty" yaml:"door" doc:"When its messages go through its program's door: when_held where they would wait in the terminal. If left out, that, with versions of the program with which the door was tried." enum:"never,when_held,always"`
	Sandbox          *bool    `json:"sandbox,omitempty" yaml:"sandbox" doc:"Run the program in a sandbox: it sees only its own directory, its program, a private home and its own socket. If left out, as the settings or its profile say; only the operator may say false to that." means:"restart"`
	Network          string   `json:"network,omitempty" yaml:"network" doc:"The network of its sandbox; shared if left out." enum:"shared,none" means:"restart"`
	Read             []string `json:"read,omitempty" yaml:"read" doc:"Absolute paths that it may read in its sandbox too." max:"50" means:"restart"`
	Write            []string `json:"write,omitempty" yaml:"write" doc:"Absolute paths that it may write in its sandbox too." max:"50" means:"restart"`
	Nice             int      `json:"nice,omitempty" yaml:"nice" doc:"How much the program yields to other work on its machine: 0 to 19, as for nice." min:"0" max:"19" means:"restart"`
	Ports            []string `json:"ports,omitempty" yaml:"ports" flag:"port" doc:"Variables of its environment: each is a TCP port that is reserved for it, the same after a restart." max:"20" means:"restart"`
}

// Sandboxed reports whether its program runs in a sandbox.
func (s AgentSpec) Sandboxed() bool { return s.Sandbox != nil && *s.Sandbox }

// CleanSpec returns a spec whose texts are safe in headers and on screens.
func CleanSpec(s AgentSpec) AgentSpec {
	s.Description, s.Role = plain.CleanLabel(s.Description), plain.CleanLabel(s.Role)
	s.Capabilities, s.Groups = plain.CleanLabels(s.Capabilities), plain.CleanLabels(s.Groups)
	return s
}

// SpecField is one field of an AgentSpec.
type SpecField struct {
	Name  string // as in JSON
	Flag  string // of a command line, without the dashes
	Value any    // a *string, *int, *bool, **bool or *[]string, through which it changes
	Means Means  // of a change while the agent runs
}

// SpecFields returns the fields of a spec in their order.
func SpecFields(s *AgentSpec) (all []SpecField) {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		name, _, _ := strings.Cut(tag.Get("json"), ",")
		flag, ok := tag.Lookup("flag")
		if !ok {
			flag = strings.ReplaceAll(name, "_", "-")
		}
		means := cmp.Or(Means(tag.Get("means")), InPlace)
		all = append(all, SpecField{Name: name, Flag: flag, Value: v.Field(i).Addr().Interface(), Means: means})
	}
	return all
}

// Text returns the value of the field for people.
func (f SpecField) Text() string {
	switch v := f.Value.(type) {
	case *bool:
		if *v {
			return "yes"
		}
		return "no"
	case **bool:
		return SpecField{Value: cmp.Or(*v, new(bool))}.Text()
	case *[]string:
		return strings.Join(*v, ", ")
	}
	return fmt.Sprint(reflect.ValueOf(f.Value).Elem())
}

// Variables in the environment of an agent's program, and of what it starts.
const (
	KeyVariable       = "PARLEY_KEY"      // its API key, or that of whoever runs a command
	WorkspaceVariable = "PARLEY_DIR"      // the directory of its workspace
	AgentVariable     = "PARLEY_AGENT"    // its name
	SocketVariable    = "PARLEY_SOCKET"   // its own socket: who calls by it is that agent
	AgentIDVariable   = "PARLEY_AGENT_ID" // its id, by which what belongs to it is known
)

// Worktree is the git worktree that parley made for an agent.
type Worktree struct {
	Path       string `json:"path"`
	Branch     string `json:"branch"`
	Base       string `json:"base"`              // the branch that it came from, and is merged into
	Repository string `json:"repository"`        // the checkout that it belongs to
	Made       bool   `json:"branch_is_parleys"` // parley made the branch
}

// checkWorktree refuses names of branches and files that git or a shell could take for
// something else.
func (r *LaunchAgentRequest) checkWorktree() error {
	if r.Worktree == "false" {
		r.Worktree = ""
	}
	if strings.HasPrefix(r.Worktree, "-") || plain.CleanLine(r.Worktree) != r.Worktree {
		return Errorf(InvalidArgument, "%q cannot be a branch", plain.CleanLine(r.Worktree)).With("parameter",
			"worktree").
			Suggest("Give the name of a branch, or true for one of the agent's name.")
	}
	if r.Worktree == "" && len(r.Copy)+len(r.Setup) > 0 {
		return Errorf(InvalidArgument, "copy and setup are for a new worktree").With("parameter", "worktree").
			Suggest("Give worktree with them, or leave them out.")
	}

	for _, name := range r.Copy {
		if !filepath.IsLocal(name) {
			return Errorf(InvalidArgument, "%q is not inside the repository", plain.CleanLine(name)).
				With("parameter", "copy").
				Suggest("Name files relative to the repository's top directory.")
		}
	}

	return nil
}

// WorktreesDir is the directory of worktrees, in the repository's top directory.
const WorktreesDir = ".worktrees"

// WorktreeAuto asks for a worktree on a branch of the agent's own name.
const WorktreeAuto = "true"

// ReportStateRequest is the report of an agent's own program.
type ReportStateRequest struct {
	Event      string     `json:"event" required:"true" doc:"What happened, in the program's own word; its profile says what that means." max:"100"`
	State      string     `json:"state,omitempty" doc:"What the program is doing now, if its profile does not derive it from the event." enum:"idle,busy,prompted,waiting,blocked,ended"`
	MessageIDs []string   `json:"message_ids,omitempty" doc:"The first 8 characters of the id of each message in the prompt that the program got." max:"50"`
	Transcript string     `json:"transcript,omitempty" doc:"The absolute path of the program's transcript of its conversation." max:"4096"`
	Detail     string     `json:"detail,omitempty" doc:"What the program waits for, or what blocks it." max:"200"`
	Session    string     `json:"session,omitempty" doc:"The program's own name for its session." max:"200"`
	PID        int        `json:"pid,omitempty" doc:"The process that reports, which the program has started."`
	At         *time.Time `json:"at,omitempty" doc:"When it happened; now by default."`
	Waits      bool       `json:"waits,omitempty" doc:"The hook waits, up to 900 ms, for a message that it prints."`
	Continued  bool       `json:"continued,omitempty" doc:"The turn that ends is one that a hook has made go on."`
}

// ReportStateResult lists the reported messages that were typed to the agent, as far as
// that is recorded at once.
type ReportStateResult struct {
	Answer
	Named  []string `json:"named_messages"`   // whole ids
	Prints string   `json:"prints,omitempty"` // what the hook prints, in the program's own form: a message for its turn
}
