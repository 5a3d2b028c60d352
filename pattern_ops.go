package parley

import "time"

// BroadcastUpdateRequest tells the team what has come about.
type BroadcastUpdateRequest struct {
	UpdateType     string        `json:"update_type" required:"true" enum:"progress,discovery,issue,completion" doc:"What kind of news it is."`
	Content        UpdateContent `json:"content" required:"true" object:"true" doc:"The news; a summary at least."`
	Urgency        string        `json:"urgency,omitempty" enum:"info,attention,action_required,critical" default:"info" doc:"action_required makes them owe you an answer."`
	IdempotencyKey string        `json:"idempotency_key,omitempty" doc:"Your own key: a repeated call changes nothing." max:"200"`
}

// UpdateContent is the body of an update.
type UpdateContent struct {
	Summary        string `json:"summary"`
	Details        string `json:"details,omitempty"`
	Impact         string `json:"impact,omitempty"`
	ActionRequired bool   `json:"action_required,omitempty"`
}

// Validate refuses an update that says nothing.
func (r *BroadcastUpdateRequest) Validate() error {
	if CleanLine(r.Content.Summary) == "" {
		return Errorf(InvalidArgument, "content.summary is missing").With("parameter", "content.summary").
			Suggest("Say in content.summary, in a sentence, what has come about.")
	}
	return nil
}

// BroadcastUpdateResult is the receipt of an update.
type BroadcastUpdateResult struct {
	Answer
	BroadcastID    string         `json:"broadcast_id"`
	Recipients     []string       `json:"recipients"` // agent ids
	Timestamp      time.Time      `json:"timestamp"`
	DeliveryStatus DeliveryStatus `json:"delivery_status"`
}

// RequestAssistanceRequest asks for help.
type RequestAssistanceRequest struct {
	AssistanceType       string         `json:"assistance_type" required:"true" enum:"expertise,resources,review,collaboration" doc:"What kind of help."`
	TargetAgents         Names          `json:"target_agents,omitempty" doc:"Names or ids." max:"200"`
	RequiredCapabilities []string       `json:"required_capabilities,omitempty" doc:"What the helper must be able to do." max:"50"`
	RequestDetails       RequestDetails `json:"request_details" required:"true" object:"true" doc:"What you need; the deadline in RFC 3339."`
	IdempotencyKey       string         `json:"idempotency_key,omitempty" doc:"Your own key: a repeated call changes nothing." max:"200"`
}

// RequestDetails says what help is needed.
type RequestDetails struct {
	Description string     `json:"description"`
	Context     string     `json:"context,omitempty"`
	Deadline    *time.Time `json:"deadline,omitempty"`
	Priority    Priority   `json:"priority,omitempty"`
}

// Validate checks the details.
func (r *RequestAssistanceRequest) Validate() error {
	if CleanLine(r.RequestDetails.Description) == "" {
		return Errorf(
			InvalidArgument,
			"request_details.description is missing",
		).With("parameter", "request_details.description").
			Suggest("Say in request_details.description what help is needed.")
	}

	if r.RequestDetails.Priority != "" {
		return oneOf(
			"request_details.priority",
			string(r.RequestDetails.Priority),
			enumOf[SendMessageRequest]("priority"),
		)
	}

	return nil
}

// RequestAssistanceResult says who was asked and who could help.
type RequestAssistanceResult struct {
	Answer
	RequestID           string          `json:"request_id"`
	PotentialResponders []PotentialHelp `json:"potential_responders"` // the best first
	BroadcastSent       bool            `json:"broadcast_sent"`       // everyone was asked
	Timestamp           time.Time       `json:"timestamp"`
	DeliveryStatus      DeliveryStatus  `json:"delivery_status"`
	ResponseDeadline    *time.Time      `json:"response_deadline,omitempty"`
}

// PotentialHelp is an agent that could help.
type PotentialHelp struct {
	AgentID         string       `json:"agent_id"`
	Agent           string       `json:"agent"` // its name
	Role            string       `json:"role"`
	CapabilityMatch float64      `json:"capability_match"` // 0 to 1
	Availability    Availability `json:"availability"`
}
