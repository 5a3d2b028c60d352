package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"parley"
	"parley/internal/must"
)

// dial opens a WebSocket; headers are "Name: value".
func (d *daemon) dial(path string, headers ...string) (*websocket.Conn, *http.Response, error) {
	d.Helper()
	h := http.Header{}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		h.Add(name, value)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return websocket.Dial(ctx, strings.Replace(d.tcp, "http", "ws", 1)+path, &websocket.DialOptions{HTTPHeader: h})
}

func (d *daemon) socket(path string, headers ...string) *websocket.Conn {
	d.Helper()
	conn, _, err := d.dial(path, append(headers, key)...)
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

// message reads the next one.
func message(t *testing.T, conn *websocket.Conn) (map[string]any, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	typ, b, err := conn.Read(ctx)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(b, &fields); err != nil || typ != websocket.MessageText {
		t.Fatalf("got the %v message %s: %v", typ, b, err)
	}
	return fields, nil
}

func expectMessages(t *testing.T, conn *websocket.Conn, want ...float64) map[string]any {
	t.Helper()
	var last map[string]any
	for _, seq := range want {
		got, err := message(t, conn)
		if err != nil || got["seq"] != seq {
			t.Fatalf("got %v, %v, want event %v", got, err, seq)
		}
		last = got
	}
	return last
}

func TestEventsComeOverAWebSocket(t *testing.T) {
	d := serve(t, New(options(record(
		parley.Event{Seq: 1, Type: parley.EventBroadcast, SenderID: coder.ID, RecipientCount: 3, Preview: "hello"},
		parley.Event{
			Seq:         4,
			Type:        parley.EventDirectMessage,
			SenderID:    coder.ID,
			RecipientID: "r",
			Preview:     "a < b",
		},
	))))

	conn := d.socket("/api/events")
	got := expectMessages(t, conn, 1)
	if got["type"] != "agent_broadcast" || got["sender_agent_id"] != coder.ID || got["recipient_count"] != 3.0 ||
		got["message_preview"] != "hello" {
		t.Errorf("the broadcast is %v", got)
	}

	got = expectMessages(t, conn, 4)
	if got["type"] != "agent_direct_message" || got["recipient_agent_id"] != "r" || got["message_preview"] != "a < b" {
		t.Errorf("the message is %v", got)
	}

	expectMessages(t, d.socket("/api/events?after=1"), 4)
	expectMessages(t, d.socket("/api/read_events?last=1&limit=1"), 1, 4)

	anonymous, _, err := d.dial("/api/events?api_key=coders-key&after=3")
	if err != nil {
		t.Fatal(err)
	}
	defer anonymous.CloseNow()

	expectMessages(t, anonymous, 4)
}

func TestAWebSocketThatIsRefusedSaysWhy(t *testing.T) {
	d := serve(t, New(options(record())))
	for what, c := range map[string]struct {
		path    string
		headers []string
		status  int
		code    parley.Code
	}{
		"nobody":       {"/api/events", nil, http.StatusUnauthorized, parley.Unauthenticated},
		"a wrong key":  {"/api/events?api_key=wrong", nil, http.StatusUnauthorized, parley.Unauthenticated},
		"a bad number": {"/api/events?after=x", []string{key}, http.StatusBadRequest, parley.InvalidArgument},
		"another's page": {"/api/events", []string{key, "Origin: https://example.org"}, http.StatusForbidden,
			parley.NotAuthorized},
	} {
		_, resp, err := d.dial(c.path, c.headers...)
		if err == nil || resp == nil {
			t.Fatalf("%s: got %v", what, err)
		}

		var e parley.Error
		b, _ := io.ReadAll(resp.Body)
		if err := json.Unmarshal(b, &e); err != nil || resp.StatusCode != c.status || e.Code != c.code {
			t.Errorf("%s: got %s %s, want %d %s", what, resp.Status, b, c.status, c.code)
		}
	}

	got := d.ask("GET", "/api/events", "", key, "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 8")
	d.expect("an old version", got, http.StatusBadRequest, parley.InvalidArgument)
	if got.header.Get("Sec-WebSocket-Version") != "13" {
		t.Errorf("the version that is spoken is not said: %v", got.header)
	}
	if got := d.ask("GET", "/api/events", "", key, "Upgrade: h2c"); got.status != http.StatusOK {
		t.Errorf("another upgrade: got %+v, want a page", got)
	}
}

func TestAWebSocketEndsWithTheServer(t *testing.T) {
	t.Parallel()
	h := New(options(record(parley.Event{Seq: 1})))
	d := serve(t, h)
	conn := d.socket("/api/events")
	expectMessages(t, conn, 1)
	silent := d.socket("/api/events") // it never reads: it does not answer the farewell
	d.end()
	if _, err := message(t, conn); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("got %v, want the status going away", err)
	}

	done := make(chan struct{})
	go func() { defer close(done); h.Close() }()
	must.Come(t, "the end of the streams", done)
	_ = silent.CloseNow()
}

