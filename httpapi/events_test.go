package httpapi

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

// record is a service with events, that waits as the real one does.
func record(events ...parley.Event) *stub {
	return &stub{events: func(ctx context.Context, r parley.ReadEventsRequest) (*parley.ReadEventsResult, error) {
		res := &parley.ReadEventsResult{Answer: parley.OK, Events: []parley.Event{}, Next: r.After}
		for _, e := range events {
			if e.Seq > r.After && len(res.Events) < r.Limit {
				res.Events, res.Next = append(res.Events, e), e.Seq
			}
		}

		if len(res.Events) > 0 || r.WaitSeconds == 0 {
			return res, nil
		}

		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Duration(r.WaitSeconds) * time.Second):
			return res, nil
		}
	}}
}

// recordThatFails has one event. The storage fails when asked for the next.
func recordThatFails() *stub {
	s := record(parley.Event{Seq: 1})
	good := s.events
	s.events = func(ctx context.Context, r parley.ReadEventsRequest) (*parley.ReadEventsResult, error) {
		if r.After > 0 {
			return nil, parley.Errorf(parley.StorageUnavailable, "the database is gone")
		}
		return good(ctx, r)
	}
	return s
}

// open begins a stream and returns its lines.
func (d *daemon) open(path string, headers ...string) (lines <-chan string, header http.Header) {
	d.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	d.Cleanup(cancel)

	req := must.Have(http.NewRequestWithContext(ctx, "GET", d.tcp+path, nil))(d)

	for _, h := range append(headers, key) {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}

	resp := must.Have(http.DefaultClient.Do(req))(d)
	if resp.StatusCode != http.StatusOK {
		d.Fatalf("%s: status %d", path, resp.StatusCode)
	}

	out := make(chan string, 100)
	go func() {
		defer close(out)
		defer resp.Body.Close()
		for scan := bufio.NewScanner(resp.Body); scan.Scan(); {
			out <- scan.Text()
		}
	}()

	return out, resp.Header
}

// next returns the next line that is not empty; "" when the stream has ended.
func next(t *testing.T, lines <-chan string) string {
	t.Helper()
	for {
		select {
		case line, ok := <-lines:
			if line != "" || !ok {
				return line
			}
		case <-time.After(must.Patience):
			t.Fatal("nothing came")
		}
	}
}

func expectLines(t *testing.T, lines <-chan string, want ...string) {
	t.Helper()
	for _, w := range want {
		if got := next(t, lines); !strings.HasPrefix(got, w) {
			t.Fatalf("got the line %q, want %q", got, w)
		}
	}
}

const sse = "Accept: text/event-stream"

func TestEventsAreStreamed(t *testing.T) {
	d := serve(t, New(options(record(parley.Event{Seq: 1, Type: parley.EventDirectMessage, Preview: "a < b"},
		parley.Event{Seq: 4, Type: parley.EventAgent}))))

	lines, header := d.open("/api/events", sse)
	if got := header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("the type is %s", got)
	}

	expectLines(t, lines, ":parley", "id: 1", "event: agent_direct_message",
		`data: {"seq":1,"type":"agent_direct_message",`, "id: 4", "event: agent_updated", `data: {"seq":4,`)

	lines, _ = d.open("/api/read_events?stream=1&limit=1")
	expectLines(t, lines, ":parley", "id: 1", "event", "data", "id: 4", "event", "data")
}

func TestAStreamResumes(t *testing.T) {
	d := serve(t, New(options(record(parley.Event{Seq: 1}, parley.Event{Seq: 2}, parley.Event{Seq: 3}))))
	lines, _ := d.open("/api/events?after=2", sse)
	expectLines(t, lines, ":parley", "id: 3")
	lines, _ = d.open("/api/events?after=0&last=3", sse, "Last-Event-ID: 1")
	expectLines(t, lines, ":parley", "id: 2", "event", "data", "id: 3")
}

func TestAQuietStreamHasHeartbeats(t *testing.T) {
	t.Parallel()
	a := newAPI(options(record()))
	a.events.heartbeat = 1
	lines, _ := serve(t, a.handler()).open("/api/events", sse)
	expectLines(t, lines, ":parley", ":", ":", ":")
}

func TestAStreamEndsWithTheServer(t *testing.T) {
	d := serve(t, New(options(record(parley.Event{Seq: 1}))))
	lines, _ := d.open("/api/events", sse)
	expectLines(t, lines, ":parley", "id: 1", "event", "data")
	d.end()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range lines {
		}
		if err := d.srv.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	}()

	must.Come(t, "the end of the stream, or the server's shutdown", done)
}

func TestAStreamThatFailsSaysWhy(t *testing.T) {
	s := recordThatFails()
	lines, _ := serve(t, New(options(s))).open("/api/events", sse)
	expectLines(t, lines, ":parley", "id: 1", "event", "data", "event: error",
		`data: {"success":false,"error_code":"STORAGE_UNAVAILABLE"`)

	if got := next(t, lines); got != "" {
		t.Errorf("after the error comes %q", got)
	}
}

func TestEventsAreAPageWithoutTheHeader(t *testing.T) {
	d := serve(t, New(options(record(parley.Event{Seq: 1}))))
	got := d.ask("GET", "/api/events?after=0", "", key)
	d.expect("page", got, http.StatusOK, "")
	if got.body["next"] != 1.0 {
		t.Errorf("the page is %v", got.body)
	}

	d.expect("a bad stream", d.ask("GET", "/api/events?after=x", "", key, sse), http.StatusBadRequest,
		parley.InvalidArgument)

	if got := d.ask("HEAD", "/api/events", "", key, sse); got.status != http.StatusOK {
		t.Errorf("HEAD answers %+v", got)
	}

	d.expect(
		"a stream to nobody", d.ask("GET", "/api/events", "", sse), http.StatusUnauthorized, parley.Unauthenticated,
	)
}
