// Package httpapi is the operations table over HTTP: the routes and the document
// that describes them, who calls, the streams of events, health and metrics, and
// the one map from error codes to HTTP statuses.
package httpapi

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"sync"

	"parley"
)

// MaxBody is the largest request body in bytes. The longest text is far
// smaller; what is larger is a mistake or an attack.
const MaxBody = 1 << 20

// Options is what a handler works with. Service and Authenticate are needed;
// the zero value of everything else is the cautious choice.
type Options struct {
	Service parley.Service

	// Authenticate resolves an API key. It compares in constant time.
	Authenticate func(ctx context.Context, key string) (parley.Caller, bool)

	// Peer says who a connection without a key is: on the unix socket the
	// operator or an agent, on TCP nobody.
	Peer func(*http.Request) (parley.Caller, bool)

	// MCP is mounted at /mcp behind the same authentication; it finds the
	// caller in the request's context.
	MCP http.Handler

	// Files takes uploads and gives downloads; without it there are none.
	Files Files

	// Registration lets nobody in particular call what is Public, that is
	// register_agent, from this machine; OpenRegistration from anywhere.
	Registration, OpenRegistration bool

	// Beyond says that other machines may reach the listener: then a Host that is
	// an IP address, or one of Hosts, is right as well. A name that a web page has
	// pointed here by DNS is neither.
	Beyond bool
	Hosts  []string

	// TrustLocalAgentID makes X-Agent-ID alone enough for a connection from a
	// loopback address; Agent then says which agent it names. The operator
	// cannot be named so.
	TrustLocalAgentID bool
	Agent             func(ctx context.Context, ref string) (parley.Caller, bool)

	// Health says whether the database and tmux can be used; nil says they can.
	Health func(context.Context) error

	// Totals are counted for /metrics; nil leaves them out.
	Totals func(context.Context) (Totals, error)

	Version string // of the program; unknown if ""
	Log     *slog.Logger
}

// Totals are what was ever accepted.
type Totals struct{ Messages, Deliveries int64 }

// Handler serves a listener. It blocks no longer than a request's context: cancel
// the server's base context to end streams and long polls.
type Handler struct {
	http.Handler
	api *api
}

// Close waits for the streams that took their connections over, of which the
// server's Shutdown knows nothing. The base context has to be cancelled before.
func (h *Handler) Close() { h.api.streams.Wait() }

type api struct {
	Options
	routes    routes
	pages     map[string]page // what is no operation, by path
	requests  *requests
	document  func() []byte // the OpenAPI document
	streams   sync.WaitGroup
	heartbeat int // seconds between the beats that keep a quiet stream open
}

// page is a path of the daemon's own.
type page struct {
	name  string // in /metrics
	serve http.HandlerFunc
}

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
	a := &api{Options: o, routes: routesOf(parley.Ops), requests: newRequests(o.Version), heartbeat: 15}
	a.document = sync.OnceValue(func() []byte { return openAPI(parley.Ops, o.Version) })
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
	mux.HandleFunc("/", a.nothingHere)
	all := http.NewServeMux()
	all.Handle("/", bounded(mux))
	if a.Files != nil { // which have a limit of their own
		all.HandleFunc(filesPath, a.serveUpload)
		all.HandleFunc(filesPath+"/{file_id}", a.serveDownload)
	}

	return a.counted(a.guard(all))
}

// bounded limits bodies. Whoever announces one that is too large is answered at once,
// and heard out for a while: most clients read no answer before they have sent it all.
func bounded(next http.Handler) http.Handler {
	limited := http.MaxBytesHandler(next, MaxBody)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength <= MaxBody {
			limited.ServeHTTP(w, r)
			return
		}

		body := r.Body
		r.Body = oversized{body}
		w.Header().Set("Connection", "close")
		_ = http.NewResponseController(w).
			EnableFullDuplex()

			// else the server reads on before an answer goes out; HTTP/1 alone needs it
		next.ServeHTTP(w, r)
		if r.Header.Get("Expect") == "" { // else it waits for a word before it sends
			hearOut(w, body)
		}
	})
}

// oversized is a body of which nothing is read.
type oversized struct{ io.Closer }

func (oversized) Read([]byte) (int, error) { return 0, &http.MaxBytesError{Limit: MaxBody} }

// readOnly lets through what only reads.
func (a *api) readOnly(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			a.fail(w, r, wrongMethod(w, r, http.MethodGet))
			return
		}
		serve(w, r)
	}
}

// serveTools lists the tools of the caller as function definitions.
func (a *api) serveTools(w http.ResponseWriter, r *http.Request) {
	caller, err := a.identify(r, nil)
	if err == nil && caller.Nobody() && !a.welcomes(r) {
		err = noCredential("/api/tools")
	}
	if err != nil {
		a.fail(w, r, err)
		return
	}
	reply(w, http.StatusOK, parley.ToolsResult{Answer: parley.OK, Tools: parley.ToolsFor(caller)})
}

func (a *api) serveDocument(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(a.document()) // a client that is gone has no use for the error
}

// serveMCP hands the request to the MCP server with its caller.
func (a *api) serveMCP(w http.ResponseWriter, r *http.Request) {
	if a.MCP == nil {
		a.nothingHere(w, r)
		return
	}

	caller, err := a.identify(r, nil)
	if err == nil && caller.Nobody() && !a.welcomes(r) {
		err = noCredential("/mcp")
	}

	if err != nil {
		a.fail(w, r, err)
		return
	}

	a.MCP.ServeHTTP(w, r.WithContext(parley.WithCaller(withCredentials(r), caller)))
}
