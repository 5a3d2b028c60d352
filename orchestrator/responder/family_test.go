package responder

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

// reply is one answer of a scripted server.
type reply struct {
	status int    // 200 if 0
	header string // "Name: value", one a line
	body   string
}

// asked is a request as the scripted server got it.
type asked struct {
	url    string
	header http.Header
	body   map[string]any
}

// scripted starts a server that gives its replies one after the other, the last one for good. {server} in a header
// is its address.
func scripted(t *testing.T, replies ...reply) (*httptest.Server, func() []asked) {
	t.Helper()
	var mu sync.Mutex
	var all []asked
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		one := asked{url: req.URL.String(), header: req.Header}
		body, _ := io.ReadAll(req.Body)
		_ = json.Unmarshal(body, &one.body)
		all = append(all, one)

		r := replies[min(len(all), len(replies))-1]
		for line := range strings.Lines(r.header) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			w.Header().Set(name, strings.ReplaceAll(value, "{server}", s.URL))
		}
		w.WriteHeader(max(r.status, http.StatusOK))
		_, _ = io.WriteString(w, r.body)
	}))
	t.Cleanup(s.Close)

	return s, func() []asked {
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}

// oddServer is a server that speaks the API a little differently, and what comes of it.
type oddServer struct {
	replies  []reply
	text     string // the answer
	says     string // of the error, if there is no answer
	reason   parley.ModelReason
	usage    [2]int // tokens in and out
	requests int    // 1 if 0
	called   string // the tools that ran
}

const (
	stop       = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	done       = "data: [DONE]\n\n"
	hello      = `data: {"choices":[{"index":0,"delta":{"content":"hello"}}]}` + "\n\n"
	plainReply = `{"choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}`
	broken     = `the answer broke off`
)

func stream(body string) []reply {
	return []reply{{header: "Content-Type: text/event-stream", body: body}}
}

func used(usage string) string { return `data: {"choices":[],"usage":` + usage + "}\n\n" }

func delta(fields string) string { return `data: {"choices":[{"index":0,"delta":` + fields + "}]}\n\n" }

