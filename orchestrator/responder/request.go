package responder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"parley"
	"parley/internal/wait"
	"parley/plain"
)

// request is one request to a model's server, with the answer that its usage counts for.
type request struct {
	server    endpoint
	body      openai.ChatCompletionNewParams
	maxTokens int
	manner    manner
	answer    *parley.ModelAnswer
	partial   func(string) // called with the text so far; may be nil
}

// send sends a request, and retries it if it failed before an answer began and ctx leaves
// time for that, or if the server wants it in another manner.
func (c *Client) send(ctx context.Context, req *request) (*response, error) {
	at := place{req.server.base, req.body.Model, req.manner}
	if known, ok := c.manners.Load(at); ok {
		req.manner, _ = known.(manner)
	}

	for try := 1; ; {
		var res *http.Response
		req.answer.Usage.Requests++
		r, err := req.stream(ctx, &res)
		if err == nil && req.manner != at.first {
			c.manners.Store(at, req.manner)
		}
		if err == nil {
			return r, nil
		}

		f := failureOf(ctx, err, res)
		if api, ok := errors.AsType[*apiError](err); ok && f.reason == parley.ModelRefused {
			var again bool
			if req.manner, again = req.manner.after(api, req.maxTokens > 0); again {
				continue
			}
		}

		delay := c.backoff(res, try)
		if !f.retry || try == maxTries || !hasTime(ctx, delay) {
			return nil, f.error(delay)
		}
		if err := wait.Pause(ctx, delay); err != nil {
			return nil, failureOf(ctx, err, nil).error(0)
		}
		try++
	}
}

// hasTime reports whether ctx lasts longer than wait.
func hasTime(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > wait
}

var (
	errBroken  = errors.New("the answer broke off") // the stream ended before the answer did
	errTooLong = errors.New("the answer is too long")
	errMoved   = errors.New("the server redirects")
)

// stream sends the request once and reads its answer to the end. It sets res as soon as
// the server answers.
func (req *request) stream(ctx context.Context, res **http.Response) (*response, error) {
	req.manner.apply(&req.body, req.maxTokens)
	r := &response{}
	defer func() {
		req.answer.Usage.InputTokens += r.input
		req.answer.Usage.OutputTokens += r.output
	}()

	var done bool
	var err error
	if *res, err = req.server.post(ctx, req.body, req.manner); err == nil {
		done, err = req.read(r, *res)
	}
	if r.input+r.output == 0 && mayHaveWorked(ctx, *res, err) {
		req.answer.Usage.Unmeasured = true
	}

	switch {
	case err != nil:
		return nil, err
	case !r.begun && !done: // another kind of page, because base_url is wrong
		return nil, fmt.Errorf("nothing of an answer in its %s", cmp.Or((*res).Header.Get("Content-Type"), "answer"))
	case r.finish == "" && !done:
		return nil, errBroken
	}

	return r, nil
}

// read reads the body of an answer, and reports whether the server said that it is whole.
func (req *request) read(r *response, res *http.Response) (done bool, err error) {
	body := newEvents(res.Body)
	stream := ssestream.NewStream[openai.ChatCompletionChunk](body, nil)
	defer stream.Close()

	for stream.Next() {
		chunk := stream.Current()
		more := r.add(&chunk)
		if r.size > maxAnswer {
			return false, errTooLong
		}
		if more && req.partial != nil {
			req.partial(r.words.String())
		}
	}

	if failed, ok := errors.AsType[*ssestream.StreamError](stream.Err()); ok {
		said := cmp.Or(readError(failed.Event.Data).Message, string(failed.Event.Data))
		return false, fmt.Errorf("the server failed amid the answer: %s",
			plain.CleanLine(plain.Truncate(req.server.withoutKey(said), 200)))
	}

	return body.done, stream.Err()
}

// mayHaveWorked reports whether the server may have worked on a request: it accepted the
// request, or had it until ctx ended.
func mayHaveWorked(ctx context.Context, res *http.Response, err error) bool {
	if res != nil {
		return res.StatusCode < http.StatusMultipleChoices
	}
	return ctx.Err() != nil && !unconnected(err)
}

// manner is how a request is put to a server. All of them serve chat completions, but some refuse a part of
// what others want.
type manner struct {
	completionLimit bool // the longest answer goes as max_completion_tokens, not as max_tokens
	otherLimit      bool // it goes by the other name than at first, since the server asked for that
	unmeasured      bool // without stream_options
	whole           bool // without a stream
}

// place is what a manner is known for: a model of a server, by the manner that was tried first.
type place struct {
	base, model string
	first       manner
}

// mannerOf returns the manner of a first request.
func mannerOf(q *parley.ModelQuestion) manner {
	hosted := q.BaseURL == "" || strings.TrimSuffix(q.BaseURL, "/") == HostedURL // newer models refuse max_tokens
	return manner{completionLimit: hosted && q.LimitField == "" || q.LimitField == parley.LimitCompletionTokens}
}

// apply makes a body follow the manner.
func (m manner) apply(body *openai.ChatCompletionNewParams, maxTokens int) {
	var none openai.ChatCompletionNewParams
	body.MaxTokens, body.MaxCompletionTokens, body.StreamOptions = none.MaxTokens, none.MaxTokens, none.StreamOptions

	switch {
	case maxTokens == 0:
	case m.completionLimit:
		body.MaxCompletionTokens = openai.Int(int64(maxTokens))
	default:
		body.MaxTokens = openai.Int(int64(maxTokens))
	}

	if !m.unmeasured && !m.whole {
		body.StreamOptions.IncludeUsage = openai.Bool(true)
	}
}

var (
	objection = regexp.MustCompile(`(?i)unsupported|not support|no longer|unrecogni[sz]ed|unknown|unexpected|` +
		`extra (inputs|fields)|extra_forbidden|not (permitted|allowed)|additional propert|must be verified`)
	streaming = regexp.MustCompile(`(?i)\bstream(ing)?\b`)
)

// after returns the manner in which a refused request may be tried again, and reports whether there is one.
// Servers have no common code for what they refuse, so it reads their words.
func (m manner) after(e *apiError, limited bool) (manner, bool) {
	words := strings.Join([]string{e.Message, e.Type, e.Code, e.Param}, " ")
	sent, other := parley.LimitTokens, parley.LimitCompletionTokens
	if m.completionLimit {
		sent, other = other, sent
	}
	asked := strings.Contains(words, other) || strings.Contains(words, sent) && objection.MatchString(words)

	switch {
	case limited && !m.otherLimit && asked:
		m.completionLimit, m.otherLimit = !m.completionLimit, true
	case !m.unmeasured && (strings.Contains(words, "stream_options") || strings.Contains(words, "include_usage")):
		m.unmeasured = true
	case !m.whole && streaming.MatchString(words) && objection.MatchString(words):
		m.whole = true
	default:
		return m, false
	}

	return m, true
}
