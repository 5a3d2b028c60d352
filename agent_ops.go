package parley

import "time"

// RegisterAgentRequest asks for a mailbox of one's own. It needs no credential.
type RegisterAgentRequest struct {
	Username     string   `json:"username" alias:"name" required:"true" doc:"The name you want: a letter, then letters, digits, - or _, 32 at most; unique."`
	Description  string   `json:"agent_description" alias:"description" doc:"What you are for, in a sentence." max:"2000"`
	Role         string   `json:"role,omitempty" doc:"Your role in the team, e.g. reviewer." max:"100"`
	Capabilities []string `json:"capabilities,omitempty" doc:"What you can do, one word or phrase each." max:"50"`
	Groups       []string `json:"groups,omitempty" doc:"Groups to be a member of; a broadcast can address a group." max:"50"`
	Special      bool     `json:"special,omitempty" alias:"is_special_agent" doc:"Ask to be a special agent; the operator decides."`

	Config      *ResponderConfig `json:"special_agent_config,omitempty" object:"true" doc:"For a special agent: the model that is to answer for it."`
	AutoRespond *bool            `json:"auto_respond,omitempty" doc:"no: a special agent reads its inbox itself."`
}

// Validate checks the name and, if there is one, the configuration.
func (r *RegisterAgentRequest) Validate() error {
	if err := CheckName(r.Username); err != nil || r.Config == nil {
		return err
	}
	if !r.Special {
		return Errorf(
			InvalidArgument,
			"special_agent_config is for a special agent",
		).With("parameter", "special_agent_config").
			Suggest("Give special: true with it, or leave it out.")
	}
	return r.Config.Check()
}

// RegisterAgentResult holds the key, which is shown this once.
type RegisterAgentResult struct {
	Answer
	AgentID  string `json:"agent_id"`
	Username string `json:"username"`
	APIKey   string `json:"api_key"`
	Status   string `json:"status"` // active or pending_approval
}

// AgentStatusRequest asks for one agent, or for all.
type AgentStatusRequest struct {
	Agent string `json:"agent,omitempty" alias:"name,agent_id,username" doc:"Name or id; all if left out."`
}

// AgentStatus is an agent and how it is doing.
type AgentStatus struct {
	Agent
	Availability Availability `json:"availability"`
	Unread       int          `json:"unread"` // messages in its inbox that it has not read
	Queued       int          `json:"queued"` // of these, waiting for its terminal
	HeldReason   string       `json:"held_reason,omitempty"`
	HeldMessage  string       `json:"held_message_id,omitempty"` // the first that is held
	HeldSince    *time.Time   `json:"held_since,omitempty"`      // when that was accepted
	Owed         int          `json:"owed_replies"`              // required responses that it has not given
	Overdue      int          `json:"overdue_replies"`           // of these, past their deadline
}

// AgentStatusResult lists agents by name.
type AgentStatusResult struct {
	Answer
	Agents []AgentStatus `json:"agents"`
	You    string        `json:"you,omitempty"` // the name of who asks
}

// LaunchAgentRequest asks for a program to be run as an agent.
type LaunchAgentRequest struct {
	Name          string            `json:"name" required:"true" doc:"The agent's name: a letter, then letters, digits, - or _, 32 at most."`
	Profile       string            `json:"profile,omitempty" doc:"What kind of program it is; generic if left out."`
	Command       []string          `json:"command,omitempty" doc:"The program and its arguments; the profile's own if left out."`
	Dir           string            `json:"dir,omitempty" doc:"Working directory, absolute; the workspace if left out."`
	Env           map[string]string `json:"env,omitempty" doc:"Environment of the program; the daemon's own if left out. Not stored."`
	Description   string            `json:"description,omitempty" doc:"What it is for, in a sentence." max:"2000"`
	Role          string            `json:"role,omitempty" doc:"Its role in the team." max:"100"`
	Capabilities  []string          `json:"capabilities,omitempty" doc:"What it can do, one word or phrase each." max:"50"`
	Groups        []string          `json:"groups,omitempty" doc:"Groups it is a member of." max:"50"`
	Orchestrate   bool              `json:"orchestrate,omitempty" doc:"Let it launch and stop other agents."`
	Interruptible bool              `json:"interruptible,omitempty" doc:"Let urgent messages be typed into its work, and end copy mode in its terminal."`
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
	Dir   string            `json:"dir,omitempty" doc:"Working directory, if it is not known where it was launched."`
	Env   map[string]string `json:"env,omitempty" doc:"Environment, when the daemon no longer knows it."`
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