var oddServers = map[string]oddServer{
	"usage as fractions": {
		replies: stream(hello + stop + used(`{"prompt_tokens":11.0,"completion_tokens":7.0}`) + done),
		text:    "hello",
		usage:   [2]int{11, 7},
	},
	"usage as texts": {replies: stream(hello + stop + used(`{"prompt_tokens":"11","completion_tokens":"7"}`) + done),
		text: "hello", usage: [2]int{11, 7}},
	"usage as words":  {replies: stream(hello + stop + used(`"none"`) + done), text: "hello"},
	"usage as a list": {replies: stream(hello + stop + used(`[1]`) + done), text: "hello"},
	"usage beyond reach": {
		replies: stream(hello + stop + used(`{"prompt_tokens":1e300,"completion_tokens":-7}`) + done),
		text:    "hello",
	},
	"usage that grows": {
		replies: stream(used(`{"prompt_tokens":11,"completion_tokens":1}`) + hello +
			used(
				`{"prompt_tokens":11,"completion_tokens":7}`,
			) + stop + used(`{"prompt_tokens":0,"completion_tokens":0}`) + done),
		text: "hello", usage: [2]int{11, 7}},
	"usage in two places": {
		replies: stream(used(`{"prompt_tokens":11}`) + hello + stop + used(`{"completion_tokens":7}`) + done),
		text:    "hello", usage: [2]int{11, 7}},

	"no finish_reason, but [DONE]": {replies: stream(hello + done), text: "hello"},
	"no finish_reason, no [DONE]":  {replies: stream(hello), reason: parley.ModelMalformed, says: broken},
	"a completion without finish_reason": {
		replies: []reply{{header: "Content-Type: application/json",
			body: `{"choices":[{"index":0,"message":{"content":"hello"},"finish_reason":null}]}`}},
		text: "hello"},

	"a completion as text/plain": {
		replies: []reply{{header: "Content-Type: text/plain", body: plainReply}},
		text:    "hello",
	},
	"a completion with a mark": {replies: []reply{{body: "\ufeff\r\n " + plainReply}}, text: "hello"},
	"a completion cut off":     {replies: []reply{{body: plainReply[:40]}}, reason: parley.ModelMalformed},
	"a stream as application/json": {
		replies: []reply{{header: "Content-Type: application/json", body: hello + stop + done}},
		text:    "hello",
	},
	"a stream with a mark":      {replies: stream("\ufeff" + hello + stop + done), text: "hello"},
	"lines that end with CR":    {replies: stream(strings.ReplaceAll(hello+stop+done, "\n", "\r")), text: "hello"},
	"lines that end with CR LF": {replies: stream(strings.ReplaceAll(hello+stop+done, "\n", "\r\n")), text: "hello"},
	"data over lines": {
		replies: stream("data: {\"choices\":\ndata:[{\"delta\":{\"content\":\"hello\"}}]}\n\n" + done),
		text:    "hello",
	},
	"comments and other fields": {
		replies: stream(": hi\n\nid: 1\nretry: 5\n" + hello + ": hi\n\n" + stop + "event: ping\n\n" + done),
		text:    "hello",
	},
	"a last event without a line": {replies: stream(hello + strings.TrimSpace(done)), text: "hello"},

	"content in parts": {
		replies: stream(delta(`{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"hel"}]}`) +
			delta(`{"content":[{"type":"text","text":"lo"}]}`) + stop + done), text: "hello"},
	"a completion in parts": {
		replies: []reply{
			{body: `{"choices":[{"message":{"content":[{"type":"text","text":"hello"}]}}]}`},
		}, text: "hello"},
	"an error that is none": {
		replies: stream(
			strings.ReplaceAll(hello, `{"choices"`, `{"error":null,"choices"`) + stop + done,
		), text: "hello"},
	"event: error": {replies: stream(hello + "event: error\ndata: {\"message\":\"too busy\"}\n\n"),
		reason: parley.ModelMalformed, says: "too busy"},
	"event: error in words": {replies: stream("event: error\ndata: too busy\n\n"),
		reason: parley.ModelMalformed, says: "too busy"},

	"arguments as an object": {
		replies: append(
			stream(
				delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":{"n":1}}}]}`)+stop+done,
			),
			stream(hello+stop+done)...),
		text: "hello", requests: 2, called: `one{"n":1}`},
	"calls of a completion without ids": {
		replies: []reply{{body: `{"choices":[{"message":{"tool_calls":[{"function":{"name":"one","arguments":"{}"}},
			{"function":{"name":"two"}}]}}]}`}, {body: plainReply}},
		text: "hello", requests: 2, called: "one{}two"},
	"text beside calls past the last round": {
		replies: stream(
			delta(
				`{"content":"hello","tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":"{}"}}]}`,
			) +
				stop + done,
		),
		text: "hello", requests: 2, called: "one{}"},
	"calls past the last round": {
		replies: stream(
			delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":"{}"}}]}`) + stop + done,
		),
		reason: parley.ModelMalformed, says: "calls tools", requests: 2, called: "one{}"},

	"moved on the server": {replies: []reply{{status: 308, header: "Location: /v2/chat/completions"},
		{body: plainReply}},
		text: "hello"},
	"moved to another server": {replies: []reply{{status: 307, header: "Location: http://other.test/v1/chat?key=x"}},
		reason: parley.ModelNoEndpoint, says: "redirects to http://other.test/v1/chat (status 307)"},
	"moved with the request lost": {replies: []reply{{status: 302, header: "Location: {server}/login"}},
		reason: parley.ModelNoEndpoint, says: "/login (status 302)"},
	"moved in circles": {replies: []reply{{status: 308, header: "Location: /again"}},
		reason: parley.ModelNoEndpoint, says: "/again (status 308)"},

	"FastAPI's detail": {replies: []reply{{status: 422,
		body: `{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required"}]}`}},
		reason: parley.ModelRefused, says: "body model: Field required"},
	"detail in words": {
		replies: []reply{{status: 400, body: `{"detail":"no such thing"}`}},
		reason:  parley.ModelRefused,
		says:    "no such thing",
	},
	"a list of errors": {
		replies: []reply{{status: 400, body: `[{"error":{"code":400,"message":"bad field"}}]`}},
		reason:  parley.ModelRefused,
		says:    "bad field",
	},
	"an error in words": {
		replies: []reply{{status: 400, body: "bad field\n"}},
		reason:  parley.ModelRefused,
		says:    "bad field",
	},
	"a page": {
		replies: []reply{{status: 400, body: "<html>bad</html>"}},
		reason:  parley.ModelRefused,
		says:    "(status 400)",
	},

	"409": {replies: []reply{{status: 409}, {body: plainReply}}, text: "hello", requests: 2},
	"Retry-After-Ms": {
		replies:  []reply{{status: 429, header: "Retry-After-Ms: 5\nRetry-After: 3600"}, {body: plainReply}},
		text:     "hello",
		requests: 2,
	},
	"a wait beyond the time": {
		replies: []reply{{status: 429, header: "Retry-After-Ms: 3600000"}},
		reason:  parley.ModelQuota,
	},
	"another try is of no use": {
		replies: []reply{{status: 500, header: "X-Should-Retry: false"}},
		reason:  parley.ModelServerError,
	},
	"another try may help": {
		replies:  []reply{{status: 400, header: "X-Should-Retry: true"}, {body: plainReply}},
		text:     "hello",
		requests: 2,
	},

	"stream_options refused": {
		replies: []reply{
			{
				status: 422,
				body:   `{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`,
			},
			{body: plainReply},
		},
		text: "hello", requests: 2},
	"streams refused": {
		replies: []reply{
			{
				status: 400,
				body:   `{"error":{"message":"Unsupported value: 'stream' does not support true","param":"stream"}}`,
			},
			{body: plainReply},
		},
		text: "hello", requests: 2},
	"everything refused": {
		replies: []reply{
			{
				status: 400,
				body:   `{"error":"max_tokens, max_completion_tokens, stream_options and stream are not supported"}`,
			},
		},
		reason: parley.ModelRefused, says: "are not supported", requests: 4},
}

