package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/internal/testpage"
)

// shelf keeps one file and remembers what came.
type shelf struct {
	file    parley.File
	content string
	caller  parley.Caller
	got     []parley.UploadFileRequest
	bytes   []string
}

func (s *shelf) FileLimit() int64 { return 2 << 20 }

func (s *shelf) UploadFile(
	ctx context.Context, content io.Reader, described func() (parley.UploadFileRequest, error),
) (*parley.TransferFileResult, error) {
	s.caller = parley.CallerFrom(ctx)
	b, err := io.ReadAll(io.LimitReader(content, s.FileLimit()+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > s.FileLimit() {
		return nil, parley.Errorf(parley.FileRefused, "it is too large").Suggest("Send less.")
	}

	r, err := described()
	if err != nil {
		return nil, err
	}

	s.got, s.bytes = append(s.got, r), append(s.bytes, string(b))

	return &parley.TransferFileResult{Answer: parley.OK, Filename: r.Filename}, nil
}

type reader struct{ *strings.Reader }

func (reader) Close() error { return nil }

func (s *shelf) OpenFile(ctx context.Context, id string) (*parley.File, io.ReadSeekCloser, error) {
	if s.caller = parley.CallerFrom(ctx); id != s.file.ID {
		return nil, nil, parley.Errorf(parley.FileNotFound, "there is no file %q of yours", id).
			Suggest("Look at the message.")
	}
	return &s.file, reader{strings.NewReader(s.content)}, nil
}

func shelved(t *testing.T) (*shelf, *daemon) {
	s := &shelf{
		file:    parley.File{ID: "f1", Name: "a.html", Size: 18, SHA256: "abc", CreatedAt: time.Unix(1e9, 0)},
		content: "<script>0123456789",
	}
	o := options(&stub{})
	o.Files = s
	return s, serve(t, New(o))
}

// form is a body of fields in their order: name, value; a file's name follows a colon.
func form(t *testing.T, fields ...string) (body, kind string) {
	t.Helper()
	var b strings.Builder
	w := multipart.NewWriter(&b)
	for i := 0; i < len(fields); i += 2 {
		name, file, isFile := strings.Cut(fields[i], ":")
		create := w.CreateFormField
		if isFile {
			create = func(name string) (io.Writer, error) { return w.CreateFormFile(name, file) }
		}

		part, err := create(name)
		if _, writeErr := io.WriteString(part, fields[i+1]); err != nil || writeErr != nil {
			t.Fatal(err, writeErr)
		}
	}

	must.Do(t, w.Close())

	return b.String(), "Content-Type: " + w.FormDataContentType()
}

func TestUploadTakesFieldsBeforeAndAfterTheFile(t *testing.T) {
	s, d := shelved(t)
	for name, fields := range map[string][]string{
		"before": {"recipient", "reviewer", "description", "what", "destination_filename", "b.txt", "idempotency_key",
			"k", "file:a.txt", "content"},
		"after": {"file:a.txt", "content", "recipient_id", "reviewer", "sender_id", "coder", "description", "what",
			"filename", "b.txt", "idempotency_key", "k"},
	} {
		s.got, s.bytes = nil, nil
		body, kind := form(t, fields...)
		d.expect(name, d.ask("POST", "/api/files", body, kind, key), http.StatusOK, "")
		want := parley.UploadFileRequest{
			Filename:       "b.txt",
			Recipient:      "reviewer",
			Description:    "what",
			IdempotencyKey: "k",
		}
		if len(s.got) != 1 || s.got[0] != want || s.bytes[0] != "content" || s.caller != afar(coder) {
			t.Errorf("%s: got %+v %q by %+v", name, s.got, s.bytes, s.caller)
		}
	}

	body, kind := form(t, "api_key", "coders-key", "file:../../a.txt", "")
	d.expect("key in the form", d.ask("POST", "/api/files", body, kind), http.StatusOK, "")
	if got := s.got[len(s.got)-1]; got.Filename != "a.txt" {
		t.Errorf("a path became the name %q", got.Filename)
	}

	large, kind := form(t, "file:a", strings.Repeat("x", 2<<20))
	d.expect("larger than other bodies", d.askUnix("POST", "/api/files", large, kind), http.StatusOK, "")
	if s.caller != operator {
		t.Errorf("on the socket came %+v", s.caller)
	}
}

func TestUploadIsRefused(t *testing.T) {
	s, d := shelved(t)
	whole, kind := form(t, "file:a.txt", "content")
	for name, c := range map[string]struct {
		fields []string
		nobody bool
		status int
		code   parley.Code
	}{
		"nobody's": {fields: []string{"file:a", "x"}, nobody: true, status: 401,
			code: parley.Unauthenticated},
		"a wrong key": {fields: []string{"api_key", "wrong", "file:a", "x"}, nobody: true, status: 401,
			code: parley.Unauthenticated},
		"a key that comes late": {fields: []string{"file:a", "x", "api_key", "coders-key"}, nobody: true, status: 401,
			code: parley.Unauthenticated},
		"another key at the end": {fields: []string{"file:a", "x", "api_key", "coders-key"},
			status: 401, code: parley.Unauthenticated},
		"someone else's": {fields: []string{"sender_id", "reviewer", "file:a", "x"},
			status: 403, code: parley.NotAuthorized},
		"someone else's, after": {fields: []string{"file:a", "x", "sender_agent_id", "reviewer"},
			status: 403, code: parley.NotAuthorized},
		"no file": {fields: []string{"recipient", "reviewer"},
			status: 400, code: parley.InvalidArgument},
		"nothing": {status: 400, code: parley.InvalidArgument},
		"two files": {fields: []string{"file:a", "x", "file:b", "y"},
			status: 400, code: parley.InvalidArgument},
		"an unknown field": {fields: []string{"recipent", "reviewer", "file:a", "x"},
			status: 400, code: parley.InvalidArgument},
		"a path": {fields: []string{"source_path", "/etc/passwd", "file:a", "x"},
			status: 400, code: parley.InvalidArgument},
		"two recipients": {fields: []string{"recipient", "a", "to", "b", "file:a", "x"},
			status: 400, code: parley.InvalidArgument},
		"a name with a slash": {fields: []string{"filename", "../a", "file:a", "x"},
			status: 400, code: parley.InvalidArgument},
		"a file without name": {fields: []string{"file", "x"}, status: 400, code: parley.InvalidArgument},
		"a huge field": {fields: []string{"description", strings.Repeat("x", 1<<17), "file:a", "x"},
			status: 400, code: parley.InvalidArgument},
		"many fields": {fields: append(repeat(40, "sender_id", "coder"), "file:a", "x"),
			status: 400, code: parley.InvalidArgument},
		"too large": {fields: []string{"file:a", strings.Repeat("x", 2<<20+1)},
			status: 413, code: parley.FileRefused},
		"far too large, as known": {fields: []string{"file:a", strings.Repeat("x", 4<<20)},
			status: 413, code: parley.FileRefused},
	} {
		body, kind := form(t, c.fields...)
		headers := []string{kind, key}
		if c.nobody {
			headers = headers[:1]
		}
		d.expect(name, d.ask("POST", "/api/files", body, headers...), c.status, c.code)
	}

	d.expect("cut off in the file", d.ask("POST", "/api/files", whole[:len(whole)-70], kind, key), 400,
		parley.InvalidArgument)

	d.expect(
		"cut off after it", d.ask("POST", "/api/files", whole[:len(whole)-4], kind, key), 400, parley.InvalidArgument,
	)

	d.expect(
		"JSON", d.ask("POST", "/api/files", "{}", key, "Content-Type: application/json"), 415, parley.InvalidArgument,
	)

	d.expect("no boundary", d.ask("POST", "/api/files", whole, key, "Content-Type: multipart/form-data"), 415,
		parley.InvalidArgument)

	d.expect("GET", d.ask("GET", "/api/files", "", key), 405, parley.InvalidArgument)
	d.expect("from a web page", d.ask("POST", "/api/files", whole, kind, key, "Origin: https://example.org"), 403,
		parley.NotAuthorized)

	if len(s.got) != 0 {
		t.Errorf("%+v was taken", s.got)
	}
}

func repeat(n int, list ...string) []string {
	var out []string
	for range n {
		out = append(out, list...)
	}
	return out
}

// An upload that stands still ends with the daemon and not later.
// The headers of a part are kept in memory while they are read, and no key is needed so far.
func TestHeadOfAnUploadIsBounded(t *testing.T) {
	_, d := shelved(t)
	body := "--b\r\nContent-Disposition: form-data; name=file; filename=a\r\nX-More: " +
		strings.Repeat("x", 2*maxHead) +
		"\r\n\r\ncontent\r\n--b--\r\n"
	for _, header := range []string{key, "X-None: of them"} {
		d.expect(header, d.ask("POST", "/api/files", body, "Content-Type: multipart/form-data; boundary=b", header),
			http.StatusRequestEntityTooLarge, parley.MessageTooLong)
	}
}

// The same texts are refused as in JSON.
func TestFieldsOfAnUploadAreChecked(t *testing.T) {
	s, d := shelved(t)
	for name, value := range map[string]string{
		"recipient": "a\xff", "description": "a\xff", "idempotency_key": strings.Repeat("k", 201), "to": "\xff",
	} {
		body, kind := form(t, name, value, "file:a.txt", "content")
		d.expect(name, d.ask("POST", "/api/files", body, kind, key), http.StatusBadRequest, parley.InvalidArgument)
	}
	if len(s.got) > 0 {
		t.Errorf("it stored %+v", s.got)
	}
}

// What stands in the query would not reach its recipient.
func TestUploadTakesNoParametersInTheQuery(t *testing.T) {
	s, d := shelved(t)
	body, kind := form(t, "file:a.txt", "content")
	for _, query := range []string{"recipient=reviewer", "api_key=coders-key&to=reviewer", "a=%zz"} {
		d.expect(query, d.ask("POST", "/api/files?"+query, body, kind, key), http.StatusBadRequest,
			parley.InvalidArgument)
	}
	if len(s.got) > 0 {
		t.Errorf("it stored %+v", s.got)
	}

	d.expect("the key", d.ask("POST", "/api/files?api_key=coders-key", body, kind), http.StatusOK, "")
}

func TestUploadEndsWithTheDaemon(t *testing.T) {
	_, d := shelved(t)
	body, kind := form(t, "file:a", strings.Repeat("x", 1000))
	r, w := io.Pipe()

	req := must.Have(http.NewRequest("POST", d.tcp+"/api/files", r))(t)

	req.Header.Set("Content-Type", strings.TrimPrefix(kind, "Content-Type: "))
	req.Header.Set("Authorization", "Bearer coders-key")
	ended := make(chan error, 1)
	go func() {
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			err = errors.Join(errors.New(resp.Status), resp.Body.Close())
		}
		ended <- err
	}()

	must.Have(io.WriteString(w, body[:len(body)-500]))(t)

	d.end()
	select {
	case err := <-ended:
		if !strings.Contains(err.Error(), "503") {
			t.Errorf("it ended with %v, want 503", err)
		}
	case <-time.After(time.Minute): // uploadPause would give another answer
		t.Error("it goes on when the daemon has ended")
	}

	_ = w.Close()
}

func TestDownloadsAreAttachmentsWithRanges(t *testing.T) {
	s, d := shelved(t)
	get := func(headers ...string) (*http.Response, string) {
		t.Helper()
		req := must.Have(http.NewRequest("GET", d.tcp+"/api/files/f1", nil))(t)

		for _, h := range append(headers, key) {
			name, value, _ := strings.Cut(h, ": ")
			req.Header.Set(name, value)
		}

		resp := must.Have(http.DefaultClient.Do(req))(t)
		defer resp.Body.Close()

		b := must.Have(io.ReadAll(resp.Body))(t)

		return resp, string(b)
	}

	for _, name := range []string{
		"a.html", `quo"te;.txt`, "größe.txt", "a\u202eb", "line\r\nSet-Cookie: x=y", "%41.txt", `back\slash`,
	} {
		s.file.Name = name
		resp, body := get()
		if resp.StatusCode != 200 || body != s.content {
			t.Errorf("%q: got %d %q", name, resp.StatusCode, body)
		}

		kind, params, err := mime.ParseMediaType(resp.Header.Get("Content-Disposition"))
		if err != nil || kind != "attachment" || params["filename"] != name || resp.Header.Get("Set-Cookie") != "" {
			t.Errorf("%q: Content-Disposition is %q (%v)", name, resp.Header.Get("Content-Disposition"), err)
		}

		for header, want := range map[string]string{
			"Content-Type":           "application/octet-stream",
			"X-Content-Type-Options": "nosniff",
			"Etag":                   `"abc"`,
			"Accept-Ranges":          "bytes",
		} {
			if got := resp.Header.Get(header); got != want {
				t.Errorf("%q: %s is %q, want %q", name, header, got, want)
			}
		}
	}

	for header, want := range map[string]string{"bytes=8-": "0123456789", "bytes=8-9": "01", "bytes=-3": "789"} {
		if resp, body := get("Range: " + header); resp.StatusCode != 206 || body != want {
			t.Errorf("%s: got %d %q, want %q", header, resp.StatusCode, body, want)
		}
	}

	for _, beyond := range []string{"bytes=99-", "bytes=20-10", "lines=1-2"} {
		resp, body := get("Range: " + beyond)
		var e parley.Error
		if err := json.Unmarshal([]byte(body), &e); err != nil || resp.StatusCode != 416 ||
			e.Code != parley.InvalidArgument ||
			e.Action == "" ||
			resp.Header.Get("Content-Range") != fmt.Sprintf("bytes */%d", len(s.content)) ||
			resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: got %d %v %q (%v)", beyond, resp.StatusCode, resp.Header, body, err)
		}
	}

	if resp, body := get("Range: bytes=8-", `If-Range: "other"`); resp.StatusCode != 200 || body != s.content {
		t.Errorf("a range of another file: got %d %q", resp.StatusCode, body)
	}

	for _, condition := range []string{`If-Match: "other"`, "If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT"} {
		d.expect(condition, d.ask("GET", "/api/files/f1", "", key, condition), 412, parley.InvalidArgument)
	}

	d.expect("nobody", d.ask("GET", "/api/files/f1", ""), 401, parley.Unauthenticated)
	d.expect("unknown", d.ask("GET", "/api/files/f2", "", key), 404, parley.FileNotFound)
	d.expect("a path", d.ask("GET", "/api/files/..%2f..%2fetc%2fpasswd", "", key), 404, parley.FileNotFound)
	d.expect("POST", d.ask("POST", "/api/files/f1", "{}", key), 405, parley.InvalidArgument)
}

