package modelserver_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/modelserver"
	"parley/internal/must"
)

// api has the requests of one of the APIs. In a history, a text that begins with "me: " is
// the model's.
type api struct {
	name, path string
	request    func(history []string, tools ...string) any
	text, tool string // prefixes of a text and of a tool's name in an answer
	failure    string
}

type object = map[string]any

func each(list []string, f func(string) any) []any {
	all := []any{}
	for _, item := range list {
		all = append(all, f(item))
	}
	return all
}

func message(item string) any {
	if text, ok := strings.CutPrefix(item, "me: "); ok {
		return object{"role": "assistant", "content": text}
	}
	return object{"role": "user", "content": item}
}

func content(item string) any {
	if text, ok := strings.CutPrefix(item, "me: "); ok {
		return object{"role": "model", "parts": []any{object{"text": text}}}
	}
	return object{"role": "user", "parts": []any{object{"text": item}}}
}

func chatRequest(stream bool) func([]string, ...string) any {
	return func(history []string, tools ...string) any {
		return object{
			"stream":   stream,
			"messages": append([]any{object{"role": "system", "content": "be kind"}}, each(history, message)...),
			"tools": each(tools,
				func(name string) any { return object{"type": "function", "function": object{"name": name}} }),
		}
	}
}

func geminiRequest(history []string, tools ...string) any {
	return object{
		"systemInstruction": object{"parts": []any{object{"text": "be kind"}}},
		"contents":          each(history, content),
		"tools": []any{
			object{"functionDeclarations": each(tools, func(name string) any { return object{"name": name} })},
		},
	}
}

var apis = []api{
	{"messages", "/v1/messages", func(history []string, tools ...string) any {
		return object{
			"system":   "be kind",
			"messages": each(history, message),
			"tools":    each(tools, func(name string) any { return object{"name": name} }),
		}
	}, `"text":"`, `"name":"`, `"type":"rate_limit_error"`},
	{"responses", "/v1/responses", func(history []string, tools ...string) any {
		return object{
			"instructions": "be kind",
			"input":        each(history, message),
			"tools":        each(tools, func(name string) any { return object{"type": "function", "name": name} }),
		}
	}, `"text":"`, `"name":"`, `"code":"rate_limit_exceeded"`},
	{
		"chat completions",
		"/v1/chat/completions",
		chatRequest(true),
		`"content":"`,
		`"name":"`,
		`"code":"rate_limit_exceeded"`,
	},
	{
		"chat completions whole",
		"/v1/chat/completions",
		chatRequest(false),
		`"content":"`,
		`"name":"`,
		`"code":"rate_limit_exceeded"`,
	},
	{
		"streamGenerateContent",
		"/v1beta/models/m:streamGenerateContent?alt=sse",
		geminiRequest,
		`"text":"`,
		`"name":"`,
		`"status":"RESOURCE_EXHAUSTED"`,
	},
	{
		"generateContent",
		"/v1beta/models/m:generateContent",
		geminiRequest,
		`"text":"`,
		`"name":"`,
		`"status":"RESOURCE_EXHAUSTED"`,
	},
}

// inEach runs a test in each API, each with its own model.
func inEach(t *testing.T, test func(t *testing.T, s *modelserver.Server, a api)) {
	t.Parallel()
	for _, a := range apis {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			s := modelserver.Start()
			defer s.Close()
			test(t, s, a)
		})
	}
}

func ask(t *testing.T, s *modelserver.Server, a api, history []string, tools ...string) (status int, answer string) {
	t.Helper()
	body := must.Have(json.Marshal(a.request(history, tools...)))(t)

	res := must.Have(http.Post(s.URL+a.path, "application/json", strings.NewReader(string(body))))(t)
	defer res.Body.Close()

	b := must.Have(io.ReadAll(res.Body))(t)

	checkForm(t, res, string(b))

	return res.StatusCode, string(b)
}

