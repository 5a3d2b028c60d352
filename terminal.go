package parley

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"regexp"
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
	NoResume bool     `json:"no_resume,omitempty" doc:"Let each restart begin a new conversation."`
	OwnEnv   []string `json:"own_env,omitempty" doc:"The names of the variables in env that are meant for this agent alone, to compare them later." max:"200"`
	Width    int      `json:"width,omitempty" doc:"Columns of its terminal." min:"20" max:"1000" default:"200"`
	Height   int      `json:"height,omitempty" doc:"Rows of its terminal." min:"5" max:"500" default:"50"`
}

// Validate checks the name, and what is asked of a worktree.
func (r *LaunchAgentRequest) Validate() error {
	if err := CheckName(r.Name); err != nil {
		return err
	}
	return r.checkWorktree()
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

// ReadTerminalRequest asks for the screen of an agent.
type ReadTerminalRequest struct {
	Agent   string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
	History int    `json:"history,omitempty" doc:"Lines above the screen to include." min:"0" max:"2000"`
	Colours bool   `json:"colours,omitempty" alias:"colors" doc:"Keep colours and styles as escape sequences."`
}

// ReadTerminalResult is a screen without trailing blank lines.
type ReadTerminalResult struct {
	Answer
	AgentID string    `json:"agent_id"`
	Name    string    `json:"name"`
	Lines   []string  `json:"lines"`
	Width   int       `json:"width"`
	Height  int       `json:"height"`
	CursorX int       `json:"cursor_x"`
	CursorY int       `json:"cursor_y"`
	Hidden  bool      `json:"cursor_hidden,omitempty"` // the program hides its cursor
	Keys    bool      `json:"takes_keys,omitempty"`    // the caller may type into it over type_in_terminal
	Title   string    `json:"title,omitempty"`
	At      time.Time `json:"at"`
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

// Dialog is a question that is open in an agent's terminal, as its screen shows it.
type Dialog struct {
	ID       string         `json:"dialog_id"` // of what is asked and offered: another dialog has another id
	Question string         `json:"question"`
	Lines    []string       `json:"lines"` // all that the dialog says above its options
	Options  []DialogOption `json:"options"`
	// TakesText says that a line of text is an answer too.
	TakesText bool `json:"takes_text,omitempty"`
	// Secret says that it asks for a secret, which parley never types.
	Secret bool `json:"secret,omitempty"`
	// Hints is what it says of its keys, such as "Tab to navigate": not all that it takes are options.
	Hints string `json:"hints,omitempty"`
}

// DialogOption is one answer that a dialog offers.
type DialogOption struct {
	Choice    string `json:"choice"` // what names it in an answer: its number, or the letters that it is
	Label     string `json:"label"`
	Detail    string `json:"detail,omitempty"`
	Marked    bool   `json:"marked,omitempty"`     // Enter would choose it
	TakesText bool   `json:"takes_text,omitempty"` // it is answered with a text
	Several   bool   `json:"several,omitempty"`    // to choose it ticks it, beside others, or takes the tick away
	Ticked    bool   `json:"ticked,omitempty"`     // it has a tick
}

// Find returns the option with this number or label, in any case. A label may be shortened as long
// as one option begins so.
func (d *Dialog) Find(choice string) (DialogOption, bool) {
	choice = strings.ToLower(plain.CleanLine(choice))
	var begin []DialogOption
	for _, o := range d.Options {
		label := strings.ToLower(o.Label)
		switch {
		case choice == strings.ToLower(o.Choice), choice == label:
			return o, true
		case choice != "" && strings.HasPrefix(label, choice):
			begin = append(begin, o)
		}
	}

	if len(begin) != 1 {
		return DialogOption{}, false
	}
	return begin[0], true
}

// Choices lists the numbers and labels of the options, for people.
func (d *Dialog) Choices() string {
	var words []string
	for _, o := range d.Options {
		word := o.Choice
		if !strings.EqualFold(o.Label, o.Choice) {
			word += " (" + plain.Truncate(o.Label, 40) + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// AnswerDialogRequest asks for the dialog of an agent, or answers it.
type AnswerDialogRequest struct {
	Agent  string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
	Dialog string `json:"dialog_id,omitempty" doc:"With an answer: the dialog that was seen. Nothing is sent when another one is open now." max:"32"`
	Choice string `json:"choice,omitempty" doc:"The option to choose: its number or its label. Without an answer, the dialog is only shown." max:"200"`
	Text   string `json:"text,omitempty" doc:"The text to type, where the dialog takes one: one line." max:"2000"`

	Keys []string `json:"keys,omitempty" doc:"Keys to press where the options of a screen are not known, such as Down, Enter. dialog_id is then its screen_id." max:"8"`

	Forget bool `json:"forget,omitempty" doc:"Take back what was said before: that the program which reads its terminal takes messages, and where. Nothing else is sent then."`
}

// Answers reports whether the request answers the dialog.
func (r *AnswerDialogRequest) Answers() bool {
	return r.Choice != "" || r.Text != "" || len(r.Keys) > 0
}

// DialogKeys are the names of the keys that an answer may have; so may single letters and digits.
var DialogKeys = []string{
	"Enter", "Escape", "Space", "Tab", "BTab", "BSpace", "Up", "Down", "Left", "Right", "Home", "End", "PageUp",
	"PageDown",
}

// dialogKey matches a key that is a letter or a digit.
var dialogKey = regexp.MustCompile(`^[0-9a-zA-Z]$`)

// keys checks the keys of an answer.
func (r *AnswerDialogRequest) keys() error {
	if len(r.Keys) > 0 && (r.Choice != "" || r.Text != "") {
		return Errorf(InvalidArgument, "an answer has keys, or a choice with its text").With("parameter", "keys").
			Suggest("Give the keys alone where the options are not known, and the choice where they are.")
	}
	for i, key := range r.Keys {
		at := slices.IndexFunc(DialogKeys, func(name string) bool { return strings.EqualFold(name, key) })
		switch {
		case at >= 0:
			r.Keys[i] = DialogKeys[at]
		case !dialogKey.MatchString(key):
			return Errorf(InvalidArgument, "%q is not a key that can be sent", plain.Truncate(plain.CleanLine(key),
				20)).
				With("parameter", "keys").
				Suggest("Use a letter, a digit, or one of: %s.", strings.Join(DialogKeys, ", "))
		}
	}
	return nil
}

// OnlyReads reports whether the request only shows the dialog.
func (r *AnswerDialogRequest) OnlyReads() bool { return !r.Answers() }

// Validate checks that an answer says which dialog it is for, and cleans its text.
func (r *AnswerDialogRequest) Validate() error {
	r.Text = strings.TrimSpace(plain.Clean(r.Text))
	if err := r.keys(); err != nil {
		return err
	}
	if strings.Contains(r.Text, "\n") {
		return Errorf(InvalidArgument, "the text has several lines").With("parameter", "text").
			Suggest("Give one line: an Enter would end the answer.")
	}
	if r.Forget && (r.Answers() || r.Dialog != "") {
		return Errorf(InvalidArgument, "an answer and forget do not go together").With("parameter", "forget").
			Suggest("Take back the word first, and answer what is open then.")
	}
	if r.Answers() && r.Dialog == "" {
		return Errorf(InvalidArgument, "which dialog is answered is not said").With("parameter", "dialog_id").
			Suggest("Look at it first: without an answer, this call shows the dialog with its dialog_id.")
	}
	return nil
}

// AnswerDialogResult is what the agent's screen shows, after the answer if there was one.
type AnswerDialogResult struct {
	Answer
	AgentID  string   `json:"agent_id"`
	Name     string   `json:"name"`
	Answered string   `json:"answered,omitempty"`  // what was chosen or typed; "" if the dialog was only shown
	Dialog   *Dialog  `json:"dialog"`              // that is open now; null if none is
	Screen   []string `json:"screen"`              // the last lines of the screen now
	ScreenID string   `json:"screen_id,omitempty"` // of the screen now, for an answer of keys; "": it takes none
	Message  string   `json:"message"`
}

// Said says what was done.
func (r *AnswerDialogResult) Said() string { return r.Message }

// SessionState says what is known of a program's own session: its conversation with its model.
type SessionState string

// The states of a session. A program whose session is not known has none.
const (
	SessionChosen  SessionState = "chosen"  // the program has its id; nothing was said in it yet
	SessionBegun   SessionState = "begun"   // it has turns, and a restart continues it
	SessionRefused SessionState = "refused" // the program ended when it was to continue it
)

// Session is a program's own session, as it is stored with the agent.
type Session struct {
	ID    string       `json:"id"` // the program's own name for it
	State SessionState `json:"state"`
}

// Begun reports whether the session has turns that a restart continues.
func (s Session) Begun() bool { return s.State == SessionBegun || s.State == SessionRefused }

// sessionForm matches ids that no program takes for a flag or a path.
var sessionForm = expression(`^[A-Za-z0-9][A-Za-z0-9_.-]{5,127}$`)

// IsSessionID reports whether a text can be the id of a session: it becomes an argument of a program.
func IsSessionID(id string) bool { return sessionForm().MatchString(id) }

// Said is what a program's report says of its session.
type Said struct {
	ID       string
	Prompted bool // the program took a prompt in it, or took it up again: it has turns
	Own      bool // the report comes from the agent's own program, not from one that this program started
}

// After returns the session once the program has made a report. A new id counts only from the agent's
// own program: one that it starts as a tool has a session too.
func (s Session) After(r Said) Session {
	switch {
	case !IsSessionID(r.ID) || r.ID != s.ID && !r.Own:
		return s
	case r.Prompted || r.ID == s.ID && s.State == SessionRefused:
		return Session{r.ID, SessionBegun}
	case r.ID != s.ID:
		return Session{r.ID, SessionChosen}
	}
	return s
}

// HashPrompt returns by what a prompt is known again, "" for none.
func HashPrompt(prompt string) string {
	if prompt == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(prompt))
	return hex.EncodeToString(sum[:])
}
