package httpapi

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

// A caller that makes too many calls at once keeps nobody else from calling.
func TestCallsOfACallerHaveALimit(t *testing.T) {
	var b busy
	var last func()
	for range maxCalls {
		done := must.Have(b.enter(coder))(t)
		last = done
	}

	if _, err := b.enter(coder); parley.ErrorCode(err) != parley.RateLimited {
		t.Errorf("one call too many: %v", err)
	}
	for _, other := range []parley.Caller{{}, {ID: "other"}, {ID: coder.ID, Operator: true}} {
		done, err := b.enter(other)
		if err != nil {
			t.Errorf("%+v is refused: %v", other, err)
			continue
		}
		done()
	}

	last()
	if _, err := b.enter(coder); err != nil {
		t.Errorf("after a call has ended: %v", err)
	}
	if len(b.calls) != 1 {
		t.Errorf("counted for %v, want coder alone", b.calls)
	}
}

func TestSlowUploadsEnd(t *testing.T) {
	began := time.Now()
	for _, test := range []struct {
		after time.Duration
		read  int64
		want  time.Duration
	}{
		{0, 0, uploadPause},
		{50 * time.Second, 0, uploadGrace},
		{2 * time.Minute, 300 * leastRate, 2*time.Minute + uploadPause},
		{time.Hour, 60 * leastRate, 2 * time.Minute}, // a byte now and then
	} {
		got := uploadUntil(began.Add(test.after), began, test.read).Sub(began)
		if got < test.want-time.Second || got > test.want {
			t.Errorf("%d bytes after %s: the next must come until %s, want %s", test.read, test.after, got, test.want)
		}
	}
}

func TestWaitsOfACallerHaveALimit(t *testing.T) {
	waiting, end := make(chan struct{}, maxCalls), make(chan struct{})
	s := &stub{events: func(context.Context, parley.ReadEventsRequest) (*parley.ReadEventsResult, error) {
		waiting <- struct{}{}
		<-end
		return &parley.ReadEventsResult{Answer: parley.OK}, nil
	}}

	o := options(s)
	o.MCP = http.NotFoundHandler()
	d := serve(t, New(o))
	var calls sync.WaitGroup
	for range maxCalls {
		calls.Go(func() { d.ask("GET", "/api/read_events", "", key) })
		<-waiting
	}

	for _, path := range []string{"/api/read_events", "/api/check_inbox", "/mcp"} {
		d.expect("one too many at "+path, d.ask("GET", path, "", key), http.StatusTooManyRequests, parley.RateLimited)
	}

	close(end)
	calls.Wait()
	d.expect("after they have ended", d.ask("GET", "/api/check_inbox", "", key), http.StatusOK, "")
}
