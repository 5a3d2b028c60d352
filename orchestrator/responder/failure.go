package responder

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
	"parley/plain"
)

// failure says why a request had no answer.
type failure struct {
	reason  parley.ModelReason
	words   string
	action  string
	retry   bool // the same request may succeed later
	cause   error
	limited bool // the error should say how long to wait
}

// failureOf returns why a request failed. res is nil if no server answered.
func failureOf(ctx context.Context, err error, res *http.Response) failure {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return failure{
			reason: parley.ModelSlow,
			words:  "the model did not answer in time",
			action: "Ask for less at once, or later again.",
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
		return asAdvised(refusal(err, res.StatusCode), res)
	case errors.Is(err, errMoved):
		return moved(res)
	case errors.Is(err, errBroken), errors.Is(err, errTooLong):
		return failure{reason: parley.ModelMalformed, words: err.Error(), action: "Ask again, or for less at once."}
	}

	return failure{
		reason: parley.ModelMalformed,
		words:  "the model's server sent something that is no answer",
		action: "Ask again. If it keeps failing, the operator can check base_url with parley doctor.",
		cause:  err,
	}
}

// asAdvised returns a failure with what the server says of another try. Its word counts for more than its status.
func asAdvised(f failure, res *http.Response) failure {
	switch res.Header.Get("X-Should-Retry") {
	case "true":
		f.retry = true
	case "false":
		f.retry = false
	}
	return f
}

// moved returns the failure for a redirect that leads to another server, or would lose the request.
func moved(res *http.Response) failure {
	to := "nowhere"
	if u, err := res.Location(); err == nil {
		to = plain.CleanLine(plain.Truncate(u.Scheme+"://"+u.Host+u.Path, 200)) // a query may show a secret
	}
	return failure{
		reason: parley.ModelNoEndpoint,
		words: "the model's server redirects to " + to + " (status " + strconv.Itoa(res.StatusCode) +
			"), where parley sends neither the message nor the key",
		action: "Ask the operator to set base_url to the right address.",
	}
}

// unreachable returns the failure of a request that no server answered. It can be retried
// if there was no connection, since then no server worked on it.
func unreachable(err error) failure {
	return failure{
		reason: parley.ModelNoEndpoint,
		words:  "the model's server cannot be reached",
		action: "Ask the operator to check with parley doctor that it runs and that base_url is right.",
		retry:  unconnected(err),
		cause:  err,
	}
}

// unconnected reports whether the connection itself failed.
func unconnected(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

func refusal(err error, status int) failure {
	var api apiError
	if e, ok := errors.AsType[*apiError](err); ok {
		api = *e
	}

	answer := "status " + strconv.Itoa(status)
	if text := plain.CleanLine(plain.Truncate(api.Message, 200)); text != "" {
		answer += ": " + text
	}

	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden: // the answer may show a part of the key
		return failure{
			reason: parley.ModelKeyRefused,
			words:  "the model's server refuses the key",
			action: "Ask the operator to check the key of this responder.",
		}
	case status == http.StatusTooManyRequests, status == http.StatusPaymentRequired:
		spent := api.Code == "insufficient_quota" || status == http.StatusPaymentRequired
		return failure{
			reason:  parley.ModelQuota,
			words:   "the model's server takes no more requests for now (" + answer + ")",
			retry:   !spent,
			limited: !spent,
			action:  "Ask again later.",
		}
	case tooLong(&api, status):
		return failure{
			reason: parley.ModelContext,
			words:  "the conversation is too long for the model (" + answer + ")",
			action: "Send /reset to make it forget the conversation, or use fewer words.",
		}
	case status == http.StatusNotFound:
		return failure{
			reason: parley.ModelUnknown,
			words:  "the server has no such model (" + answer + ")",
			action: "Ask the operator to check model and base_url.",
		}
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status >= http.StatusInternalServerError:
		return failure{
			reason: parley.ModelServerError,
			words:  "the model's server failed (" + answer + ")",
			retry:  true,
			action: "Ask again later.",
		}
	}

	return failure{
		reason: parley.ModelRefused,
		words:  "the model's server refuses the request (" + answer + ")",
		action: "Ask the operator to check the responder's settings.",
	}
}

