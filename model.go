package parley

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// ModelTurn is one earlier message of the conversation.
type ModelTurn struct {
	Mine bool // whether the model wrote it
	Text string
}

// ModelQuestion is the input of one call to a model.
type ModelQuestion struct {
	Model       string
	BaseURL     string   // of a server with the chat completions API; OpenAI's if ""
	KeyEnv      string   // the environment variable that contains the key; "" for none
	Temperature *float64 // nil: the server's default
	MaxTokens   int      // of the answer; 0: the server's default
	LimitField  string   // the server's name for MaxTokens, as in ResponderExtras
	System      string   // may be empty
	Turns       []ModelTurn

	Tools []Tool
	// Rounds is how many rounds of tool calls the model may make before it must answer.
	Rounds int
	// RunTool returns a result or an error as text for the model.
	RunTool func(ctx context.Context, name, arguments string) string
	// Partial is called with the text so far, each time there is more. It may be nil.
	Partial func(text string)
}

// ModelAnswer is the result of a call. After an error the text is empty, and the usage
// says what the call cost nevertheless.
type ModelAnswer struct {
	Text      string
	CutOff    bool // it ended at max_tokens
	Usage     Usage
	ToolCalls int
}

// ModelReason says why a model gave no answer: it is the detail `reason` of
// MODEL_UNAVAILABLE.
type ModelReason string

// The reasons. New ones may be added; none is renamed.
const (
	ModelNoKey        ModelReason = "no_key"           // the variable for the key is empty
	ModelKeyRefused   ModelReason = "key_refused"      // the server rejects the key
	ModelNoEndpoint   ModelReason = "no_endpoint"      // nothing answers at the address
	ModelUnknown      ModelReason = "unknown_model"    // the server has no such model, or no such API
	ModelQuota        ModelReason = "quota"            // too many requests, or no credit left
	ModelContext      ModelReason = "context_too_long" // the conversation does not fit the model
	ModelRefused      ModelReason = "refused"          // the server rejects the request
	ModelServerError  ModelReason = "server_error"
	ModelMalformed    ModelReason = "malformed_answer" // the answer is malformed or incomplete
	ModelSlow         ModelReason = "slow_answer"      // the deadline passed
	ModelCancelled    ModelReason = "cancelled"        // the caller went away, or the daemon stopped
	ModelNotAnswering ModelReason = "not_answering"    // the daemon stopped before the answer came
)

// NoModelAnswer returns a MODEL_UNAVAILABLE error with a reason.
func NoModelAnswer(reason ModelReason, format string, args ...any) *Error {
	return Errorf(ModelUnavailable, format, args...).With("reason", string(reason))
}

// ReasonOf returns the reason of a MODEL_UNAVAILABLE error, and "" for other errors.
func ReasonOf(err error) ModelReason {
	if err == nil {
		return ""
	}
	reason, _ := AsError(err).Details["reason"].(string)
	return ModelReason(reason)
}

// UsageRequest asks what the answers of models cost.
type UsageRequest struct {
	Agent string     `json:"agent,omitempty" alias:"name,agent_id" doc:"Name or id of one agent; all by default."`
	Since *time.Time `json:"since,omitempty" doc:"Only calls after this time; of programs, from its day on."`
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
	Unmeasured   int   `json:"unmeasured"` // calls whose server did not report all tokens
}

// Add adds the calls of o to s.
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

// AgentUsage sums up the calls of one responder.
type AgentUsage struct {
	AgentID string `json:"agent_id"`
	Agent   string `json:"agent"`
	Spent
	Failures map[string]int `json:"failures,omitempty"` // by reason
	LastCall time.Time      `json:"last_call"`
}

// ModelCall is one call to a model, with or without an answer.
type ModelCall struct {
	AgentID   string      `json:"agent_id"`
	Agent     string      `json:"agent"`
	Caller    string      `json:"caller"` // the agent that was answered
	MessageID string      `json:"message_id"`
	ReplyID   string      `json:"reply_id,omitempty"`
	Model     string      `json:"model"`
	At        time.Time   `json:"at"`
	Reason    ModelReason `json:"error,omitempty"` // why there was no answer
	ToolCalls int         `json:"tool_calls,omitempty"`
	Usage
}

