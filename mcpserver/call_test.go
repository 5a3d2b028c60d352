package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/must"

	"github.com/google/go-cmp/cmp"
	official "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
)

func TestCallSendsAsTheCaller(t *testing.T) {
	everywhere(t, coder, func(t *testing.T, f *fake, s *official.ClientSession) {
		res, text := call(t, s, "send_message",
			json.RawMessage(`{"recipient":"planner","content":{"text":"done","data":{"n":12345678901234567890}}}`))
		if res.IsError {
			t.Fatalf("it failed: %s", text)
		}

		got := structured[parley.SendMessageResult](t, res)
		if !got.Success || got.MessageID != "5f0c21aa" || len(got.DeliveryStatus.DeliveredTo) != 1 {
			t.Errorf("the result is %+v", got)
		}

		want := []parley.SendMessageRequest{
			{To: parley.Names{"planner"}, Text: "done", Data: json.RawMessage(`{"n":12345678901234567890}`),
				Type: parley.TypeInformation, Priority: parley.PriorityNormal},
		}

		if diff := cmp.Diff(want, f.sent); diff != "" {
			t.Error(diff)
		}

		f.callers[0].Remote = false // true over stdio
		if diff := cmp.Diff([]parley.Caller{coder}, f.callers); diff != "" {
			t.Error(diff)
		}

		var fromText parley.SendMessageResult
		if err := json.Unmarshal([]byte(text), &fromText); err != nil || fromText.MessageID != got.MessageID {
			t.Errorf("the text is %s (%v)", text, err)
		}
	})
}

func TestErrorsReachTheModel(t *testing.T) {
	everywhere(t, coder, func(t *testing.T, f *fake, s *official.ClientSession) {
		for _, c := range []struct {
			tool string
			args args
			code parley.Code
			text []string
		}{
			{"send_message", args{"to": "a", "text": "hi", "cc": "b"}, parley.InvalidArgument, []string{`no parameter "cc"`, "send_message takes: to, text"}},
			{"send_message", args{"to": "a", "text": "hi", "priorty": "high"}, parley.InvalidArgument, []string{`Did you mean "priority"?`}},
			{"send_message", args{"to": "a"}, parley.InvalidArgument, []string{"text is missing"}},
			{"send_message", args{"to": "a", "text": "hi", "sender_id": "planner"}, parley.NotAuthorized,
				[]string{"Leave sender_id out"}},
			{"send_message", args{"to": "nobody", "text": "hi"}, parley.AgentNotFound, []string{`there is no agent "nobody"`, "get_agent_status lists them."}},
			{"stop_agent", args{"agent": "planner"}, parley.NotAuthorized, []string{"Ask the operator"}},
			{"send_message", args{"to": "broken", "text": "hi"}, parley.Internal, []string{"unexpected EOF",
				"Try again"}},
		} {
			res, text := call(t, s, c.tool, c.args)
			got := structured[parley.Error](t, res)
			if !res.IsError || got.Code != c.code || got.Action == "" {
				t.Errorf("%s %v: got isError=%v and %+v, want %s", c.tool, c.args, res.IsError, got, c.code)
			}

			for _, want := range append(c.text, string(c.code), got.Action) {
				if !strings.Contains(text, want) {
					t.Errorf("%s %v: the text is %q, want %q in it", c.tool, c.args, text, want)
				}
			}
		}

		if len(f.sent) != 0 {
			t.Errorf("%d messages were sent", len(f.sent))
		}
	})
}

func TestAResultThatReportsAFailureIsAnError(t *testing.T) {
	res, _ := call(t, overHTTP(t, newFake(), coder, latest, nil), "send_message", args{"to": "gone", "text": "hi"})
	got := structured[parley.SendMessageResult](t, res)
	if !res.IsError || got.Success || got.MessageID == "" || got.ErrorCode != parley.AgentUnavailable {
		t.Errorf("isError is %v with %+v", res.IsError, got)
	}
}

func TestAPanicIsAnInternalError(t *testing.T) {
	everywhere(t, coder, func(t *testing.T, _ *fake, s *official.ClientSession) {
		res, text := call(t, s, "send_message", args{"to": "crash", "text": "hi"})
		if got := structured[parley.Error](t, res); !res.IsError || got.Code != parley.Internal {
			t.Errorf("a crash of the service gave %s", text)
		}
		if strings.Contains(text, "goroutine") {
			t.Errorf("the model is shown the stack: %s", text)
		}
		if res, text := call(t, s, "get_agent_status", args{}); res.IsError {
			t.Errorf("the server does not go on: %s", text)
		}
	})
}

func TestCallersWithoutACredentialLearnWhatIsMissing(t *testing.T) {
	s := overHTTP(t, newFake(), parley.Caller{}, legacy, nil)
	res, text := call(t, s, "send_message", args{"nonsense": true})
	if got := structured[parley.Error](t, res); !res.IsError || got.Code != parley.Unauthenticated {
		t.Errorf("got %+v (%s)", got, text)
	}
	if res, text := call(t, s, "register_agent", args{"username": "newcomer"}); res.IsError ||
		!strings.Contains(text, "secret") {
		t.Errorf("register_agent gave %s", text)
	}
}

func TestOperatorsOperationsAreNotTools(t *testing.T) {
	s := overHTTP(t, newFake(), operator, latest, nil)
	for _, name := range []string{"shut_down", "backup", "get_workspace_status", "read_events", "no_such_tool"} {
		if res, err := s.CallTool(t.Context(), &official.CallToolParams{Name: name}); err == nil {
			t.Errorf("%s gave %+v, want an error", name, res)
		}
	}
}

