package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/must"
	"parley/op"
)

// patience is how long a test waits for what must happen.
const patience = must.Patience

// at serves a handler on an address. After stop, another server can listen there.
func at(t *testing.T, network, address string, h http.Handler) (addr string, stop func()) {
	t.Helper()
	l := must.Have(net.Listen(network, address))(t)
	srv := &http.Server{Handler: h}
	served := make(chan struct{})
	go func() { defer close(served); srv.Serve(l) }()
	stop = sync.OnceFunc(func() { srv.Close(); <-served })
	t.Cleanup(stop)
	return l.Addr().String(), stop
}

func connect(t *testing.T, o client.Options) *client.Client {
	t.Helper()
	c := client.New(o)
	t.Cleanup(c.Close)
	return c
}

func expectCode(t *testing.T, what string, err error, want parley.Code) *parley.Error {
	t.Helper()
	e, ok := errors.AsType[*parley.Error](err)
	if !ok || e.Code != want || e.Action == "" {
		t.Fatalf("%s: got %v, want %s with what to do", what, err, want)
	}
	return e
}

// breaking lets a number of requests through to the daemon and then breaks
// their connection, before or after the daemon has seen them.
type breaking struct {
	http.Handler
	left  atomic.Int32
	after bool
	calls atomic.Int32
}

func (b *breaking) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.calls.Add(1)
	if b.left.Add(-1) < 0 {
		b.Handler.ServeHTTP(w, r)
		return
	}
	if b.after {
		b.Handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	panic(http.ErrAbortHandler)
}

func TestErrorsArriveWithDetailsAndAction(t *testing.T) {
	addr, _ := at(t, "tcp", "127.0.0.1:0", newDaemon(t))
	c := connect(t, client.Options{URL: "http://" + addr + "/", Key: operatorKey})
	_, err := op.SendMessage.Call(t.Context(), c, parley.SendMessageRequest{To: parley.Names{"nobody"}, Text: "hi"})
	e := expectCode(t, "unknown", err, parley.AgentNotFound)
	want := "There are no agents yet; parley launch NAME -- PROGRAM starts one."
	if e.Message != `there is no agent "nobody"` || e.Action != want {
		t.Errorf("the error is %q, %q", e.Message, e.Action)
	}

	_, err = op.CheckInbox.Call(t.Context(), c, parley.CheckInboxRequest{Limit: 99})
	e = expectCode(t, "limit", err, parley.InvalidArgument)
	if got := e.Details["parameter"]; got != "limit" {
		t.Errorf("the details name %v, want limit", got)
	}

	stranger := connect(t, client.Options{URL: "http://" + addr, Key: "wrong"})
	_, err = op.CheckInbox.Call(t.Context(), stranger, parley.CheckInboxRequest{})
	expectCode(t, "wrong key", err, parley.Unauthenticated)
}

func TestCallsOverAUnixSocket(t *testing.T) {
	d := newDaemon(t)
	socket := filepath.Join(t.TempDir(), "parley.sock")
	at(t, "unix", socket, d)
	c := connect(t, client.Options{Socket: socket, Key: operatorKey})
	if res, err := op.GetAgentStatus.Call(t.Context(), c, parley.AgentStatusRequest{}); err != nil || !res.Success {
		t.Errorf("got %+v, %v", res, err)
	}
}

func TestCallFailsWhenNobodyListens(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	addr, stop := at(t, "tcp", "127.0.0.1:0", http.NotFoundHandler())
	stop()
	for _, o := range []client.Options{
		{Socket: missing}, {URL: "http://" + addr}, {Socket: missing, Retry: 50 * time.Millisecond},
	} {
		for _, call := range []func(*client.Client) error{
			func(c *client.Client) error {
				_, err := op.CheckInbox.Call(t.Context(), c, parley.CheckInboxRequest{})
				return err
			},
			func(c *client.Client) error {
				_, err := op.StopAgent.Call(t.Context(), c, parley.StopAgentRequest{Agent: "x"})
				return err
			},
		} {
			e := expectCode(t, fmt.Sprintf("%+v", o), call(connect(t, o)), parley.DaemonUnavailable)
			if where := o.Socket + strings.TrimSuffix(o.URL, "/"); !strings.Contains(e.Message, where) {
				t.Errorf("the error does not say where: %s", e)
			}
		}
	}
}

