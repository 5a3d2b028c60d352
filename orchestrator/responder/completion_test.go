package responder

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"parley"
	"parley/internal/must"
)

// Some servers answer a request for a stream with an ordinary completion.
func TestOrdinaryCompletionIsAnAnswer(t *testing.T) {
	t.Parallel()
	answers := []string{
		`{"id":"1","object":"chat.completion","choices":[{"index":0,"finish_reason":"tool_calls","message":{
			"role":"assistant","content":null,"tool_calls":[
			{"id":"a","type":"function","function":{"name":"one","arguments":"{\"n\":1}"}},
			{"id":"b","type":"function","function":{"name":"two","arguments":"{}"}}]}}],
			"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}`,
		`{"id":"2","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{
			"role":"assistant","content":"It is\ndone."}}],
			"usage":{"prompt_tokens":6,"completion_tokens":3,"total_tokens":9}}`,
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = io.WriteString(w, answers[0])
		answers = answers[1:]
	}))
	t.Cleanup(s.Close)

	_, c := start(t)
	var called []string
	q := parley.ModelQuestion{
		Model: "m", BaseURL: s.URL, Turns: []parley.ModelTurn{{Text: "hi"}}, Rounds: 1,
		Tools: []parley.Tool{{Type: "function", Function: parley.Function{Name: "one", Parameters: []byte(`{}`)}}},
		RunTool: func(_ context.Context, name, arguments string) string {
			called = append(called, name+arguments)
			return "{}"
		},
	}

	a := must.Have(c.Answer(t.Context(), q))(t)
	if a.Text != "It is\ndone." || a.Usage.InputTokens != 11 || a.Usage.OutputTokens != 5 || a.Usage.Unmeasured {
		t.Errorf("got %+v", a)
	}
	if len(called) != 2 || called[0] != `one{"n":1}` || called[1] != `two{}` {
		t.Errorf("it called %q", called)
	}
}

// JSON that is no completion is no answer.
func TestOtherJSONIsNoAnswer(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"status":"ok"}`, `[]`, `{"choices":[]}`, `{"choices":[{"text":"old"}]}`, `{"choi`} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, body)
		}))
		_, c := start(t)
		_, err := c.Answer(t.Context(), parley.ModelQuestion{
			Model: "m", BaseURL: s.URL, Turns: []parley.ModelTurn{{Text: "hi"}}})
		s.Close()

		if parley.ReasonOf(err) != parley.ModelMalformed {
			t.Errorf("%s: %v", body, err)
		}
	}
}