// The server may end while events are on their way.
func TestAWebSocketSendsItsLastEventsBeforeClosing(t *testing.T) {
	s := record(parley.Event{Seq: 1}, parley.Event{Seq: 2})
	var d *daemon
	read := s.events
	s.events = func(ctx context.Context, r parley.ReadEventsRequest) (*parley.ReadEventsResult, error) {
		page, err := read(ctx, r)
		d.end()
		return page, err
	}

	d = serve(t, New(options(s)))
	for range 10 { // a connection that is cut short may have been quick enough
		conn := d.socket("/api/events")
		expectMessages(t, conn, 1, 2)
		if _, err := message(t, conn); websocket.CloseStatus(err) != websocket.StatusGoingAway {
			t.Fatalf("got %v, want the status going away", err)
		}
	}
}

func TestAWebSocketThatFailsSaysWhy(t *testing.T) {
	s := recordThatFails()
	conn := serve(t, New(options(s))).socket("/api/events")
	expectMessages(t, conn, 1)
	if got, err := message(t, conn); err != nil || got["error_code"] != "STORAGE_UNAVAILABLE" {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := message(t, conn); websocket.CloseStatus(err) != websocket.StatusInternalError {
		t.Errorf("got %v, want the status internal error", err)
	}
}

// A quiet stream is tried with pings, and one whose client is gone is left.
func TestAQuietWebSocketIsPinged(t *testing.T) {
	t.Parallel()
	a := newAPI(options(record()))
	a.events.heartbeat = 1
	d := serve(t, &Handler{a.handler(), a})
	pinged := make(chan struct{}, 10)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	conn, _, err := websocket.Dial(
		ctx,
		strings.Replace(d.tcp, "http", "ws", 1)+"/api/events?api_key=coders-key",
		&websocket.DialOptions{
			OnPingReceived: func(context.Context, []byte) bool { pinged <- struct{}{}; return true },
		},
	)
	if err != nil {
		t.Fatal(err)
	}

	conn.CloseRead(ctx)
	for range 2 {
		must.Come(t, "a ping", pinged)
	}

	_ = conn.CloseNow()
	done := make(chan struct{})
	go func() { defer close(done); a.events.streams.Wait() }()
	must.Come(t, "the end of the stream of a client that is gone", done)
}

// A client that reads nothing is behind by as much as its connection holds; the
// others and the service do not notice it.
// manyEvents are more bytes than the buffers of a connection hold.
func manyEvents() []parley.Event {
	events := make([]parley.Event, 5000)
	for i := range events {
		events[i] = parley.Event{Seq: int64(i + 1), Type: parley.EventDirectMessage, Preview: strings.Repeat("x", 2000)}
	}
	return events
}

func TestASlowReaderDelaysNobody(t *testing.T) {
	t.Parallel()
	events := manyEvents()
	a := newAPI(options(record(events...)))
	a.events.writeWait = 5 * time.Minute // a busy machine takes a minute to read them all
	d := serve(t, a.handler())
	slow := d.socket("/api/events?limit=1000")
	lines, _ := d.open("/api/events?limit=1000", sse) // its reader stops at 100 lines
	quick := d.socket("/api/events?limit=1000")
	for i := range events {
		expectMessages(t, quick, float64(i+1))
	}

	expectMessages(t, slow, 1, 2, 3)
	expectLines(t, lines, ":parley", "id: 1")
}

func TestAReaderThatStopsIsDropped(t *testing.T) {
	t.Parallel()
	a := newAPI(options(record(manyEvents()...)))
	a.events.writeWait = 100 * time.Millisecond
	served := make(chan struct{}, 2)
	handler := a.handler()
	d := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r)
		served <- struct{}{}
	}))

	d.socket("/api/events?limit=1000")
	d.open("/api/events?limit=1000", sse)
	for range 2 {
		select {
		case <-served:
		case <-time.After(must.Patience):
			t.Fatal("the server still writes to a reader that reads nothing")
		}
	}
}

func TestAWebSocketClientThatSendsIsDisconnected(t *testing.T) {
	conn := serve(t, New(options(record()))).socket("/api/events")
	must.Do(t, conn.Write(t.Context(), websocket.MessageText, []byte("hello")))
	_, err := message(t, conn)
	if status := websocket.CloseStatus(err); status != websocket.StatusPolicyViolation &&
		!errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v, want the status policy violation", err)
	}
}