func TestInternalErrorsAreLogged(t *testing.T) {
	var log safeBuilder
	h := newHandler(Options{Service: newFake(), Log: slog.New(slog.NewTextHandler(&log, nil))}, progressEvery)
	t.Cleanup(func() { h.Close(context.Background()) })
	url, _ := web(t, "127.0.0.1:0", as(coder, h))
	s := connect(t, &official.StreamableClientTransport{Endpoint: url}, latest, nil)
	call(t, s, "send_message", args{"to": "broken", "text": "hi"})
	call(t, s, "send_message", args{"to": "nobody", "text": "hi"})
	if n := strings.Count(log.String(), "level=ERROR"); n != 1 || !strings.Contains(log.String(), "unexpected EOF") {
		t.Errorf("the log has %d errors, want 1:\n%s", n, log.String())
	}
}

type safeBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *safeBuilder) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuilder) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// listener is a client's ear for progress.
func listener() (*official.ClientOptions, <-chan *official.ProgressNotificationParams) {
	heard := make(chan *official.ProgressNotificationParams, 100)
	return &official.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *official.ProgressNotificationClientRequest) {
			heard <- r.Params
		},
	}, heard
}

func TestALongCallReportsProgress(t *testing.T) {
	for _, version := range eras {
		t.Run(version, func(t *testing.T) {
			f := newFake()
			o, heard := listener()
			url, _ := web(t, "127.0.0.1:0", as(coder, handler(t, f, 10*time.Millisecond)))
			s := connect(t, &official.StreamableClientTransport{Endpoint: url}, version, o)
			done := make(chan error, 1)
			go func() {
				p := &official.CallToolParams{Name: "check_inbox", Arguments: args{"wait_seconds": 60}}
				p.SetProgressToken("token")
				res, err := s.CallTool(t.Context(), p)
				if err == nil && res.IsError {
					t.Errorf("the call failed: %+v", res)
				}

				done <- err
			}()

			for n := range 2 {
				select {
				case p := <-heard:
					if p.ProgressToken != "token" || p.Progress != float64(n+1) {
						t.Errorf("notification %d is %+v", n, p)
					}
				case <-time.After(must.Patience):
					t.Fatal("no progress came")
				}
			}

			close(f.hold)
			select {
			case err := <-done:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(must.Patience):
				t.Fatal("the call does not end")
			}
		})
	}
}

func TestManyCallsMayWaitOverStdio(t *testing.T) {
	f := newFake()
	s := overStdio(t, f, coder, legacy, nil)
	const waiting = 20
	var all sync.WaitGroup
	for range waiting {
		all.Go(func() {
			if _, err := s.CallTool(t.Context(), &official.CallToolParams{Name: "check_inbox",
				Arguments: args{"wait_seconds": 60}}); err != nil {
				t.Error(err)
			}
		})
	}

	answered := make(chan struct{})
	go func() {
		defer close(answered)
		if res, err := s.CallTool(t.Context(), &official.CallToolParams{Name: "get_agent_status"}); err != nil ||
			res.IsError {
			t.Errorf("get_agent_status gave %+v, %v", res, err)
		}
	}()

	must.Come(t, fmt.Sprintf("an answer beside %d calls that wait", waiting), answered)

	close(f.hold)
	all.Wait()
}

// The seeds' tools take the key as a parameter.
func TestAKeyInTheArgumentsIdentifiesTheCaller(t *testing.T) {
	for name, c := range map[string]struct {
		connection parley.Caller
		key        any
		want       parley.Code
	}{
		"nobody with a key":         {key: "coders-key"},
		"coder with his own":        {connection: coder, key: "coders-key"},
		"coder with another's":      {connection: coder, key: "chiefs-key", want: parley.Unauthenticated},
		"nobody with a wrong one":   {key: "wrong", want: parley.Unauthenticated},
		"coder with a wrong one":    {connection: coder, key: "wrong", want: parley.Unauthenticated},
		"coder with an empty one":   {connection: coder, key: "", want: parley.Unauthenticated},
		"coder with what is no key": {connection: coder, key: 5, want: parley.Unauthenticated},
	} {
		f := newFake()
		s := overHTTP(t, f, c.connection, legacy, nil)
		res, text := call(t, s, "send_message", args{"api_key": c.key, "recipient": "planner", "message": "hi"})
		if c.want != "" {
			if got := structured[parley.Error](t, res).Code; !res.IsError || got != c.want || len(f.sent) != 0 {
				t.Errorf("%s: got %s, %d sent, want %s", name, text, len(f.sent), c.want)
			}
			continue
		}

		if res.IsError || len(f.callers) != 1 || f.callers[0] != coder {
			t.Errorf("%s: got %s from %v, want a message from coder", name, text, f.callers)
		}
	}

	f := newFake()
	res, text := call(t, overStdio(t, f, coder, latest, nil), "send_message",
		args{"api_key": "some-key", "recipient": "planner", "message": "hi"})
	if res.IsError || len(f.keys) != 1 || f.keys[0] != "some-key" {
		t.Errorf("over stdio: got %s with the keys %q, want the key handed on", text, f.keys)
	}
	if res, text = call(t, overStdio(t, newFake(), coder, latest, nil), "send_message", args{"api_key": "",
		"to": "planner", "text": "hi"}); !res.IsError {
		t.Errorf("over stdio an empty key is taken: %s", text)
	}
}
