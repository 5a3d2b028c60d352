package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"parley"
	"parley/plain"
)

// maxInitialize is the largest initialize in bytes. What a client says of itself is kept with its
// session, and needs no key.
const maxInitialize = 32 << 10

// bodyWait bounds how long a body may take to arrive: it comes from this machine and is
// small. Without a limit, a client that stalls would delay the server's shutdown.
const bodyWait = 5 * time.Second

// sessionIdle bounds how long the state of an unused session is kept. Without a limit,
// every initialize costs about 12 KB forever (measured).
const sessionIdle = 24 * time.Hour

// HTTPHandler serves MCP over streamable HTTP, with and without sessions, as the older and
// the newer versions of the protocol need.
type HTTPHandler struct {
	transport *server.StreamableHTTPServer
	sessions  *sessions
	options   Options
}

// Handler returns a handler. It finds the caller in the request's context
// (parley.CallerFrom). Close it after the server has shut down.
func Handler(o Options) *HTTPHandler { return newHandler(o, progressEvery) }

func newHandler(o Options, progress time.Duration) *HTTPHandler {
	o = o.withDefaults()
	ids := newSessions()
	tells := changing{watch: ids.watch, lists: true}
	return &HTTPHandler{sessions: ids, options: o, transport: server.NewStreamableHTTPServer(newServer(o, progress,
		tells),
		server.WithSessionIdManagerResolver(ids),
		server.WithSessionIdleTTL(sessionIdle),
		// A session's stream is served by serveStream. Progress is sent in the response to the call.
		server.WithDisableStreaming(true),
		server.WithStreamableHTTPLogger(o.Log))}
}

// allowed are the methods of the transport.
const allowed = http.MethodPost + ", " + http.MethodGet + ", " + http.MethodDelete

// ServeHTTP limits the body, keeps sessions to their callers, and remembers those that clients end.
func (h *HTTPHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost, http.MethodDelete:
	case http.MethodGet:
		h.serveStream(w, r)
		return
	default:
		w.Header().Set("Allow", allowed)
		refuse(w, http.StatusMethodNotAllowed, nil, mcp.INVALID_REQUEST,
			parley.Errorf(parley.InvalidArgument, "MCP takes no %s", plain.CleanLine(r.Method)).
				Suggest("Use %s: one JSON-RPC message as the body of a POST.", allowed))
		return
	}

	body, ok := readBody(w, r)
	if !ok {
		return
	}

	sets, err := ParseToolsets(r.URL.Query().Get("toolsets"))
	if err != nil {
		refuse(w, http.StatusBadRequest, nil, mcp.INVALID_REQUEST, parley.AsError(err))
		return
	}

	if r.Method == http.MethodPost && !isMessage(body) {
		refuseOther(w, body)
		return
	}

	var e envelope
	_ = json.Unmarshal(body, &e) // the transport refuses what it cannot read
	if !h.admit(w, r, e, len(body)) {
		return
	}

	defer h.forget()
	sw := &statusWriter{ResponseWriter: w, failures: new(failures)}
	r = r.WithContext(withFailures(withToolsets(r.Context(), sets), sw.failures))
	h.transport.ServeHTTP(sw, r)
	switch {
	case sw.refused:
		refuse(w, sw.status, e.ID, mcp.INVALID_REQUEST, refusal(sw.status, sw.words.String()))
	case sw.status == 0 && r.Context().Err() != nil && len(e.ID) > 0:
		replyStopping(w, &e)
	case r.Method == http.MethodDelete && sw.status == http.StatusOK:
		h.sessions.end(r.Header.Get(server.HeaderKeySessionID))
	}
}

// readBody reads the body of a request and puts it back. If it cannot be read, the request is answered.
func readBody(w http.ResponseWriter, r *http.Request) (body []byte, ok bool) {
	// Not every writer supports deadlines. After a failure the deadline stays, because
	// the server reads on before it answers.
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(bodyWait))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if err != nil {
		refuseBody(w, err)
		return nil, false
	}

	_ = rc.SetReadDeadline(time.Time{}) // the call may take longer
	r.Body = io.NopCloser(bytes.NewReader(body))

	return body, true
}

