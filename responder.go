package parley

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"parley/plain"
)

// ResponderConfig says how a model answers for an agent: the special_agent_config of
// register_agent and add_responder.
type ResponderConfig struct {
	ModelID      string          `json:"model_id"`
	SystemPrompt string          `json:"system_prompt,omitempty"`
	Temperature  *float64        `json:"temperature,omitempty"` // the server's default if absent
	MaxTokens    int             `json:"max_tokens,omitempty"`  // the server's default if absent
	BaseURL      string          `json:"base_url,omitempty"`    // OpenAI's server if empty, or OPENAI_BASE_URL
	APIKeyEnv    string          `json:"api_key_env,omitempty"` // the variable of the daemon's environment that contains the key
	Additional   ResponderExtras `json:"additional_config,omitzero"`
}

// ResponderExtras is the additional_config of a ResponderConfig.
type ResponderExtras struct {
	PromptFormat   string `json:"promptFormat,omitempty" yaml:"promptFormat" doc:"How a new message is shown to the model; {message} is its text, {sender} its sender."`
	PostProcessing string `json:"responsePostProcessing,omitempty" yaml:"responsePostProcessing" doc:"How an answer is processed, separated by commas: trim, strip_thinking, strip_name, single_line, none; trim by default."`
	Persistence    *bool  `json:"conversationPersistence,omitempty" yaml:"conversationPersistence" doc:"false: the model does not see earlier messages."`
	HistoryLength  *int   `json:"historyLength,omitempty" yaml:"historyLength" doc:"How many earlier messages the model sees: 0 to 100, 10 by default."`
	Tools          bool   `json:"tools,omitempty" yaml:"tools" doc:"Let the model see who is there, and look into its own conversations and messages."`
	MaxTokensField string `json:"maxTokensField,omitempty" yaml:"maxTokensField" doc:"The server's name for max_tokens: max_tokens or max_completion_tokens. By default, the latter at OpenAI and the former elsewhere."`
	ToolRounds     int    `json:"toolRounds,omitempty" yaml:"toolRounds" doc:"How many rounds of tool calls it may make before it must answer: 1 to 10, 3 by default."`
}

// The defaults of a responder.
const (
	DefaultHistory    = 10
	DefaultToolRounds = 3
	DefaultKeyEnv     = "OPENAI_API_KEY" // where no base_url is given
)

// The names that servers have for the longest answer.
const (
	LimitTokens           = "max_tokens"
	LimitCompletionTokens = "max_completion_tokens"
)

// The steps that change an answer before it is delivered.
const (
	PostTrim          = "trim"           // removes surrounding space
	PostStripThinking = "strip_thinking" // removes <think>…</think>
	PostStripName     = "strip_name"     // removes the responder's own name and a colon at the start
	PostSingleLine    = "single_line"
	PostNone          = "none"
)

var postSteps = []string{PostTrim, PostStripThinking, PostStripName, PostSingleLine, PostNone}

// PostSteps returns the steps that change an answer, in order.
func (e *ResponderExtras) PostSteps() []string {
	var steps []string
	for step := range strings.SplitSeq(cmp.Or(e.PostProcessing, PostTrim), ",") {
		if step = strings.ToLower(strings.TrimSpace(step)); step != "" && step != PostNone {
			steps = append(steps, step)
		}
	}
	return steps
}

// History returns how many earlier messages the model sees.
func (e *ResponderExtras) History() int {
	switch {
	case e.Persistence != nil && !*e.Persistence:
		return 0
	case e.HistoryLength == nil:
		return DefaultHistory
	}
	return *e.HistoryLength
}

// Responder is the configuration of an agent for which a model answers, and its origin.
type Responder struct {
	ResponderConfig
	AutoRespond bool            `json:"auto_respond"` // false: the agent is a mailbox for now
	Origin      ResponderOrigin `json:"origin"`
}

// ResponderOrigin says where a responder was declared.
type ResponderOrigin string

// The origins of responders.
const (
	FromFile         ResponderOrigin = "parley.yaml"
	FromOperator     ResponderOrigin = "operator"
	FromRegistration ResponderOrigin = "registration"
)

// DeclaredResponder is a responder of parley.yaml.
type DeclaredResponder struct {
	Name, Description, Role string
	Capabilities, Groups    []string
	Responder
}

var envForm = expression(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)

