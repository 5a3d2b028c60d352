// Package httpapi serves the table of operations over HTTP: the routes and their OpenAPI
// document, the authentication of callers, streams of events, uploads and downloads,
// health, metrics, and the one map from error codes to HTTP statuses.
package httpapi

import (
	"cmp"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path"
	"sync"
	"time"

	"parley"
	"parley/op"
)

// Handler serves a listener. It blocks no longer than the context of a request: cancel the
// server's base context to end streams and long polls.
type Handler struct {
	http.Handler
	api *api
}

// Close waits for the streams on hijacked connections, which the server's Shutdown does
// not wait for. The base context must be cancelled before.
func (h *Handler) Close() { h.api.events.streams.Wait() }

// New returns the handler of a listener.
func New(o Options) *Handler {
	a := newAPI(o)
	return &Handler{a.handler(), a}
}

func newAPI(o Options) *api {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}

	o.Version = cmp.Or(o.Version, "unknown")
	a := &api{Options: o, routes: routesOf(op.All), requests: newRequests(o.Version),
		bodyWait: 5 * time.Second, healthWait: 2 * time.Second,
		signatures: newSignatures(time.Now), gate: &gate{log: o.Log, drainWait: 10 * time.Second}}
	a.callers = &callers{&a.Options}
	a.events = &eventStreams{gate: a.gate, callers: a.callers, service: o.Service,
		looks:     &looks{service: o.Service, age: 10 * time.Second, last: map[bool]look{}},
		heartbeat: 15, writeWait: 10 * time.Second}
	a.document = sync.OnceValue(func() []byte { return openAPI(op.All, o.Version) })
	a.pages = map[string]page{
		"/healthz":      {"healthz", a.serveHealth},
		"/metrics":      {"metrics", a.serveMetrics},
		"/openapi.json": {"openapi", a.serveDocument},
		"/api/tools":    {"tools", a.serveTools},
	}

	return a
}

func (a *api) handler() http.Handler {
	mux := http.NewServeMux()
	for path, page := range a.pages {
		mux.HandleFunc(path, a.readOnly(page.serve))
	}

	mux.HandleFunc("/api/", a.serveAPI)
	mux.HandleFunc("/mcp", a.serveMCP)
	mux.HandleFunc("/", a.serveNotFound)
	if a.Page != nil {
		mux.HandleFunc("/{$}", a.readOnly(a.Page.Files.ServeHTTP))
		mux.HandleFunc(pagePath, a.readOnly(a.Page.Files.ServeHTTP))
		mux.HandleFunc(sessionPath, a.Page.session(a))
		if a.Page.Workspaces != nil {
			mux.HandleFunc(workspacesPath, a.readOnly(a.Page.workspaces(a)))
		}
	}
	if a.AnswerByCode != nil {
		answer := func(r *http.Request, given codeBody) (*parley.AnswerDialogResult, error) {
			if given.Code == "" || len(given.Code) > maxCode {
				return nil, parley.AnswerCodeSpent()
			}
			return a.AnswerByCode(r.Context(), given.Code)
		}
		mux.HandleFunc(answerPath, codeHandler(a, answer))
	}
	all := http.NewServeMux()
	all.Handle("/", a.limitBody(a.signed(mux)))
	if a.Files != nil { // they have their own limit
		files := &fileRoutes{a.gate, a.callers, a.Files}
		all.Handle(filesPath, a.signed(http.HandlerFunc(files.serveUpload)))
		all.Handle(filesPath+"/{file_id}", a.signed(http.HandlerFunc(files.serveDownload)))
	}

	return a.countRequests(a.guard(a.asWritten(all)))
}

// asWritten answers a path that leads elsewhere, as one with "..", like any that does not exist. A ServeMux would
// redirect it.
func (a *api) asWritten(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := r.URL.EscapedPath()
		if clean := path.Clean(given); clean != given && clean+"/" != given {
			a.serveNotFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// limitBody limits the size of bodies. A request that announces a larger one is answered
// at once, any other when it has brought too much. Then its body is read for a while: most
// clients read no response before they have sent everything.
func (a *api) limitBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, announced := r.Body, r.ContentLength > MaxBody
		limited := &limitedBody{ReadCloser: http.MaxBytesReader(w, body, MaxBody), response: w}
		r.Body = limited
		if announced {
			limited.ReadCloser = oversized{body}
			limited.refuse()
		}

		next.ServeHTTP(w, r)

		waits := announced && r.Header.Get("Expect") != "" // it sends nothing before it gets 100 Continue
		if limited.refused && !waits {
			a.drainBody(w, body)
		}
	})
}

type limitedBody struct {
	io.ReadCloser
	response http.ResponseWriter
	refused  bool // it is larger
}

func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if _, tooLong := errors.AsType[*http.MaxBytesError](err); tooLong {
		b.refuse()
	}
	return n, err
}

// refuse prepares the response to a body that is not read to its end.
func (b *limitedBody) refuse() {
	if !b.refused {
		b.refused = true
		b.response.Header().Set("Connection", "close")
		_ = http.NewResponseController(b.response).EnableFullDuplex() // else an HTTP/1 server reads the body first
	}
}

// oversized is a body that cannot be read.
type oversized struct{ io.Closer }

func (oversized) Read([]byte) (int, error) { return 0, &http.MaxBytesError{Limit: MaxBody} }

// readOnly allows GET and HEAD.
func (a *api) readOnly(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			a.fail(w, r, wrongMethod(w, r, http.MethodGet))
			return
		}
		serve(w, r)
	}
}

// serveTools lists the caller's tools as function definitions.
func (a *api) serveTools(w http.ResponseWriter, r *http.Request) {
	caller, err := a.callers.identify(r, nil)
	if err == nil && caller.Nobody() && !a.callers.mayRegister(r, caller) {
		err = notInvited(r, "/api/tools")
	}
	if err != nil {
		a.fail(w, r, err)
		return
	}
	reply(w, http.StatusOK, op.ToolsResult{Answer: parley.OK, Tools: op.Tools(caller)})
}

func (a *api) serveDocument(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(a.document()) // the error is of no use: the client is gone
}

// serveMCP passes the request to the MCP server, with its caller in the context.
func (a *api) serveMCP(w http.ResponseWriter, r *http.Request) {
	if a.MCP == nil {
		a.serveNotFound(w, r)
		return
	}

	caller, err := a.callers.identify(r, nil)
	if err == nil && caller.Nobody() && !a.callers.mayRegister(r, caller) {
		err = notInvited(r, "/mcp")
	}

	done, ok := a.enter(w, r, caller, err)
	if !ok {
		return
	}
	defer done()

	a.MCP.ServeHTTP(w, r.WithContext(parley.WithCaller(a.callers.withCredentials(r, caller), caller)))
}