// Servers speak chat completions a little differently. What can be understood is an answer, and what cannot is an
// error that says why.
func TestServersThatDifferAreUnderstood(t *testing.T) {
	t.Parallel()
	for name, odd := range oddServers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, requests := scripted(t, odd.replies...)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()

			var called string
			_, c := start(t)
			a, err := c.Answer(ctx, parley.ModelQuestion{
				Model: "m", BaseURL: s.URL + "/v1", KeyEnv: "TEST_KEY", MaxTokens: 50, Rounds: 1,
				Turns: []parley.ModelTurn{{Text: "hi"}},
				Tools: []parley.Tool{
					{Type: "function", Function: parley.Function{Name: "one", Parameters: []byte(`{}`)}},
				},
				RunTool: func(_ context.Context, name, arguments string) string {
					called += name + arguments
					return "{}"
				},
			})

			if a.Text != odd.text || parley.ReasonOf(err) != odd.reason || (err == nil) != (odd.reason == "") {
				t.Fatalf("got %q, %v, want %q, %s", a.Text, err, odd.text, odd.reason)
			}
			if err != nil && !strings.Contains(err.Error(), odd.says) {
				t.Errorf("the error is %q, want %q in it", err, odd.says)
			}
			if got := [2]int{a.Usage.InputTokens, a.Usage.OutputTokens}; odd.requests < 2 && got != odd.usage {
				t.Errorf("the usage is %v, want %v", got, odd.usage)
			}
			if a.Usage.Requests != max(odd.requests, 1) || called != odd.called {
				t.Errorf(
					"%d requests, want %d; called %q, want %q",
					a.Usage.Requests,
					max(odd.requests, 1),
					called,
					odd.called,
				)
			}
			for _, r := range requests() {
				if r.header.Get("Authorization") != "Bearer secret" {
					t.Errorf("%s came without the key", r.url)
				}
			}
		})
	}
}

// The longest answer goes under the name that the server wants, and what was learned holds for the next question.
func TestLongestAnswerHasTheServersName(t *testing.T) {
	t.Parallel()
	refused := reply{status: 400, body: `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported. ` +
		`Use 'max_completion_tokens' instead.","param":"max_tokens","code":"unsupported_parameter"}}`}
	tooLarge := reply{status: 400, body: `{"error":{"message":"max_tokens is too large: 50","param":"max_tokens"}}`}
	for name, c := range map[string]struct {
		field   string
		replies []reply
		sent    []string // the names of both questions' requests
	}{
		"elsewhere": {"", []reply{{body: plainReply}}, []string{parley.LimitTokens, parley.LimitTokens}},
		"as set": {parley.LimitCompletionTokens, []reply{{body: plainReply}},
			[]string{parley.LimitCompletionTokens, parley.LimitCompletionTokens}},
		"as the server wants": {"", []reply{refused, {body: plainReply}}, []string{parley.LimitTokens,
			parley.LimitCompletionTokens, parley.LimitCompletionTokens}},
		"too large a number": {"", []reply{tooLarge, {body: plainReply}}, []string{parley.LimitTokens,
			parley.LimitTokens}},
	} {
		s, requests := scripted(t, c.replies...)
		_, client := start(t)
		q := parley.ModelQuestion{Model: "m", BaseURL: s.URL, MaxTokens: 50, LimitField: c.field,
			Turns: []parley.ModelTurn{{Text: "hi"}}}
		for range 2 {
			_, _ = client.Answer(t.Context(), q)
		}

		var sent []string
		for _, r := range requests() {
			for _, field := range []string{parley.LimitTokens, parley.LimitCompletionTokens} {
				if r.body[field] == float64(50) {
					sent = append(sent, field)
				}
			}
		}
		if strings.Join(sent, " ") != strings.Join(c.sent, " ") {
			t.Errorf("%s: sent %q, want %q", name, sent, c.sent)
		}
	}
}

