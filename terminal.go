package parley

import (
	"path/filepath"
	"time"
)

// LaunchAgentRequest starts a program as an agent.
type LaunchAgentRequest struct {
	Name             string            `json:"name" required:"true" doc:"The agent's name: a letter, then letters, digits, - or _, at most 32."`
	Profile          string            `json:"profile,omitempty" doc:"The program's profile; by default that of the program's name, or generic."`
	Command          []string          `json:"command,omitempty" doc:"The program and its arguments; the profile's by default."`
	Dir              string            `json:"dir,omitempty" doc:"Working directory, absolute; the workspace by default."`
	Env              map[string]string `json:"env,omitempty" doc:"The program's environment; the daemon's by default. Not stored."`
	Model            string            `json:"model,omitempty" doc:"The model that the program is to use, in the program's own word." max:"100"`
	Prompt           string            `json:"prompt,omitempty" doc:"The first message to it. It is delivered like any other: once the program is ready for it."`
	Description      string            `json:"description,omitempty" doc:"Its purpose, in a sentence." max:"2000"`
	Role             string            `json:"role,omitempty" doc:"Its role in the team." max:"100"`
	Capabilities     []string          `json:"capabilities,omitempty" doc:"What it can do: words or short phrases." max:"50"`
	Groups           []string          `json:"groups,omitempty" doc:"Its groups." max:"50"`
	Orchestrate      bool              `json:"orchestrate,omitempty" doc:"Let it launch and stop other agents."`
	Interruptible    bool              `json:"interruptible,omitempty" doc:"Let urgent messages interrupt its work, and end copy mode in its terminal."`
	Worktree         string            `json:"worktree,omitempty" doc:"A git branch: the program runs in a worktree of its own on that; true for a branch named after the agent." max:"200"`
	Copy             []string          `json:"copy,omitempty" doc:"Files that a new worktree gets a copy of, relative to the repository." max:"100"`
	Setup            []string          `json:"setup,omitempty" doc:"Shell commands that run in a new worktree before the program." max:"20"`
	Resume           bool              `json:"resume,omitempty" doc:"Let its program continue the conversation that a stopped or lost agent of this name had, in that one's directory. Its prompt is then not sent again."`
	NoResume         bool              `json:"no_resume,omitempty" doc:"Let each restart begin a new conversation."`
	OwnEnv           []string          `json:"own_env,omitempty" doc:"The names of the variables in env that are meant for this agent alone, to compare them later." max:"200"`
	ResumeAfterLimit bool              `json:"resume_after_limit,omitempty" doc:"Type what waits for it once a usage limit has ended, if its program says when."`
	Width            int               `json:"width,omitempty" doc:"Columns of its terminal." min:"20" max:"1000" default:"200"`
	Height           int               `json:"height,omitempty" doc:"Rows of its terminal." min:"5" max:"500" default:"50"`
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
	Attach  []string   `json:"attach"` // the command that shows its terminal

	Dir          string `json:"dir,omitempty"`
	Conversation string `json:"conversation,omitempty"` // its program's own: ConversationResumed or ConversationNew; "" if it cannot be continued

	Worktree *Worktree `json:"worktree,omitempty"` // in which it runs, if that was asked for

	PromptMessageID string `json:"prompt_message_id,omitempty"` // of the first message, whose status tells whether it arrived
}

// The conversations of a program that was launched, if it is one that can continue them.
const (
	ConversationResumed = "resumed"
	ConversationNew     = "new"
)

// AdoptAgentRequest makes an agent of a program that already runs in a pane of the
// user's own tmux.
type AdoptAgentRequest struct {
	Name          string   `json:"name,omitempty" doc:"The agent's name: a letter, then letters, digits, - or _, at most 32; the profile's by default."`
	Profile       string   `json:"profile,omitempty" doc:"The program's profile; recognized from the program by default."`
	Pane          string   `json:"pane" required:"true" doc:"The pane it runs in, such as %3 ($TMUX_PANE there)."`
	Socket        string   `json:"socket" required:"true" doc:"The absolute path of that tmux server's socket: the first part of $TMUX there."`
	Description   string   `json:"description,omitempty" doc:"Its purpose, in a sentence." max:"2000"`
	Role          string   `json:"role,omitempty" doc:"Its role in the team." max:"100"`
	Capabilities  []string `json:"capabilities,omitempty" doc:"What it can do: words or short phrases." max:"50"`
	Groups        []string `json:"groups,omitempty" doc:"Its groups." max:"50"`
	Orchestrate   bool     `json:"orchestrate,omitempty" doc:"Let it launch and stop other agents."`
	Interruptible bool     `json:"interruptible,omitempty" doc:"Let urgent messages interrupt its work, and end copy mode in its terminal."`
}

var paneForm = expression(`^%[0-9]{1,9}$`)

// Validate checks the name, the form of the pane's id, and that the socket's path is
// absolute.
func (r *AdoptAgentRequest) Validate() error {
	if !paneForm().MatchString(r.Pane) {
		return Errorf(InvalidArgument, "%q is not the id of a tmux pane", CleanLine(Truncate(r.Pane, 64))).
			With("parameter", "pane").
			Suggest("Give an id such as %%3; `tmux display-message -p '#{pane_id}'` prints it in the pane.")
	}

	if !filepath.IsAbs(r.Socket) {
		return Errorf(InvalidArgument, "%q is not the path of a socket", CleanLine(Truncate(r.Socket, 200))).
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
	Ended    int    `json:"processes_ended"`    // the number of processes that were ended
	Released bool   `json:"released,omitempty"` // an adopted agent left the team; its program keeps running
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
}
