package responder

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley"
	"parley/plain"
)

// answerTo asks a server that answers each request with the same body. It returns the tools that were called too.
func answerTo(t *testing.T, status int, kind, body string) (a parley.ModelAnswer, called []string, err error) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	defer s.Close()

	_, c := start(t)
	a, err = c.Answer(t.Context(), parley.ModelQuestion{
		Model: "m", BaseURL: s.URL, KeyEnv: "TEST_KEY", Turns: []parley.ModelTurn{{Text: "hi"}}, Rounds: 1,
		Tools: []parley.Tool{{Type: "function", Function: parley.Function{Name: "one", Parameters: []byte(`{}`)}}},
		RunTool: func(_ context.Context, name, arguments string) string {
			called = append(called, name+arguments)
			return "{}"
		},
	})
	return a, called, err
}

const eventStream = "text/event-stream"

func TestEmptyEventsAreSkipped(t *testing.T) {
	t.Parallel()
	a, _, err := answerTo(t, 200, eventStream, "data:\n\nevent: ping\ndata: \n\n"+
		`data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	if err != nil || a.Text != "hi" {
		t.Errorf("got %q, %v", a.Text, err)
	}
}

func TestLastEventNeedsNoEmptyLine(t *testing.T) {
	t.Parallel()
	for _, cut := range []string{`data: {"choices":[{"de`, `data: {"choices":[{"delta":{"content":"hi"}}]}`} {
		if _, _, err := answerTo(t, 200, eventStream, cut); parley.ReasonOf(err) != parley.ModelMalformed {
			t.Errorf("cut off: %v", err)
		}
	}

	a, _, err := answerTo(t, 200, eventStream,
		`data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}`+"\n")
	if err != nil || a.Text != "hi" {
		t.Errorf("got %q, %v", a.Text, err)
	}
}

func TestCallsWithTheirOwnIDsAreApart(t *testing.T) {
	t.Parallel()
	var stream string
	for _, piece := range []string{
		`{"index":0,"id":"a","function":{"name":"one","arguments":"{}"}}`,
		`{"index":0,"id":"b","function":{"name":"two","arguments":"{\"n\""}}`,
		`{"index":0,"function":{"arguments":":1"}}`,
		`{"index":0,"id":"c","function":{"arguments":"}"}}`, // some give each piece an id of its own
	} {
		stream += `data: {"choices":[{"delta":{"tool_calls":[` + piece + "]}}]}\n\n"
	}
	stream += `data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"

	_, called, _ := answerTo(t, 200, eventStream, stream) // it goes on calling tools
	if len(called) != 2 || called[0] != "one{}" || called[1] != `two{"n":1}` {
		t.Errorf("it called %q", called)
	}
}

func TestServersErrorIsTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
		reason parley.ModelReason
		says   string
	}{
		"as an ordinary answer": {
			200, "{\n\"error\": {\"message\": \"no provider\", \"code\": 502}\n}", parley.ModelMalformed, "no provider",
		},
		"without an envelope": {
			400, `{"object":"error","message":"This model's maximum context length is 9 tokens.","code":400}`,
			parley.ModelContext, "maximum context",
		},
	} {
		_, _, err := answerTo(t, c.status, "application/json", c.body)
		if parley.ReasonOf(err) != c.reason || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v (%s)", name, err, parley.ReasonOf(err))
		}
	}
}

func TestKeyIsNotRepeated(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"refused":         {400, `{"error":{"message":"API key secret not valid"}}`},
		"failed":          {500, `{"error":{"message":"upstream refused Bearer secret"}}`},
		"amid the answer": {200, `data: {"error":{"message":"upstream refused Bearer secret"}}` + "\n\n"},
		"cut off":         {400, `{"error":"` + strings.Repeat("x", 197) + `secret"}`},
	} {
		_, _, err := answerTo(t, c.status, eventStream, c.body)
		if err == nil || strings.Contains(err.Error(), "sec") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatIsKeptOfAnAnswerIsBounded(t *testing.T) {
	t.Parallel()
	half := strings.Repeat("x", maxAnswer/2)
	for name, stream := range map[string]string{
		"arguments": strings.Repeat(`data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"`+half+`"}}]}}]}`+
			"\n\n", 3),
		"calls": `data: {"choices":[{"delta":{"tool_calls":[` +
			strings.Repeat(`{"id":"a","function":{"name":"n"}},{"id":"b","function":{"name":"n"}},`, 2500) +
			`{}]}}]}` + "\n\n",
		"refusal": strings.Repeat(`data: {"choices":[{"delta":{"refusal":"`+half+`"}}]}`+"\n\n", 3),
		"lines":   strings.Repeat("data: "+half+"\n", maxLine/len(half)+1),
	} {
		stream += `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
		_, called, err := answerTo(t, 200, eventStream, stream)
		if len(called) > 0 || err == nil || !strings.Contains(err.Error(), errTooLong.Error()) {
			t.Errorf("%s: it called %d tools, %v", name, len(called), plain.Truncate(fmt.Sprint(err), 200))
		}
	}
}
