package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"parley"
	"parley/op"
)

// The paths of the page, besides "/".
const (
	pagePath       = "/page/"
	sessionPath    = "/session"
	answerPath     = "/answer"
	workspacesPath = "/workspaces"
)

// Page is the page for a browser. Files, Enter and Session are required.
type Page struct {
	// Files serves its files, which need no key: the paths "/" and below "/page/".
	Files http.Handler

	// Enter turns a one-time code into a session.
	Enter func(context.Context, parley.PageEntry) (*parley.PageSession, error)

	// Session returns the caller of a session, by the public key that has signed a request, an unplaced one if it does
	// not count there.
	Session func(ctx context.Context, publicKey string, from parley.Device) (parley.Caller, bool)

	// Workspaces returns the workspaces of the daemon's user on this machine, for the operator alone. If nil,
	// nobody is told.
	Workspaces func(context.Context) []parley.KnownWorkspace
}

func isPagePath(path string) bool {
	return slices.Contains([]string{"/", sessionPath, answerPath, workspacesPath}, path) ||
		strings.HasPrefix(path, pagePath)
}

// workspaces answers with the workspaces of the user, or streams them. A session that may only look was given to see
// one team, so it is refused as an agent is.
func (p *Page) workspaces(a *api) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		caller, err := a.callers.identify(r, nil)
		switch {
		case err != nil:
		case caller.Nobody() && caller.Watches == "":
			err = noCredential(workspacesPath)
		case !caller.Operator:
			err = parley.Errorf(parley.NotAuthorized, "only the operator sees the workspaces of this user").
				Suggest("Run `parley status --everywhere` in your own terminal.")
		}

		done, ok := a.enter(w, r, caller, err)
		if !ok {
			return
		}
		defer done()

		if strings.Contains(r.Header.Get("Accept"), sseType) {
			a.events.serveWorkspaces(w, r.WithContext(parley.WithCaller(r.Context(), caller)), p.Workspaces)
			return
		}
		reply(w, http.StatusOK, parley.KnownWorkspaces{Answer: parley.OK, Workspaces: p.Workspaces(r.Context())})
	}
}

// enteredSession is a new session, with what its requests are signed for, and the answers to the calls that came with
// its code.
type enteredSession struct {
	*parley.PageSession
	Run     string         `json:"run"`
	Time    int64          `json:"time"` // in milliseconds since 1970
	Answers map[string]any `json:"answers,omitempty"`
}

// sessionBody is the body of a request for a session, which its new key has signed. It proves that it has the code of
// a link, and does not send it.
type sessionBody struct {
	CodeID string                     `json:"code_id"`
	Proof  string                     `json:"proof"`
	Calls  map[string]json.RawMessage `json:"calls"` // the arguments of its first calls, by operation
}

// maxFirstCalls bounds how many calls may come with a code.
const maxFirstCalls = 4

// session turns a one-time code into a session. The first calls of the session may come with the code, so that a page
// on a slow line need not wait for its session before it asks what it shows. One that fails is left out: the page calls
// again.
func (p *Page) session(a *api) http.HandlerFunc {
	return codeHandler(a, func(r *http.Request, given sessionBody) (*enteredSession, error) {
		ctx, from := r.Context(), deviceOf(r)
		key := signedBy(ctx)
		if given.CodeID == "" || key == "" {
			return nil, parley.PageCodeSpent()
		}
		s, err := p.Enter(ctx, parley.PageEntry{CodeID: given.CodeID, Proof: given.Proof, PublicKey: key, From: from})
		if err != nil {
			return nil, err
		}

		entered := &enteredSession{s, a.run, a.now().UnixMilli(), map[string]any{}}
		caller, ok := p.Session(ctx, key, from)
		if !ok || len(given.Calls) > maxFirstCalls {
			return entered, nil
		}
		for _, op := range op.All {
			args, wanted := given.Calls[op.Name]
			if !wanted {
				continue
			}
			inv, err := op.Decode(args)
			if err != nil {
				continue
			}
			if res, err := inv.Call(parley.WithCaller(ctx, caller), a.Service); err == nil {
				entered.Answers[op.Name] = res
			}
		}

		return entered, nil
	})
}

// maxCode bounds a one-time code in bytes.
const maxCode = 200

// codeBody is the body of a request that brings a one-time code.
type codeBody struct{ Code string }

// codeHandler takes the body of a request with a code, and answers with what it gives. It must be JSON, which no other
// page can send.
func codeHandler[Given, Res any](a *api, does func(*http.Request, Given) (Res, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		given, err := readCode[Given](a, w, r)
		var res Res
		if err == nil {
			res, err = does(r, given)
		}
		if err != nil {
			a.fail(w, r, err)
			return
		}
		reply(w, http.StatusOK, res)
	}
}

func readCode[Given any](a *api, w http.ResponseWriter, r *http.Request) (given Given, err error) {
	if r.Method != http.MethodPost {
		return given, wrongMethod(w, r, http.MethodPost)
	}

	body, err := a.readBody(w, r)
	if err != nil {
		return given, err
	}
	if r.Header.Get("Content-Type") == "" || json.Unmarshal(body, &given) != nil {
		return given, parley.Errorf(parley.InvalidArgument, "the body has no code").
			Suggest("Open the link that `parley web` prints.")
	}

	return given, nil
}
