package parley

import (
	"slices"
	"time"
)

// WorkspaceStatusRequest has no parameters.
type WorkspaceStatusRequest struct{}

// WorkspaceStatusResult says what the daemon runs, and where.
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
	Deliveries  map[string]int `json:"deliveries"` // how many in each state, delivered ones left out
	Needs       int            `json:"needs"`      // number of things that need the operator; get_needs lists them

	// Reasons counts the deliveries that are held or unconfirmed, by state and by the
	// code of what holds them or how they ended.
	Reasons map[DeliveryState]map[ReasonCode]int `json:"delivery_reasons,omitempty"`

	LastEvent int64    `json:"last_event"`
	Paused    *Pause   `json:"paused,omitempty"`   // set while communication is paused
	Warnings  []string `json:"warnings,omitempty"` // parts of parley.yaml that could not be applied, with what to do

	Ignored []string    `json:"ignored,omitempty"` // what the daemon does not take from whoever started it in the operator's place
	Notices []NoticeWay `json:"notices,omitempty"` // how notices go, if parley.yaml names a way

	Programs []string `json:"programs,omitempty"` // the profiles whose programs are there since it began, those that were tried first
}

// BackupRequest names the file of the copy.
type BackupRequest struct {
	Path string `json:"path" alias:"file" required:"true" doc:"Where to write the copy: the absolute path of a file that does not exist yet."`
}

// BackupResult is the finished copy.
type BackupResult struct {
	Answer
	Path string `json:"path"`
	Size int64  `json:"size"` // bytes
}

// ShutDownRequest stops the daemon.
type ShutDownRequest struct {
	KeepAgents bool `json:"keep_agents,omitempty" doc:"Leave the agents running in tmux; the next daemon finds them."`
}

// ShutDownResult lists the agents that were stopped.
type ShutDownResult struct {
	Answer
	Stopped []string `json:"stopped_agents"`
	Left    []string `json:"left_agents,omitempty"` // adopted agents, whose programs keep running
}

// PauseCommunicationRequest pauses or resumes all messages.
type PauseCommunicationRequest struct {
	Paused bool   `json:"paused" required:"true" doc:"true: no message is accepted or typed from now on; false: messages go on."`
	Reason string `json:"reason,omitempty" doc:"Why; shown to agents whose messages are refused." max:"200"`
}

// PauseCommunicationResult is the state after the call.
type PauseCommunicationResult struct {
	Answer
	Paused  *Pause `json:"paused,omitempty"` // nil if messages are not paused
	Waiting int    `json:"waiting"`          // deliveries that wait for a terminal
	Message string `json:"message"`
}

// Said says what was done.
func (r *PauseCommunicationResult) Said() string { return r.Message }

// Pause says who paused communication, since when, and why.
type Pause struct {
	By     string    `json:"by"`
	Since  time.Time `json:"since"`
	Reason string    `json:"reason,omitempty"`
}

// Words returns that communication is paused, by whom, and why.
func (p *Pause) Words() string {
	words := "communication is paused by " + p.By
	if p.Reason != "" {
		words += ": " + p.Reason
	}
	return words
}

// Host is a machine that shares the workspace's database, with one daemon.
type Host struct {
	Name      string     `json:"name"`
	Here      bool       `json:"here"`                 // it is the machine of the daemon that answers
	Away      bool       `json:"away"`                 // its daemon does not run, or cannot reach the database
	AwaySince *time.Time `json:"away_since,omitempty"` //
	StartedAt *time.Time `json:"started_at,omitempty"` // of its daemon
	Leads     bool       `json:"leads"`                // it does what one host does for all, such as reminders
	Agents    []string   `json:"agents"`               // with terminals there, but for stopped ones
}

// ListHostsRequest has no parameters.
type ListHostsRequest struct{}

// ListHostsResult lists the hosts by name. A workspace whose database is a file has one.
type ListHostsResult struct {
	Answer
	Hosts []Host `json:"hosts"`
}

