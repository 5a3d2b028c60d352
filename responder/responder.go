// Package responder is one call to a model: it asks a server that speaks chat
// completions, follows the answer as it is written, runs the tools that the model asks
// for, and says why when there is no answer. It keeps nothing.
package responder

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"parley"
)

// HostedURL is the server that is asked when none is named.
const HostedURL = "https://api.openai.com/v1"

const (
	// tries is how often one request is sent at most, when it is refused before an
	// answer has begun.
	tries = 3
	// maxToolCalls is how many tools run in one round; a model that wants more is
	// lost.
	maxToolCalls = 8
	// maxAnswer is in bytes. The longest answers of hosted models are a quarter of it.
	maxAnswer = 1 << 20
)

// Options is what a Client is made of.
type Options struct {
	Getenv  func(string) string // where keys come from
	HTTP    *http.Client        // one that follows no redirects by default: a key stays with its server
	Backoff time.Duration       // before the second try, twice that before the third; 500 ms by default
	Now     func() time.Time    // time.Now by default
}

// Client calls models. It may be used concurrently.
type Client struct{ opts Options }

// New makes a client.
func New(opts Options) *Client {
	if opts.HTTP == nil {
		opts.HTTP = &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	if opts.Backoff == 0 {
		opts.Backoff = 500 * time.Millisecond
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Client{opts}
}

// Answer asks a model and returns its whole answer. Every error is a
// MODEL_UNAVAILABLE with its reason; ctx's deadline is the answer's.
func (c *Client) Answer(ctx context.Context, q parley.ModelQuestion) (parley.ModelAnswer, error) {
	began := c.opts.Now()
	var a parley.ModelAnswer
	err := c.answer(ctx, &q, &a)
	a.Usage.Latency = c.opts.Now().Sub(began)
	a.Usage.LatencyMS = a.Usage.Latency.Milliseconds()
	if err != nil {
		a.Text = ""
	}
	return a, err
}

// Problem says what keeps a question from being asked at all, nil for nothing that can
// be told beforehand.
func (c *Client) Problem(q parley.ModelQuestion) error {
	_, err := c.options(&q)
	return err
}

// options are where the question goes and with which key.
func (c *Client) options(q *parley.ModelQuestion) ([]option.RequestOption, error) {
	base := q.BaseURL
	if base == "" {
		base = HostedURL
	}

	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, parley.NoModelAnswer(parley.ModelNoEndpoint, "base_url is %q, which is no address of a server", parley.CleanLine(base)).
			Suggest("Give one such as http://127.0.0.1:11434/v1.")
	}

	opts := []option.RequestOption{
		option.WithHTTPClient(c.opts.HTTP),
		option.WithBaseURL(strings.TrimSuffix(base, "/") + "/"),
		option.WithMaxRetries(0),
	}

	if q.KeyEnv == "" {
		return opts, nil
	}

	key := strings.TrimSpace(c.opts.Getenv(q.KeyEnv))
	if key == "" {
		return nil, parley.NoModelAnswer(parley.ModelNoKey, "the daemon's environment has no %s, which is to hold the key", q.KeyEnv).
			Suggest("Ask the operator to set %s and start the daemon again: parley down --keep-agents.", q.KeyEnv)
	}

	return append(opts, option.WithAPIKey(key)), nil
}

// answer asks until the model has no more use for tools, or has had its rounds.
func (c *Client) answer(ctx context.Context, q *parley.ModelQuestion, a *parley.ModelAnswer) error {
	opts, err := c.options(q)
	if err != nil {
		return err
	}

	service := openai.NewChatCompletionService(opts...)
	body, err := firstBody(q)
	if err != nil {
		return err
	}

	tools := body.Tools
	for round := 0; ; round++ {
		if body.Tools = tools; round >= q.Rounds {
			body.Tools = nil
		}

		said, err := c.ask(ctx, &service, body, a, q.Partial)
		if err != nil {
			return err
		}

		if len(said.calls) == 0 {
			a.Text, a.CutOff = said.text(), said.finish == "length"
			return said.check(round)
		}

		if body.Tools == nil {
			return parley.NoModelAnswer(parley.ModelMalformed, "the model went on calling tools after %d rounds instead of answering", q.Rounds).
				Suggest("Ask for less at once, or ask the operator to raise toolRounds.")
		}

		body.Messages = append(body.Messages, said.asMessage())
		for i, call := range said.calls {
			result := `{"success":false,"error_message":"too many calls at once"}`
			if i < maxToolCalls {
				result = q.RunTool(ctx, call.name, call.arguments.String())
				a.ToolCalls++
			}
			body.Messages = append(body.Messages, openai.ToolMessage(result, call.id))
		}
	}
}

// firstBody is the first request.
func firstBody(q *parley.ModelQuestion) (openai.ChatCompletionNewParams, error) {
	b := openai.ChatCompletionNewParams{Model: shared.ChatModel(q.Model),
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)}}
	if q.Temperature != nil {
		b.Temperature = param.NewOpt(*q.Temperature)
	}

	switch {
	case q.MaxTokens == 0:
	case q.BaseURL == "" || strings.TrimSuffix(q.BaseURL, "/") == HostedURL:
		b.MaxCompletionTokens = param.NewOpt(int64(q.MaxTokens)) // its newer models refuse max_tokens
	default:
		b.MaxTokens = param.NewOpt(int64(q.MaxTokens)) // other servers know no other name
	}

	if q.System != "" {
		b.Messages = append(b.Messages, openai.SystemMessage(q.System))
	}

	for _, t := range q.Turns {
		if t.Mine {
			b.Messages = append(b.Messages, openai.AssistantMessage(t.Text))
			continue
		}
		b.Messages = append(b.Messages, openai.UserMessage(t.Text))
	}

	for _, t := range q.Tools {
		var parameters shared.FunctionParameters
		if err := json.Unmarshal(t.Function.Parameters, &parameters); err != nil {
			return b, parley.NoModelAnswer(parley.ModelRefused, "the parameters of %s are no JSON schema: %w", t.Function.Name, err).
				Suggest("Ask the operator to switch the tools off.")
		}

		b.Tools = append(
			b.Tools,
			openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: t.Function.Name,
				Description: param.NewOpt(t.Function.Description), Parameters: parameters}),
		)
	}

	return b, nil
}