// The address of a server may have a query, and says how the key goes.
func TestKeyGoesAsTheAddressWants(t *testing.T) {
	t.Parallel()
	token := "eyJhbGciOi.eyJzdWIi.c2ln"
	for _, c := range []struct{ path, key, url, authorization, apiKey string }{
		{"", "k", "/chat/completions", "Bearer k", ""},
		{"/v1/", "k", "/v1/chat/completions", "Bearer k", ""},
		{"/a%2Fb", "k", "/a%2Fb/chat/completions", "Bearer k", ""},
		{"/v1/chat/completions", "k", "/v1/chat/completions", "Bearer k", ""},
		{"/v1?team=a&team=b", "k", "/v1/chat/completions?team=a&team=b", "Bearer k", ""},
		{"/openai/deployments/gpt?api-version=2024-10-21", "k",
			"/openai/deployments/gpt/chat/completions?api-version=2024-10-21", "", "k"},
		{"/openai/deployments/gpt/chat/completions?api-version=2024-10-21", token,
			"/openai/deployments/gpt/chat/completions?api-version=2024-10-21", "Bearer " + token, ""},
	} {
		s, requests := scripted(t, reply{body: plainReply})
		client := New(Options{Getenv: func(name string) string { return map[string]string{"KEY": c.key}[name] }})
		must.Have(client.Answer(t.Context(), parley.ModelQuestion{
			Model: "m", BaseURL: s.URL + c.path, KeyEnv: "KEY", Turns: []parley.ModelTurn{{Text: "hi"}}}))(t)

		got := requests()[0]
		if got.url != c.url || got.header.Get("Authorization") != c.authorization ||
			got.header.Get("Api-Key") != c.apiKey {
			t.Errorf("%s: asked %s with %v", c.path, got.url, got.header)
		}
		for name := range got.header {
			if strings.HasPrefix(name, "X-Stainless") || strings.HasPrefix(name, "Openai-") {
				t.Errorf("%s: tells the server %s", c.path, name)
			}
		}
	}
}

// Only a question that names no server goes where the environment says, with what belongs to that.
func TestEnvironmentChoosesTheServerOnlyIfNoneIsNamed(t *testing.T) {
	t.Parallel()
	named, atNamed := scripted(t, reply{body: plainReply})
	ambient, atAmbient := scripted(t, reply{body: plainReply})
	env := map[string]string{
		"OPENAI_BASE_URL": ambient.URL + "/v1", "OPENAI_ORG_ID": "org", "OPENAI_PROJECT_ID": "project", "KEY": "k",
	}
	c := New(Options{Getenv: func(name string) string { return env[name] }})

	q := parley.ModelQuestion{Model: "m", KeyEnv: "KEY", Turns: []parley.ModelTurn{{Text: "hi"}}}
	must.Have(c.Answer(t.Context(), q))(t)
	got := atAmbient()[0]
	if got.url != "/v1/chat/completions" || got.header.Get("Authorization") != "Bearer k" ||
		got.header.Get("Openai-Organization") != "org" || got.header.Get("Openai-Project") != "project" {
		t.Errorf("asked %s with %v", got.url, got.header)
	}

	q.BaseURL = named.URL
	must.Have(c.Answer(t.Context(), q))(t)
	if got := atNamed()[0]; got.header.Get("Openai-Organization") != "" || got.header.Get("Openai-Project") != "" ||
		len(atAmbient()) != 1 {
		t.Errorf("a server that is named got %v", got.header)
	}

	env["OPENAI_BASE_URL"] = "http://user:word@host/v1"
	q.BaseURL = ""
	if err := c.Problem(q); err == nil || !strings.Contains(err.Error(), "OPENAI_BASE_URL") ||
		strings.Contains(err.Error(), "word") {
		t.Errorf("got %v", err)
	}
}
