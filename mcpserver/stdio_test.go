package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
)

const greeting = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// spoken is what the server says to a whole conversation that comes at once. Calls may
// go on for so long after it.
func spoken(t *testing.T, f *fake, in string, last time.Duration) map[string]json.RawMessage {
	t.Helper()
	var out bytes.Buffer
	must.Do(t, serveStdio(t.Context(), Options{Service: f, Version: "test"}, strings.NewReader(in), &out, coder, last))

	answers := map[string]json.RawMessage{}
	for line := range strings.Lines(out.String()) {
		var e envelope
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		answers[string(e.ID)] = json.RawMessage(line)
	}

	return answers
}

func TestRequestsBeforeTheEndOfInputAreAnswered(t *testing.T) {
	in := greeting + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":"three","method":"tools/call","params":{"name":"get_agent_status","arguments":{}}}
{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"check_inbox","arguments":{"wait_seconds":60}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"send_message","arguments":{"to":"planner","text":"hi"}}}` // and no end of line

	for range 5 {
		f := newFake()
		time.AfterFunc(50*time.Millisecond, func() { close(f.hold) }) // the answer comes after the end
		answers := spoken(t, f, in, time.Minute)                      // however slow the machine is
		for _, id := range []string{"1", "2", `"three"`, "4", "5"} {
			if answers[id] == nil || !strings.Contains(string(answers[id]), `"result":{`) {
				t.Fatalf("request %s got no answer: %s", id, answers)
			}
		}

		if len(f.sent) != 1 {
			t.Fatalf("%d messages were sent, want 1", len(f.sent))
		}
	}
}

// A client that goes must not wait for a call that waits for something.
func TestTheEndOfInputDoesNotWaitForLongPolls(t *testing.T) {
	began := time.Now()
	f := newFake()
	in := greeting + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"check_inbox","arguments":{"wait_seconds":60}}}` + "\n"
	if answers := spoken(t, f, in, lastAnswers); answers["1"] == nil {
		t.Errorf("got %s, want the greeting answered", answers)
	}
	if took := time.Since(began); took < lastAnswers || took > 30*time.Second {
		t.Errorf("it ended after %s, want it soon after %s", took, lastAnswers)
	}
}

func TestACancelledCallDelaysNothing(t *testing.T) {
	d := newDialogue(context.Background(), strings.NewReader(`{"id":2,"method":"tools/call"}
{"method":"notifications/cancelled","params":{"requestId":2}}
[1]
nonsense
{"id":null,"method":"x"}
`), io.Discard, lastAnswers)
	if _, err := io.ReadAll(d); err != nil || len(d.open) != 0 {
		t.Errorf("%v; open are %v, want none", err, d.open)
	}
}

// A line without an end takes bounded memory, and the call behind it is answered.
func TestALineHasABound(t *testing.T) {
	in := greeting + `{"jsonrpc":"2.0","id":2,"method":"` + strings.Repeat("x", 3*maxLine) + "\"}\n" +
		`{"jsonrpc":"2.0","id":3,"method":"tools/list"}` + "\n"
	answers := spoken(t, newFake(), in, time.Minute)
	if answers["2"] != nil || !strings.Contains(string(answers["3"]), `"result":{`) {
		t.Errorf("got %.300s", answers)
	}
}
