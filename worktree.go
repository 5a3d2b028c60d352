package parley

// FileState says how far a changed file is on its way into the branch.
type FileState string

// The states of a changed file.
const (
	FileCommitted FileState = "committed"
	FileStaged    FileState = "staged"
	FileUnstaged  FileState = "unstaged" // or only in part staged
	FileNew       FileState = "new"      // git does not track it
)

// ChangedFile is a file that an agent has changed.
type ChangedFile struct {
	Path    string    `json:"path"`
	From    string    `json:"from,omitempty"` // its path before, if it was renamed
	Added   int       `json:"added"`          // lines
	Removed int       `json:"removed"`
	Binary  bool      `json:"binary,omitempty"`
	State   FileState `json:"state"`
}

// PreviewMergeRequest asks what a merge of an agent's branch would do.
type PreviewMergeRequest struct {
	Agent string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
}

// PreviewMergeResult is what a merge of an agent's branch would do now, and what its removal would take away.
type PreviewMergeResult struct {
	Answer
	AgentID   string        `json:"agent_id"`
	Name      string        `json:"name"`
	Worktree  Worktree      `json:"worktree"`
	Ahead     int           `json:"ahead"`             // commits that its base lacks
	Behind    int           `json:"behind"`            // commits of its base that it lacks; 0 allows a fast-forward
	Conflicts []string      `json:"conflicts"`         // files on which the two conflict
	Open      []string      `json:"not_committed"`     // files in the worktree
	Ignored   []string      `json:"ignored"`           // files in the worktree that git ignores, and that are nowhere else
	Refused   string        `json:"refused,omitempty"` // why a merge is refused now, with what to do; "" if it is not
	Shared    []SharedFiles `json:"shared"`            // what other agents change, too
}

// SharedFiles are the files that another agent's worktree of the same repository changes, too.
type SharedFiles struct {
	AgentID string   `json:"agent_id"`
	Name    string   `json:"name"`
	Files   []string `json:"files"`
}

// MergeWay says how a branch is merged.
type MergeWay string

// The ways in which a branch is merged.
const (
	MergedFast    MergeWay = "fast-forward"
	MergedCommit  MergeWay = "commit"
	MergedSquash  MergeWay = "squash"  // all of it as one commit
	MergedNothing MergeWay = "nothing" // it had no commits that its base lacked
)

// ReviewAgentRequest sends comments on what an agent has changed, as one message with file and line.
type ReviewAgentRequest struct {
	Agent          string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
	Sheet          string `json:"sheet" required:"true" doc:"The diff of diff_agent, or those lines of it that matter, with comments: each line of one begins with > and stands below the line that it is about." max:"900000"`
	IdempotencyKey string `json:"idempotency_key,omitempty" doc:"Your own key: a repeated call changes nothing." max:"200"`
}
