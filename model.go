package parley

import (
	"context"
	"time"
)

// ModelTurn is what one side said before.
type ModelTurn struct {
	Mine bool // the model said it; else it was said to the model
	Text string
}

// ModelQuestion is all that one call to a model takes.
type ModelQuestion struct {
	Model       string
	BaseURL     string   // of a server that speaks chat completions; "" is the hosted one of OpenAI
	KeyEnv      string   // the environment variable that holds the key; "" for none
	Temperature *float64 // nil: the server's own
	MaxTokens   int      // of the answer; 0: the server's own
	System      string   // may be empty
	Turns       []ModelTurn

	Tools   []Tool
	Rounds  int                                                      // how often the model may have tools run before it has to answer
	RunTool func(ctx context.Context, name, arguments string) string // its answer, errors too, is for the model
	Partial func(text string)                                        // told what is written so far, each time there is more; may be nil
}

// ModelAnswer is what came of a call. With an error the text is empty, and the usage is
// what was spent all the same.
type ModelAnswer struct {
	Text      string
	CutOff    bool // it ended because max_tokens were written
	Usage     Usage
	ToolCalls int
}

// Usage is what answering took.
type Usage struct {
	InputTokens  int           `json:"input_tokens"`
	OutputTokens int           `json:"output_tokens"`
	Requests     int           `json:"requests"` // to the model's server, tries again among them
	Latency      time.Duration `json:"-"`
	LatencyMS    int64         `json:"latency_ms"`
	Unmeasured   bool          `json:"unmeasured,omitempty"` // the server did not say how many tokens all of it took
}

// ModelReason says why a model gave no answer: the detail `reason` of
// MODEL_UNAVAILABLE.
type ModelReason string

// The reasons. They are added, never renamed.
const (
	ModelNoKey        ModelReason = "no_key"           // the variable that should hold the key is empty
	ModelKeyRefused   ModelReason = "key_refused"      // the server does not take the key
	ModelNoEndpoint   ModelReason = "no_endpoint"      // nothing answers there
	ModelUnknown      ModelReason = "unknown_model"    // the server has no such model, or no such API
	ModelQuota        ModelReason = "quota"            // too many requests, or nothing left to pay with
	ModelContext      ModelReason = "context_too_long" // the conversation does not fit the model
	ModelRefused      ModelReason = "refused"          // the server does not take the request
	ModelServerError  ModelReason = "server_error"
	ModelMalformed    ModelReason = "malformed_answer" // what came is no answer, or not all of one
	ModelSlow         ModelReason = "slow_answer"      // the deadline passed
	ModelCancelled    ModelReason = "cancelled"        // who asked has gone, or the daemon ended
	ModelNotAnswering ModelReason = "not_answering"    // the daemon ended before there was an answer
)

// NoModelAnswer is a MODEL_UNAVAILABLE for a reason.
func NoModelAnswer(reason ModelReason, format string, args ...any) *Error {
	return Errorf(ModelUnavailable, format, args...).With("reason", string(reason))
}

// ReasonOf returns why a model gave no answer, "" for other errors.
func ReasonOf(err error) ModelReason {
	if err == nil {
		return ""
	}
	reason, _ := AsError(err).Details["reason"].(string)
	return ModelReason(reason)
}

// UsageRequest asks what models' answers took.
type UsageRequest struct {
	Agent string     `json:"agent,omitempty" alias:"name,agent_id" doc:"Name or id of one responder; all by default."`
	Since *time.Time `json:"since,omitempty" doc:"Only calls after this time (RFC 3339)."`
	Calls int        `json:"calls,omitempty" doc:"How many of the latest calls to list." min:"0" max:"1000"`
}

// Spent sums up calls to models.
type Spent struct {
	Calls        int   `json:"calls"`
	Answered     int   `json:"answered"`
	Failed       int   `json:"failed"`
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
	Requests     int   `json:"requests"`   // to the models' servers
	LatencyMS    int64 `json:"latency_ms"` // of all calls together
	Unmeasured   int   `json:"unmeasured"` // calls of which the server did not say all tokens
}

// Add adds other calls.
func (s *Spent) Add(o Spent) {
	s.Calls += o.Calls
	s.Answered += o.Answered
	s.Failed += o.Failed
	s.InputTokens += o.InputTokens
	s.OutputTokens += o.OutputTokens
	s.Requests += o.Requests
	s.LatencyMS += o.LatencyMS
	s.Unmeasured += o.Unmeasured
}

// AgentUsage is what a responder's answers took.
type AgentUsage struct {
	AgentID string `json:"agent_id"`
	Agent   string `json:"agent"`
	Spent
	Failures map[string]int `json:"failures,omitempty"` // by reason
	LastCall time.Time      `json:"last_call"`
}

// ModelCall is one call to a model, whatever came of it.
type ModelCall struct {
	AgentID   string      `json:"agent_id"`
	Agent     string      `json:"agent"`
	Caller    string      `json:"caller"` // who is answered
	MessageID string      `json:"message_id"`
	ReplyID   string      `json:"reply_id,omitempty"`
	Model     string      `json:"model"`
	At        time.Time   `json:"at"`
	Reason    ModelReason `json:"error,omitempty"` // why there was no answer
	ToolCalls int         `json:"tool_calls,omitempty"`
	Usage
}

// UsageResult is all calls summed up, by agent, and the last of them, the newest first.
type UsageResult struct {
	Answer
	Total  Spent        `json:"total"`
	Agents []AgentUsage `json:"agents"`
	Calls  []ModelCall  `json:"calls"`
}
