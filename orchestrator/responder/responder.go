// Package responder makes one call to a model: it asks a server for a chat completion,
// follows the answer as it is written, runs the tools that the model calls, and explains
// a failure. It stores nothing.
package responder

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/openai/openai-go/v3"

	"parley"
)

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
	HTTP    *http.Client        // default: one that follows redirects only where a key stays with its server
	Backoff time.Duration       // before the second try, twice that before the third; default 500 ms
	Now     func() time.Time    // default time.Now
}

// Client calls models. It is safe for concurrent use.
type Client struct {
	opts    Options
	manners sync.Map // of place to manner: what servers want other than usual
}

// New returns a client.
func New(opts Options) *Client {
	if opts.HTTP == nil {
		opts.HTTP = &http.Client{CheckRedirect: sameServer}
	}
	if opts.Backoff == 0 {
		opts.Backoff = 500 * time.Millisecond
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Client{opts: opts}
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

	req := &request{
		server: server, body: body, maxTokens: q.MaxTokens, manner: mannerOf(q), answer: a, partial: q.Partial,
	}
	for round := 0; ; round++ {
		if round >= q.Rounds {
			req.body.Tools = nil
		}

		r, err := c.send(ctx, req)
		if err != nil {
			return err
		}

		mayCall := req.body.Tools != nil
		if len(r.calls) == 0 || !mayCall && strings.TrimSpace(r.text()) != "" {
			a.Text, a.CutOff = r.text(), r.finish == "length"
			return r.check(round)
		}
		if !mayCall {
			return parley.NoModelAnswer(parley.ModelMalformed,
				"the model calls tools that it may not call, after %d rounds, instead of answering", q.Rounds).
				Suggest("Ask for less at once, or ask the operator to raise toolRounds.")
		}

		req.body.Messages = append(req.body.Messages, r.asMessage())
		for i, call := range r.calls {
			result := `{"success":false,"error_message":"too many calls at once"}`
			if i < maxToolCalls {
				result = q.RunTool(ctx, call.name, call.arguments.String())
				a.ToolCalls++
			}
			req.body.Messages = append(req.body.Messages, openai.ToolMessage(result, call.id))
		}
	}
}

func firstBody(q *parley.ModelQuestion) (openai.ChatCompletionNewParams, error) {
	b := openai.ChatCompletionNewParams{Model: q.Model}
	if q.Temperature != nil {
		b.Temperature = openai.Float(*q.Temperature)
	}

	if q.System != "" {
		b.Messages = append(b.Messages, openai.SystemMessage(q.System))
	}
	for _, t := range q.Turns {
		if t.Mine {
			b.Messages = append(b.Messages, openai.AssistantMessage(t.Text))
		} else {
			b.Messages = append(b.Messages, openai.UserMessage(t.Text))
		}
	}

	for _, t := range q.Tools {
		f := openai.FunctionDefinitionParam{Name: t.Function.Name, Description: openai.String(t.Function.Description)}
		if err := json.Unmarshal(t.Function.Parameters, &f.Parameters); err != nil {
			return b, parley.NoModelAnswer(parley.ModelRefused,
				"the parameters of %s are no JSON schema: %w", t.Function.Name, err).
				Suggest("Ask the operator to switch the tools off.")
		}
		b.Tools = append(b.Tools, openai.ChatCompletionFunctionTool(f))
	}

	return b, nil
}
