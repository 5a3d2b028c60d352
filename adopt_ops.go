package parley

import (
	"path/filepath"
	"regexp"
)

// AdoptAgentRequest asks for a program that runs already, in a pane of the user's own
// tmux, to become an agent.
type AdoptAgentRequest struct {
	Name          string   `json:"name,omitempty" doc:"The agent's name: a letter, then letters, digits, - or _, 32 at most; the profile's if left out."`
	Profile       string   `json:"profile,omitempty" doc:"What kind of program it is; known from the program if left out."`
	Pane          string   `json:"pane" required:"true" doc:"The pane it runs in, such as %3: $TMUX_PANE there."`
	Socket        string   `json:"socket" required:"true" doc:"The socket of that tmux server, absolute: the first part of $TMUX there."`
	Description   string   `json:"description,omitempty" doc:"What it is for, in a sentence." max:"2000"`
	Role          string   `json:"role,omitempty" doc:"Its role in the team." max:"100"`
	Capabilities  []string `json:"capabilities,omitempty" doc:"What it can do, one word or phrase each." max:"50"`
	Groups        []string `json:"groups,omitempty" doc:"Groups it is a member of." max:"50"`
	Orchestrate   bool     `json:"orchestrate,omitempty" doc:"Let it launch and stop other agents."`
	Interruptible bool     `json:"interruptible,omitempty" doc:"Let urgent messages be typed into its work, and end copy mode in its terminal."`
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
