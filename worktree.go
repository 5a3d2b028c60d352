package parley

import (
	"path/filepath"
	"strings"
)

// Worktree is the git worktree that parley made for an agent.
type Worktree struct {
	Path       string `json:"path"`
	Branch     string `json:"branch"`
	Base       string `json:"base"`              // the branch that it came from, and is merged into
	Repository string `json:"repository"`        // the checkout that it belongs to
	Made       bool   `json:"branch_is_parleys"` // parley made the branch
}

// WorktreeAuto asks for a worktree on a branch of the agent's own name.
const WorktreeAuto = "true"

// checkWorktree refuses names of branches and files that git or a shell could take for
// something else.
func (r *LaunchAgentRequest) checkWorktree() error {
	if r.Worktree == "false" {
		r.Worktree = ""
	}
	if strings.HasPrefix(r.Worktree, "-") || CleanLine(r.Worktree) != r.Worktree {
		return Errorf(InvalidArgument, "%q cannot be a branch", CleanLine(r.Worktree)).With("parameter", "worktree").
			Suggest("Give the name of a branch, or true for one of the agent's name.")
	}
	if r.Worktree == "" && len(r.Copy)+len(r.Setup) > 0 {
		return Errorf(InvalidArgument, "copy and setup are for a new worktree").With("parameter", "worktree").
			Suggest("Give worktree with them, or leave them out.")
	}

	for _, name := range r.Copy {
		if !filepath.IsLocal(name) {
			return Errorf(InvalidArgument, "%q is not inside the repository", CleanLine(name)).
				With("parameter", "copy").
				Suggest("Name files relative to the repository's top directory.")
		}
	}

	return nil
}

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
	AgentID   string   `json:"agent_id"`
	Name      string   `json:"name"`
	Dir       string   `json:"dir"`
	Since     string   `json:"since"`               // the commit that it is compared with
	Diff      string   `json:"diff"`                // as git prints it
	Untracked []string `json:"untracked"`           // new files, which are not in Diff
	Truncated bool     `json:"truncated,omitempty"` // Diff is longer
}

// FinishWorktreeRequest ends the work in an agent's worktree. The agent is stopped first.
type FinishWorktreeRequest struct {
	Agent   string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
	Merge   bool   `json:"merge,omitempty" doc:"Merge its branch into the branch that it came from."`
	Remove  bool   `json:"remove,omitempty" doc:"Remove the worktree, and its branch if parley made it."`
	Discard bool   `json:"discard,omitempty" doc:"With remove: throw away what is not committed or not merged."`
}

// Validate checks that there is something to do, and that nothing contradicts.
func (r *FinishWorktreeRequest) Validate() error {
	switch {
	case !r.Merge && !r.Remove:
		return Errorf(InvalidArgument, "neither merge nor remove was asked for").With("parameter", "merge").
			Suggest("Give merge, remove or both; to keep everything, stop the agent.")
	case r.Discard && (!r.Remove || r.Merge):
		return Errorf(InvalidArgument, "discard is for remove without merge").With("parameter", "discard").
			Suggest("Give remove and discard together to throw the work away.")
	}
	return nil
}

// The ways in which a branch was merged.
const (
	MergedFast    = "fast-forward"
	MergedCommit  = "commit"
	MergedNothing = "nothing" // it had no commits that its base lacked
)

// FinishWorktreeResult says what was done.
type FinishWorktreeResult struct {
	Answer
	AgentID  string   `json:"agent_id"`
	Name     string   `json:"name"`
	Worktree Worktree `json:"worktree"`
	Merged   string   `json:"merged,omitempty"` // how; "" if that was not asked for
	Removed  bool     `json:"removed"`
	Ended    int      `json:"processes_ended"`
}
