// Package responder makes one call to a model: it asks a server for a chat completion,
// follows the answer as it is written, runs the tools that the model calls, and explains
// a failure. It stores nothing.
package responder

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley"
)

// HostedURL is the default server.
const HostedURL = "https://api.openai.com/v1"

const (
	// maxTries bounds how often one request is sent, if it fails before an answer begins.
	maxTries = 3
	// maxToolCalls bounds the tools that run in one round; a model that wants more has
	// lost its way.
	maxToolCalls = 8
	// maxAnswer is in bytes. The longest answers of hosted models are a quarter of it.
	maxAnswer = 1 << 20
)

// Options are the options of a Client.
type Options struct {
	Getenv  func(string) string // returns the keys
	HTTP    *http.Client        // default: one that follows no redirects, so that a key stays with its server
	Backoff time.Duration       // before the second try, twice that before the third; default 500 ms
	Now     func() time.Time    // default time.Now
}

// Client calls models. It is safe for concurrent use.
type Client struct{ opts Options }

// New returns a client.
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

// Answer asks a model and returns its whole answer, before ctx's deadline. Every error is
// MODEL_UNAVAILABLE with a reason.
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

// Problem returns the error that would keep a question from being sent, nil if none is
// known beforehand.
func (c *Client) Problem(q parley.ModelQuestion) error {
	_, err := c.server(&q)
	return err
}

// server returns the server for a question, with its key.
func (c *Client) server(q *parley.ModelQuestion) (endpoint, error) {
	base := q.BaseURL
	if base == "" {
		base = HostedURL
	}

	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return endpoint{}, parley.NoModelAnswer(parley.ModelNoEndpoint,
			"base_url is %q, which is no address of a server", parley.CleanLine(base)).
			Suggest("Give one such as http://127.0.0.1:11434/v1.")
	}

	e := endpoint{client: c.opts.HTTP, url: strings.TrimSuffix(base, "/")}
	if q.KeyEnv == "" {
		return e, nil
	}

	e.key = strings.TrimSpace(c.opts.Getenv(q.KeyEnv))
	if e.key == "" {
		return e, parley.NoModelAnswer(parley.ModelNoKey,
			"the daemon's environment has no %s, which should hold the key", q.KeyEnv).
			Suggest("Ask the operator to set %s and restart the daemon: parley down --keep-agents.", q.KeyEnv)
	}

	return e, nil
}

// answer sends requests and runs tools until the model answers without calling a tool, or
// has used up its rounds.
func (c *Client) answer(ctx context.Context, q *parley.ModelQuestion, a *parley.ModelAnswer) error {
	server, err := c.server(q)
	if err != nil {
		return err
	}

	body, err := firstBody(q)
	if err != nil {
		return err
	}

	req := &request{server: server, body: body, answer: a, partial: q.Partial}
	for round := 0; ; round++ {
		if round >= q.Rounds {
			req.body.Tools = nil
		}

		r, err := c.send(ctx, req)
		if err != nil {
			return err
		}

		if len(r.calls) == 0 {
			a.Text, a.CutOff = r.text(), r.finish == "length"
			return r.check(round)
		}

		if req.body.Tools == nil {
			return parley.NoModelAnswer(parley.ModelMalformed,
				"the model went on calling tools after %d rounds instead of answering", q.Rounds).
				Suggest("Ask for less at once, or ask the operator to raise toolRounds.")
		}

		req.body.Messages = append(req.body.Messages, r.asMessage())
		for i, call := range r.calls {
			result := `{"success":false,"error_message":"too many calls at once"}`
			if i < maxToolCalls {
				result = q.RunTool(ctx, call.name, call.arguments.String())
				a.ToolCalls++
			}
			req.body.Messages = append(req.body.Messages, chatMessage{Role: "tool", Content: result,
				ToolCallID: call.id})
		}
	}
}

// firstBody returns the body of the first request.
func firstBody(q *parley.ModelQuestion) (chatRequest, error) {
	b := chatRequest{
		Model: q.Model, Temperature: q.Temperature, Tools: q.Tools,
		Stream: true, StreamOptions: streamOptions{IncludeUsage: true},
	}

	if q.BaseURL == "" || strings.TrimSuffix(q.BaseURL, "/") == HostedURL {
		b.MaxCompletionTokens = q.MaxTokens // its newer models refuse max_tokens
	} else {
		b.MaxTokens = q.MaxTokens // other servers know no other name
	}

	if q.System != "" {
		b.Messages = append(b.Messages, chatMessage{Role: "system", Content: q.System})
	}
	for _, t := range q.Turns {
		role := "user"
		if t.Mine {
			role = "assistant"
		}
		b.Messages = append(b.Messages, chatMessage{Role: role, Content: t.Text})
	}

	for _, t := range q.Tools {
		var parameters map[string]any
		if err := json.Unmarshal(t.Function.Parameters, &parameters); err != nil {
			return b, parley.NoModelAnswer(parley.ModelRefused,
				"the parameters of %s are no JSON schema: %w", t.Function.Name, err).
				Suggest("Ask the operator to switch the tools off.")
		}
	}

	return b, nil
}
