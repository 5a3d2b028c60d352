package parley

import "time"

// ReadEventsRequest asks for the record after a sequence number.
type ReadEventsRequest struct {
	After       int64 `json:"after,omitempty" doc:"Events with a higher sequence number than this." min:"0"`
	Limit       int   `json:"limit,omitempty" doc:"How many at most." min:"1" max:"1000" default:"100"`
	Last        int   `json:"last,omitempty" doc:"Instead of after: begin with this many of the newest events." min:"0" max:"1000"`
	WaitSeconds int   `json:"wait_seconds,omitempty" doc:"If there is nothing, wait this long for an event." min:"0" max:"60"`
}

// ReadEventsResult is a page of events and where the next one begins.
type ReadEventsResult struct {
	Answer
	Events []Event `json:"events"`
	Next   int64   `json:"next"` // the after of the next call
}

// WorkspaceStatusRequest asks for the daemon.
type WorkspaceStatusRequest struct{}

// WorkspaceStatusResult says what runs and where.
type WorkspaceStatusResult struct {
	Answer
	Version     string         `json:"version"`
	Workspace   string         `json:"workspace"`
	PID         int            `json:"pid"`
	StartedAt   time.Time      `json:"started_at"`
	Socket      string         `json:"socket"` // the daemon's unix socket
	HTTP        string         `json:"http,omitempty"`
	TmuxSocket  string         `json:"tmux_socket,omitempty"`
	TmuxVersion string         `json:"tmux_version,omitempty"`
	Log         string         `json:"log,omitempty"`
	Database    string         `json:"database"`
	Agents      map[string]int `json:"agents"`     // how many in each state
	Deliveries  map[string]int `json:"deliveries"` // how many in each state that is not delivered
	Needs       int            `json:"needs"`      // how many things want the operator; get_needs lists them
	LastEvent   int64          `json:"last_event"`
	Paused      *Pause         `json:"paused,omitempty"`   // set while communication is paused
	Warnings    []string       `json:"warnings,omitempty"` // what of parley.yaml could not be had, with what to do
}

// BackupRequest names the copy's file.
type BackupRequest struct {
	Path string `json:"path" alias:"file" required:"true" doc:"Where to write the copy: an absolute path of a file that does not exist."`
}

// BackupResult is the finished copy.
type BackupResult struct {
	Answer
	Path string `json:"path"`
	Size int64  `json:"size"` // bytes
}

// ShutDownRequest asks the daemon to end.
type ShutDownRequest struct {
	KeepAgents bool `json:"keep_agents,omitempty" doc:"Leave the agents running in tmux; the next daemon finds them again."`
}

// ShutDownResult says what ended.
type ShutDownResult struct {
	Answer
	Stopped []string `json:"stopped_agents"`
	Left    []string `json:"left_agents,omitempty"` // adopted ones, whose programs run on where they are
}
