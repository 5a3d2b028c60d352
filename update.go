package parley

// UpdateAgentRequest describes a running agent as it is to be, in the same way as its launch.
type UpdateAgentRequest struct {
	LaunchAgentRequest
	DryRun bool `json:"dry_run,omitempty" doc:"Only say what differs, and change nothing."`
	Fresh  bool `json:"fresh,omitempty" doc:"If it must be restarted, begin a new conversation. Without this, a change that would lose the conversation is refused."`
}

// Means says by what means a change comes about.
type Means string

// The means of a change.
const (
	InPlace   Means = "in_place" // the agent runs on
	ByMessage Means = "message"  // the agent gets its prompt as a message
	ByRestart Means = "restart"  // the program is started again
)

// Change is one way in which an agent differs from what it is to be. The values of variables are not
// in it.
type Change struct {
	What  string `json:"what"` // command, dir, model, env NAME, prompt, groups …
	Now   string `json:"now,omitempty"`
	Then  string `json:"then,omitempty"`
	Means Means  `json:"means"`
}

// UpdateAgentResult says what differs, and whether it was changed.
type UpdateAgentResult struct {
	Answer
	AgentID string   `json:"agent_id"`
	Name    string   `json:"name"`
	Changes []Change `json:"changes"` // none if nothing differs
	Changed bool     `json:"changed"`
	// LosesConversation says that the changes restart the program without its conversation.
	LosesConversation bool `json:"loses_conversation,omitempty"`

	Launched        *LaunchAgentResult `json:"launched,omitempty"` // if the program was started again
	PromptMessageID string             `json:"prompt_message_id,omitempty"`
}
