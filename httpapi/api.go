package httpapi

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"parley"
	"parley/op"
	"parley/plain"
)

// MaxBody is the largest request body in bytes. The longest legal call is far smaller.
const MaxBody = 1 << 20

// Options configure a handler. Service and Authenticate are required; the zero value of
// everything else is the cautious choice.
type Options struct {
	Service parley.Service

	// Authenticate returns the owner of an API key, an unplaced one if the key does not count where it is shown.
	// It must compare in constant time.
	Authenticate func(ctx context.Context, key string) (parley.Caller, bool)

	// Peer returns the caller of a connection without a key: the operator or an agent on
	// the unix socket, nobody on TCP.
	Peer func(*http.Request) (parley.Caller, bool)

	// Owner returns the agent whose own socket a request came by, nobody if it is gone. Nothing that the request
	// shows counts beside that. If nil, agents have none.
	Owner func(context.Context) (parley.Caller, bool)

	// SameUser reports whether a request over TCP comes from a process of this user on this
	// machine. If nil, none does.
	SameUser func(*http.Request) bool

	// Connections counts the connections. If nil, there may be any number.
	Connections Connections

	// MCP is mounted at /mcp behind the same authentication. It finds the caller in the
	// request's context.
	MCP http.Handler

	// Page is the page for a browser. If nil, there is none.
	Page *Page

	// AnswerByCode chooses an option of a dialog with the one-time code of a notice.
	AnswerByCode func(ctx context.Context, code string) (*parley.AnswerDialogResult, error)

	// Files stores uploads and serves downloads. If nil, there are none.
	Files Files

	// Registration lets callers without a credential call what is Public, that is
	// register_agent, if they are processes of this user, on the unix socket or as SameUser
	// finds out, or were invited. OpenRegistration lets everybody.
	Registration, OpenRegistration bool

	// Beyond says that other machines may reach the listener. Then a Host that is an IP
	// address, or one of Hosts, is accepted as well. A name that a web page points here
	// by DNS is neither.
	Beyond bool
	Hosts  []string

	// TrustLocalAgentID accepts X-Agent-ID without a key from a loopback address. Agent
	// then returns the agent that it names. It cannot name the operator.
	TrustLocalAgentID bool
	Agent             func(ctx context.Context, ref string) (parley.Caller, bool)

	// Health returns an error if the database or tmux cannot be used. If nil, they can.
	Health func(context.Context) error

	// Totals returns the totals for /metrics. If nil, they are left out.
	Totals func(context.Context) (Totals, error)

	Version string // of the program; unknown if ""
	Log     *slog.Logger
}

// Totals count everything that was ever accepted.
type Totals struct{ Messages, Deliveries int64 }

type api struct {
	Options
	*gate
	callers  *callers
	events   *eventStreams
	routes   routes
	pages    map[string]page // what is not an operation, by path
	requests *requests
	*signatures
	document func() []byte // the OpenAPI document

	// bodyWait bounds how long a body may take to arrive: it comes from this machine and is
	// small. Without a limit, a client that stalls would delay the server's shutdown.
	bodyWait time.Duration
	// healthWait bounds the check of the database and tmux. Probes commonly wait for a few
	// seconds.
	healthWait time.Duration
}

// page is a path that is not an operation.
type page struct {
	name  string // in /metrics
	serve http.HandlerFunc
}

// Connections bounds how many connections each caller has open.
type Connections interface {
	// Begin notes that a request is being answered. Its error is the answer for all but the operator.
	Begin(*http.Request) error
	// Keeps reports whether the connection may stay open although the request has shown no key.
	Keeps(*http.Request) bool
	// Prove counts the connection as a caller's, whose key the request has shown.
	Prove(*http.Request, parley.Caller) error
}

// Files stores uploads and serves downloads. The caller is the one in the context.
type Files interface {
	// UploadFile reads content to its end, then calls described, which returns a
	// valid request or the reason to keep nothing.
	UploadFile(
		ctx context.Context, content io.Reader, described func() (parley.UploadFileRequest, error),
	) (*parley.TransferFileResult, error)
	// OpenFile returns a file and its content. A file that the caller may not read is
	// FILE_NOT_FOUND.
	OpenFile(ctx context.Context, id string) (*parley.File, io.ReadSeekCloser, error)
	// FileLimit returns the largest size of a file in bytes.
	FileLimit() int64
}

// requests are the metrics that are kept between scrapes.
type requests struct {
	registry *prometheus.Registry
	total    *prometheus.CounterVec
}

