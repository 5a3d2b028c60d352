package parley

import "time"

// KnownWorkspace is one workspace of a user, as it is now.
type KnownWorkspace struct {
	Workspace  string         `json:"workspace"`            // its directory, or what ssh calls its machine
	Running    bool           `json:"running"`              // its daemon answers
	TmuxRuns   bool           `json:"tmux_runs"`            // so its agents may run, whether or not the daemon does
	Agents     map[string]int `json:"agents,omitempty"`     // how many in each state
	Needs      int            `json:"needs"`                // number of things that need the operator
	Paused     *Pause         `json:"paused,omitempty"`     // set while communication is paused
	Problem    string         `json:"problem,omitempty"`    // why nothing more is known
	LastUsed   *time.Time     `json:"last_used,omitempty"`  // when its database was last written
	Command    string         `json:"command"`              // opens its screen
	Deliveries map[string]int `json:"deliveries,omitempty"` // how many in each state, delivered ones left out
}

// KnownWorkspaces lists the workspaces of a user, those that need the user most first.
type KnownWorkspaces struct {
	Answer
	Workspaces []KnownWorkspace `json:"workspaces"`
}
