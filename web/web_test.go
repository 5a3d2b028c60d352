package web

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
)

func get(t *testing.T, path string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	Handler("1.2.3").ServeHTTP(w, r)
	return w.Result()
}

func TestEveryFileIsServedUnderThePolicy(t *testing.T) {
	for name, f := range files() {
		res := get(t, name)
		b := must.Have(io.ReadAll(res.Body))(t)
		if res.StatusCode != http.StatusOK || !bytes.Equal(b, f.plain) || f.kind == "" ||
			res.Header.Get("Content-Type") != f.kind {
			t.Errorf("%s: %s, %d bytes, %q", name, res.Status, len(b), res.Header.Get("Content-Type"))
		}

		zipped := get(t, name, "Accept-Encoding: gzip, br")
		plain := must.Have(io.ReadAll(must.Have(gzip.NewReader(zipped.Body))(t)))(t)
		if zipped.Header.Get("Content-Encoding") != "gzip" || !bytes.Equal(plain, f.plain) {
			t.Errorf("%s: compressed it is another file", name)
		}
		if again := get(t, name, "If-None-Match: "+res.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s: asked whether it has changed: %s", name, again.Status)
		}

		framed := path.Base(name) == xtermFrame
		for header, want := range map[string]string{
			"Content-Security-Policy": map[bool]string{true: framePolicy, false: policy}[framed],
			"X-Content-Type-Options":  "nosniff",
			"X-Frame-Options":         map[bool]string{true: "SAMEORIGIN", false: "DENY"}[framed],
			"Referrer-Policy":         "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
			"Cache-Control": map[bool]string{true: "max-age=31536000, immutable", false: "no-cache"}[f.stays],
		} {
			if got := res.Header.Get(header); got != want {
				t.Errorf("%s: %s is %q, want %q", name, header, got, want)
			}
		}
	}

	base := "/page/" + mark() + "/"
	for _, gone := range []string{"/page/nothing.js", "/page/main.js", "/page/0123456789ab/main.js",
		"/page/MARK/main.js", "/index.html", base + "worker.js"} {
		if res := get(t, gone); res.StatusCode != http.StatusNotFound || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %s, kept %q", gone, res.Status, res.Header.Get("Cache-Control"))
		}
	}
	if b := must.Have(io.ReadAll(get(t, markPath).Body))(t); string(b) != `{"mark":"`+mark()+`","version":"1.2.3"}` {
		t.Errorf("it says that it is %s", b)
	}
}

// The policy has no exception that lets text become code, or anything come from outside.
func TestThePolicyIsStrict(t *testing.T) {
	for _, part := range slices.Concat(strings.Split(policy, "; "), strings.Split(framePolicy, "; ")) {
		for _, source := range strings.Fields(part)[1:] {
			worker := part == "trusted-types parley-worker" || // see TestOneScriptIsNamedByAText
				part == "style-src 'self' 'unsafe-inline'" // of the frame
			if source != "'none'" && source != "'self'" && source != "'script'" && !worker {
				t.Errorf("%q allows %s", part, source)
			}
		}
	}
	for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'",
		"form-action 'none'"} {
		if part != "frame-ancestors 'none'" && !strings.Contains(framePolicy, part) || !strings.Contains(policy, part) {
			t.Errorf("the policy lacks %s", part)
		}
	}
}

// The policy that makes the address of a script from a text is used once, and does not look at the text.
func TestOneScriptIsNamedByAText(t *testing.T) {
	for name, f := range files() {
		made := strings.Count(string(f.plain), "createPolicy(")
		if strings.HasSuffix(name, "/shared.js") {
			made -= strings.Count(string(f.plain), `createPolicy("parley-worker", { createScriptURL: () => script })`)
			if !strings.Contains(string(f.plain), `script = "`+workerPath+`";`) {
				t.Errorf("%s names another script", name)
			}
		}
		if made != 0 {
			t.Errorf("%s makes a policy", name)
		}
	}
}

// The service worker has the files of its build, and is another one in each.
func TestTheServiceWorkerKeepsThePage(t *testing.T) {
	worker := files()[workerPath]
	if worker == nil || !bytes.Contains(worker.plain, []byte(`"/page/`+mark()+`/"`)) || bytes.Contains(worker.plain,
		[]byte("FILES")) {
		t.Fatal("the service worker has not the mark, or no files")
	}
	if got := get(t, workerPath).Header.Get("Service-Worker-Allowed"); got != "/" {
		t.Errorf("it may serve %q", got)
	}
	for _, name := range kept() {
		if f := files()["/page/"+mark()+"/"+name]; f == nil || !f.stays {
			t.Errorf("it keeps %s, which is not served", name)
		}
	}
	for name := range files() {
		file := strings.TrimPrefix(name, "/page/"+mark()+"/")
		if path.Ext(name) == ".js" && name != workerPath && !strings.Contains(name, "xterm") &&
			!slices.Contains(kept(), file) {
			t.Errorf("it does not keep %s", name)
		}
	}
}