// UsageResult sums up all calls, in total and by agent, and lists the latest, newest
// first.
type UsageResult struct {
	Answer
	Total  Spent        `json:"total"`
	Agents []AgentUsage `json:"agents"`

	// Programs are what the programs of agents in terminals used, by name. Total does not have it.
	Programs []ProgramUsage `json:"programs"`

	Budget *BudgetUse `json:"budget,omitempty"` // of all programs together, if there is one

	Calls []ModelCall `json:"calls"`
}

// Tokens are what models read and wrote. No token is in two of the first four numbers.
type Tokens struct {
	Input      int64 `json:"input_tokens"`       // read, and neither taken from a cache nor put into one
	Cached     int64 `json:"cached_tokens"`      // taken from a cache
	CacheWrite int64 `json:"cache_write_tokens"` // put into a cache
	Output     int64 `json:"output_tokens"`      // written, with reasoning
	Reasoning  int64 `json:"reasoning_tokens"`   // of the output, as far as the program tells
}

// Total returns the number of all tokens.
func (t Tokens) Total() int64 { return t.Input + t.Cached + t.CacheWrite + t.Output }

// Plus returns the sum of both.
func (t Tokens) Plus(o Tokens) Tokens {
	return Tokens{
		t.Input + o.Input, t.Cached + o.Cached, t.CacheWrite + o.CacheWrite,
		t.Output + o.Output, t.Reasoning + o.Reasoning,
	}
}

// UsageUnknown says why it is not known what an agent used.
type UsageUnknown string

// The reasons. New ones may be added; none is renamed.
const (
	UsageNoReader     UsageUnknown = "no_reader"     // no transcript of this program can be read
	UsageNoTranscript UsageUnknown = "no_transcript" // its program has told of no transcript yet, or has not made it
	UsageUnreadable   UsageUnknown = "unreadable"    // the file cannot be read
	UsageUnknownForm  UsageUnknown = "unknown_form"  // this version of the program writes it in another form
)

// Words says it for people.
func (u UsageUnknown) Words() string {
	switch u {
	case "":
		return ""
	case UsageNoReader:
		return "not known: parley cannot read what this program used"
	case UsageNoTranscript:
		return "not known yet: parley has seen no transcript of its program"
	case UsageUnreadable:
		return "not known: its transcript cannot be read"
	case UsageUnknownForm:
		return "not known: its transcript is in a form that parley does not know"
	}
	return "not known: " + string(u)
}

// BudgetUse is how much of a day's budget is used.
type BudgetUse struct {
	Percent int    `json:"percent"` // more than 100 if it is exceeded
	Used    string `json:"used"`    // in words, such as "812k of 5000k tokens"
	Then    string `json:"then"`    // what follows when it is used up: warn, hold or pause
}

// Words says it for people.
func (b *BudgetUse) Words() string { return fmt.Sprintf("%d %% of its budget, %s", b.Percent, b.Used) }

// ProgramUsage is what the program of an agent used.
type ProgramUsage struct {
	AgentID string `json:"agent_id"`
	Agent   string `json:"agent"`
	Program string `json:"program,omitempty"` // its profile

	// Unknown says why more may have been used than the numbers tell; "" if they are whole.
	Unknown UsageUnknown `json:"unknown,omitempty"`

	Spending
	Today Spending `json:"today"`

	Budget *BudgetUse `json:"budget,omitempty"` // of this agent alone, if there is one

	Days []UsageDay `json:"days"` // the newest first
}

// UsageDay is what one model used on one day.
type UsageDay struct {
	Day   string `json:"day"` // of the daemon's machine, such as 2026-01-31
	Model string `json:"model"`
	Spending
}

// A model pays for what it reads. ForModel returns what of a long answer a model needs; programs get
// the whole answer.

// fewDeliveries are so many that a receipt shows each with its steps.
const fewDeliveries = 3

// ForModel returns the receipt without many deliveries: delivery_status says the same of each recipient.
func (r *SendMessageResult) ForModel() any {
	if len(r.Deliveries) <= fewDeliveries {
		return r
	}
	return struct {
		*SendMessageResult
		Deliveries *struct{} `json:"deliveries,omitempty"`
	}{SendMessageResult: r}
}

