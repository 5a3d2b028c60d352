package responder

import (
	"context"
	"errors"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"

	"parley"
)

// failure is why a request brought nothing.
type failure struct {
	reason  parley.ModelReason
	words   string
	action  string
	again   bool // the same request may go well
	cause   error
	limited bool // how long to wait is worth saying
}

// failureOf finds out why. res is nil when nothing answered.
func failureOf(ctx context.Context, err error, res *http.Response) failure {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return failure{
			reason: parley.ModelSlow,
			words:  "the model did not answer in time",
			action: "Ask for less at once, or again later.",
		}
	case ctx.Err() != nil:
		return failure{
			reason: parley.ModelCancelled,
			words:  "the call was broken off",
			action: "Ask again if the answer is still wanted.",
		}
	case res == nil:
		return unreachable(err)
	case res.StatusCode >= http.StatusBadRequest:
		return refusal(err, res.StatusCode)
	case errors.Is(err, errBroken), errors.Is(err, errTooLong):
		return failure{reason: parley.ModelMalformed, words: err.Error(), action: "Ask again, or for less at once."}
	}

	return failure{reason: parley.ModelMalformed, words: "what the model's server sent is no answer", cause: err,
		action: "Ask again; if it keeps failing, the operator may see with parley doctor whether base_url is right."}
}

// unreachable is a request that nobody took. One that could not even be connected was
// not worked upon.
func unreachable(err error) failure {
	f := failure{reason: parley.ModelNoEndpoint, words: "the model's server cannot be reached", cause: err,
		action: "Ask the operator to see whether it runs, and whether base_url is right: parley doctor."}
	f.again = unconnected(err)
	return f
}

func unconnected(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// refusal is an answer that says no.
func refusal(err error, status int) failure {
	var api openai.Error
	if e, ok := errors.AsType[*openai.Error](err); ok {
		api = *e
	}

	said := "status " + strconv.Itoa(status)
	if text := parley.CleanLine(parley.Truncate(api.Message, 200)); text != "" {
		said += ": " + text
	}

	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden: // what it says may show a part of the key
		return failure{
			reason: parley.ModelKeyRefused,
			words:  "the model's server refuses the key",
			action: "Ask the operator to see to the key of this responder.",
		}
	case status == http.StatusTooManyRequests, status == http.StatusPaymentRequired:
		spent := api.Code == "insufficient_quota" || status == http.StatusPaymentRequired
		return failure{
			reason:  parley.ModelQuota,
			words:   "the model's server takes no more for now (" + said + ")",
			again:   !spent,
			limited: !spent,
			action:  "Ask again later.",
		}
	case tooLong(&api, status):
		return failure{reason: parley.ModelContext, words: "the conversation is too long for the model (" + said + ")",
			action: "Send /reset to have it forget the conversation, or say it in fewer words."}
	case status == http.StatusNotFound:
		return failure{
			reason: parley.ModelUnknown,
			words:  "the server has no such model (" + said + ")",
			action: "Ask the operator to see to model and base_url.",
		}
	case status == http.StatusRequestTimeout, status >= http.StatusInternalServerError:
		return failure{
			reason: parley.ModelServerError,
			words:  "the model's server failed (" + said + ")",
			again:  true,
			action: "Ask again later.",
		}
	}

	return failure{
		reason: parley.ModelRefused,
		words:  "the model's server refuses the request (" + said + ")",
		action: "Ask the operator to see to the responder's settings.",
	}
}

// tooLong tells a prompt that does not fit. Servers agree on no code for it: OpenAI has
// context_length_exceeded, llama.cpp exceed_context_size_error, and vLLM says it only in
// words.
func tooLong(e *openai.Error, status int) bool {
	if status == http.StatusRequestEntityTooLarge || e.Code == "context_length_exceeded" ||
		e.Type == "exceed_context_size_error" {
		return true
	}
	words := strings.ToLower(e.Message)
	return status == http.StatusBadRequest &&
		(strings.Contains(words, "context length") || strings.Contains(words, "context window") || strings.Contains(words, "context size"))
}

func (f failure) error(wait time.Duration) *parley.Error {
	e := parley.NoModelAnswer(f.reason, "%s", f.words)
	if f.cause != nil {
		e = parley.NoModelAnswer(f.reason, "%s: %w", f.words, f.cause)
	}
	if f.limited && wait > 0 {
		e = e.With("retry_after_seconds", int(math.Ceil(wait.Seconds())))
	}
	return e.Suggest("%s", f.action)
}

// pause is how long to wait before the next try: as the server says, else longer each
// time.
func (c *Client) pause(res *http.Response, try int) time.Duration {
	if res != nil {
		if wait, ok := c.retryAfter(res.Header.Get("Retry-After")); ok {
			return wait
		}
	}
	return c.opts.Backoff << (try - 1)
}

// retryAfter reads a number of seconds or a date.
func (c *Client) retryAfter(text string) (time.Duration, bool) {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n >= 0 && n < math.MaxInt32 {
		return time.Duration(n * float64(time.Second)), true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(c.opts.Now())), true
	}
	return 0, false
}