func TestCallsWaitWhileTheDaemonRestarts(t *testing.T) {
	d := newDaemon(t)
	addr, stop := at(t, "tcp", "127.0.0.1:0", d)
	stop()
	c := connect(t, client.Options{URL: "http://" + addr, Key: operatorKey, Retry: patience})
	failed := make(chan error, 2)
	go func() {
		_, err := op.GetAgentStatus.Call(t.Context(), c, parley.AgentStatusRequest{})
		failed <- err
	}()

	go func() { // what may not be repeated may still be begun when nobody has seen it
		_, err := op.RegisterAgent.Call(t.Context(), c, parley.RegisterAgentRequest{Username: "late"})
		failed <- err
	}()

	time.Sleep(100 * time.Millisecond) // long enough for first attempts; right without it too
	at(t, "tcp", addr, d)
	for range 2 {
		select {
		case err := <-failed:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Fatal("the call still waits for the daemon, which is back")
		}
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	c := connect(t, client.Options{Socket: filepath.Join(t.TempDir(), "none"), Retry: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	done := make(chan error, 1)
	go func() {
		_, err := op.CheckInbox.Call(ctx, c, parley.CheckInboxRequest{})
		done <- err
	}()

	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's error", err)
		}
	case <-time.After(patience):
		t.Fatal("the call goes on after its context has ended")
	}
}

func TestBrokenCallIsRepeatedOnlyWhereThatIsSafe(t *testing.T) {
	for _, after := range []bool{false, true} {
		d := newDaemon(t)
		b := &breaking{Handler: d, after: after}
		addr, _ := at(t, "tcp", "127.0.0.1:0", b)
		c := connect(t, client.Options{URL: "http://" + addr, Key: operatorKey, Retry: patience})
		coder := must.Have(op.RegisterAgent.Call(t.Context(), c, parley.RegisterAgentRequest{Username: "coder"}))(t)

		b.left.Store(3)
		if _, err := op.GetAgentStatus.Call(t.Context(), c, parley.AgentStatusRequest{}); err != nil {
			t.Errorf("after=%v: a read is not repeated: %v", after, err)
		}

		b.left.Store(3)
		once := parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "once"}
		if _, err := op.SendMessage.Call(t.Context(), c, once); err != nil {
			t.Errorf("after=%v: a send is not repeated: %v", after, err)
		}

		b.left.Store(3)
		if _, err := op.BroadcastMessage.Call(t.Context(), c,
			parley.BroadcastMessageRequest{Text: "once"}); err != nil {
			t.Errorf("after=%v: a broadcast is not repeated: %v", after, err)
		}
		if n := d.unread(t, coder.APIKey); n != 2 {
			t.Errorf("after=%v: %d messages are stored, want 2", after, n)
		}

		b.left.Store(1)
		b.calls.Store(0)
		_, err := op.RegisterAgent.Call(t.Context(), c, parley.RegisterAgentRequest{Username: "reviewer"})
		e := expectCode(t, "a call that may have been done", err, parley.DaemonUnavailable)
		if !strings.Contains(e.Action, "may have been done or not") {
			t.Errorf("the action is %q", e.Action)
		}

		if n := b.calls.Load(); n != 1 {
			t.Errorf("after=%v: register_agent was made %d times", after, n)
		}
	}
}

func TestStaleConnectionIsReplaced(t *testing.T) {
	d := newDaemon(t)
	addr, stop := at(t, "tcp", "127.0.0.1:0", d)
	c := connect(t, client.Options{URL: "http://" + addr, Key: operatorKey}) // no patience
	for _, name := range []string{"first", "second"} {
		must.Have(op.GetAgentStatus.Call(t.Context(), c, parley.AgentStatusRequest{}))(t)
		must.Have(op.RegisterAgent.Call(t.Context(), c, parley.RegisterAgentRequest{Username: name}))(t)

		stop()
		_, stop = at(t, "tcp", addr, d)
	}
}

func TestCallsThatMayNotBeRepeatedUseFreshConnections(t *testing.T) {
	d := newDaemon(t)
	fresh := map[string]bool{} // by path
	addr, _ := at(t, "tcp", "127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fresh[r.URL.Path] = r.Close
		d.ServeHTTP(w, r)
	}))

	c := connect(t, client.Options{URL: "http://" + addr, Key: operatorKey})
	must.Have(op.RegisterAgent.Call(t.Context(), c, parley.RegisterAgentRequest{Username: "coder"}))(t)
	must.Have(op.GetAgentStatus.Call(t.Context(), c, parley.AgentStatusRequest{}))(t)
	if !fresh["/api/register_agent"] || fresh["/api/get_agent_status"] {
		t.Errorf("fresh connections: %v, want one for register_agent alone", fresh)
	}
}

