package httpapi

import (
	"fmt"
	"mime"
	"net/http"

	"parley"
	"parley/op"
)

// fileRoutes take files, and give them out.
type fileRoutes struct {
	*gate
	callers *callers
	files   Files
}

// serveDownload sends a file, whole or a range of it. The headers keep a browser from
// showing the content as a page of the daemon.
func (fr *fileRoutes) serveDownload(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		fr.fail(w, r, wrongMethod(w, r, http.MethodGet, http.MethodHead))
		return
	}

	caller, err := fr.callers.identify(r, nil)
	if err == nil {
		err = op.Find("transfer_file").Allow(caller)
	}

	done, ok := fr.enter(w, r, caller, err)
	if !ok {
		return
	}
	defer done()

	f, content, err := fr.files.OpenFile(parley.WithCaller(r.Context(), caller), r.PathValue("file_id"))
	if err != nil {
		fr.fail(w, r, err)
		return
	}

	defer content.Close()

	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, no-store")
	h.Set("ETag", fmt.Sprintf("%q", f.SHA256))
	part := &ranged{ResponseWriter: w}
	http.ServeContent(part, r, "", f.CreatedAt, content)
	switch part.refused {
	case http.StatusRequestedRangeNotSatisfiable:
		fr.refuseRange(w, r, f)
	case http.StatusPreconditionFailed:
		fr.refuseCondition(w, r)
	}
}

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