// wantPrompts checks which prompts a model was given.
func wantPrompts(t *testing.T, s *modelserver.Server, want ...string) {
	t.Helper()
	if got := s.Prompts(); !cmp.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// checkForm fails the test unless every event, or the whole answer, is JSON.
func checkForm(t *testing.T, res *http.Response, body string) {
	t.Helper()
	if res.Header.Get("Content-Type") == "application/json" {
		if !json.Valid([]byte(body)) {
			t.Errorf("not JSON: %s", body)
		}
		return
	}

	for line := range strings.Lines(body) {
		data, ok := strings.CutPrefix(line, "data: ")
		if ok && strings.TrimSpace(data) != "[DONE]" && !json.Valid([]byte(data)) {
			t.Errorf("not JSON: %s", data)
		}
	}
}

func TestPromptsAreKeptToTheByteAndCountedOnce(t *testing.T) {
	inEach(t, func(t *testing.T, s *modelserver.Server, a api) {
		first, second := "  one\n\n\tend ", "two"
		ask(t, s, a, []string{first}, "shell")
		ask(t, s, a, []string{"find a title"})
		ask(t, s, a, []string{first, "me: yes", second}, "shell", "look")
		wantPrompts(t, s, first, second)

		system, tools := s.Offered()
		if strings.TrimSpace(system) != "be kind" || !cmp.Equal(tools, []string{"shell", "look"}) {
			t.Errorf("got %q and %q", system, tools)
		}
	})
}

func TestPromptThatWasAnsweredAndComesAgainCountsTwice(t *testing.T) {
	inEach(t, func(t *testing.T, s *modelserver.Server, a api) {
		ask(t, s, a, []string{"one"}, "shell")
		ask(t, s, a, []string{"one", "me: yes", "one"}, "shell")
		ask(t, s, a, []string{"one"}, "shell") // in another session
		wantPrompts(t, s, "one", "one", "one")
	})
}

func TestFailureRepeatsUntilANewPromptAndCountsOnce(t *testing.T) {
	inEach(t, func(t *testing.T, s *modelserver.Server, a api) {
		fail := "FAIL 429 no more for today\n(operator)"
		for range 2 {
			status, body := ask(t, s, a, []string{fail}, "shell")
			if status != http.StatusTooManyRequests || !strings.Contains(body, a.failure) ||
				!strings.Contains(body, `"message":"no more for today"`) {
				t.Errorf("got %d %s", status, body)
			}
		}

		if status, body := ask(t, s, a, []string{fail, "go on"}, "shell"); status != http.StatusOK {
			t.Errorf("got %d %s", status, body)
		}
		wantPrompts(t, s, fail, "go on")

		status, body := ask(t, s, a, []string{`FAIL 500 {"own":1}`}, "shell")
		if status != http.StatusInternalServerError || body != `{"own":1}` {
			t.Errorf("got %d %s", status, body)
		}
	})
}

func TestToolIsCalledByItsNameOrTheEndOfIt(t *testing.T) {
	inEach(t, func(t *testing.T, s *modelserver.Server, a api) {
		for _, test := range []struct {
			call  string
			tools []string
			want  string
		}{
			{"shell", []string{"mcp__x__shell", "shell"}, "shell"},
			{"send_message", []string{"resend_message", "mcp_parley_send_message"}, "mcp_parley_send_message"},
			{"send_message", []string{"parley-send_message"}, "parley-send_message"},
		} {
			_, body := ask(t, s, a, []string{fmt.Sprintf(`please CALL %s {"to":"ann"} now`, test.call)}, test.tools...)
			if !strings.Contains(body, a.tool+test.want+`"`) || !strings.Contains(body, "ann") {
				t.Errorf("%s of %q: got %s", test.call, test.tools, body)
			}
		}

		_, body := ask(t, s, a, []string{`CALL shell {"to"} or {"a":1}x`}, "shell")
		if !strings.Contains(body, "There is no such call") {
			t.Errorf("not JSON: got %s", body)
		}

		_, body = ask(t, s, a, []string{`CALL ell {}`}, "shell")
		if !strings.Contains(body, "There is no such call") {
			t.Errorf("part of a word: got %s", body)
		}
	})
}

func TestModelSpeaksOverTimeAndRepeatsThePrompt(t *testing.T) {
	inEach(t, func(t *testing.T, s *modelserver.Server, a api) {
		began := time.Now()
		_, body := ask(t, s, a, []string{"SLEEP 0.1 and STREAM 1"}, "shell")
		if d := time.Since(began); d < 1100*time.Millisecond {
			t.Errorf("it took %v", d)
		}
		if !strings.Contains(body, "word1 ") || !strings.Contains(body, "You said: SLEEP 0.1") {
			t.Errorf("got %s", body)
		}

		_, body = ask(t, s, a, []string{"SLEEP 600"}) // without tools
		if !strings.Contains(body, a.text+"Understood.") && !strings.Contains(body, `"Understood."`) {
			t.Errorf("got %s", body)
		}
	})
}

func TestTurnThatIsBrokenOffComesAgainOnce(t *testing.T) {
	s := modelserver.Start()
	defer s.Close()

	a := apis[2]
	body := must.Have(json.Marshal(a.request([]string{"SLEEP 600"}, "shell")))(t)

	client := http.Client{Timeout: 300 * time.Millisecond}
	if res, err := client.Post(s.URL+a.path, "application/json", strings.NewReader(string(body))); err == nil {
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}

	ask(t, s, a, []string{"SLEEP 600", "and this"}, "shell") // obeys only the new one
	wantPrompts(t, s, "SLEEP 600", "and this")
}

func TestWaitingTurnGoesOnWhenItIsReleased(t *testing.T) {
	s := modelserver.Start()
	defer s.Close()

	answered := make(chan string, 1)
	go func() {
		_, body := ask(t, s, apis[0], []string{"WAIT, please"}, "shell")
		answered <- body
	}()

	must.Become(t, "it is asked", func() bool { return len(s.Prompts()) > 0 })
	select {
	case body := <-answered:
		t.Fatalf("it did not wait: %s", body)
	case <-time.After(100 * time.Millisecond):
	}

	s.Release()
	if body := <-answered; !strings.Contains(body, "You said: WAIT") {
		t.Errorf("got %s", body)
	}
}

func TestCloseEndsATurn(t *testing.T) {
	s := modelserver.Start()
	body := must.Have(json.Marshal(apis[0].request([]string{"SLEEP 600"}, "shell")))(t)

	res := must.Have(http.Post(s.URL+apis[0].path, "application/json", strings.NewReader(string(body))))(t)
	defer res.Body.Close()

	closed := make(chan struct{})
	go func() { s.Close(); close(closed) }()
	must.Come(t, "its end", closed)
}

func TestFailureComesWhenTheWaitIsOver(t *testing.T) {
	inEach(t, func(t *testing.T, s *modelserver.Server, a api) {
		began := time.Now()
		status, _ := ask(t, s, a, []string{"SLEEP 0.1 and FAIL 500"}, "shell")
		if d := time.Since(began); status != http.StatusInternalServerError || d < 100*time.Millisecond {
			t.Errorf("got %d after %v", status, d)
		}
	})
}
