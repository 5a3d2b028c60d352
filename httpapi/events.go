package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"parley"
)

// writeWait is how long a reader of the stream may leave its connection full
// before it is dropped; it resumes where it was. Without it such a reader
// could hold up the server's shutdown.
const writeWait = 10 * time.Second

// serveEvents sends the record as server-sent events, after `after` or, on a
// reconnection, after Last-Event-ID, until the client or the server goes.
func (a *api) serveEvents(w http.ResponseWriter, r *http.Request, op *parley.Op, q url.Values) {
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
	page, err := a.readEvents(r, inv)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	s := &stream{w: w, rc: http.NewResponseController(w)}
	s.comment("parley") // so that the client sees the stream open
	for s.page(page) {
		page, err = a.nextEvents(r, op, page.Next)
		if r.Context().Err() != nil {
			return
		}
		if err != nil {
			s.failure(parley.AsError(err))
			a.Log.Warn("a stream of events ended", "error", err)
			return
		}
	}
}

// nextEvents waits for events for at most the time between two heartbeats.
func (a *api) nextEvents(r *http.Request, op *parley.Op, after int64) (*parley.ReadEventsResult, error) {
	inv, err := op.DecodeQuery(url.Values{
		"after": {strconv.FormatInt(after, 10)}, "wait_seconds": {strconv.Itoa(a.heartbeat)}})
	if err != nil {
		return nil, err
	}
	return a.readEvents(r, inv)
}

func (a *api) readEvents(r *http.Request, inv *parley.Invocation) (*parley.ReadEventsResult, error) {
	result, err := a.invoke(r.Context(), inv)
	if err != nil {
		return nil, err
	}
	page, ok := result.(*parley.ReadEventsResult)
	if !ok {
		return nil, fmt.Errorf("read_events gave a %T", result)
	}
	return page, nil
}

// stream writes server-sent events; after the first failed write it is over.
type stream struct {
	w   http.ResponseWriter
	rc  *http.ResponseController
	err error
}

// page writes a page of events, or the heartbeat if it is empty, and reports
// whether the client is still there.
func (s *stream) page(p *parley.ReadEventsResult) bool {
	if len(p.Events) == 0 {
		s.comment("")
	}
	for i := range p.Events {
		e := &p.Events[i]
		data, _ := json.Marshal(e) // strings, numbers and times
		s.write(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Type, data))
	}
	s.flush()
	return s.err == nil
}

func (s *stream) failure(e *parley.Error) {
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
	_ = s.rc.SetWriteDeadline(time.Now().Add(writeWait)) // not every writer has deadlines
	_, s.err = s.w.Write([]byte(text))
}

func (s *stream) flush() {
	if s.err == nil {
		s.err = s.rc.Flush()
	}
}
