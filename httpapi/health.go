package httpapi

import (
	"context"
	"net/http"
	"time"

	"parley"
)

// healthWait is how long the database and tmux have to show that they can be
// used; probes commonly wait for a few seconds.
const healthWait = 2 * time.Second

// serveHealth tells whether the daemon can work, to anybody on this machine: so it
// says nothing of paths and names.
func (a *api) serveHealth(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), healthWait)
	defer cancel()

	if a.Health != nil {
		if err := a.Health(ctx); err != nil {
			e := ailment(parley.ErrorCode(err))
			a.Log.Warn("the daemon is not well", "error", err)
			reply(
				w,
				http.StatusServiceUnavailable,
				unwell{"unavailable", a.Version, false, e.Code, e.Message, map[string]any{}, e.Action},
			)

			return
		}
	}

	reply(w, http.StatusOK, well{parley.OK, "ok", a.Version})
}

type well struct {
	parley.Answer
	Status  string `json:"status"`
	Version string `json:"version"`
}

// unwell is the contract's error beside the status that probes read.
type unwell struct {
	Status  string         `json:"status"`
	Version string         `json:"version"`
	Success bool           `json:"success"`
	Code    parley.Code    `json:"error_code"`
	Message string         `json:"error_message"`
	Details map[string]any `json:"details"`
	Action  string         `json:"suggested_action"`
}

// ailment is what is said in public of a failure.
func ailment(code parley.Code) *parley.Error {
	switch code {
	case parley.TmuxUnavailable:
		return parley.Errorf(code, "tmux does not answer").
			Suggest("Look into the daemon's log (parley status names it).")
	default:
		return parley.Errorf(parley.StorageUnavailable, "the database does not answer").
			Suggest("Look into the daemon's log (parley status names it).")
	}
}