// admit answers the requests that do not go to the library, and reports whether this one does.
func (h *HTTPHandler) admit(w http.ResponseWriter, r *http.Request, e envelope, size int) bool {
	switch {
	case inSession(r) && !h.sessions.belongs(r.Header.Get(server.HeaderKeySessionID), callerOf(r)):
		// To whoever has read the id somewhere, the session is one that is not there.
		refuse(w, http.StatusNotFound, e.ID, mcp.INVALID_REQUEST,
			refusal(http.StatusNotFound, "the session is another caller's"))
		return false

	case e.Method == string(mcp.MethodNotificationCancelled) && !inSession(r):
		// Without a session, closing the connection cancels a call. The transport would
		// refuse the notification, and the official client then considers all its calls
		// lost; or it would take the id for that of another client's call.
		w.WriteHeader(http.StatusAccepted)
		return false

	case e.Method == string(mcp.MethodSubscriptionsListen) && parley.CallerFrom(r.Context()).Nobody():
		refuse(w, http.StatusOK, e.ID, refusedCode,
			parley.Errorf(parley.Unauthenticated, "a stream needs to know who calls").
				Suggest("Send your API key as `Authorization: Bearer KEY`."))
		return false

	case e.Method == string(mcp.MethodInitialize) && size > maxInitialize:
		refuse(w, http.StatusRequestEntityTooLarge, e.ID, mcp.INVALID_REQUEST,
			parley.Errorf(parley.InvalidArgument, "initialize is larger than %d bytes", maxInitialize).
				Suggest("Say less of the client: its name, version and capabilities."))
		return false
	}

	return true
}

// inSession reports whether a request belongs to a session. The newer protocol has no
// sessions, even if the header is set.
func inSession(r *http.Request) bool {
	return r.Header.Get(server.HeaderKeySessionID) != "" &&
		!mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))
}

// replyStopping answers a call that was cut short because the daemon stops. The transport
// would not answer, and the client would consider the connection broken.
func replyStopping(w http.ResponseWriter, e *envelope) {
	why := parley.Errorf(parley.DaemonUnavailable, "the call was cut short").
		Suggest("Call again: the daemon is stopping or restarting.")
	answer := map[string]any{"jsonrpc": "2.0", "id": e.ID}
	if e.Method == string(mcp.MethodToolsCall) {
		answer["result"] = failureOf(why)
	} else {
		answer["error"] = map[string]any{"code": mcp.INTERNAL_ERROR, "message": why.Message, "data": why}
	}
	b, _ := json.Marshal(answer)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(b) // the error is of no use: the client is gone
}

// Close stops the handler's background work.
func (h *HTTPHandler) Close(ctx context.Context) error { return h.transport.Shutdown(ctx) }

func refuseBody(w http.ResponseWriter, err error) {
	status, e := http.StatusBadRequest, parley.Errorf(parley.InvalidArgument, "the request could not be read: %w", err).
		Suggest("Send it again, whole: one JSON-RPC message as the body.")
	if _, tooLong := errors.AsType[*http.MaxBytesError](err); tooLong {
		status = http.StatusRequestEntityTooLarge
		e = parley.Errorf(parley.MessageTooLong, "the request is larger than %d bytes", MaxBody).
			Suggest("Put long content into a file and send that with transfer_file.")
	}
	refuse(w, status, nil, mcp.INVALID_REQUEST, e)
}

// isMessage reports whether a body is one JSON object.
func isMessage(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) && json.Valid(body)
}

// refuseOther answers a body that is no message. The transport would call a batch invalid JSON.
func refuseOther(w http.ResponseWriter, body []byte) {
	code, e := mcp.INVALID_REQUEST, parley.Errorf(parley.InvalidArgument, "the body is not a JSON object")
	if !json.Valid(body) {
		code, e = mcp.PARSE_ERROR, parley.Errorf(parley.InvalidArgument, "the body is not JSON")
	}
	refuse(w, http.StatusBadRequest, nil, code,
		e.Suggest("Send one JSON-RPC message as the body; there are no batches."))
}

// refuse answers a request that is not passed to the library.
func refuse(w http.ResponseWriter, status int, id json.RawMessage, code int, e *parley.Error) {
	b, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id,
		"error": map[string]any{"code": code, "message": e.Message, "data": e}})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b)
}

// refusal returns the error for what the library refuses in plain text.
func refusal(status int, words string) *parley.Error {
	if status == http.StatusNotFound {
		return parley.Errorf(parley.InvalidArgument, "the request belongs to no MCP session: %s",
			plain.CleanLine(words)).
			Suggest("Send initialize first, and the %s of its answer with every call.", server.HeaderKeySessionID)
	}
	return parley.Errorf(parley.InvalidArgument, "the request is refused: %s", plain.CleanLine(words)).
		Suggest("Send one JSON-RPC message as the body, with the headers of streamable HTTP.")
}

// statusWriter remembers the status, and keeps a refusal in plain text back.
type statusWriter struct {
	http.ResponseWriter
	status  int
	refused bool
	words   bytes.Buffer

	failures *failures // of the request
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	if status >= http.StatusBadRequest && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.refused = true
		return
	}
	if w.failures.badRequest() {
		w.status = http.StatusBadRequest
	}
	w.ResponseWriter.WriteHeader(w.status)
}

func (w *statusWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	if w.refused {
		return w.words.Write(p)
	}
	if _, err := w.ResponseWriter.Write(w.failures.rewrite(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush lets responses stream.
func (w *statusWriter) Flush() {
	if w.refused {
		return
	}
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

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
