package responder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/wait"
)

// response is the answer to one request.
type response struct {
	words, refusal strings.Builder
	calls          []*toolCall
	finish         string // the finish_reason; "" if there was none
	measured       bool   // the server gave the usage
	size           int    // of all that is kept, in bytes
}

// callSize is what a call takes besides its texts, in bytes; it takes less.
const callSize = 256

// toolCall is a call that the model asks for.
type toolCall struct {
	index     int // in the stream
	id, name  string
	arguments strings.Builder
}

func (r *response) text() string {
	if r.words.Len() == 0 {
		return r.refusal.String()
	}
	return r.words.String()
}

// check returns an error for a response without an answer.
func (r *response) check(round int) error {
	switch {
	case strings.TrimSpace(r.text()) != "":
		return nil
	case r.finish == "length":
		return parley.NoModelAnswer(parley.ModelMalformed, "the model used all of max_tokens before it wrote a word").
			Suggest("Ask the operator to raise max_tokens.")
	case r.finish == "content_filter":
		return parley.NoModelAnswer(parley.ModelRefused, "the model's server withheld the answer").
			Suggest("Say it in other words.")
	}

	if round > 0 {
		return parley.NoModelAnswer(parley.ModelMalformed, "the model's answer is empty after %d requests", round+1).
			Suggest("Ask again, in other words.")
	}

	return parley.NoModelAnswer(parley.ModelMalformed, "the model's answer is empty").
		Suggest("Ask again, in other words.")
}

// asMessage returns the calls as a message, which the tools' results must follow.
func (r *response) asMessage() chatMessage {
	m := chatMessage{Role: "assistant", Content: r.words.String()}
	for _, c := range r.calls {
		m.ToolCalls = append(m.ToolCalls, chatCall{
			ID: c.id, Type: "function", Function: chatFunction{Name: c.name, Arguments: c.arguments.String()},
		})
	}
	return m
}

// request is one request to a model's server, with the answer that its usage counts for.
type request struct {
	server  endpoint
	body    chatRequest
	answer  *parley.ModelAnswer
	partial func(string) // called with the text so far; may be nil
}

// send sends a request, and retries it if it failed before an answer began and ctx leaves
// time for that.
func (c *Client) send(ctx context.Context, req *request) (*response, error) {
	for try := 1; ; try++ {
		var res *http.Response
		req.answer.Usage.Requests++
		r, err := req.stream(ctx, &res)
		if err == nil {
			return r, nil
		}

		f := failureOf(ctx, err, res)
		delay := c.backoff(res, try)
		if !f.retry || try == maxTries || !hasTime(ctx, delay) {
			return nil, f.error(delay)
		}
		if err := wait.Pause(ctx, delay); err != nil {
			return nil, failureOf(ctx, err, nil).error(0)
		}
	}
}

// hasTime reports whether ctx lasts longer than wait.
func hasTime(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > wait
}

// errBroken says that a stream ended before the answer did.
var errBroken = errors.New("the answer broke off")

// stream sends the request once and reads its stream to the end. It sets res as soon as
// the server answers.
func (req *request) stream(ctx context.Context, res **http.Response) (*response, error) {
	r, begun := &response{}, false
	var err error
	if *res, err = req.server.post(ctx, &req.body); err == nil {
		defer (*res).Body.Close()
		err = readChunks(streamOf(*res), func(chunk *chatChunk) error {
			if len(chunk.Error) > 0 && string(chunk.Error) != "null" {
				return req.server.failedAmid(chunk.Error)
			}

			begun = true
			r.addChunk(chunk, req)
			if r.size > maxAnswer {
				return errTooLong
			}
			return nil
		})
	}

	if !r.measured && mayHaveWorked(ctx, *res, err) {
		req.answer.Usage.Unmeasured = true
	}
	if err != nil {
		return nil, err
	}

	switch {
	case r.finish != "":
		return r, nil
	case !begun && *res != nil: // another kind of page, because base_url is wrong
		return nil, fmt.Errorf("nothing of a stream in its %s", cmp.Or((*res).Header.Get("Content-Type"), "answer"))
	}

	return nil, errBroken
}

// mayHaveWorked reports whether the server may have worked on a request: it accepted the
// request, or had it until ctx ended.
func mayHaveWorked(ctx context.Context, res *http.Response, err error) bool {
	if res != nil {
		return res.StatusCode < http.StatusBadRequest
	}
	return ctx.Err() != nil && !unconnected(err)
}

var errTooLong = errors.New("the answer is too long")

// addChunk adds a chunk of the stream, and its usage to the request's answer.
func (r *response) addChunk(chunk *chatChunk, req *request) {
	usage := chunk.Usage
	if usage != nil && usage.TotalTokens+usage.PromptTokens+usage.CompletionTokens > 0 && !r.measured {
		r.measured = true
		req.answer.Usage.InputTokens += usage.PromptTokens
		req.answer.Usage.OutputTokens += usage.CompletionTokens
	}

	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}

		r.addDelta(&choice.Delta)
		if choice.FinishReason != "" {
			r.finish = choice.FinishReason
		}
		if choice.Delta.Content != "" && req.partial != nil {
			req.partial(r.words.String())
		}
	}
}

// addDelta adds a piece of the answer. Calls come in pieces too, numbered.
func (r *response) addDelta(d *chatDelta) {
	r.words.WriteString(d.Content)
	r.refusal.WriteString(d.Refusal)
	r.size += len(d.Content) + len(d.Refusal)
	for i := range d.ToolCalls {
		piece := &d.ToolCalls[i]
		call := r.callOf(piece)
		r.size += len(piece.ID) + len(piece.Function.Name) + len(piece.Function.Arguments)
		if piece.ID != "" {
			call.id = piece.ID
		}

		call.name += piece.Function.Name
		call.arguments.WriteString(piece.Function.Arguments)
	}
}

// callOf returns the call that a piece belongs to: the last one with its number, or another one. Some
// servers give all calls the same number, so an id and a name of its own begin a call too.
func (r *response) callOf(piece *chatCall) *toolCall {
	for _, call := range slices.Backward(r.calls) {
		if call.index == piece.Index {
			if call.id != "" && piece.ID != "" && piece.ID != call.id && piece.Function.Name != "" {
				break
			}
			return call
		}
	}

	call := &toolCall{index: piece.Index}
	r.calls = append(r.calls, call)
	r.size += callSize

	return call
}
