package httpapi

import (
	"encoding/json"
	"net/http"

	"parley"
)

// The paths of the page, besides "/".
const (
	pagePath    = "/page/"
	sessionPath = "/session"
)

// maxCode bounds a one-time code in bytes.
const maxCode = 200

// sessionHandler turns a one-time code into a session. What begins one must be JSON, which no other page can send.
func sessionHandler(a *api) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		session, err := enterPage(a, w, r)
		if err != nil {
			a.fail(w, r, err)
			return
		}
		reply(w, http.StatusOK, session)
	}
}

func enterPage(a *api, w http.ResponseWriter, r *http.Request) (*parley.PageSession, error) {
	if r.Method != http.MethodPost {
		return nil, wrongMethod(w, r, http.MethodPost)
	}

	body, err := a.readBody(w, r)
	if err != nil {
		return nil, err
	}
	var given struct{ Code string }
	if r.Header.Get("Content-Type") == "" || json.Unmarshal(body, &given) != nil {
		return nil, parley.Errorf(parley.InvalidArgument, "the body has no code").
			Suggest("Open the link that `parley web` prints.")
	}
	if given.Code == "" || len(given.Code) > maxCode {
		return nil, parley.PageCodeSpent()
	}

	return a.EnterPage(r.Context(), given.Code)
}