// tooLong reports whether the prompt does not fit into the model's context. Servers agree
// on no code for that: OpenAI has context_length_exceeded, llama.cpp
// exceed_context_size_error, and vLLM has only words.
func tooLong(e *apiError, status int) bool {
	if status == http.StatusRequestEntityTooLarge || e.Code == "context_length_exceeded" ||
		e.Type == "exceed_context_size_error" {
		return true
	}
	words := strings.ToLower(e.Message)
	return status == http.StatusBadRequest && (strings.Contains(words, "context length") ||
		strings.Contains(words, "context window") || strings.Contains(words, "context size"))
}

// error returns the failure as an error for the caller. wait is the time to the next try.
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

// backoff returns how long to wait before the next try: what the server says, else twice as
// long each time.
func (c *Client) backoff(res *http.Response, try int) time.Duration {
	if res != nil {
		if wait, ok := c.parseRetryAfter(res.Header.Get("Retry-After-Ms")); ok {
			return wait / 1000
		}
		if wait, ok := c.parseRetryAfter(res.Header.Get("Retry-After")); ok {
			return wait
		}
	}
	return c.opts.Backoff << (try - 1)
}

// parseRetryAfter parses a number of seconds or a date.
func (c *Client) parseRetryAfter(text string) (time.Duration, bool) {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n >= 0 && n < math.MaxInt32 {
		return time.Duration(n * float64(time.Second)), true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(c.opts.Now())), true
	}
	return 0, false
}

// apiError is what a server says with an error status.
type apiError struct {
	Message string
	Type    string
	Code    string // with some servers a number
	Param   string // what it objects to
}

func (e *apiError) Error() string { return e.Message }

// readError reads the body of an error. Servers agree on no form: OpenAI has {"error": {"message": …}}, others
// {"error": "…"}, what stands for {…}, a list of these, or FastAPI's {"detail": [{"loc": […], "msg": …}]}.
func readError(body []byte) *apiError {
	e := &apiError{}
	var said any
	if json.Unmarshal(body, &said) == nil {
		e.Message = e.read(said)
	} else if text := bytes.TrimSpace(body); utf8.Valid(text) && !bytes.HasPrefix(text, []byte("<")) { // no page
		e.Message = string(text)
	}
	return e
}

// maxDetails is how many errors of a list are told.
const maxDetails = 3

// read returns the words of an error or of a part of one, "" if it has none, and keeps its codes.
func (e *apiError) read(said any) string {
	switch said := said.(type) {
	case string:
		return said
	case []any:
		var all []string
		for _, one := range said[:min(len(said), maxDetails)] {
			if words := e.read(one); words != "" {
				all = append(all, words)
			}
		}
		return strings.Join(all, "; ")
	case map[string]any:
		return e.readFields(said)
	}

	return ""
}

func (e *apiError) readFields(fields map[string]any) string {
	e.Type = cmp.Or(e.Type, plainValue(fields["type"]))
	e.Code = cmp.Or(e.Code, plainValue(fields["code"]))
	e.Param = cmp.Or(e.Param, plainValue(fields["param"]))

	if inner, ok := fields["error"].(map[string]any); ok {
		return e.readFields(inner)
	}

	for _, name := range []string{"message", "error", "detail", "msg", "errors", "title"} {
		words := e.read(fields[name])
		if words == "" {
			continue
		}
		if at, ok := fields["loc"].([]any); ok {
			words = strings.Trim(fmt.Sprint(at), "[]") + ": " + words
		}
		return words
	}

	return ""
}

// plainValue returns a text or a number as text.
func plainValue(value any) string {
	switch value.(type) {
	case string, float64:
		return fmt.Sprint(value)
	}
	return ""
}
