package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"parley"
	"parley/internal/must"
)

func TestRateLimitedCallersGetRetryAfter(t *testing.T) {
	s := &stub{send: func(context.Context, parley.SendMessageRequest) (*parley.SendMessageResult, error) {
		return nil, parley.Errorf(parley.RateLimited, "too many").With("retry_after_seconds", 7).Suggest("Wait.")
	}}
	d := serve(t, New(options(s)))
	got := d.ask("POST", "/api/send_message", `{"to":"x","text":"y"}`, key)
	d.expect("too many", got, http.StatusTooManyRequests, parley.RateLimited)
	if after := got.header.Get("Retry-After"); after != "7" {
		t.Errorf("Retry-After is %q, want 7", after)
	}
}

// askFrom asks a handler as if from an address.
func askFrom(t *testing.T, o Options, address, path, body string, headers ...string) int {
	t.Helper()
	r := must.Have(http.NewRequest("POST", "http://127.0.0.1"+path, strings.NewReader(body)))(t)

	r.RemoteAddr = address
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
		}
		r.Header.Add(name, value)
	}

	w := &recorded{header: http.Header{}}
	New(o).ServeHTTP(w, r)

	return w.status
}

// recorded is a response whose status alone is of interest.
type recorded struct {
	header http.Header
	status int
}

func (w *recorded) Header() http.Header         { return w.header }
func (w *recorded) Write(b []byte) (int, error) { return len(b), nil }
func (w *recorded) WriteHeader(status int)      { w.status = status }

func TestRemoteRegistrationIsOpenOnlyWhereConfigured(t *testing.T) {
	const here, there = "127.0.0.1:4711", "192.0.2.7:4711"
	for _, c := range []struct {
		what             string
		open, registered bool
		own              bool // a process of the daemon's user
		address          string
		headers          []string
		want             int
	}{
		{"from here", false, true, true, here, nil, http.StatusOK},
		{"from another user here", false, true, false, here, nil, http.StatusUnauthorized},
		{"from another user with an invitation", false, true, false, here, []string{invitation}, http.StatusOK},
		{"from there with an invitation", false, true, false, there, []string{invitation}, http.StatusOK},
		{"with an invitation, where nobody registers", false, false, false, here, []string{invitation},
			http.StatusUnauthorized},
		{"from there", false, true, false, there, nil, http.StatusUnauthorized},
		{"from there, where it is open", true, true, false, there, nil, http.StatusOK},
		{"from there with a key", false, true, false, there, []string{key}, http.StatusOK},
		{"by a proxy here", false, true, true, here, []string{"X-Forwarded-For: 192.0.2.7"}, http.StatusUnauthorized},
		{"by another proxy here", false, true, true, here, []string{"Forwarded: for=192.0.2.7"},
			http.StatusUnauthorized},
		{"nowhere", true, false, true, here, nil, http.StatusUnauthorized},
	} {
		o := options(&stub{})
		o.Registration, o.OpenRegistration = c.registered, c.open
		o.SameUser = func(*http.Request) bool { return c.own }
		o.MCP = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
		if got := askFrom(t, o, c.address, "/api/register_agent", `{"username":"x"}`, c.headers...); got != c.want {
			t.Errorf("%s: got %d, want %d", c.what, got, c.want)
		}
		if got := askFrom(t, o, c.address, "/mcp", `{}`, c.headers...); got != c.want {
			t.Errorf("%s, over MCP: got %d, want %d", c.what, got, c.want)
		}
	}
}

func TestAnIDIsNotTrustedThroughAProxy(t *testing.T) {
	o := options(&stub{})
	o.TrustLocalAgentID = true
	if got := askFrom(t, o, "127.0.0.1:1", "/api/check_inbox", "", "X-Agent-ID: coder"); got != http.StatusOK {
		t.Errorf("from here: got %d", got)
	}
	for _, proxy := range []string{
		"X-Forwarded-For: 192.0.2.7", "X-Forwarded-For: ", "Forwarded: for=192.0.2.7",
		"X-Forwarded-Host: parley.example",
		"X-Forwarded-Proto: https", "X-Real-IP: 192.0.2.7", "Via: 1.1 proxy",
	} {
		got := askFrom(t, o, "127.0.0.1:1", "/api/check_inbox", "", "X-Agent-ID: coder", proxy)
		if got != http.StatusUnauthorized {
			t.Errorf("through a proxy, %s: got %d, want 401", proxy, got)
		}
	}
}

func TestCallersWithoutACredentialHaveAnAddress(t *testing.T) {
	a := newAPI(options(&stub{}))
	for header, want := range map[string]string{"": "192.0.2.7:1", key: ""} {
		r := must.Have(http.NewRequest("POST", "/", nil))(t)

		r.RemoteAddr = "192.0.2.7:1"
		if name, value, ok := strings.Cut(header, ": "); ok {
			r.Header.Set(name, value)
		}
		if c, err := a.callers.identify(r, nil); err != nil || c.Address != want {
			t.Errorf("with %q: got %+v, %v, want the address %q", header, c, err, want)
		}
	}
}

