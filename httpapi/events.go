package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"parley"
	"parley/op"
)

// sink takes a stream of events.
type sink interface {
	// page writes the events, or a heartbeat if there are none, and reports whether the
	// client is still there.
	page(context.Context, *parley.ReadEventsResult) bool
	failure(context.Context, *parley.Error)
}

// eventStreams serve the record as it goes on.
type eventStreams struct {
	*gate
	callers   *callers
	service   parley.Service
	streams   sync.WaitGroup
	heartbeat int // seconds between the heartbeats of a quiet stream

	// writeWait bounds how long a reader of a stream may leave its connection full before the
	// connection is dropped; the reader can resume where it was. Without a limit, such a reader
	// could delay the server's shutdown.
	writeWait time.Duration
}

// serveEvents streams the events after `after` or, on a reconnection, after Last-Event-ID,
// until the client or the server ends the stream. It reads at the pace of its client and
// delays nobody else.
func (e *eventStreams) serveEvents(w http.ResponseWriter, r *http.Request, op *op.Op, args *arguments) {
	q := args.query
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		q.Set("after", last)
		q.Del("last")
	}

	q.Del("wait_seconds")
	inv, err := op.DecodeQuery(q)
	if err != nil {
		e.fail(w, r, err)
		return
	}

	page, err := e.readEvents(r.Context(), inv)
	if err != nil {
		e.fail(w, r, err)
		return
	}

	if args.stream == webSocket {
		e.serveWebSocket(w, r, op, page)
		return
	}

	e.follow(r.Context(), r, e.openStream(w), op, page)
}

// follow writes a page of events and those that come after it to the client.
func (e *eventStreams) follow(
	ctx context.Context, r *http.Request, s sink, op *op.Op, page *parley.ReadEventsResult,
) {
	for s.page(ctx, page) {
		next, err := e.nextEvents(ctx, r, op, page.Next)
		if ctx.Err() != nil {
			return
		}

		if err != nil {
			s.failure(ctx, parley.AsError(err))
			level := slog.LevelWarn
			if parley.ErrorCode(err) == parley.Unauthenticated { // expected: its key was revoked
				level = slog.LevelDebug
			}

			e.log.Log(ctx, level, "a stream of events ended", "error", err)

			return
		}

		page = next
	}
}

// nextEvents waits for events, at most for the time between two heartbeats.
func (e *eventStreams) nextEvents(
	ctx context.Context, r *http.Request, op *op.Op, after int64,
) (*parley.ReadEventsResult, error) {
	inv, err := op.DecodeQuery(url.Values{
		"after": {strconv.FormatInt(after, 10)}, "wait_seconds": {strconv.Itoa(e.heartbeat)}})
	if err != nil {
		return nil, err
	}
	inv.Recheck(func(context.Context) error { return e.callers.recheck(r, nil) })
	return e.readEvents(ctx, inv)
}

func (e *eventStreams) readEvents(ctx context.Context, inv *op.Invocation) (*parley.ReadEventsResult, error) {
	result, err := inv.Call(ctx, e.service)
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
	wait time.Duration // eventStreams.writeWait
	err  error
}

// openStream begins the response, so that the client sees that the stream is open.
func (e *eventStreams) openStream(w http.ResponseWriter) *stream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	s := &stream{w: w, rc: http.NewResponseController(w), wait: e.writeWait}
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