// serveHealth reports whether the daemon can work. It answers without a credential, so it
// does not mention paths or names.
func (a *api) serveHealth(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), a.healthWait)
	defer cancel()

	if a.Health != nil {
		if err := a.Health(ctx); err != nil {
			e := publicError(parley.ErrorCode(err))
			a.Log.Warn("the daemon is not healthy", "error", err)
			reply(w, http.StatusServiceUnavailable,
				unhealthy{"unavailable", a.Version, false, e.Code, e.Message, map[string]any{}, e.Action})

			return
		}
	}

	reply(w, http.StatusOK, healthy{parley.OK, "ok", a.Version})
}

type healthy struct {
	parley.Answer
	Status  string `json:"status"`
	Version string `json:"version"`
}

// unhealthy is the contract's error together with the status that probes read.
type unhealthy struct {
	Status  string         `json:"status"`
	Version string         `json:"version"`
	Success bool           `json:"success"`
	Code    parley.Code    `json:"error_code"`
	Message string         `json:"error_message"`
	Details map[string]any `json:"details"`
	Action  string         `json:"suggested_action"`
}

// publicError returns a failure as it may be shown without a credential.
func publicError(code parley.Code) *parley.Error {
	switch code {
	case parley.TmuxUnavailable:
		return parley.Errorf(code, "tmux does not answer").
			Suggest("Look into the daemon's log (parley status names it).")
	default:
		return parley.Errorf(parley.StorageUnavailable, "the database does not answer").
			Suggest("Look into the daemon's log (parley status names it).")
	}
}

const (
	prefix    = "/api/"
	filesPath = prefix + "files"
)

// routes finds an operation by path and method.
type routes map[string]map[string]*op.Op

func routesOf(ops []*op.Op) routes {
	rs := routes{}
	add := func(method, path string, o *op.Op) {
		if rs[path] == nil {
			rs[path] = map[string]*op.Op{}
		}
		rs[path][method] = o
	}

	for _, op := range ops {
		for _, r := range routesOfOp(op) {
			add(r.Method, r.Path, op)
		}
	}

	return rs
}

// routesOfOp returns an operation's routes: the regular ones first.
func routesOfOp(o *op.Op) []op.Route {
	list := []op.Route{{Method: http.MethodPost, Path: prefix + o.Name}}
	if o.Effect == op.Reads {
		list = append(list, op.Route{Method: http.MethodGet, Path: prefix + o.Name})
	}
	return append(list, o.Routes...)
}

// find returns the operation of a request. A HEAD counts as a GET.
func (rs routes) find(w http.ResponseWriter, r *http.Request) (*op.Op, error) {
	methods, ok := rs[r.URL.Path]
	if !ok {
		return nil, rs.notFound(r.URL.Path)
	}
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if op, ok := methods[method]; ok {
		return op, nil
	}
	return nil, wrongMethod(w, r, slices.Sorted(maps.Keys(methods))...)
}

func wrongMethod(w http.ResponseWriter, r *http.Request, methods ...string) error {
	allowed := strings.Join(methods, ", ")
	w.Header().Set("Allow", allowed)
	return &refusal{http.StatusMethodNotAllowed,
		parley.Errorf(
			parley.InvalidArgument, "%s takes no %s", plain.CleanLine(r.URL.Path), plain.CleanLine(r.Method),
		).Suggest("Use %s.", allowed),
	}
}

// notFound returns the error for an unknown path, with the nearest known one.
func (rs routes) notFound(path string) error {
	e := parley.Errorf(parley.InvalidArgument, "there is nothing at %s", plain.CleanLine(path))
	known := slices.Sorted(maps.Keys(rs))
	words := make([]string, len(known))
	for i, path := range known {
		words[i] = strings.TrimPrefix(path, prefix)
	}

	word := strings.ReplaceAll(strings.Trim(strings.TrimPrefix(path, prefix), "/"), "-", "_")
	if near := plain.Nearest(word, words); near != "" {
		return &refusal{http.StatusNotFound, e.Suggest("Did you mean %s%s?", prefix, near)}
	}

	return &refusal{
		http.StatusNotFound,
		e.With("paths", known).Suggest("Call POST %s<operation>, e.g. %ssend_message.", prefix, prefix),
	}
}

func (a *api) serveNotFound(w http.ResponseWriter, r *http.Request) {
	a.fail(w, r, a.routes.notFound(r.URL.Path))
}
