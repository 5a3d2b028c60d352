package responder

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/modelserver"
	"parley/internal/must"
)

// start runs a model server and a client with a short backoff.
func start(t *testing.T) (*modelserver.Server, *Client) {
	t.Helper()
	s := modelserver.StartBare()
	t.Cleanup(s.Close)
	return s, New(Options{Backoff: time.Millisecond, Getenv: func(name string) string {
		return map[string]string{"TEST_KEY": "secret\n"}[name]
	}})
}

func question(s *modelserver.Server, text string) parley.ModelQuestion {
	return parley.ModelQuestion{Model: "scripted", BaseURL: s.URL + "/v1", Turns: []parley.ModelTurn{{Text: text}}}
}

// sent is a request as the server received it.
type sent struct {
	Model       string
	Temperature *float64
	MaxTokens   int `json:"max_tokens"`
	Messages    []struct{ Role, Content string }
	Tools       []any
}

func requests(t *testing.T, s *modelserver.Server) []sent {
	t.Helper()
	var all []sent
	for _, r := range s.Requests() {
		var one sent
		must.Do(t, json.Unmarshal(r.Body, &one))
		all = append(all, one)
	}
	return all
}

func TestAnswerSendsEverythingAndMeasuresIt(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	heat := 0.0
	q := question(s, "SAY hello")
	q.KeyEnv, q.Temperature, q.MaxTokens, q.System = "TEST_KEY", &heat, 500, "be kind"
	q.Turns = append([]parley.ModelTurn{{Text: "first"}, {Mine: true, Text: "second"}}, q.Turns...)

	a := must.Have(c.Answer(t.Context(), q))(t)
	if a.Usage.Latency <= 0 {
		t.Errorf("it took %v", a.Usage.Latency)
	}

	a.Usage.Latency, a.Usage.LatencyMS = 0, 0
	want := parley.ModelAnswer{
		Text: "hello",
		Usage: parley.Usage{
			InputTokens:  4 * modelserver.PromptTokens,
			OutputTokens: modelserver.AnswerTokens,
			Requests:     1,
		},
	}

	if d := cmp.Diff(want, a); d != "" {
		t.Error(d)
	}

	got := requests(t, s)[0]
	wants := sent{Model: "scripted", Temperature: &heat, MaxTokens: 500, Messages: []struct{ Role, Content string }{
		{"system", "be kind"}, {"user", "first"}, {"assistant", "second"}, {"user", "SAY hello"}}}
	if d := cmp.Diff(wants, got); d != "" {
		t.Error(d)
	}
	if got, want := s.Requests()[0].Key, "secret"; got != want {
		t.Errorf("the key was %q, want %q", got, want)
	}
}

func TestNoKeyIsSentUnlessTheQuestionNamesOne(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "implicit")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/")
	s, c := start(t)
	must.Have(c.Answer(t.Context(), question(s, "SAY hi")))(t)
	if got := s.Requests()[0].Key; got != "" {
		t.Errorf("a key was sent: %q", got)
	}
}

func TestPartialTextGrowsWhileTheModelWrites(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	q := question(s, "PAUSE")
	var seen []string
	q.Partial = func(text string) {
		if seen = append(seen, text); len(seen) == 1 {
			s.Release() // the rest comes only now
		}
	}

	a, err := c.Answer(t.Context(), q)
	if err != nil || a.Text != "Well, that is it." {
		t.Fatalf("got %q, %v", a.Text, err)
	}
	if d := cmp.Diff([]string{"Well, ", "Well, that is it."}, seen); d != "" {
		t.Error(d)
	}
}

