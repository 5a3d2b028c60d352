package mcpserver

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	official "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/must"
)

// told collects what a client is told.
func told() (*official.ClientOptions, chan string) {
	news := make(chan string, 100)
	return &official.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *official.ResourceUpdatedNotificationRequest) {
			news <- r.Params.URI
		},
		ToolListChangedHandler:     func(context.Context, *official.ToolListChangedRequest) { news <- "tools" },
		ResourceListChangedHandler: func(context.Context, *official.ResourceListChangedRequest) { news <- "resources" },
		PromptListChangedHandler:   func(context.Context, *official.PromptListChangedRequest) { news <- "prompts" },
	}, news
}

// expectNews waits until the client is told of what is wanted, and of nothing else before that.
func expectNews(t *testing.T, news chan string, want string) {
	t.Helper()
	select {
	case got := <-news:
		if got != want {
			t.Errorf("told of %q, want %q", got, want)
		}
	case <-time.After(must.Patience):
		t.Fatalf("told of nothing, want %q", want)
	}
}

// expectInTheEnd lets an event happen until the client is told of what it changes.
func expectInTheEnd(t *testing.T, f *fake, news chan string, want string, e parley.Event) {
	t.Helper()
	for range 60 {
		f.happen(e)
		after := time.After(time.Second)
		for waits := true; waits; {
			select {
			case got := <-news:
				if got == want {
					return
				}
			case <-after:
				waits = false
			}
		}
	}
	t.Fatalf("told of nothing, want %q", want)
}

func TestSubscribersAreToldOfWhatChanges(t *testing.T) {
	for _, version := range eras {
		for how, connect := range map[string]func(
			*testing.T, *fake, parley.Caller, string, *official.ClientOptions,
		) *official.ClientSession{"http": overHTTP, "stdio": overStdio} {
			t.Run(how+" "+version, func(t *testing.T) {
				f := newFake()
				options, news := told()
				s := connect(t, f, coder, version, options)
				for _, uri := range []string{"parley://inbox", "parley://threads/1a2b3c4d"} {
					must.Do(t, s.Subscribe(t.Context(), &official.SubscribeParams{URI: uri}))
				}

				thread := parley.Event{Type: parley.EventThreadMessage, SenderID: coder.ID, ThreadID: "1a2b3c4d"}
				f.happen(parley.Event{Type: parley.EventAgent, AgentID: chief.ID})
				f.happen(parley.Event{Type: parley.EventDirectMessage, SenderID: coder.ID, RecipientID: chief.ID})
				f.happen(parley.Event{Type: parley.EventThreadMessage, SenderID: coder.ID, ThreadID: "ffffffff"})
				if version == latest { // there, the client does not wait until the server has its subscription
					expectInTheEnd(t, f, news, "parley://inbox", parley.Event{Type: parley.EventBroadcast,
						SenderID: chief.ID})
					expectInTheEnd(t, f, news, "parley://threads/1a2b3c4d", thread)
					return
				}

				f.happen(parley.Event{Type: parley.EventDirectMessage, SenderID: chief.ID, RecipientID: coder.ID})
				expectNews(t, news, "parley://inbox")
				f.happen(thread)
				expectNews(t, news, "parley://threads/1a2b3c4d")

				must.Do(t, s.Unsubscribe(t.Context(), &official.UnsubscribeParams{URI: "parley://threads/1a2b3c4d"}))
				f.happen(thread)
				f.happen(parley.Event{Type: parley.EventBroadcast, SenderID: chief.ID, RecipientCount: 2})
				expectNews(t, news, "parley://inbox")
			})
		}
	}
}

