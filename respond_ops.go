package parley

import (
	"encoding/json"
	"time"
)

// ResponseStatus is how a formal response answers what was asked.
type ResponseStatus string

// The statuses of a response, and of what is owed before there is one.
const (
	ResponseOpen      ResponseStatus = "open"      // nothing has come yet
	ResponseCompleted ResponseStatus = "completed" // answered
	ResponsePartial   ResponseStatus = "partial"   // answered in part; the rest is still owed
	ResponseUnable    ResponseStatus = "unable"    // it will not be answered
	ResponseDelegated ResponseStatus = "delegated" // others are to answer
)

// Owed reports whether an answer is still to come.
func (s ResponseStatus) Owed() bool { return s == ResponseOpen || s == ResponsePartial }

// Debt is a required response: who owes it, or has given it.
type Debt struct {
	MessageID      string         `json:"message_id"`
	DebtorID       string         `json:"agent_id"`
	Debtor         string         `json:"agent"` // its name
	State          ResponseStatus `json:"state"`
	DueAt          time.Time      `json:"due_at"`
	AnsweredBy     string         `json:"answered_by,omitempty"` // the id of the last response
	AnsweredAt     *time.Time     `json:"answered_at,omitempty"`
	Late           bool           `json:"late,omitempty"`
	RemindedAt     *time.Time     `json:"reminded_at,omitempty"`
	SenderToldAt   *time.Time     `json:"sender_told_at,omitempty"`
	OperatorToldAt *time.Time     `json:"operator_told_at,omitempty"`
}

// RespondToMessageRequest answers a message.
type RespondToMessageRequest struct {
	MessageID            string          `json:"message_id" alias:"original_message_id" required:"true" doc:"Id, or its first eight characters."`
	Text                 string          `json:"text" alias:"response,response_content" required:"true" doc:"1 to 2,000 characters."`
	Status               ResponseStatus  `json:"status,omitempty" enum:"completed,partial,unable,delegated" doc:"Only for a required response."`
	Data                 json.RawMessage `json:"data,omitempty" doc:"For programs." object:"true"`
	AdditionalRecipients Names           `json:"additional_recipients,omitempty" doc:"Who else gets it; if delegated, who answers instead." max:"200"`
	IdempotencyKey       string          `json:"idempotency_key,omitempty" doc:"Your own key: a repeated call changes nothing." max:"200"`
}

// RespondToMessageResult is the receipt of an answer.
type RespondToMessageResult struct {
	Answer
	ResponseMessageID string         `json:"response_message_id"`
	OriginalUpdated   bool           `json:"original_message_updated"` // whether this answer changed where the original stands
	Timestamp         time.Time      `json:"timestamp"`
	MessageID         string         `json:"message_id"` // the same as response_message_id
	DeliveryStatus    DeliveryStatus `json:"delivery_status"`
	Reply             *Reply         `json:"reply,omitempty"`      // of a responder whose message was answered
	ErrorCode         Code           `json:"error_code,omitempty"` // set when success is false
	Action            string         `json:"suggested_action,omitempty"`
}

// Failure returns the code of an answer that nobody can get: who asked is
// terminated. It is "" otherwise.
func (r *RespondToMessageResult) Failure() Code { return r.ErrorCode }

// IgnoreMessageRequest lets a message go unanswered.
type IgnoreMessageRequest struct {
	MessageID string `json:"message_id" required:"true" doc:"Id, or its first eight characters."`
	Reason    string `json:"reason,omitempty" doc:"Why, for the log." max:"500"`
}

// IgnoreMessageResult says that it is done.
type IgnoreMessageResult struct {
	Answer
	Message string `json:"message"` // Message marked as read
}
