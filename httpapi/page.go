package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"parley"
)

// The paths of the page, besides "/".
const (
	pagePath    = "/page/"
	sessionPath = "/session"
	answerPath  = "/answer"
)

// maxCode bounds a one-time code in bytes.
const maxCode = 200

// codeHandler takes a one-time code, and answers with what it gives. What brings one must be JSON, which no other page
// can send.
func codeHandler[Res any](a *api, does func(context.Context, string) (Res, error), spent error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		code, err := readCode(a, w, r, spent)
		var res Res
		if err == nil {
			res, err = does(r.Context(), code)
		}
		if err != nil {
			a.fail(w, r, err)
			return
		}
		reply(w, http.StatusOK, res)
	}
}

func readCode(a *api, w http.ResponseWriter, r *http.Request, spent error) (string, error) {
	if r.Method != http.MethodPost {
		return "", wrongMethod(w, r, http.MethodPost)
	}

	body, err := a.readBody(w, r)
	if err != nil {
		return "", err
	}
	var given struct{ Code string }
	if r.Header.Get("Content-Type") == "" || json.Unmarshal(body, &given) != nil {
		return "", parley.Errorf(parley.InvalidArgument, "the body has no code").
			Suggest("Open the link that `parley web` prints.")
	}
	if given.Code == "" || len(given.Code) > maxCode {
		return "", spent
	}

	return given.Code, nil
}