// Check fills in the defaults, and returns an INVALID_ARGUMENT error for a value that is
// out of range.
func (c *ResponderConfig) Check() error {
	refuse := func(name string, value any, instead string) error {
		return Errorf(InvalidArgument, "%s is %v", name, value).With("parameter", name).Suggest("Give %s.", instead)
	}

	c.ModelID, c.BaseURL, c.APIKeyEnv = plain.CleanLine(c.ModelID), plain.CleanLine(c.BaseURL),
		strings.TrimSpace(c.APIKeyEnv)
	if c.BaseURL == "" && c.APIKeyEnv == "" {
		c.APIKeyEnv = DefaultKeyEnv
	}

	x := &c.Additional
	for _, step := range x.PostSteps() {
		if err := OneOf("responsePostProcessing", step, postSteps); err != nil {
			return err
		}
	}

	if x.MaxTokensField != "" {
		fields := []string{LimitTokens, LimitCompletionTokens}
		if err := OneOf("maxTokensField", x.MaxTokensField, fields); err != nil {
			return err
		}
	}

	base, err := url.Parse(c.BaseURL)
	switch {
	case c.ModelID == "" || len(c.ModelID) > 200:
		return refuse("model_id", quoted(c.ModelID), "the model's name, such as gpt-4-turbo")
	case len(c.SystemPrompt) > maxSystemPrompt:
		return refuse("system_prompt", "too long", "100,000 bytes at most")
	case c.Temperature != nil && (*c.Temperature < 0 || *c.Temperature > 2):
		return refuse("temperature", *c.Temperature, "a number from 0 to 2")
	case c.MaxTokens < 0 || c.MaxTokens > 1_000_000:
		return refuse("max_tokens", c.MaxTokens, "a number from 1 to 1000000")
	case c.BaseURL != "" && (err != nil || base.Host == "" || base.User != nil ||
		base.Scheme != "http" && base.Scheme != "https"):
		return refuse("base_url", "not the address of a server",
			"one such as http://127.0.0.1:11434/v1, without a password in it")
	case c.APIKeyEnv != "" && !envForm().MatchString(c.APIKeyEnv):
		return refuse(
			"api_key_env", "not the name of a variable", "the name of an environment variable, never the key itself",
		)
	case x.PromptFormat != "" && !strings.Contains(x.PromptFormat, "{message}"):
		return refuse("promptFormat", quoted(x.PromptFormat), "one with {message} in it, which is where the text goes")
	case len(x.PromptFormat) > maxPromptFormat:
		return refuse("promptFormat", "too long", "10,000 bytes at most")
	case x.HistoryLength != nil && (*x.HistoryLength < 0 || *x.HistoryLength > 100):
		return refuse("historyLength", *x.HistoryLength, "a number from 0 to 100")
	case x.ToolRounds < 0 || x.ToolRounds > 10:
		return refuse("toolRounds", x.ToolRounds, "a number from 1 to 10")
	}

	return nil
}

// Both are sent with every question and have to leave room for the conversation.
const (
	maxSystemPrompt = 100_000
	maxPromptFormat = 10_000
)

func quoted(text string) string { return `"` + plain.CleanLine(plain.Truncate(text, 60)) + `"` }

// Words returns the model, its server and the variable of the key in words.
func (c *ResponderConfig) Words() string {
	words := c.ModelID + " at " + cmp.Or(c.BaseURL, "OpenAI, or OPENAI_BASE_URL")
	if c.APIKeyEnv != "" {
		words += ", with the key in $" + c.APIKeyEnv
	}
	return words
}

// AddResponderRequest adds a responder or changes one.
type AddResponderRequest struct {
	Name         string           `json:"name" alias:"username,agent" required:"true" doc:"Its name: a letter, then letters, digits, - or _, at most 32."`
	Config       *ResponderConfig `json:"special_agent_config" required:"true" object:"true" doc:"model_id, system_prompt, temperature, max_tokens, base_url, api_key_env, additional_config."`
	AutoRespond  *bool            `json:"auto_respond,omitempty" doc:"no: it stays a mailbox for now; yes by default."`
	Description  string           `json:"description,omitempty" alias:"agent_description" doc:"Its purpose, in a sentence." max:"2000"`
	Role         string           `json:"role,omitempty" doc:"Its role in the team." max:"100"`
	Capabilities []string         `json:"capabilities,omitempty" doc:"What it can do: words or short phrases." max:"50"`
	Groups       []string         `json:"groups,omitempty" doc:"Its groups." max:"50"`
}

// Validate checks the name and the configuration.
func (r *AddResponderRequest) Validate() error {
	if err := CheckName(r.Name); err != nil {
		return err
	}
	if r.Config == nil {
		return Errorf(InvalidArgument, "special_agent_config is missing").With("parameter", "special_agent_config").
			Suggest("Give at least its model_id.")
	}
	return r.Config.Check()
}

