package httpapi

import (
	"fmt"
	"net/http"

	"parley"
)

// ranged drops the plain-text response to a range that cannot be satisfied, so that an
// error in JSON can replace it.
type ranged struct {
	http.ResponseWriter
	refused bool
}

func (w *ranged) WriteHeader(status int) {
	if w.refused = status == http.StatusRequestedRangeNotSatisfiable; !w.refused {
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *ranged) Write(b []byte) (int, error) {
	if w.refused {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

func (w *ranged) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// refuseRange replies that a range of the file cannot be satisfied.
func (a *api) refuseRange(w http.ResponseWriter, r *http.Request, f *parley.File) {
	h := w.Header()
	h.Del("Content-Disposition")
	h.Set("Content-Range", fmt.Sprintf("bytes */%d", f.Size))
	a.fail(w, r, &refusal{http.StatusRequestedRangeNotSatisfiable,
		parley.Errorf(parley.InvalidArgument, "the file has %d bytes, which do not include the range", f.Size).
			With("parameter", "Range").
			With("size", f.Size).
			Suggest("Ask for a part of it, such as bytes=0-, or leave Range out."),
	})
}
