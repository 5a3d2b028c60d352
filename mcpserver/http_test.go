package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	official "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/httpapi"
	"parley/internal/must"
)

func TestSessionsSurviveARestart(t *testing.T) {
	for _, version := range eras {
		t.Run(version, func(t *testing.T) {
			url, stop := web(t, "127.0.0.1:0", as(coder, handler(t, newFake(), progressEvery)))

			// A connection that the old server closed is the client's to notice.
			fresh := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			s := connect(t, &official.StreamableClientTransport{Endpoint: url, HTTPClient: fresh}, version, nil)
			call(t, s, "send_message", args{"to": "planner", "text": "before"})
			stop()

			f := newFake()
			web(t, strings.TrimPrefix(url, "http://"), as(coder, handler(t, f, progressEvery)))
			res, text := call(t, s, "send_message", args{"to": "planner", "text": "after"})
			if res.IsError || len(f.sent) != 1 {
				t.Errorf("after the restart it gave %s, and %d messages came", text, len(f.sent))
			}
		})
	}
}

// A month of calls must not fill the log.
func TestCallsLeaveNothingInTheLog(t *testing.T) {
	var log bytes.Buffer
	h := newHandler(Options{Authenticate: known,
		Service: newFake(), Version: "1", Log: slog.New(slog.NewTextHandler(&log, nil)),
	}, progressEvery)
	url, stop := web(t, "127.0.0.1:0", as(coder, h))
	s := connect(t, &official.StreamableClientTransport{Endpoint: url}, eras[0], nil)
	call(t, s, "send_message", args{"to": "planner", "text": "hello"})
	stop()
	if log.Len() > 0 {
		t.Errorf("the log has:\n%s", &log)
	}
}

func TestTheProtocolVersionIsNegotiated(t *testing.T) {
	for _, version := range append([]string{""}, eras...) {
		s := overHTTP(t, newFake(), coder, version, nil)
		want := version
		if version == "" {
			want = latest
		}
		if got := s.InitializeResult().ProtocolVersion; got != want {
			t.Errorf("a client of %q is answered in %q, want %q", version, got, want)
		}
	}
}

// bearer adds a key to every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b != "" {
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

func TestMCPBehindHTTPAPI(t *testing.T) {
	f := newFake()
	url, _ := web(t, "127.0.0.1:0", httpapi.New(httpapi.Options{Service: f, MCP: handler(t, f, progressEvery),
		Authenticate: func(_ context.Context, key string) (parley.Caller, bool) { return coder, key == "coders-key" }}))
	for _, version := range eras {
		s := connect(
			t,
			&official.StreamableClientTransport{
				Endpoint:   url + "/mcp",
				HTTPClient: &http.Client{Transport: bearer("coders-key")},
			},
			version,
			nil,
		)

		if res, text := call(t, s, "send_message", args{"to": "planner", "text": "hi"}); res.IsError {
			t.Errorf("%s: %s", version, text)
		}

		for _, key := range []bearer{"wrong", ""} {
			c := official.NewClient(&official.Implementation{Name: "test"}, nil)
			_, err := c.Connect(t.Context(),
				&official.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: key}},
				&official.ClientSessionOptions{ProtocolVersion: version})
			if err == nil || !strings.Contains(strings.ToLower(err.Error()), "unauthorized") {
				t.Errorf("%s with the key %q: got %v, want it refused", version, key, err)
			}
		}
	}

	afar := coder
	afar.Network = true
	for _, c := range f.callers {
		if c != afar {
			t.Errorf("a call came from %+v", c)
		}
	}
}

// raw sends one request of the old era, as curl would.
func raw(t *testing.T, url, method, session, body string) (status int, header http.Header, answer string) {
	t.Helper()
	req := must.Have(http.NewRequest(method, url, strings.NewReader(body)))(t)

	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}

	resp := must.Have(http.DefaultClient.Do(req))(t)
	defer resp.Body.Close()

	b := must.Have(io.ReadAll(resp.Body))(t)

	return resp.StatusCode, resp.Header, string(b)
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	ping       = `{"jsonrpc":"2.0","id":2,"method":"ping"}`
)