func TestEveryFailureHasItsReasonAndNoText(t *testing.T) {
	t.Parallel()
	closed := must.Have(net.Listen("tcp", "127.0.0.1:0"))(t)

	closed.Close()
	for name, test := range map[string]struct {
		text     string
		change   func(*parley.ModelQuestion)
		reason   parley.ModelReason
		requests int
		says     string
	}{
		"no key": {reason: parley.ModelNoKey,
			change: func(q *parley.ModelQuestion) { q.KeyEnv = "EMPTY_KEY" }, says: "EMPTY_KEY"},
		"no address": {reason: parley.ModelNoEndpoint,
			change: func(q *parley.ModelQuestion) { q.BaseURL = "localhost" }},
		"nothing listens": {reason: parley.ModelNoEndpoint, requests: 3,
			change: func(q *parley.ModelQuestion) { q.BaseURL = "http://" + closed.Addr().String() + "/v1" }},
		"no such model": {text: "FAIL 404 the model does not exist", reason: parley.ModelUnknown, requests: 1,
			says: "does not exist"},
		"key refused":       {text: "FAIL 401 bad key sk-123", reason: parley.ModelKeyRefused, requests: 1},
		"too many requests": {text: "FAIL 429 slow down", reason: parley.ModelQuota, requests: 3, says: "slow down"},
		"nothing to pay": {text: `FAIL 429 {"error":{"message":"You exceeded your quota","type":"insufficient_quota","code":"insufficient_quota"}}`,
			reason: parley.ModelQuota, requests: 1, says: "quota"},
		"too long by code": {text: `FAIL 400 {"error":{"message":"no","type":"invalid_request_error","code":"context_length_exceeded"}}`,
			reason: parley.ModelContext, requests: 1},
		"too long by words": {text: `FAIL 400 This model's maximum context length is 4096 tokens`, reason: parley.ModelContext, requests: 1},
		"bad request":       {text: "FAIL 422 odd", reason: parley.ModelRefused, requests: 1, says: "odd"},
		"server error":      {text: "FAIL 500 oops", reason: parley.ModelServerError, requests: 3, says: "oops"},
		"a page of a proxy": {text: `FAIL 502 "bad gateway"`, reason: parley.ModelServerError, requests: 3},
		"broken off":        {text: "BREAK", reason: parley.ModelMalformed, requests: 1, says: "broke off"},
		"no answer at all":  {text: "GARBAGE", reason: parley.ModelMalformed, requests: 1},
		"empty":             {text: "EMPTY", reason: parley.ModelMalformed, requests: 1, says: "empty"},
		"long wait":         {text: "FAIL 429 AFTER 3600", reason: parley.ModelQuota, requests: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := start(t)
			q := question(s, test.text)
			if test.change != nil {
				test.change(&q)
			}

			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()

			a, err := c.Answer(ctx, q)
			if err == nil {
				t.Fatalf("got %+v, want %s", a, test.reason)
			}

			e := parley.AsError(err)
			if e.Code != parley.ModelUnavailable || parley.ReasonOf(err) != test.reason {
				t.Fatalf("got %q, %v (%v), want the reason %s", a.Text, err, e.Details, test.reason)
			}

			if a.Text != "" || a.Usage.Requests != test.requests || e.Action == "" ||
				!strings.Contains(e.Message, test.says) {
				t.Errorf("text %q, %d requests, want %d; %q must say %q; action %q", a.Text, a.Usage.Requests,
					test.requests, e.Message, test.says, e.Action)
			}

			if strings.Contains(fmt.Sprint(e.Message, e.Details), "sk-123") {
				t.Errorf("the error shows the key: %v", e)
			}
		})
	}
}

func TestRetryAfterIsRespected(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	began := time.Now()

	a, err := c.Answer(t.Context(), question(s, "FAIL 429 ONCE AFTER 1 SAY at last"))
	if err != nil || a.Text != "at last" || a.Usage.Requests != 2 {
		t.Fatalf("got %+v, %v", a, err)
	}
	if took := time.Since(began); took < time.Second {
		t.Errorf("it was asked again after %v, and had said one second", took)
	}

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()

	_, err = c.Answer(ctx, question(s, "FAIL 429 AFTER 100"))
	if got := parley.AsError(err).Details["retry_after_seconds"]; got != 100 {
		t.Errorf("the error says to wait %v seconds, want 100", got)
	}
}

func TestSlowAndCancelledDiffer(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()

	if _, err := c.Answer(ctx, question(s, "PAUSE")); parley.ReasonOf(err) != parley.ModelSlow {
		t.Errorf("past the deadline: %v", err)
	}

	ctx, cancel = context.WithCancel(t.Context())
	q := question(s, "PAUSE")
	q.Partial = func(string) { cancel() }
	if _, err := c.Answer(ctx, q); parley.ReasonOf(err) != parley.ModelCancelled {
		t.Errorf("cancelled amid the answer: %v", err)
	}
}

func TestToolsRunForABoundedNumberOfRounds(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	q := question(s, `CALL look {"at":"me"}`)
	q.Rounds = 2
	q.Tools = []parley.Tool{
		{
			Type: "function",
			Function: parley.Function{
				Name:        "look",
				Description: "see",
				Parameters:  json.RawMessage(`{"type":"object","properties":{}}`),
			},
		},
	}

	var ran []string
	q.RunTool = func(_ context.Context, name, arguments string) string {
		ran = append(ran, name+arguments)
		return `SAY seen`
	}

	a, err := c.Answer(t.Context(), q)
	if err != nil || a.ToolCalls != 1 || a.Usage.Requests != 2 {
		t.Fatalf("got %+v, %v", a, err)
	}

	// The first request has one message, the second also the call and its answer.
	if got, want := a.Usage.InputTokens, (1+3)*modelserver.PromptTokens; got != want {
		t.Errorf("%d tokens went in, want %d", got, want)
	}
	if d := cmp.Diff([]string{`look{"at":"me"}`}, ran); d != "" {
		t.Error(d)
	}
	if got := requests(t, s)[1].Messages[2]; got.Role != "tool" || got.Content != "SAY seen" {
		t.Errorf("the tool's answer went as %+v", got)
	}

	q.Rounds = 0
	must.Have(c.Answer(t.Context(), q))(t)
	if n := len(requests(t, s)[2].Tools); n != 0 || len(ran) != 1 {
		t.Errorf("without a round left, %d tools were offered and %d ran", n, len(ran))
	}
}
