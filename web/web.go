// Package web has the page: HTML, styles and modules. Those of static are joined by esbuild (`make web`) into built,
// which is committed and served. Nothing in them is secret; what the page shows it reads over the operations, with a
// session's key.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed built static/*.html static/icon* static/parley.webmanifest npm/*.LICENSE npm/packages.txt npm/xterm.*
var sources embed.FS

// policy lets the page load what the daemon serves, and nothing else: no script or style in its text, no address
// outside, no frame but xtermFrame. Strings become markup nowhere, and the address of a script only by a policy that
// knows a single one, that of the service worker.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"manifest-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; " +
	"require-trusted-types-for 'script'; trusted-types parley-worker"

// xtermFrame is a document for xterm.js, which writes styles into its own elements: they end at the frame. It asks
// for nothing else, and stands in the page alone.
const (
	xtermFrame  = "xterm-frame.html"
	framePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; frame-ancestors 'self'; " +
		"base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)

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
	stays      bool // at its path there is never another file
}

// workerPath is that of the service worker, which a browser compares with the one it has: it stays.
const workerPath = "/page/worker.js"

// marked stands in the files for the path that has the mark of this build.
const marked = "/page/MARK/"

// mark returns what tells this build's files from those of any other. It is part of their path, so that a page never
// gets files of two builds, whatever a browser keeps.
var mark = sync.OnceValue(func() string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(served())) {
		b := served()[name]
		_, _ = fmt.Fprintf(sum, "%s %d\n", name, len(b)) // a hash takes everything
		_, _ = sum.Write(b)
	}
	return hex.EncodeToString(sum.Sum(nil)[:6])
})

// files are all that are served, by their paths.
var files = sync.OnceValue(func() map[string]*file {
	all := map[string]*file{}
	base := strings.Replace(marked, "MARK", mark(), 1)
	for name, b := range served() {
		b = bytes.ReplaceAll(b, []byte(marked), []byte(base))
		if name == "worker.js" {
			all[workerPath] = newFile(name, bytes.ReplaceAll(b, []byte("FILES"), []byte(strings.Join(kept(), `", "`))))
			continue
		}
		f := newFile(name, b)
		if name == "index.html" {
			all["/"] = newFile(name, b)
		}
		f.stays = true
		all[base+name] = f
	}

	return all
})

// kept returns the files that the service worker keeps, so that the page opens offline. A wide terminal needs a
// connection.
func kept() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(served())) {
		switch ext := path.Ext(name); {
		case name == "worker.js", strings.Contains(name, "xterm"), ext == ".LICENSE", ext == ".txt":
		default:
			names = append(names, name)
		}
	}
	return names
}

// served are the files by their names.
var served = sync.OnceValue(func() map[string][]byte {
	all := map[string][]byte{}
	err := fs.WalkDir(sources, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		all[strings.TrimPrefix(strings.TrimPrefix(name, "static/"), "built/")], err = sources.ReadFile(name)
		return err
	})
	if err != nil {
		panic(err) // they are part of the program
	}

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

// markPath says which build answers, for a page that has been open for long.
const markPath = "/page/mark"

// Handler serves the page at "/", and its files below "/page/". The version is that of the program.
func Handler(version string) http.Handler {
	now, err := json.Marshal(map[string]string{"mark": mark(), "version": version})
	if err != nil {
		panic(err) // they are texts
	}

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		if path.Base(r.URL.Path) == xtermFrame {
			h.Set("Content-Security-Policy", framePolicy)
			h.Set("X-Frame-Options", "SAMEORIGIN")
		}
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")

		if r.URL.Path == markPath {
			h.Set("Content-Type", "application/json")
			_, _ = w.Write(now) // a client that is gone has no use for the error
			return
		}
		f := files()[r.URL.Path]
		if f == nil {
			http.Error(w, "there is no such file", http.StatusNotFound)
			return
		}
		f.serve(w, r)
	})
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "no-cache") // it asks each time: another version of the daemon has another one
	if f.stays {
		h.Set("Cache-Control", "max-age=31536000, immutable")
	}
	if r.URL.Path == workerPath {
		h.Set("Service-Worker-Allowed", "/")
	}
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
}
