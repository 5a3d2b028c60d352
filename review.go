package parley

// ReviewAgentRequest sends comments on what an agent has changed, as one message with file and line.
type ReviewAgentRequest struct {
	Agent          string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
	Sheet          string `json:"sheet" required:"true" doc:"The diff of diff_agent, or those lines of it that matter, with comments: each line of one begins with > and stands below the line that it is about." max:"900000"`
	IdempotencyKey string `json:"idempotency_key,omitempty" doc:"Your own key: a repeated call changes nothing." max:"200"`
}
