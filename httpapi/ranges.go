package httpapi

import (
	"fmt"
	"net/http"

	"parley"
)

// ranged drops the response to a range that cannot be satisfied, or to a condition that does not hold, so
// that an error in JSON can replace it.
type ranged struct {
	http.ResponseWriter
	refused int // the status of the response that was dropped; 0 for none
}

func (w *ranged) WriteHeader(status int) {
	if status == http.StatusRequestedRangeNotSatisfiable || status == http.StatusPreconditionFailed {
		w.refused = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *ranged) Write(b []byte) (int, error) {
	if w.refused != 0 {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

func (w *ranged) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// refuseCondition replies that the file is not the one that the headers of the request ask for.
func (fr *fileRoutes) refuseCondition(w http.ResponseWriter, r *http.Request) {
	w.Header().Del("Content-Disposition")
	fr.fail(w, r, &refusal{http.StatusPreconditionFailed,
		parley.Errorf(parley.InvalidArgument, "the file is not as If-Match or If-Unmodified-Since wants it").
			Suggest("Leave these headers out: a file never changes."),
	})
}

// refuseRange replies that a range of the file cannot be satisfied.
func (fr *fileRoutes) refuseRange(w http.ResponseWriter, r *http.Request, f *parley.File) {
	h := w.Header()
	h.Del("Content-Disposition")
	h.Set("Content-Range", fmt.Sprintf("bytes */%d", f.Size))
	fr.fail(w, r, &refusal{http.StatusRequestedRangeNotSatisfiable,
		parley.Errorf(parley.InvalidArgument, "the file has %d bytes, which do not include the range", f.Size).
			With("parameter", "Range").
			With("size", f.Size).
			Suggest("Ask for a part of it, such as bytes=0-, or leave Range out."),
	})
}
