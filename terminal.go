package parley

import (
	"path/filepath"
	"regexp"
	"time"
)

// LaunchAgentRequest asks for a program to be run as an agent.
type LaunchAgentRequest struct {
	Name          string            `json:"name" required:"true" doc:"The agent's name: a letter, then letters, digits, - or _, at most 32."`
	Profile       string            `json:"profile,omitempty" doc:"The program's profile; generic by default."`
	Command       []string          `json:"command,omitempty" doc:"The program and its arguments; the profile's by default."`
	Dir           string            `json:"dir,omitempty" doc:"Working directory, absolute; the workspace by default."`
	Env           map[string]string `json:"env,omitempty" doc:"The program's environment; the daemon's by default. Not stored."`
	Description   string            `json:"description,omitempty" doc:"Its purpose, in a sentence." max:"2000"`
	Role          string            `json:"role,omitempty" doc:"Its role in the team." max:"100"`
	Capabilities  []string          `json:"capabilities,omitempty" doc:"What it can do: words or short phrases." max:"50"`
	Groups        []string          `json:"groups,omitempty" doc:"Its groups." max:"50"`
	Orchestrate   bool              `json:"orchestrate,omitempty" doc:"Let it launch and stop other agents."`
	Interruptible bool              `json:"interruptible,omitempty" doc:"Let urgent messages interrupt its work, and end copy mode in its terminal."`
	Width         int               `json:"width,omitempty" doc:"Columns of its terminal." min:"20" max:"1000" default:"200"`
	Height        int               `json:"height,omitempty" doc:"Rows of its terminal." min:"5" max:"500" default:"50"`
}

// Validate checks the name.
func (r *LaunchAgentRequest) Validate() error { return CheckName(r.Name) }

// LaunchAgentResult names the agent and its terminal.
type LaunchAgentResult struct {
	Answer
	AgentID string     `json:"agent_id"`
	Name    string     `json:"name"`
	State   AgentState `json:"state"`
	PID     int        `json:"pid"`
	Attach  []string   `json:"attach"` // the command that shows its terminal
}

// AdoptAgentRequest asks for a program that runs already, in a pane of the user's own
// tmux, to become an agent.
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

var paneForm = regexp.MustCompile(`^%[0-9]{1,9}$`)

// Validate checks the name, the form of the pane's id, and that the socket is a path.
func (r *AdoptAgentRequest) Validate() error {
	if !paneForm.MatchString(r.Pane) {
		return Errorf(
			InvalidArgument,
			"%q is not the id of a tmux pane",
			CleanLine(Truncate(r.Pane, 64)),
		).With("parameter", "pane").
			Suggest("Give an id such as %%3; `tmux display-message -p '#{pane_id}'` prints it in the pane.")
	}

	if !filepath.IsAbs(r.Socket) {
		return Errorf(
			InvalidArgument,
			"%q is not the path of a socket",
			CleanLine(Truncate(r.Socket, 200)),
		).With("parameter", "socket").
			Suggest("Give its absolute path; `tmux display-message -p '#{socket_path}'` prints it.")
	}

	if r.Name == "" {
		return nil
	}

	return CheckName(r.Name)
}

// AdoptAgentResult names the agent, where it runs, and how it is given parley's tools.
type AdoptAgentResult struct {
	Answer
	AgentID string     `json:"agent_id"`
	Name    string     `json:"name"`
	State   AgentState `json:"state"`
	Profile string     `json:"profile"`
	Program string     `json:"program"` // what has the terminal
	PID     int        `json:"pid"`     // of it
	Pane    string     `json:"pane"`
	Socket  string     `json:"socket"`
	Attach  []string   `json:"attach"`            // the command that shows its terminal
	AddMCP  []string   `json:"add_mcp,omitempty"` // the command that gives it parley's tools; none where it is not known
	MCP     []string   `json:"mcp"`               // the MCP server, on standard input and output
}

// StopAgentRequest names the agent to stop.
type StopAgentRequest struct {
	Agent  string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
	Reason string `json:"reason,omitempty" doc:"Why, for the log." max:"500"`
}

// StopAgentResult says what ended.
type StopAgentResult struct {
	Answer
	AgentID  string `json:"agent_id"`
	Name     string `json:"name"`
	Ended    int    `json:"processes_ended"`    // how many processes were there to end
	Released bool   `json:"released,omitempty"` // it was adopted: its program runs on
}

// RestartAgentRequest names the agent to stop and launch again. Directory and
// environment are those of its launch while the daemon remembers them, and
// else the ones given here.
type RestartAgentRequest struct {
	Agent string            `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
	Dir   string            `json:"dir,omitempty" doc:"Working directory, if the daemon no longer knows it."`
	Env   map[string]string `json:"env,omitempty" doc:"Environment, if the daemon no longer knows it."`
}

// ReadTerminalRequest asks for an agent's screen.
type ReadTerminalRequest struct {
	Agent   string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
	History int    `json:"history,omitempty" doc:"Lines above the screen to include." min:"0" max:"2000"`
	Colours bool   `json:"colours,omitempty" alias:"colors" doc:"Keep colours and styles as escape sequences."`
}

// ReadTerminalResult is a screen, cleaned of trailing blank lines.
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

// AttachInfoRequest asks how to reach a terminal.
type AttachInfoRequest struct {
	Agent string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
}

// AttachInfoResult is where the terminal is and the command that shows it.
type AttachInfoResult struct {
	Answer
	AgentID string   `json:"agent_id"`
	Name    string   `json:"name"`
	Socket  string   `json:"socket"`
	Session string   `json:"session"`
	Pane    string   `json:"pane"`
	Command []string `json:"command"`
	Adopted bool     `json:"adopted,omitempty"` // the socket is that of a tmux of the user's own
}
