package httpapi

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"parley"
	"parley/op"

	"github.com/coder/websocket"
)

// sseType is the type of server-sent events, and what a request accepts that asks for them.
const sseType = "text/event-stream"

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
	looks     *looks
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

	s := e.openStream(w, mayPack(r, parley.CallerFrom(r.Context())))
	if s.zip != nil {
		s.looks, s.seen = e.looks, e.looks.sums(r.Context())
	}
	e.follow(r.Context(), r, s, op, page)
	s.end()
}

// serveWebSocket streams events beginning with a page. Each event is one text message with
// the same JSON as the data of a server-sent event. A client that sends anything is
// disconnected.
func (e *eventStreams) serveWebSocket(
	w http.ResponseWriter, r *http.Request, op *op.Op, page *parley.ReadEventsResult,
) {
	e.streams.Add(1)
	defer e.streams.Done()

	h := &handshake{ResponseWriter: w}

	// guard has checked Host and Origin.
	conn, err := websocket.Accept(h, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		if h.refused != 0 {
			e.fail(w, r, &refusal{h.refused, parley.Errorf(parley.InvalidArgument, "%w", err).
				Suggest("Connect with a WebSocket client of version 13, " +
					"or read server-sent events with `Accept: text/event-stream`."),
			})
		}
		return
	}

	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()

	// The reader outlives the server's context to receive the client's close frame.
	reading, stopReading := context.WithCancel(context.WithoutCancel(r.Context()))
	defer stopReading()
	gone := conn.CloseRead(reading)
	defer context.AfterFunc(gone, cancel)()

	e.follow(ctx, r, socket{conn, e.writeWait}, op, page)

	// Close waits five seconds for a client that does not answer, unless reading ends.
	defer time.AfterFunc(lastWrite, stopReading).Stop()
	_ = conn.Close(websocket.StatusGoingAway, "resume with after=SEQ") // if it is still open
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

// How often what a stream shows is looked at: while it changes, and else.
const (
	screenMoves = 250 * time.Millisecond
	screenRests = time.Second
	screenCalms = 3 * time.Second // after the last change

	workspacesRest = 2 * time.Second // each of them is asked
)

// serveScreens streams what changes in terminals.
func (e *eventStreams) serveScreens(w http.ResponseWriter, r *http.Request, q url.Values) {
	shown, err := screensOf(e.service, q)
	if err != nil {
		e.fail(w, r, err)
		return
	}

	e.serveLooks(w, r, shown.changes, func(still time.Duration) time.Duration {
		if still < screenCalms {
			return screenMoves
		}
		return screenRests
	})
}

// serveWorkspaces streams the workspaces of the user: all of them at first, and again when one shows something else.
func (e *eventStreams) serveWorkspaces(
	w http.ResponseWriter, r *http.Request, look func(context.Context) []parley.KnownWorkspace,
) {
	var told string
	changes := func(ctx context.Context) []any {
		all := look(ctx)
		now := shownOf(all)
		if now == told {
			return nil
		}
		told = now
		return []any{parley.KnownWorkspaces{Answer: parley.OK, Workspaces: all}}
	}
	e.serveLooks(w, r, changes, func(time.Duration) time.Duration { return workspacesRest })
}

// shownOf returns what is shown of workspaces, besides when they were used: that changes with each message.
func shownOf(all []parley.KnownWorkspace) string {
	all = slices.Clone(all)
	for i := range all {
		all[i].LastUsed, all[i].Deliveries = nil, nil
	}
	data, _ := json.Marshal(all) // cannot fail: strings, numbers and times
	return string(data)
}

// serveLooks streams what a look finds changed, until the client or the server ends the stream. rest is the time
// between two looks, by how long nothing has changed.
func (e *eventStreams) serveLooks(
	w http.ResponseWriter, r *http.Request, look func(context.Context) []any, rest func(time.Duration) time.Duration,
) {
	ctx := r.Context()
	s := e.openStream(w, mayPack(r, parley.CallerFrom(ctx)))
	defer s.end()
	var spoke, moved time.Time
	for s.err == nil {
		if err := e.callers.recheck(r, nil); err != nil {
			s.failure(ctx, parley.AsError(err))
			return
		}
		now, changes := time.Now(), look(ctx)
		for _, change := range changes {
			data, _ := json.Marshal(change) // cannot fail: strings, numbers and times
			s.write(fmt.Sprintf("data: %s\n\n", data))
		}
		switch {
		case len(changes) > 0:
			s.flush()
			spoke, moved = now, now
		case now.Sub(spoke) >= time.Duration(e.heartbeat)*time.Second:
			s.comment("")
			spoke = now
		}

		select {
		case <-ctx.Done():
			return
		case <-time.After(rest(now.Sub(moved))):
		}
	}
}

// stream writes server-sent events. After the first write that fails it writes nothing.
type stream struct {
	w    io.Writer
	zip  *gzip.Writer // what w is, if the stream is compressed
	rc   *http.ResponseController
	wait time.Duration // eventStreams.writeWait
	err  error

	looks *looks // what no event tells is told too; nil: it is not
	seen  map[string]uint64
}

// openStream begins the response, so that the client sees that the stream is open. The page's is compressed: it may be
// on a phone's line.
func (e *eventStreams) openStream(w http.ResponseWriter, packed bool) *stream {
	h := w.Header()
	h.Set("Content-Type", sseType)
	h.Set("Cache-Control", "no-store")
	s := &stream{w: w, rc: http.NewResponseController(w), wait: e.writeWait}
	if packed {
		h.Set("Content-Encoding", "gzip")
		s.zip, _ = gzip.NewWriterLevel(w, gzip.BestCompression) // it knows the level
		s.w = s.zip
	}
	w.WriteHeader(http.StatusOK)
	s.comment("parley")
	return s
}

// gathers is how long the page's stream waits after some events: those that follow come together, which compress in
// a half as many bytes. fewEvents is how many are worth that.
const (
	gathers   = 400 * time.Millisecond
	fewEvents = 100
)

func (s *stream) page(ctx context.Context, p *parley.ReadEventsResult) bool {
	if len(p.Events) == 0 {
		s.beat(ctx)
	}
	for i := range p.Events {
		e := p.Events[i]
		if s.zip == nil { // the page takes both from the data
			s.write(fmt.Sprintf("id: %d\nevent: %s\n", e.Seq, e.Type))
		} else {
			e.Time = e.Time.Truncate(time.Millisecond) // a tenth of what cannot be compressed
		}
		data, _ := json.Marshal(e) // cannot fail: strings, numbers and times
		s.write(fmt.Sprintf("data: %s\n\n", data))
	}
	s.flush()
	if n := len(p.Events); s.zip != nil && n > 0 && n < fewEvents {
		select {
		case <-ctx.Done():
		case <-time.After(gathers):
		}
	}
	return s.err == nil
}

// beat shows that a quiet stream is there, and tells the page what has changed without an event.
func (s *stream) beat(ctx context.Context) {
	if s.looks != nil {
		now := s.looks.sums(ctx)
		names := changed(s.seen, now)
		if s.seen = now; len(names) > 0 {
			data, _ := json.Marshal(map[string][]string{"changed": names})
			s.write(fmt.Sprintf("data: %s\n\n", data))
			return
		}
	}
	s.comment("")
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

// end ends what is compressed, so that the client sees a whole stream.
func (s *stream) end() {
	if s.zip != nil && s.err == nil {
		_ = s.zip.Close() // a client that is gone has no use for the error
	}
}

func (s *stream) flush() {
	if s.zip != nil && s.err == nil {
		s.err = s.zip.Flush()
	}
	if s.err == nil {
		s.err = s.rc.Flush()
	}
}
