package httpapi

import (
	"context"
	"net/http"

	"parley"
)

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
