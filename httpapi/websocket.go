package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"parley"
)

// serveWebSocket sends the record from a page on, each event as one text message
// with the JSON that server-sent events carry as data. What the client sends is
// a mistake and ends the connection.
func (a *api) serveWebSocket(w http.ResponseWriter, r *http.Request, op *parley.Op, page *parley.ReadEventsResult) {
	a.streams.Add(1)
	defer a.streams.Done()

	h := &handshake{ResponseWriter: w}

	// The guard has looked at Host and Origin; a page of this machine needs a key.
	conn, err := websocket.Accept(h, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		if h.refused != 0 {
			a.fail(w, r, &refusal{h.refused, parley.Errorf(parley.InvalidArgument, "%w", err).
				Suggest("Connect with a WebSocket client of version 13, or read server-sent events with `Accept: text/event-stream`."),
			})
		}
		return
	}

	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()

	// The reader outlives the server's context: it takes the client's farewell.
	gone := conn.CloseRead(context.WithoutCancel(r.Context()))
	defer context.AfterFunc(gone, cancel)()

	a.follow(ctx, r, socket{conn}, op, page)
	_ = conn.Close(websocket.StatusGoingAway, "resume with after=SEQ") // if it is still open
}

// handshake keeps back what the library writes when it refuses a connection: the
// answer is to be one of ours.
type handshake struct {
	http.ResponseWriter
	refused int
}

func (h *handshake) WriteHeader(status int) {
	if status != http.StatusSwitchingProtocols {
		h.refused = status
		return
	}
	h.ResponseWriter.WriteHeader(status)
}

func (h *handshake) Write(b []byte) (int, error) { return len(b), nil }

// Unwrap lets the library take the connection over.
func (h *handshake) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// lastWrite is how long what is being sent may take once the server ends.
const lastWrite = time.Second

// toTheEnd outlives ctx by lastWrite: a connection whose writing is cut short is closed,
// and its client would never hear the farewell.
func toTheEnd(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(lastWrite, cancel) })
	return longer, func() { stop(); cancel() }
}

// socket is a WebSocket as a stream of events.
type socket struct{ *websocket.Conn }

func (s socket) page(ctx context.Context, p *parley.ReadEventsResult) bool {
	ctx, cancel := toTheEnd(ctx)
	defer cancel()

	if len(p.Events) == 0 {
		ctx, cancel := context.WithTimeout(ctx, writeWait)
		defer cancel()
		return s.Ping(ctx) == nil // the answer shows that the other end lives
	}

	for i := range p.Events {
		if !s.write(ctx, &p.Events[i]) {
			return false
		}
	}

	return true
}

func (s socket) failure(ctx context.Context, e *parley.Error) {
	ctx, cancel := toTheEnd(ctx)
	defer cancel()
	if s.write(ctx, e) {
		_ = s.Close(websocket.StatusInternalError, string(e.Code))
	}
}

func (s socket) write(ctx context.Context, v any) bool {
	b, err := json.Marshal(v)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, writeWait)
	defer cancel()
	return s.Write(ctx, websocket.MessageText, b) == nil
}