// RemoveHostRequest removes a host that is gone for good.
type RemoveHostRequest struct {
	Name string `json:"name" doc:"The host's name, as list_hosts shows it."`
}

// Validate checks the name.
func (r *RemoveHostRequest) Validate() error {
	if r.Name == "" {
		return Errorf(InvalidArgument, "no host was named").With("parameter", "name").
			Suggest("Name one; list_hosts shows them.")
	}
	return nil
}

// RemoveHostResult says what became of what the host had.
type RemoveHostResult struct {
	Answer
	Name       string   `json:"name"`
	Terminated []string `json:"terminated"` // its agents
	Failed     int      `json:"failed"`     // deliveries that waited for them
	Message    string   `json:"message"`
}

// Said says what was done.
func (r *RemoveHostResult) Said() string { return r.Message }

// WorktreesRequest asks for the worktrees of one agent, or of all.
type WorktreesRequest struct {
	Agent string `json:"agent,omitempty" alias:"name,agent_id" doc:"Name or id; all agents that have one by default."`
}

// WorktreeStatus is an agent's worktree as git sees it now.
type WorktreeStatus struct {
	Worktree
	AgentID string `json:"agent_id"`
	Name    string `json:"name"`
	Ahead   int    `json:"ahead"`             // commits that its base lacks
	Behind  int    `json:"behind"`            // commits of its base that it lacks
	Dirty   int    `json:"dirty"`             // files that are changed or new, and not committed
	Problem string `json:"problem,omitempty"` // why git could not tell
}

// WorktreesResult lists worktrees by the names of their agents.
type WorktreesResult struct {
	Answer
	Worktrees []WorktreeStatus `json:"worktrees"`
}

// DiffAgentRequest asks what an agent has changed.
type DiffAgentRequest struct {
	Agent string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
	Stat  bool   `json:"stat,omitempty" doc:"Only which files, and how many lines."`
}

// DiffAgentResult is what an agent has changed: in its worktree since it left its base, or
// else in the repository of its directory since the last commit.
type DiffAgentResult struct {
	Answer
	AgentID   string        `json:"agent_id"`
	Name      string        `json:"name"`
	Dir       string        `json:"dir"`
	Since     string        `json:"since"`               // the commit that it is compared with
	Diff      string        `json:"diff"`                // as git prints it
	Files     []ChangedFile `json:"files"`               // all that changed, also what Diff is too short for; none with stat
	Untracked []string      `json:"untracked"`           // new files; Diff has the content of the first 100
	Truncated bool          `json:"truncated,omitempty"` // Diff is longer
}

