// Package web has the page: HTML, styles and modules, served as they are in this directory. There is no step that
// builds them, and nothing in them is secret; what the page shows it reads over the operations, with a session's key.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
)

//go:embed static npm
var sources embed.FS

// policy lets the page load what the daemon serves, and nothing else: no script or style in its text, no address
// outside, no frame. Strings become markup nowhere.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// types are the types of the files by the end of their names.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".webmanifest": "application/manifest+json",
	".LICENSE": "text/plain; charset=utf-8",
	".txt":     "text/plain; charset=utf-8",
}

// file is one that is served: as it is, and compressed.
type file struct {
	kind, tag  string
	plain, zip []byte
}

// files are all that are served, by their paths.
var files = sync.OnceValue(func() map[string]*file {
	all := map[string]*file{}
	err := fs.WalkDir(sources, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		b, err := sources.ReadFile(name)
		if err == nil {
			all["/page/"+strings.TrimPrefix(name, "static/")] = newFile(name, b)
		}
		return err
	})
	if err != nil {
		panic(err) // they are part of the program
	}
	all["/"] = all["/page/index.html"]

	return all
})

func newFile(name string, b []byte) *file {
	sum := sha256.Sum256(b)
	f := &file{kind: types[path.Ext(name)], tag: `"` + hex.EncodeToString(sum[:12]) + `"`, plain: b}
	var zip bytes.Buffer
	w, err := gzip.NewWriterLevel(&zip, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(b)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(fmt.Errorf("compress %s in memory: %w", name, err))
	}
	f.zip = zip.Bytes()

	return f
}

// Handler serves the page at "/", and its files below "/page/".
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")

		f := files()[r.URL.Path]
		if f == nil {
			http.Error(w, "there is no such file", http.StatusNotFound)
			return
		}

		h.Set("Content-Type", f.kind)
		h.Set("Cache-Control", "no-cache") // it asks each time: another version of the daemon has other files
		h.Set("ETag", f.tag)
		h.Set("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("If-None-Match"), f.tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}

		body := f.plain
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
			body = f.zip
		}
		h.Set("Content-Length", fmt.Sprint(len(body)))
		if r.Method != http.MethodHead {
			_, _ = w.Write(body) // a client that is gone has no use for the error
		}
	})
}