var (
	imported = regexp.MustCompile(`(?:[}\s]from|\bimport)\s*["']([^"']+)["']`)
	linked   = regexp.MustCompile(`(?:src|href)="([^"#]+)"`)
	scripts  = regexp.MustCompile(`<script type="module" (?:async )?src="([^"]+)"></script>`)
	preload  = regexp.MustCompile(`rel="modulepreload" href="([^"]+)"`)
	lazily   = regexp.MustCompile(`\bimport\("([^"]+)"\)`)
	outside  = regexp.MustCompile(`https?://[^\s"'<>)]+`)
	inline   = regexp.MustCompile(`(?i)<script>|<style|\sstyle=|\son[a-z]+=|javascript:`)
)

// What the page loads is there, is loaded at once, and nothing is from another place.
func TestThePageLoadsOnlyItsOwnFiles(t *testing.T) {
	base := "/page/" + mark() + "/"
	index := string(files()["/"].plain)
	if found := inline.FindString(index); found != "" {
		t.Errorf("index.html has %q", found)
	}
	for _, m := range linked.FindAllStringSubmatch(index, -1) {
		if !strings.HasPrefix(m[1], base) || files()[m[1]] == nil {
			t.Errorf("index.html names %s", m[1])
		}
	}
	index += string(files()[base+xtermFrame].plain) // which the page opens
	early := map[string]bool{}
	for _, m := range scripts.FindAllStringSubmatch(index, -1) {
		early[m[1]] = true
	}
	for _, m := range preload.FindAllStringSubmatch(index, -1) {
		early[m[1]] = true
	}

	for name, f := range files() { // what is loaded only when it is needed
		for _, m := range lazily.FindAllSubmatch(f.plain, -1) {
			target := path.Join(path.Dir(name), string(m[1]))
			if early[target] = true; files()[target] == nil {
				t.Errorf("%s imports %s", name, target)
			}
		}
	}

	for name, f := range files() {
		if path.Ext(name) == ".js" {
			for _, m := range imported.FindAllSubmatch(f.plain, -1) {
				target := path.Join(path.Dir(name), string(m[1]))
				if !strings.HasPrefix(string(m[1]), "./") || files()[target] == nil || !early[target] {
					t.Errorf("%s imports %s", name, m[1]) // one that is found only in another one comes a trip later
				}
			}
			if !early[name] && name != workerPath {
				t.Errorf("index.html does not name %s", name)
			}
		}
		for _, url := range outside.FindAllString(string(f.plain), -1) {
			named := strings.HasPrefix(url, "http://www.w3.org/") || strings.HasPrefix(name,
				base+"npm/xterm.") // its authors
			if !named && path.Ext(name) != ".LICENSE" {
				t.Errorf("%s has the address %s", name, url)
			}
		}
	}
}

// What comes from npm is what packages.txt says, to the byte, and nothing else is there.
func TestVendoredFilesAreThoseOfTheList(t *testing.T) {
	listed := map[string]bool{"packages.txt": true}
	licensed := true
	lines := bufio.NewScanner(bytes.NewReader(must.Have(os.ReadFile("npm/packages.txt"))(t)))
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		switch {
		case len(f) == 4 && f[0] == "package":
			if !licensed {
				t.Errorf("the package before %s has no licence", f[1])
			}
			licensed = false
		case len(f) == 4 && f[0] == "file":
			sum := sha256.Sum256(must.Have(os.ReadFile("npm/" + f[1]))(t))
			if got := hex.EncodeToString(sum[:]); got != f[3] {
				t.Errorf("%s has the hash %s, want %s", f[1], got, f[3])
			}
			listed[f[1]] = true
			licensed = licensed || strings.HasSuffix(f[1], ".LICENSE")
		case len(f) > 0 && f[0] != "#":
			t.Errorf("packages.txt has the line %q", lines.Text())
		}
	}

	for _, entry := range must.Have(os.ReadDir("npm"))(t) {
		if !listed[entry.Name()] {
			t.Errorf("npm/%s is not in packages.txt", entry.Name())
		}
	}
	if !licensed || len(listed) < 10 {
		t.Errorf("packages.txt lists %d files; the last package has a licence: %v", len(listed), licensed)
	}
}

// A phone on a slow line waits for every byte. It never loads xterm.js.
func TestThePageIsSmall(t *testing.T) {
	const most = 250 << 10
	total := 0
	for name, f := range files() {
		if name != "/" && path.Ext(name) != ".LICENSE" && path.Ext(name) != ".txt" && !strings.Contains(name,
			"/xterm.") {
			total += len(f.zip)
		}
	}
	t.Logf("%d bytes compressed", total)
	if total > most {
		t.Errorf("all files have %d bytes compressed, want %d at most", total, most)
	}
}

// What is served is what the modules are joined to.
func TestBuiltFilesAreUpToDate(t *testing.T) {
	if out, err := exec.Command("go", "-C", "../build/tools", "mod", "download", "github.com/evanw/esbuild").
		CombinedOutput(); err != nil {
		t.Skipf("esbuild cannot be fetched: %s", out)
	}
	dir := t.TempDir()
	if out, err := exec.Command("go", "-C", "../build/tools", "run", "./page", must.Have(filepath.Abs("."))(t), dir).
		CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	for _, built := range []string{dir, "built"} {
		for _, entry := range must.Have(os.ReadDir(built))(t) {
			want, _ := os.ReadFile(filepath.Join(dir, entry.Name()))
			if got, _ := os.ReadFile(filepath.Join("built", entry.Name())); !bytes.Equal(got, want) {
				t.Errorf("built/%s is old: make web", entry.Name())
			}
		}
	}
}