// A name that a page has pointed at this machine by DNS is never right; an address is,
// where other machines may call.
func TestHostsBeyondThisMachine(t *testing.T) {
	o := options(&stub{})
	o.Beyond, o.Hosts = true, []string{"build.example"}
	for header, ok := range map[string]bool{
		"Host: 192.0.2.7:80":           true,
		"Host: [2001:db8::1]:80":       true,
		"Host: 127.0.0.1":              true,
		"Host: localhost:1":            true,
		"Host: build.example":          true,
		"Host: BUILD.example:80":       true,
		"Host: evil.example":           false,
		"Host: evil.build.example":     false,
		"Host: 192.0.2.7.evil.example": false,
		"Host: ":                       false,
		"Origin: http://evil.example":  false,
		"Origin: http://192.0.2.7":     false,
		"Origin: null":                 false,
		"Origin: http://build.example": false,
	} {
		if got := askFrom(t, o, "192.0.2.9:1", "/api/check_inbox", "", key,
			header); (got == http.StatusForbidden) == ok {
			t.Errorf("%s: got %d", header, got)
		}
	}
}

func TestDifferentCredentialsAreRefused(t *testing.T) {
	o := options(&stub{})
	reviewer := parley.Caller{ID: "33333333-2222-4333-8444-555555555555", Name: "reviewer"}
	o.Authenticate = func(_ context.Context, key string) (parley.Caller, bool) {
		switch key {
		case "coders-key", "coders-other-key":
			return coder, true
		case "reviewers-key":
			return reviewer, true
		}

		return parley.Caller{}, false
	}

	o.MCP = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	d := serve(t, New(o))
	for _, second := range []string{"reviewers-key", "coders-other-key", "wrong", ""} {
		for what, got := range map[string]answer{
			"bearer and header": d.ask("POST", "/api/check_inbox", "", key, "X-API-Key: "+second),
			"two bearers":       d.ask("POST", "/api/check_inbox", "", key, "Authorization: Bearer "+second),
			"bearer and query":  d.ask("POST", "/api/check_inbox?api_key="+second, "", key),
			"bearer and body":   d.ask("POST", "/api/check_inbox", `{"api_key":"`+second+`"}`, key),
			"query and body": d.ask("POST", "/api/check_inbox?api_key=coders-key",
				`{"api_key":"`+second+`"}`),
			"two in the query": d.ask("GET", "/api/check_inbox?api_key=coders-key&api_key="+second, ""),
			"header and body, socket": d.askUnix("POST", "/api/check_inbox", `{"api_key":"`+second+`"}`,
				"X-API-Key: coders-key"),
			"bearer and basic":          d.ask("POST", "/api/check_inbox", "", key, "Authorization: Basic "+second),
			"bearer and query, for MCP": d.ask("POST", "/mcp?api_key="+second, "{}", key),
		} {
			if got.status != http.StatusUnauthorized {
				t.Errorf("%s with %q: got %d %v, want 401", what, second, got.status, got.body)
			}
		}
	}

	d.expect("two in one body",
		d.askUnix("POST", "/api/check_inbox", `{"api_key":"coders-key","api_key":"reviewers-key"}`),
		http.StatusBadRequest, parley.InvalidArgument)

	d.expect("a key and another's id",
		d.ask("POST", "/api/check_inbox", `{"agent_id":"reviewer"}`, key, "X-Agent-ID: coder"), http.StatusForbidden,
		parley.NotAuthorized)
}

func TestRevokingAKeyEndsItsStream(t *testing.T) {
	var revoked atomic.Bool
	events := make(chan int64)
	s := &stub{events: func(ctx context.Context, r parley.ReadEventsRequest) (*parley.ReadEventsResult, error) {
		if r.WaitSeconds == 0 {
			return &parley.ReadEventsResult{Answer: parley.OK}, nil
		}

		select {
		case seq := <-events:
			return &parley.ReadEventsResult{
				Answer: parley.OK,
				Events: []parley.Event{{Seq: seq, Type: parley.EventAgent}},
				Next:   seq,
			}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}

	o := options(s)
	var said strings.Builder
	o.Log = slog.New(slog.NewTextHandler(&said, nil))
	o.Authenticate = func(_ context.Context, key string) (parley.Caller, bool) { return coder, !revoked.Load() }
	d := serve(t, New(o))

	req := must.Have(http.NewRequest("GET", d.tcp+"/api/events", nil))(t)

	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("X-API-Key", "coders-key")

	resp := must.Have(http.DefaultClient.Do(req))(t)
	defer resp.Body.Close()

	read := make(chan struct{})
	var text strings.Builder
	go func() {
		defer close(read)

		buf := make([]byte, 1024)
		for {
			n, err := resp.Body.Read(buf)
			text.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()

	events <- 1
	revoked.Store(true)
	select { // the first page may have been on its way already
	case events <- 2:
	case <-read:
	}

	must.Come(t, "the end of the stream", read)
	if got := text.String(); strings.Contains(got, "id: 2") || !strings.Contains(got, string(parley.Unauthenticated)) {
		t.Errorf("the stream of a key that ended:\n%s", got)
	}
	if said.Len() > 0 {
		t.Errorf("the log says %s", said.String())
	}
}
