package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"parley"
)

const (
	// streamWait bounds how long one write to a stream may take.
	streamWait = 10 * time.Second
	// streamBeat is the interval of comments by which a stream learns that its client is gone.
	streamBeat = 15 * time.Second
)

// serveStream answers the GET of the older versions: a stream of notifications for a session. The library's own
// stream shares one channel with the session's calls, and forgets it when the daemon restarts.
func (h *HTTPHandler) serveStream(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(server.HeaderKeySessionID)
	if !inSession(r) {
		refuse(w, http.StatusMethodNotAllowed, nil, mcp.INVALID_REQUEST,
			parley.Errorf(parley.InvalidArgument, "this stream belongs to no session").
				Suggest("Send initialize first; without sessions, subscriptions/listen opens a stream."))
		return
	}
	if parley.CallerFrom(r.Context()).Nobody() { // strangers may have none of what lasts
		refuse(w, http.StatusMethodNotAllowed, nil, mcp.INVALID_REQUEST,
			parley.Errorf(parley.Unauthenticated, "a stream needs to know who calls").
				Suggest("Send your API key as `Authorization: Bearer KEY`."))
		return
	}

	ctx, end := context.WithCancel(r.Context())
	defer end()
	watch, err := h.sessions.stream(id, callerOf(r), end)
	if err != nil {
		refuse(w, http.StatusNotFound, nil, mcp.INVALID_REQUEST, refusal(http.StatusNotFound, err.Error()))
		return
	}

	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	s := &stream{w: w, rc: http.NewResponseController(w)}
	go func() {
		defer end()
		s.beat(ctx)
	}()

	all := mcp.SubscriptionFilter{ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true}
	h.options.serveWatch(ctx, watch, all, func(n mcp.Notification) error {
		return s.write(fmt.Sprintf("event: message\ndata: %s\n\n", notice(n)))
	})
	s.close()
}

// stream writes server-sent events.
type stream struct {
	mu     sync.Mutex
	w      http.ResponseWriter
	rc     *http.ResponseController
	closed bool
}

func (s *stream) write(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("the stream is over")
	}
	_ = s.rc.SetWriteDeadline(time.Now().Add(streamWait)) // not every writer supports deadlines
	if _, err := s.w.Write([]byte(text)); err != nil {
		return fmt.Errorf("write to the stream: %w", err)
	}
	return s.rc.Flush()
}

// beat writes comments until one cannot be written or ctx ends. The first shows that the stream is open.
func (s *stream) beat(ctx context.Context) {
	ticker := time.NewTicker(streamBeat)
	defer ticker.Stop()
	for s.write(":\n\n") == nil {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// close waits for a write that runs. The response must not be used after its handler.
func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}
