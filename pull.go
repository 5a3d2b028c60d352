package parley

import (
	"fmt"
	"time"
)

// PullState is what has become of a pull request.
type PullState string

// The states of a pull request.
const (
	PullOpen   PullState = "open"
	PullMerged PullState = "merged"
	PullClosed PullState = "closed"
)

// PullRequest is the pull request of an agent's branch on GitHub, or its merge request on GitLab. While it is open the
// agent's host looks at it, and tells the agent of checks that fail and of what reviewers write.
type PullRequest struct {
	Number  int       `json:"number"`
	URL     string    `json:"url"`
	Branch  string    `json:"branch"`
	State   PullState `json:"state"`
	Checks  string    `json:"checks,omitempty"`  // "2 fail", "3 run" or "pass"; "" for none
	Problem string    `json:"problem,omitempty"` // why it could not be read at the last look
	Since   time.Time `json:"since"`             // what was written before, and in no open discussion, is not told

	Told PullTold `json:"-"`
}

// PullTold is what the agent was told of a pull request.
type PullTold struct {
	Seen   []string    `json:"seen"` // ids of checks and comments
	At     []time.Time `json:"at"`   // of the messages of the last hour
	Number int         `json:"number"`
	Next   *PullNotice `json:"next,omitempty"` // is being stored as a message: again after a crash, with the same key
}

// PullNotice is a message about a pull request.
type PullNotice struct {
	Text string   `json:"text"`
	Seen []string `json:"seen"` // what it tells of
}

// Words returns the number and the state of a pull request: "#12 open, 2 fail".
func (p *PullRequest) Words() string {
	words := fmt.Sprintf("#%d %s", p.Number, p.State)
	if p.State == PullOpen && p.Checks != "" {
		words += ", checks " + p.Checks
	}
	if p.Problem != "" {
		words += ", cannot be read"
	}
	return words
}

// OpenPullRequestRequest opens a pull request for an agent's branch.
type OpenPullRequestRequest struct {
	Agent string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
	Title string `json:"title,omitempty" doc:"By default the subject of its first commit." max:"250"`
	Body  string `json:"body,omitempty" doc:"By default what its commits say." max:"20000"`
	Base  string `json:"base,omitempty" doc:"The branch into which it goes; by default the one that the agent's came from." max:"200"`
	Draft bool   `json:"draft,omitempty" doc:"Open it as a draft."`
	Stop  bool   `json:"stop,omitempty" doc:"Open none, and tell the agent no more of the one that it has."`
}

// OpenPullRequestResult is the pull request of the agent.
type OpenPullRequestResult struct {
	Answer
	AgentID string       `json:"agent_id"`
	Name    string       `json:"name"`
	Pull    *PullRequest `json:"pull_request"`
	Opened  bool         `json:"opened"` // now; else it was there
	Message string       `json:"message"`
}

// Said says what was done.
func (r *OpenPullRequestResult) Said() string { return r.Message }