func TestOnlyTheClientEndsItsSession(t *testing.T) {
	h := handler(t, newFake(), progressEvery)
	url, _ := web(t, "127.0.0.1:0", as(coder, h))
	status, header, body := raw(t, url, "POST", "", initialize)
	session := header.Get("Mcp-Session-Id")
	if status != http.StatusOK || session == "" {
		t.Fatalf("initialize: %d %s", status, body)
	}

	expect := func(what string, want int) {
		t.Helper()
		if got, _, body := raw(t, url, "POST", session, ping); got != want {
			t.Errorf("%s: ping gives %d %s, want %d", what, got, body, want)
		}
	}

	expect("at first", http.StatusOK)
	must.Have(h.sessions.ResolveSessionIdManager(nil).Terminate(session))(t) // what the library's sweeper does

	expect("after the sweeper", http.StatusOK)
	if status, _, _ := raw(t, url, "DELETE", session, ""); status != http.StatusOK {
		t.Fatalf("DELETE gives %d", status)
	}

	expect("after DELETE", http.StatusNotFound)
	session = "mcp-session-00000000-0000-4000-8000-000000000000"
	expect("a session from before a restart", http.StatusOK)
	session = "nonsense"
	expect("no session id at all", http.StatusNotFound)

	_, _, body = raw(t, url, "POST", "", ping)
	var answer struct {
		ID    int
		Error struct {
			Message string
			Data    parley.Error
		}
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.ID != 2 ||
		answer.Error.Data.Code != parley.InvalidArgument || !strings.Contains(answer.Error.Data.Action, "initialize") {
		t.Errorf("without a session the answer is %s (%v)", body, err)
	}
}

func TestEndedSessionsAreForgottenInTheEnd(t *testing.T) {
	s := newSessions()
	id := func(n int) string { return fmt.Sprintf("mcp-session-00000000-0000-4000-8000-%012d", n) }
	s.end("nonsense")
	for n := range rememberDead + 1 {
		s.end(id(n))
		s.end(id(n))
	}

	if len(s.dead) != rememberDead || len(s.past) != rememberDead {
		t.Errorf("%d and %d are remembered, want %d", len(s.dead), len(s.past), rememberDead)
	}

	for n, want := range map[int]bool{0: false, 1: true, rememberDead: true} {
		if dead, err := s.isDead(id(n)); err != nil || dead != want {
			t.Errorf("session %d: dead is %v (%v), want %v", n, dead, err, want)
		}
	}
}

func TestRequestsAreLimited(t *testing.T) {
	f := newFake()
	url, _ := web(t, "127.0.0.1:0", as(coder, handler(t, f, progressEvery)))
	_, header, _ := raw(t, url, "POST", "", initialize)
	body := `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"send_message","arguments":{"to":"a","text":"` + strings.Repeat(
		"x", MaxBody,
	) + `"}}}`
	status, _, answer := raw(t, url, "POST", header.Get("Mcp-Session-Id"), body)
	if status != http.StatusRequestEntityTooLarge || !strings.Contains(answer, "MESSAGE_TOO_LONG") || len(f.sent) != 0 {
		t.Errorf("got %d %.200s", status, answer)
	}
}

// refused is the error in a JSON-RPC answer.
func refused(t *testing.T, answer string) (code int, why parley.Error) {
	t.Helper()
	var a struct {
		Error struct {
			Code int
			Data parley.Error
		}
	}
	must.Do(t, json.Unmarshal([]byte(answer), &a))
	return a.Error.Code, a.Error.Data
}

func TestOtherBodiesAreRefused(t *testing.T) {
	url, _ := web(t, "127.0.0.1:0", as(coder, handler(t, newFake(), progressEvery)))
	for body, want := range map[string]int{
		"[" + ping + "]": mcp.INVALID_REQUEST,
		"[]":             mcp.INVALID_REQUEST,
		"null":           mcp.INVALID_REQUEST,
		"5":              mcp.INVALID_REQUEST,
		"":               mcp.PARSE_ERROR,
		ping + ping:      mcp.PARSE_ERROR,
		"{bad":           mcp.PARSE_ERROR,
	} {
		status, _, answer := raw(t, url, "POST", "mcp-session-00000000-0000-4000-8000-000000000000", body)
		code, why := refused(t, answer)
		if status != http.StatusBadRequest || code != want || why.Code != parley.InvalidArgument ||
			!strings.Contains(why.Action, "one JSON-RPC message") {
			t.Errorf("%q: %d %s", body, status, answer)
		}
	}
}

func TestOtherMethodsAreRefused(t *testing.T) {
	url, _ := web(t, "127.0.0.1:0", as(coder, handler(t, newFake(), progressEvery)))
	for _, method := range []string{"HEAD", "PUT", "PATCH", "OPTIONS"} {
		status, header, answer := raw(t, url, method, "", "")
		if status != http.StatusMethodNotAllowed || header.Get("Allow") != "POST, GET, DELETE" {
			t.Errorf("%s: %d, allowed are %q", method, status, header.Get("Allow"))
		}
		if method == "HEAD" {
			continue
		}
		if _, why := refused(t, answer); why.Code != parley.InvalidArgument || !strings.Contains(why.Action, "POST") {
			t.Errorf("%s: %s", method, answer)
		}
	}
}

// What the official client says of a call that it gives up must not cost it
// the calls after that.
func TestAnAbandonedCallDisturbsNoOther(t *testing.T) {
	for _, version := range eras {
		s := overHTTP(t, newFake(), coder, version, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := s.CallTool(ctx, &official.CallToolParams{Name: "check_inbox", Arguments: args{"wait_seconds": 60}})
		cancel()
		if err == nil {
			t.Fatalf("%s: the call ended by itself", version)
		}

		for range 3 {
			if res, text := call(t, s, "get_agent_status", nil); res.IsError {
				t.Errorf("%s: the next call failed: %s", version, text)
			}
		}
	}
}

// A call that waits while the daemon stops gets an answer that says so.
func TestACallCutShortByShutdownIsAnswered(t *testing.T) {
	for _, version := range eras {
		base, end := context.WithCancel(context.Background())
		f := newFake()
		h := handler(t, f, progressEvery)
		url, _ := web(t, "127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithCancel(parley.WithCaller(r.Context(), coder))
			defer cancel()
			defer context.AfterFunc(base, cancel)()
			h.ServeHTTP(w, r.WithContext(ctx))
		}))

		s := connect(t, &official.StreamableClientTransport{Endpoint: url}, version, nil)
		go func() { <-f.waits; end() }()
		res, text := call(t, s, "check_inbox", args{"wait_seconds": 60})
		if got := structured[parley.Error](t, res); !res.IsError || got.Code != parley.DaemonUnavailable ||
			got.Action == "" {
			t.Errorf("%s: got %s, want %s", version, text, parley.DaemonUnavailable)
		}
	}
}
