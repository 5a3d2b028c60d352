package daemon

import (
	"strings"

	"parley"
	"parley/plain"
)

// Worktrees says what a new git worktree gets before its agent starts.
type Worktrees struct {
	Copy  []string `yaml:"copy" doc:"Files and directories that git does not have, such as .env, relative to the repository."`
	Setup []string `yaml:"setup" doc:"Shell commands that run in it, one after the other, such as npm ci."`
}

// WithWorktree adds to a launch what the file says of the agent's worktree.
func (t *Team) WithWorktree(a Agent, r parley.LaunchAgentRequest) parley.LaunchAgentRequest {
	r.Worktree = a.Worktree
	t.Prepare(&r)
	return r
}

// HasWorktree reports whether the agent is to have a worktree of its own.
func (a *Agent) HasWorktree() bool { return hasWorktree(a.Worktree) }

func hasWorktree(setting string) bool { return setting != "" && setting != "false" }

// Prepare adds to a launch what the file says of new worktrees, if it asks for one.
func (t *Team) Prepare(r *parley.LaunchAgentRequest) {
	if hasWorktree(r.Worktree) {
		r.Copy, r.Setup = t.Worktrees.Copy, t.Worktrees.Setup
	}
}

// worktreeClaims tells what runs in new worktrees, and what is copied there.
func (t *Team) worktreeClaims() []Claim {
	var all []Claim
	if len(t.Worktrees.Copy) > 0 {
		words := "each new worktree gets " + strings.Join(t.Worktrees.Copy, ", ")
		all = append(all, Claim{"worktrees", plain.CleanLine(words)})
	}
	for _, command := range t.Worktrees.Setup {
		all = append(all, Claim{"worktrees", plain.CleanLine("in each new worktree runs " + command)})
	}
	return all
}