func TestCallersIdempotencyKeyIsKept(t *testing.T) {
	d := newDaemon(t)
	addr, _ := at(t, "tcp", "127.0.0.1:0", d)
	c := connect(t, client.Options{URL: "http://" + addr, Key: operatorKey})
	coder := must.Have(op.RegisterAgent.Call(t.Context(), c, parley.RegisterAgentRequest{Username: "coder"}))(t)

	for _, key := range []string{"mine", "mine", "", ""} {
		hi := parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "hi", IdempotencyKey: key}
		must.Have(op.SendMessage.Call(t.Context(), c, hi))(t)
	}

	if n := d.unread(t, coder.APIKey); n != 3 {
		t.Errorf("%d messages are stored, want one by the caller's key and two by different ones", n)
	}
}

func TestResultThatReportsAFailureIsNoError(t *testing.T) {
	d := newDaemon(t)
	addr, _ := at(t, "tcp", "127.0.0.1:0", d)
	c := connect(t, client.Options{URL: "http://" + addr, Key: operatorKey})
	must.Have(op.RegisterAgent.Call(t.Context(), c, parley.RegisterAgentRequest{Username: "coder"}))(t)
	must.Have(op.StopAgent.Call(t.Context(), c, parley.StopAgentRequest{Agent: "coder"}))(t)

	res, err := op.SendMessage.Call(t.Context(), c, parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "hi"})
	if err != nil || res.Success || res.ErrorCode != parley.AgentUnavailable || res.MessageID == "" {
		t.Errorf("got %+v, %v", res, err)
	}
}

func TestAnswerOfAnotherServerIsReported(t *testing.T) {
	for name, answer := range map[string]string{
		"a page": "<html>hello</html>", "other JSON": `{"error":"not found"}`, "a list": `[1]`, "nothing": "",
	} {
		for _, status := range []int{200, 404, 500} {
			addr, _ := at(t, "tcp", "127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				io.WriteString(w, answer)
			}))

			c := connect(t, client.Options{URL: "http://" + addr})
			_, err := op.CheckInbox.Call(t.Context(), c, parley.CheckInboxRequest{})
			if e := expectCode(t, name, err, parley.DaemonUnavailable); !strings.Contains(e.Message,
				"is no parley daemon") {
				t.Errorf("%s with %d: %s", name, status, e)
			}
		}
	}
}

func TestEndlessAnswerIsRefused(t *testing.T) {
	addr, _ := at(t, "tcp", "127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for line := strings.Repeat(" ", 1<<20); ; {
			if _, err := io.WriteString(w, line); err != nil {
				return
			}
		}
	}))
	_, err := op.CheckInbox.Call(t.Context(), connect(t, client.Options{URL: "http://" + addr}),
		parley.CheckInboxRequest{})
	expectCode(t, "an answer without end", err, parley.Internal)
}

// A bridge passes on whom a call claims to be from; only the daemon can check it.
func TestCredentialsReachTheDaemon(t *testing.T) {
	var got http.Header
	addr, _ := at(t, "tcp", "127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		fmt.Fprint(w, `{"success":true}`)
	}))

	c := connect(t, client.Options{URL: "http://" + addr, Key: "own"})
	inv := must.Have(op.Find("check_inbox").Decode([]byte(`{"agent_id":"coder\n"}`)))(t)

	ctx := parley.WithCaller(t.Context(), parley.Caller{ID: "?", Remote: true})
	must.Have(inv.Call(parley.WithCredentials(ctx, parley.Credentials{Key: "given"}), c))(t)

	if got.Get("Authorization") != "Bearer own" || got.Get("X-API-Key") != "given" ||
		got.Get("X-Agent-ID") != "coder%0A" {
		t.Errorf("the daemon got %v", got)
	}
}

// Keys come from files and variables, with what an editor leaves at the end of a line.
func TestKeyMayEndWithALine(t *testing.T) {
	var got []string
	addr, _ := at(t, "tcp", "127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Values("Authorization")
		fmt.Fprint(w, `{"success":true}`)
	}))

	for _, key := range []string{"own\r\n", " \n"} { // an empty key is a wrong one, and not none
		c := connect(t, client.Options{URL: "http://" + addr, Key: key, Retry: patience})
		must.Have(op.CheckInbox.Call(t.Context(), c, parley.CheckInboxRequest{}))(t)
		if want := "Bearer " + strings.TrimSpace(key); len(got) != 1 ||
			strings.TrimSpace(got[0]) != strings.TrimSpace(want) {
			t.Errorf("%q: the daemon got %q", key, got)
		}
	}

	c := connect(t, client.Options{URL: "http://" + addr, Key: "secret\x00", Retry: patience})
	_, err := op.CheckInbox.Call(t.Context(), c, parley.CheckInboxRequest{})
	e := expectCode(t, "a key with a control character", err, parley.Unauthenticated)
	if strings.Contains(e.Message, "secret") {
		t.Errorf("the error tells the key: %v", e)
	}
}