// A session of the page sends and gets files. An upload is signed for its digest, and nothing is kept of another one.
func TestThePageSendsAndGetsFiles(t *testing.T) {
	kept := &shelf{file: parley.File{ID: "f1", Name: "a.txt", Size: 18}, content: "<script>0123456789"}
	o := pageOptions(&stub{})
	s := testpage.NewSession(t, "")
	o.Files = kept
	o.Page.Session = func(_ context.Context, key string, _ parley.Device) (parley.Caller, bool) {
		return operator, key == s.PublicKey(t)
	}
	a := newAPI(o)
	d := serve(t, a.handler())
	s.Address, s.Run = d.tcp, a.run

	body, kind := form(t, "recipient", "coder", "file:a.txt", strings.Repeat("x", 1<<20+1))
	digest := func(of string) string {
		sum := sha256.Sum256([]byte(of))
		return "Content-Digest: sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
	}
	other := strings.Replace(body, "xx", "yy", 1)
	for what, try := range map[string]struct {
		signed, sent, digest string
		status               int
	}{
		"the one that is signed":    {body, body, digest(body), http.StatusOK},
		"another one":               {body, other, digest(body), http.StatusUnauthorized},
		"another one by its digest": {body, other, digest(other), http.StatusUnauthorized},
		"one without its digest":    {body, body, kind, http.StatusUnauthorized},
		"one that goes on at length": {body, body + strings.Repeat("x", 2*maxHead), digest(body),
			http.StatusBadRequest},
	} {
		kept.got = nil
		signature := "Authorization: " + s.Request(t, "POST", "/api/files", try.signed).Header.Get("Authorization")
		got := d.ask("POST", "/api/files", try.sent, kind, signature, try.digest)
		if got.status != try.status || len(kept.got) == 1 != (try.status == http.StatusOK) {
			t.Errorf("%s: got %d %v, and %d files are kept", what, got.status, got.body, len(kept.got))
		}
	}
	res := must.Have(http.DefaultClient.Do(s.Request(t, "GET", "/api/files/f1", "")))(t)
	if res.Body.Close(); res.StatusCode != http.StatusOK {
		t.Errorf("a file is answered with %s", res.Status)
	}
}
