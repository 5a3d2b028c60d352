package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"parley"
)

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
