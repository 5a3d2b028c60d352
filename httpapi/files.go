package httpapi

import (
	"fmt"
	"mime"
	"net/http"

	"parley"
	"parley/op"
)

const filesPath = prefix + "files"

// fileRoutes take files, and give them out.
type fileRoutes struct {
	*gate
	*callers
	files Files
}

// serveDownload sends a file, whole or a range of it. The headers keep a browser from
// showing the content as a page of the daemon.
func (fr *fileRoutes) serveDownload(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		fr.fail(w, r, wrongMethod(w, r, http.MethodGet, http.MethodHead))
		return
	}

	caller, err := fr.identify(r, nil)
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
