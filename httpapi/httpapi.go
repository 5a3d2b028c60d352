// Package httpapi is the operations table over HTTP: the routes, who calls, the
// stream of events, and the one map from error codes to HTTP statuses.
package httpapi

import (
	"context"
	"log/slog"
	"net/http"

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

	// Registration lets nobody in particular call what is Public, that is
	// register_agent.
	Registration bool

	// TrustLocalAgentID makes X-Agent-ID alone enough for a connection from a
	// loopback address; Agent then says which agent it names. The operator
	// cannot be named so.
	TrustLocalAgentID bool
	Agent             func(ctx context.Context, ref string) (parley.Caller, bool)

	Log *slog.Logger
}

type api struct {
	Options
	routes    routes
	heartbeat int // seconds between the comments that keep a quiet stream open
}

// New returns the handler of a listener. It blocks no longer than a request's
// context: cancel the server's base context to end streams and long polls.
func New(o Options) http.Handler { return newAPI(o).handler() }

func newAPI(o Options) *api {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &api{Options: o, routes: routesOf(parley.Ops), heartbeat: 15}
}

func (a *api) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", health)
	mux.HandleFunc("/api/", a.serveAPI)
	mux.HandleFunc("/mcp", a.serveMCP)
	mux.HandleFunc("/", a.nothingHere)
	return http.MaxBytesHandler(guard(mux), MaxBody)
}

func health(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, map[string]any{"success": true, "status": "ok"})
}

// serveMCP hands the request to the MCP server with its caller.
func (a *api) serveMCP(w http.ResponseWriter, r *http.Request) {
	if a.MCP == nil {
		a.nothingHere(w, r)
		return
	}
	caller, err := a.identify(r, nil)
	if err == nil && caller.Nobody() && !a.Registration {
		err = noCredential("/mcp")
	}
	if err != nil {
		a.fail(w, r, err)
		return
	}
	a.MCP.ServeHTTP(w, r.WithContext(parley.WithCaller(r.Context(), caller)))
}
