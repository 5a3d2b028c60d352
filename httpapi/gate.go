package httpapi

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"parley"
)

// gate lets calls in, and answers those that fail.
type gate struct {
	log  *slog.Logger
	busy busy
	// drainWait bounds how long the rest of a refused body is read.
	drainWait time.Duration
}

// enter counts a call until done is called. It answers a caller whose call is refused already, or of
// whom too many run, and then ok is false.
func (g *gate) enter(w http.ResponseWriter, r *http.Request, caller parley.Caller, err error) (done func(), ok bool) {
	if err == nil {
		done, err = g.busy.enter(caller)
	}
	if err != nil {
		g.fail(w, r, err)
	}
	return done, err == nil
}

// fail replies with an error. Internal errors are logged.
func (g *gate) fail(w http.ResponseWriter, r *http.Request, err error) {
	refused, ok := errors.AsType[*refusal](err)
	if !ok && r.Context().Err() != nil &&
		parley.ErrorCode(err) != parley.ModelUnavailable { // keep it: it says what became of the message
		err = parley.Errorf(parley.DaemonUnavailable, "the call was cut short").
			Suggest("Call again: the daemon is stopping or restarting.")
	}

	e := parley.AsError(err)
	status := statusOf(e.Code)
	if ok {
		status = refused.status
	}

	if status == http.StatusInternalServerError {
		g.log.Error("a call failed", "method", r.Method, "path", r.URL.Path, "error", err)
	}

	replyError(w, status, e)
}

// drainBytes bounds how much of a refused body is read, as gate.drainWait bounds how long.
const drainBytes = 64 << 20

// drainBody reads the rest of a refused body: a client that is still sending would otherwise see
// a broken connection instead of the response.
func (g *gate) drainBody(w http.ResponseWriter, body io.Reader) {
	rc := http.NewResponseController(w)
	if rc.Flush() == nil && rc.SetReadDeadline(time.Now().Add(g.drainWait)) == nil {
		_, _ = io.CopyN(io.Discard, body, drainBytes) // its outcome does not matter
	}
}

// maxCalls is how many calls of one caller may run at once, streams and waits included: as many as
// an agent's bridge can make.
const maxCalls = 100

// busy counts the running calls of each caller. The zero value is ready for use.
type busy struct {
	mu    sync.Mutex
	calls map[string]int // by the caller's id; all without one together
}

// enter counts a call until done is called. The error is RATE_LIMITED for a caller of whom too many
// run. The operator has no limit.
func (b *busy) enter(caller parley.Caller) (done func(), err error) {
	if caller.Operator {
		return func() {}, nil
	}

	b.mu.Lock()
	defer b.mu.Unlock()

	if b.calls[caller.ID] >= maxCalls {
		return nil, parley.Errorf(parley.RateLimited, "%d calls of yours are running", maxCalls).
			With("limit", maxCalls).
			Suggest("Wait until one of them ends, and wait for several things with one call.")
	}
	if b.calls == nil {
		b.calls = map[string]int{}
	}
	b.calls[caller.ID]++

	return func() { b.leave(caller.ID) }, nil
}

func (b *busy) leave(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.calls[id]--; b.calls[id] == 0 {
		delete(b.calls, id)
	}
}