// AddResponderResult is the responder after the call.
type AddResponderResult struct {
	Answer
	AgentID string `json:"agent_id"`
	Agent   string `json:"agent"`
	Message string `json:"message"`
	Problem string `json:"problem,omitempty"` // why it cannot answer now, if that is known
}

// Said says what was done.
func (r *AddResponderResult) Said() string { return r.Message }

// ListRespondersRequest has no parameters.
type ListRespondersRequest struct{}

// ResponderStatus is a responder with its state.
type ResponderStatus struct {
	AgentID  string     `json:"agent_id"`
	Agent    string     `json:"agent"`
	State    AgentState `json:"state"`
	Approval Approval   `json:"approval"`
	Answers  bool       `json:"answers"` // whether it is approved, not stopped, and set to answer
	Responder
	Problem string `json:"problem,omitempty"` // why it cannot answer now, if that is known
}

// ListRespondersResult lists responders by name.
type ListRespondersResult struct {
	Answer
	Responders []ResponderStatus `json:"responders"`
}

// Reply is a responder's answer to the message of the same call.
type Reply struct {
	MessageID string    `json:"message_id"`
	Text      string    `json:"text"`
	Timestamp time.Time `json:"timestamp"`
	Usage     Usage     `json:"usage"`
	CutOff    bool      `json:"cut_off,omitempty"` // it ended at max_tokens
}

// IsCommand returns a text as a command, and reports whether it is one: parley answers
// commands itself and does not pass them on to the model.
func IsCommand(text string) (string, bool) {
	command := strings.ToLower(strings.TrimSpace(text))
	return command, slices.Contains([]string{CommandHelp, CommandReset, CommandStatus}, command)
}

// The commands of responders.
const (
	CommandHelp   = "/help"
	CommandReset  = "/reset"
	CommandStatus = "/status"
)

// Usage says what an answer cost.
type Usage struct {
	InputTokens  int           `json:"input_tokens"`
	OutputTokens int           `json:"output_tokens"`
	Requests     int           `json:"requests"` // to the model's server, including retries
	Latency      time.Duration `json:"-"`
	LatencyMS    int64         `json:"latency_ms"`
	Unmeasured   bool          `json:"unmeasured,omitempty"` // the server did not report all tokens
}

// Spending is what models used, and what that cost.
type Spending struct {
	Responses int `json:"responses"` // of models
	Tokens
	Cost     float64  `json:"cost"`               // by the prices of parley.yaml
	Unpriced []string `json:"unpriced,omitempty"` // models that have no price there: they are not in the cost
}

// Quota is what is used of the account that a program works on, as its provider said last. Agents with the same
// account share it.
type Quota struct {
	Account string        `json:"account"` // the program, and the directory where it keeps its sign-in
	At      time.Time     `json:"at"`      // when the provider said so
	Windows []QuotaWindow `json:"windows"`
}

// QuotaWindow is what is used of the quota of one span of time.
type QuotaWindow struct {
	Name     string     `json:"window"` // such as 5h, 7d or session
	Used     float64    `json:"used_percent"`
	ResetsAt *time.Time `json:"resets_at,omitempty"` // if it is known
}

// String says how much is used: 85% of 5h.
func (w QuotaWindow) String() string { return fmt.Sprintf("%.0f%% of %s", w.Used, w.Name) }

// ScarceQuota is how much of a quota, in percent, is used when lists show it at a glance.
const ScarceQuota = 80

// Since returns the windows that are not over at a time, nil if none is left.
func (q *Quota) Since(now time.Time) *Quota {
	if q == nil {
		return nil
	}
	left := Quota{Account: q.Account, At: q.At}
	for _, w := range q.Windows {
		if w.ResetsAt == nil || w.ResetsAt.After(now) {
			left.Windows = append(left.Windows, w)
		}
	}
	if len(left.Windows) == 0 {
		return nil
	}
	return &left
}

// Words says how much of the windows is used of which at least a number of percent are, the shortest first.
func (q *Quota) Words(least float64) string {
	if q == nil {
		return ""
	}
	var words []string
	for _, w := range q.Windows {
		if w.Used < least {
			continue
		}
		word := w.String()
		if w.ResetsAt != nil {
			word += " until " + plain.FormatEnd(*w.ResetsAt)
		}
		words = append(words, word)
	}
	return strings.Join(words, " · ")
}
