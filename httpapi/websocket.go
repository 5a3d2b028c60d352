package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"parley"
	"parley/op"
)

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

// handshake drops what the library writes when it refuses a connection, so that an error
// in JSON can replace it.
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

// Unwrap lets the library hijack the connection.
func (h *handshake) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// lastWrite bounds how long a write, or the farewell of a client, may take once the server stops.
const lastWrite = time.Second

// withLastWrite returns a context that outlives ctx by lastWrite. A write that is cut short
// closes the connection, and the client would not get the close frame.
func withLastWrite(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(lastWrite, cancel) })
	return longer, func() { stop(); cancel() }
}

// socket writes a stream of events to a WebSocket.
type socket struct {
	*websocket.Conn
	wait time.Duration // eventStreams.writeWait
}

func (s socket) page(ctx context.Context, p *parley.ReadEventsResult) bool {
	ctx, cancel := withLastWrite(ctx)
	defer cancel()

	if len(p.Events) == 0 {
		ctx, cancel := context.WithTimeout(ctx, s.wait)
		defer cancel()
		return s.Ping(ctx) == nil // the pong shows that the client is there
	}

	for i := range p.Events {
		if !s.write(ctx, &p.Events[i]) {
			return false
		}
	}

	return true
}

func (s socket) failure(ctx context.Context, e *parley.Error) {
	ctx, cancel := withLastWrite(ctx)
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
	ctx, cancel := context.WithTimeout(ctx, s.wait)
	defer cancel()
	return s.Write(ctx, websocket.MessageText, b) == nil
}
