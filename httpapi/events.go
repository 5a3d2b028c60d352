package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"parley"
)

// sink takes a stream of events.
type sink interface {
	// page writes the events, or a heartbeat if there are none, and reports whether the
	// client is still there.
	page(context.Context, *parley.ReadEventsResult) bool
	failure(context.Context, *parley.Error)
}

// serveEvents streams the events after `after` or, on a reconnection, after Last-Event-ID,
// until the client or the server ends the stream. It reads at the pace of its client and
// delays nobody else.
func (a *api) serveEvents(w http.ResponseWriter, r *http.Request, op *parley.Op, args *arguments) {
	q := args.query
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		q.Set("after", last)
		q.Del("last")
	}

	q.Del("wait_seconds")
	inv, err := op.DecodeQuery(q)
	if err != nil {
		a.fail(w, r, err)
		return
	}

	page, err := a.readEvents(r.Context(), inv)
	if err != nil {
		a.fail(w, r, err)
		return
	}

	if args.stream == webSocket {
		a.serveWebSocket(w, r, op, page)
		return
	}

	a.follow(r.Context(), r, a.openStream(w), op, page)
}

// follow writes a page of events and those that come after it to the client.
func (a *api) follow(ctx context.Context, r *http.Request, s sink, op *parley.Op, page *parley.ReadEventsResult) {
	for s.page(ctx, page) {
		next, err := a.nextEvents(ctx, r, op, page.Next)
		if ctx.Err() != nil {
			return
		}

		if err != nil {
			s.failure(ctx, parley.AsError(err))
			level := slog.LevelWarn
			if parley.ErrorCode(err) == parley.Unauthenticated { // expected: its key was revoked
				level = slog.LevelDebug
			}

			a.Log.Log(ctx, level, "a stream of events ended", "error", err)

			return
		}

		page = next
	}
}

// recheck identifies the caller of a request once more: its key may have been revoked
// while it waited. keys are those found in the body.
func (a *api) recheck(r *http.Request, keys []string) error {
	caller, err := a.identify(r, keys)
	if err == nil && caller.ID != parley.CallerFrom(r.Context()).ID {
		err = wrongKey()
	}
	return err
}

// nextEvents waits for events, at most for the time between two heartbeats.
func (a *api) nextEvents(
	ctx context.Context, r *http.Request, op *parley.Op, after int64,
) (*parley.ReadEventsResult, error) {
	inv, err := op.DecodeQuery(url.Values{
		"after": {strconv.FormatInt(after, 10)}, "wait_seconds": {strconv.Itoa(a.heartbeat)}})
	if err != nil {
		return nil, err
	}
	inv.Recheck(func(context.Context) error { return a.recheck(r, nil) })
	return a.readEvents(ctx, inv)
}

func (a *api) readEvents(ctx context.Context, inv *parley.Invocation) (*parley.ReadEventsResult, error) {
	result, err := inv.Call(ctx, a.Service)
	if err != nil {
		return nil, err
	}
	page, ok := result.(*parley.ReadEventsResult)
	if !ok {
		return nil, fmt.Errorf("read_events gave a %T", result)
	}
	return page, nil
}

// stream writes server-sent events. After the first write that fails it writes nothing.
type stream struct {
	w    http.ResponseWriter
	rc   *http.ResponseController
	wait time.Duration // api.writeWait
	err  error
}

// openStream begins the response, so that the client sees that the stream is open.
func (a *api) openStream(w http.ResponseWriter) *stream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	s := &stream{w: w, rc: http.NewResponseController(w), wait: a.writeWait}
	s.comment("parley")
	return s
}

func (s *stream) page(_ context.Context, p *parley.ReadEventsResult) bool {
	if len(p.Events) == 0 {
		s.comment("")
	}
	for i := range p.Events {
		e := &p.Events[i]
		data, _ := json.Marshal(e) // cannot fail: strings, numbers and times
		s.write(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Type, data))
	}
	s.flush()
	return s.err == nil
}

func (s *stream) failure(_ context.Context, e *parley.Error) {
	data, _ := json.Marshal(e)
	s.write(fmt.Sprintf("event: error\ndata: %s\n\n", data))
	s.flush()
}

func (s *stream) comment(text string) {
	s.write(":" + text + "\n\n")
	s.flush()
}

func (s *stream) write(text string) {
	if s.err != nil {
		return
	}
	_ = s.rc.SetWriteDeadline(time.Now().Add(s.wait)) // not every writer supports deadlines
	_, s.err = s.w.Write([]byte(text))
}

func (s *stream) flush() {
	if s.err == nil {
		s.err = s.rc.Flush()
	}
}