// A subscription to what cannot be read is refused, with the code that reading it has.
func TestSubscriptionsToNothingAreRefused(t *testing.T) {
	for _, version := range []string{"2025-11-25",
		"2025-06-18"} { // a newer server leaves them out of what it acknowledges
		for what, s := range map[string]*official.ClientSession{
			"http":  overHTTP(t, newFake(), coder, version, nil),
			"stdio": overStdio(t, newFake(), coder, version, nil),
		} {
			err := s.Subscribe(t.Context(), &official.SubscribeParams{URI: "parley://nonsense"})
			if rpc, _ := errors.AsType[*jsonrpc.Error](err); rpc == nil || rpc.Code != mcp.RESOURCE_NOT_FOUND ||
				!strings.Contains(string(rpc.Data), string(parley.InvalidArgument)) {
				t.Errorf("%s of %s: %v", what, version, err)
			}
		}

		s := withSets(t, coder, Toolsets{"team"}, "", version)
		err := s.Subscribe(t.Context(), &official.SubscribeParams{URI: "parley://inbox"})
		if rpc, _ := errors.AsType[*jsonrpc.Error](err); rpc == nil || rpc.Code != refusedCode {
			t.Errorf("an inbox that is left out: %v", err)
		}
	}
}

// What a caller may use changes while it is connected: the operator lets a newcomer in.
func TestClientsAreToldOfOtherLists(t *testing.T) {
	for _, version := range eras {
		var let atomic.Bool
		authenticate := func(_ context.Context, key string) (parley.Caller, bool) {
			c := coder
			c.Orchestrate = let.Load()
			return c, key == "coders-key"
		}

		h := newHandler(Options{
			Service: newFake(), Version: "test", Authenticate: authenticate, listsEvery: 10 * time.Millisecond,
		}, progressEvery)
		t.Cleanup(func() { h.Close(context.Background()) })
		url, _ := web(t, "127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c, _ := authenticate(r.Context(), "coders-key")
			ctx := parley.WithCredentials(parley.WithCaller(r.Context(), c), parley.Credentials{Key: "coders-key"})
			h.ServeHTTP(w, r.WithContext(ctx))
		}))

		options, news := told()
		s := connect(t, &official.StreamableClientTransport{Endpoint: url}, version, options)
		before := names(list(t, s))
		let.Store(true)
		expectNews(t, news, "tools")
		if after := names(list(t, s)); !slices.Contains(after, "launch_agent") || len(after) <= len(before) {
			t.Errorf("%s: the tools are %v, and were %v", version, after, before)
		}
	}
}

// A stream belongs to a session and its caller, and a session has one at a time.
func TestStreamsBelongToSessions(t *testing.T) {
	callers := map[string]parley.Caller{"coder": coder, "chief": chief}
	url, _ := web(t, "127.0.0.1:0", by(callers, handler(t, newFake(), progressEvery)))
	open := func(caller, session string) *http.Response {
		t.Helper()
		req := must.Have(http.NewRequest(http.MethodGet, url, nil))(t)
		req.Header.Set("Accept", "text/event-stream")
		req.Header.Set("X-Test-Caller", caller)
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		resp := must.Have(http.DefaultClient.Do(req))(t)
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}

	session := "mcp-session-00000000-0000-4000-8000-000000000000"
	for _, c := range []struct {
		caller, session string
		want            int
	}{
		{"coder", "", http.StatusMethodNotAllowed},
		{"", session, http.StatusMethodNotAllowed},
		{"coder", "nonsense", http.StatusNotFound},
		{"coder", session, http.StatusOK},
		{"chief", session, http.StatusNotFound},
	} {
		if resp := open(c.caller, c.session); resp.StatusCode != c.want {
			t.Errorf("%q in %q: %s, want %d", c.caller, c.session, resp.Status, c.want)
		}
	}

	first := open("coder", session)
	open("coder", session)
	over := make(chan error, 1)
	go func() {
		lines := bufio.NewScanner(first.Body)
		for lines.Scan() {
		}
		over <- lines.Err()
	}()
	select {
	case <-over:
	case <-time.After(must.Patience):
		t.Error("the first stream goes on beside the second")
	}
}

// One client may subscribe to many resources, and not to any number.
func TestSubscriptionsAreBounded(t *testing.T) {
	w, ctx := newWatch(), parley.WithCaller(t.Context(), coder)
	o := Options{Service: newFake()}
	for n := range maxWatched + 1 {
		err := w.add(ctx, o, threadsURI+"/"+nthID(n))
		if want := n == maxWatched; (parley.ErrorCode(err) == parley.RateLimited) != want {
			t.Fatalf("resource %d: %v", n, err)
		}
	}
}
