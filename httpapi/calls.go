package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"parley"
	"parley/op"
	"parley/plain"
)

// serveAPI serves a call of an operation: find, identify, decode, call, reply.
func (a *api) serveAPI(w http.ResponseWriter, r *http.Request) {
	o, err := a.routes.find(w, r)
	if err != nil {
		a.fail(w, r, err)
		return
	}

	args, err := a.readArguments(w, r)
	if err != nil {
		a.fail(w, r, err)
		return
	}

	caller, err := a.callers.identify(r, args.keys)
	if err == nil {
		err = a.admit(r, o, caller)
	}

	done, ok := a.enter(w, r, caller, err)
	if !ok {
		return
	}
	defer done()

	r = r.WithContext(parley.WithCaller(r.Context(), caller))
	if args.stream != "" && o.Name == "read_events" {
		a.events.serveEvents(w, r, o, args)
		return
	}
	if args.stream == serverSent && o.Name == "read_terminal" && caller.OnPage() {
		a.events.serveScreens(w, r, args.query)
		return
	}

	inv, err := args.decode(o)
	if err != nil {
		a.fail(w, r, err)
		return
	}

	inv.Recheck(func(context.Context) error { return a.callers.recheck(r, args.keys) })
	result, err := inv.Call(r.Context(), a.Service)
	if err != nil {
		a.fail(w, r, err)
		return
	}

	if o.Effect == op.Reads && mayPack(r, caller) {
		replyPacked(w, resultStatus(result), result)
		return
	}
	reply(w, resultStatus(result), result)
}

// mayPack reports whether an answer may be compressed: it goes to the page.
func mayPack(r *http.Request, caller parley.Caller) bool {
	return caller.OnPage() && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
}

// admit checks the caller before the parameters, so that a caller without a credential
// learns that first.
func (a *api) admit(r *http.Request, o *op.Op, caller parley.Caller) error {
	if caller.Nobody() && o.Access == op.Public && !a.callers.mayRegister(r, caller) {
		return notInvited(r, o.Name)
	}
	return o.Allow(caller)
}

// arguments are the raw parameters of a call, without the credentials.
type arguments struct {
	query  url.Values      // of a GET
	body   json.RawMessage // of anything else
	keys   []string        // the API key in the body
	stream string          // the kind of stream that is wanted; "" for none
}

func (g *arguments) decode(op *op.Op) (*op.Invocation, error) {
	if g.query != nil {
		return op.DecodeQuery(g.query)
	}
	return op.Decode(g.body)
}

func (a *api) readArguments(w http.ResponseWriter, r *http.Request) (*arguments, error) {
	q, err := readQuery(r)
	if err != nil {
		return nil, err
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		if err := a.refuseBody(w, r); err != nil {
			return nil, err
		}
		g := &arguments{query: q, stream: wantedStream(r, q.Get("stream"))}
		q.Del("stream")
		return g, nil
	}

	if err := refuseQuery(r, q, "Send them in the body, as one JSON object."); err != nil {
		return nil, err
	}

	body, err := a.readBody(w, r)
	if err != nil {
		return nil, err
	}

	g := &arguments{body: body}
	g.takeKey()

	return g, nil
}

// readQuery returns the parameters in the query, without the key.
func readQuery(r *http.Request) (url.Values, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, parley.Errorf(parley.InvalidArgument, "the query cannot be read: %w", err).
			Suggest("Encode the parameters as a URL's query.")
	}
	q.Del("api_key")
	return q, nil
}

// refuseQuery refuses parameters that stand in the query of a request whose parameters are in its body.
func refuseQuery(r *http.Request, q url.Values, action string) error {
	if len(q) == 0 {
		return nil
	}
	return parley.Errorf(parley.InvalidArgument, "the query of a %s cannot have parameters",
		plain.CleanLine(r.Method)).Suggest("%s", action)
}

// refuseBody refuses parameters in the body of a request whose parameters are in its query. Some clients
// send an empty object with everything.
func (a *api) refuseBody(w http.ResponseWriter, r *http.Request) error {
	if r.ContentLength == 0 {
		return nil
	}

	body, err := a.readBody(w, r)
	if err != nil {
		return err
	}
	if text := string(bytes.TrimSpace(body)); text == "" || text == "{}" || text == "null" {
		return nil
	}

	return parley.Errorf(parley.InvalidArgument, "the body of a %s cannot have parameters", r.Method).
		Suggest("Send them in the query, or the same body with POST.")
}

// The kinds of stream.
const (
	serverSent = "sse"
	webSocket  = "websocket"
)

// wantedStream returns the kind of stream that the headers ask for, or the parameter
// `stream` of clients that cannot set headers. A HEAD gets no stream.
func wantedStream(r *http.Request, parameter string) string {
	switch {
	case r.Method != http.MethodGet:
	case strings.EqualFold(r.Header.Get("Upgrade"), webSocket):
		return webSocket
	case parameter == "1", strings.Contains(r.Header.Get("Accept"), sseType):
		return serverSent
	}
	return ""
}

// readBody reads a body that is JSON or does not state its type.
func (a *api) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	// Not every writer supports deadlines. After a failure the deadline stays, because
	// the server reads on before it answers.
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(a.bodyWait))
	body, err := io.ReadAll(r.Body)
	if err == nil {
		_ = rc.SetReadDeadline(time.Time{}) // a long poll takes longer
	}

	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, &refusal{
			http.StatusRequestTimeout,
			parley.Errorf(parley.InvalidArgument, "the body did not come within %s", a.bodyWait).
				Suggest("Send it in one piece."),
		}
	}

	if _, tooLong := errors.AsType[*http.MaxBytesError](err); tooLong {
		return nil, parley.Errorf(parley.MessageTooLong, "the request is larger than %d bytes", MaxBody).
			Suggest("Put long content into a file and send that with transfer_file.")
	}

	if err != nil {
		return nil, parley.Errorf(parley.InvalidArgument, "the body could not be read: %w", err).
			Suggest("Send it again.")
	}

	if typ := r.Header.Get("Content-Type"); typ != "" && len(body) > 0 {
		media, _, err := mime.ParseMediaType(typ)
		if err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") {
			return nil, &refusal{http.StatusUnsupportedMediaType,
				parley.Errorf(parley.InvalidArgument, "the body's type is %s", plain.CleanLine(typ)).
					Suggest("Send JSON, with `Content-Type: application/json`.")}
		}
	}

	return body, nil
}

// takeKey moves the API key out of the body.
func (g *arguments) takeKey() {
	rest, key, given := op.TakeKey(g.body)
	if given {
		g.body, g.keys = rest, []string{key}
	}
}
