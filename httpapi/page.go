package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"parley"
)

// The paths of the page, besides "/".
const (
	pagePath       = "/page/"
	sessionPath    = "/session"
	answerPath     = "/answer"
	workspacesPath = "/workspaces"
)

// Page is the page for a browser. Files and Enter are required.
type Page struct {
	// Files serves its files, which need no key: the paths "/" and below "/page/".
	Files http.Handler

	// Enter turns a one-time code into a session.
	Enter func(ctx context.Context, code string) (*parley.PageSession, error)

	// Workspaces returns the workspaces of the daemon's user on this machine, for the operator alone. If nil,
	// nobody is told.
	Workspaces func(context.Context) []parley.KnownWorkspace
}

// isPagePath reports whether a path is one of the page's.
func isPagePath(path string) bool {
	return slices.Contains([]string{"/", sessionPath, answerPath, workspacesPath}, path) ||
		strings.HasPrefix(path, pagePath)
}

// workspaces answers with the workspaces of the user. A session that may only look was given to see one team, so it
// is refused as an agent is.
func (p *Page) workspaces(a *api) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		caller, err := a.identify(r, nil)
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

		reply(w, http.StatusOK, parley.KnownWorkspaces{Answer: parley.OK, Workspaces: p.Workspaces(r.Context())})
	}
}

// enteredSession is a new session, with the answers to the calls that came with its code.
type enteredSession struct {
	*parley.PageSession
	Answers map[string]any `json:"answers,omitempty"`
}

// maxFirstCalls bounds how many calls may come with a code.
const maxFirstCalls = 4

// session turns a one-time code into a session. The first calls of the session may come with the code, so that a page
// on a slow line need not wait for its key before it asks what it shows. One that fails is left out: the page calls
// again.
func (p *Page) session(a *api) http.HandlerFunc {
	return codeHandler(a, func(ctx context.Context, given codeBody) (*enteredSession, error) {
		s, err := p.Enter(ctx, given.Code)
		if err != nil {
			return nil, err
		}

		entered := &enteredSession{s, map[string]any{}}
		caller, ok := a.Authenticate(ctx, s.Key)
		if !ok || len(given.Calls) > maxFirstCalls {
			return entered, nil
		}
		for _, op := range parley.Ops {
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
	}, parley.PageCodeSpent())
}

// maxCode bounds a one-time code in bytes.
const maxCode = 200

// codeBody is the body of a request that brings a one-time code.
type codeBody struct {
	Code  string
	Calls map[string]json.RawMessage // for a session: the arguments of its first calls, by operation
}

// codeHandler takes a one-time code, and answers with what it gives. What brings one must be JSON, which no other page
// can send.
func codeHandler[Res any](a *api, does func(context.Context, codeBody) (Res, error), spent error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		given, err := readCode(a, w, r, spent)
		var res Res
		if err == nil {
			res, err = does(r.Context(), given)
		}
		if err != nil {
			a.fail(w, r, err)
			return
		}
		reply(w, http.StatusOK, res)
	}
}

func readCode(a *api, w http.ResponseWriter, r *http.Request, spent error) (given codeBody, err error) {
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
	if given.Code == "" || len(given.Code) > maxCode {
		return given, spent
	}

	return given, nil
}