// FinishWorktreeRequest ends the work in an agent's worktree. The agent is stopped first, unless it is to go on.
type FinishWorktreeRequest struct {
	Agent   string   `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
	Merge   bool     `json:"merge,omitempty" doc:"Merge its branch into the branch that it came from."`
	How     MergeWay `json:"how,omitempty" enum:"fast-forward,commit,squash" doc:"How to merge: only by a fast-forward, always with a merge commit, or all as one commit, which needs remove. By default a fast-forward, or else a merge commit."`
	Keep    bool     `json:"keep,omitempty" doc:"With merge, without remove: the agent is not stopped, and goes on in its worktree."`
	Remove  bool     `json:"remove,omitempty" doc:"Remove the worktree, and its branch if parley made it."`
	Discard bool     `json:"discard,omitempty" doc:"With remove: throw away what is not committed or not merged."`
	Force   bool     `json:"force,omitempty" doc:"With remove: also files that git ignores and that are nowhere else, and while a program is in the directory."`
}

// NeedsForce is the detail of a refusal to finish a worktree that Force overrules. Its value says what would go.
const NeedsForce = "needs_force"

// Validate checks that there is something to do, and that nothing contradicts.
func (r *FinishWorktreeRequest) Validate() error {
	switch {
	case !r.Merge && !r.Remove:
		return Errorf(InvalidArgument, "neither merge nor remove was asked for").With("parameter", "merge").
			Suggest("Give merge, remove or both; to keep everything, stop the agent.")
	case r.How != "" && !r.Merge:
		return Errorf(InvalidArgument, "how is for merge").With("parameter", "how").Suggest("Give merge too.")
	case r.How == MergedSquash && !r.Remove:
		return Errorf(InvalidArgument, "a branch that was squashed cannot be merged again").With("parameter", "how").
			Suggest("Give remove too, or merge it in another way.")
	case r.Keep && (!r.Merge || r.Remove):
		return Errorf(InvalidArgument, "keep is for merge without remove").With("parameter", "keep").
			Suggest("Give merge without remove.")
	case r.Force && !r.Remove:
		return Errorf(InvalidArgument, "force is for remove").With("parameter", "force").Suggest("Give remove too.")
	case r.Discard && (!r.Remove || r.Merge):
		return Errorf(InvalidArgument, "discard is for remove without merge").With("parameter", "discard").
			Suggest("Give remove and discard together to throw the work away.")
	}
	return nil
}

// FinishWorktreeResult says what was done.
type FinishWorktreeResult struct {
	Answer
	AgentID  string   `json:"agent_id"`
	Name     string   `json:"name"`
	Worktree Worktree `json:"worktree"`
	Merged   MergeWay `json:"merged,omitempty"` // how; "" if that was not asked for
	Removed  bool     `json:"removed"`
	Ended    int      `json:"processes_ended"`
}

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

// NoticeWay is one way by which notices go, and how the last one went.
type NoticeWay struct {
	Way     string     `json:"way"`               // command, webhook, ntfy or push
	Works   bool       `json:"works"`             // the last notice went, or none was sent yet
	Problem string     `json:"problem,omitempty"` // why the last one did not go; it names no address
	Since   *time.Time `json:"since,omitempty"`   // since when none goes
	Sent    int        `json:"sent"`              // how many went since the daemon started
}

// GetNeedsRequest asks what needs the operator, and can dismiss something.
type GetNeedsRequest struct {
	Dismiss string `json:"dismiss,omitempty" doc:"What to take off the list: the message with this id, or its first 8 characters; or all of undelivered, storage, untried or misread."`
}

// OnlyReads reports whether the request dismisses nothing.
func (r *GetNeedsRequest) OnlyReads() bool { return r.Dismiss == "" }

// GetNeedsResult lists the needs, the most pressing first.
type GetNeedsResult struct {
	Answer
	Needs     []Need `json:"needs"`
	Matters   []int  `json:"matters"`   // positions in needs: the first one of each matter that a person must see to
	Dismissed int    `json:"dismissed"` // deliveries that this call dismissed
}

// Matters counts what a person must see to: needs that are parts of one matter count once, and what is between
// agents does not. It is the number that status, the screen and notices show.
func Matters(needs []Need) int { return len(Roots(needs)) }

// Roots returns the first need of each matter that a person must see to.
func Roots(needs []Need) (roots []*Need) {
	for _, i := range RootsAt(needs) {
		roots = append(roots, &needs[i])
	}
	return roots
}

// RootsAt returns the positions of the roots.
func RootsAt(needs []Need) []int {
	return slices.DeleteFunc(firsts(needs, func(*Need, *Need) {}), func(i int) bool { return needs[i].Between })
}

// firsts returns the positions of the first need of each matter, and calls a function for each other part of one.
func firsts(needs []Need, part func(first, x *Need)) []int {
	at := []int{}
	for i := range needs {
		x := &needs[i]
		if r := slices.IndexFunc(at, func(r int) bool { return needs[r].Covers(x) }); r >= 0 {
			part(&needs[at[r]], x)
		} else {
			at = append(at, i)
		}
	}
	return at
}

// Gather tells the first need of each matter which other agents are part of it.
func Gather(needs []Need) {
	firsts(needs, func(first, x *Need) {
		if x.Agent != first.Agent && !slices.Contains(first.Also, x.Agent) {
			first.Also = append(first.Also, x.Agent)
		}
		if first.IsDebt() && first.MessageID == x.MessageID && !x.Offline {
			first.debtors = append(first.debtors, x.party())
		}
	})
}