// ForModel returns the receipt without many deliveries: delivery_status says the same of each recipient.
func (r *BroadcastMessageResult) ForModel() any {
	if len(r.Deliveries) <= fewDeliveries {
		return r
	}
	return struct {
		*BroadcastMessageResult
		Deliveries *struct{} `json:"deliveries,omitempty"`
	}{BroadcastMessageResult: r}
}

// fewExceptions bounds the deliveries that a short status shows.
const fewExceptions = 10

// ForModel returns the status of many deliveries in short: how many there are in each state, those that are not
// delivered or that carry a warning, and the responses that are still owed. With all set in the request, a model
// gets the whole answer.
func (r *MessageStatusResult) ForModel() any {
	if len(r.Deliveries) <= fewDeliveries || r.Object == nil {
		return r
	}

	counts, exceptions := map[DeliveryState]int{}, []Delivery{}
	for i := range r.Deliveries {
		d := &r.Deliveries[i]
		counts[d.State]++
		if !d.State.Delivered() || d.Warning() != "" {
			exceptions = append(exceptions, *d)
			exceptions[len(exceptions)-1].Steps = nil
		}
	}

	shown := min(len(exceptions), fewExceptions)
	message := *r.Object
	message.Recipients = nil

	return struct {
		*MessageStatusResult
		Object         *Message              `json:"message_object"`
		DeliveryStatus *struct{}             `json:"delivery_status,omitempty"`
		Counts         map[DeliveryState]int `json:"delivery_counts"`
		Deliveries     []Delivery            `json:"deliveries"` // the exceptions
		More           int                   `json:"more_exceptions,omitempty"`
		Responses      []Debt                `json:"responses,omitempty"`
		Note           string                `json:"note"`
	}{
		MessageStatusResult: r, Object: &message, Counts: counts,
		Deliveries: exceptions[:shown], More: len(exceptions) - shown,
		Responses: slices.DeleteFunc(slices.Clone(r.Responses), func(d Debt) bool { return d.AnsweredBy != "" }),
		Note:      "Only exceptions are shown; all: true shows every delivery.",
	}
}

// agentInShort is an agent in a list. Fields without a value are left out.
type agentInShort struct {
	ID           string       `json:"id"`
	Name         string       `json:"name"`
	Role         string       `json:"role,omitempty"`
	Description  string       `json:"description,omitempty"`
	Capabilities []string     `json:"capabilities,omitempty"`
	Groups       []string     `json:"groups,omitempty"`
	Kind         AgentKind    `json:"kind"`
	State        AgentState   `json:"state"`
	Since        time.Time    `json:"since"`
	Availability Availability `json:"availability"`
	LimitedUntil *time.Time   `json:"limited_until,omitempty"`
	WaitsFor     string       `json:"waits_for,omitempty"`
	Unread       int          `json:"unread,omitempty"`
	Owed         int          `json:"owed_replies,omitempty"`
	Overdue      int          `json:"overdue_replies,omitempty"`
	Orchestrate  bool         `json:"orchestrate,omitempty"`
}

// ForModel returns a list of agents in short: where they run, and how their states are known, is told
// of one that is asked for by name.
func (r *AgentStatusResult) ForModel() any {
	if len(r.Agents) < 2 {
		return r
	}

	agents := make([]agentInShort, len(r.Agents))
	for i := range r.Agents {
		a := &r.Agents[i]
		agents[i] = agentInShort{
			ID: a.ID, Name: a.Name, Role: a.Role, Description: a.Description, Capabilities: a.Capabilities,
			Groups: a.Groups, Kind: a.Kind, State: a.State, Since: a.Since.Truncate(time.Second),
			Availability: a.Availability, LimitedUntil: a.LimitedUntil, WaitsFor: a.WaitsFor, Unread: a.Unread,
			Owed: a.Owed, Overdue: a.Overdue, Orchestrate: a.Orchestrate,
		}
	}

	return struct {
		*AgentStatusResult
		Agents []agentInShort `json:"agents"`
	}{r, agents}
}

// Tool is an operation in the form of the chat completions API: an element of `tools`.
type Tool struct {
	Type     string   `json:"type"` // function
	Function Function `json:"function"`
}

// Function describes a tool for a model.
type Function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // a JSON schema of an object
}
