package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"parley"
)

const filesPath = prefix + "files"

// Files keeps what is uploaded. The caller is the one in the context.
type Files interface {
	// UploadFile reads content to its end, then calls described, which returns a
	// valid request or the reason to keep nothing.
	UploadFile(
		ctx context.Context, content io.Reader, described func() (parley.UploadFileRequest, error),
	) (*parley.TransferFileResult, error)
	// OpenFile returns a file and its content. What the caller may not read does
	// not exist.
	OpenFile(ctx context.Context, id string) (*parley.File, io.ReadSeekCloser, error)
	// FileLimit is how many bytes a file may have.
	FileLimit() int64
}

// uploadPause is how long an upload may stand still.
const uploadPause = 15 * time.Second

// Bounds of the fields beside the file: the longest is a description.
const (
	maxField  = 16 << 10
	maxFields = 16
)

// serveUpload takes a file as multipart/form-data. Who calls is known before the file
// is read; fields may stand before and after it.
func (a *api) serveUpload(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		a.fail(w, r, wrongMethod(w, r, http.MethodPost))
		return
	}

	u := &upload{request: r, fields: map[string]string{}}
	defer u.keepGoing(w)()

	res, err := a.upload(u)
	if err != nil {
		w.Header().Set("Connection", "close")
		a.fail(w, r, u.explain(err))
		u.linger(w)
		return
	}

	reply(w, resultStatus(res), res)
}

func (a *api) upload(u *upload) (*parley.TransferFileResult, error) {
	r, limit := u.request, a.Files.FileLimit()
	if r.ContentLength > limit+maxFields*maxField { // a client that waits for a word sends nothing
		return nil, parley.Errorf(parley.FileRefused, "the upload has %d bytes, a file may have %d", r.ContentLength, limit).
			With("limit", limit).
			Suggest("Send a part of it, or compress it; the operator can raise max_file_mb in parley.yaml.")
	}

	var err error
	if u.parts, err = r.MultipartReader(); err != nil {
		return nil, &refusal{http.StatusUnsupportedMediaType,
			parley.Errorf(parley.InvalidArgument, "the body is no multipart form: %w", err).
				Suggest("Send the file as the part `file` of a multipart/form-data body: curl -F file=@PATH.")}
	}

	file, err := u.untilFile()
	if err != nil {
		return nil, err
	}

	caller, err := a.identify(r, u.keys)
	if err == nil {
		err = parley.FindOp("transfer_file").Allow(caller)
	}
	if err == nil {
		err = u.checkClaims(caller)
	}
	if err != nil {
		return nil, err
	}

	if file == nil {
		return nil, parley.Errorf(parley.InvalidArgument, "file is missing").With("parameter", "file").
			Suggest("Send the file as the part `file`: curl -F file=@PATH.")
	}

	name := file.FileName()

	return a.Files.UploadFile(parley.WithCaller(r.Context(), caller), file, func() (parley.UploadFileRequest, error) {
		if another, err := u.untilFile(); err != nil || another != nil {
			return parley.UploadFileRequest{}, errors.Join(err, u.second(another))
		}

		req := parley.UploadFileRequest{Filename: name, Recipient: u.fields["recipient"],
			Description: u.fields["description"], IdempotencyKey: u.fields["idempotency_key"]}
		if given, ok := u.fields["destination_filename"]; ok {
			req.Filename = given
		}

		if len(u.keys) > u.known { // who calls was decided without it
			return req, parley.Errorf(parley.Unauthenticated, "the API key comes after the file").
				Suggest("Send it before the file, or as `Authorization: Bearer KEY`.")
		}
		if err := u.checkClaims(caller); err != nil {
			return req, err
		}

		return req, req.Validate()
	})
}

// upload is a form that is being read.
type upload struct {
	request *http.Request
	parts   *multipart.Reader
	fields  map[string]string // by their canonical names
	claims  []string          // ids or names that must be the caller's
	keys    []string
	known   int // how many keys there were when who calls was decided
}

// fieldNames are the fields of an upload, and the names of the seeds for them.
var fieldNames = map[string]string{
	"recipient": "recipient", "recipient_id": "recipient", "to": "recipient",
	"destination_filename": "destination_filename", "filename": "destination_filename",
	"description": "description", "idempotency_key": "idempotency_key",
	"sender_id": "sender_id", "sender_agent_id": "sender_id", "api_key": "api_key",
}

// untilFile reads fields until the file, nil when there is none any more.
func (u *upload) untilFile() (*multipart.Part, error) {
	for range maxFields {
		p, err := u.parts.NextPart()
		if err == io.EOF { // itself: a form that is cut off wraps it
			return nil, nil
		}
		if err != nil {
			return nil, err
		}

		if p.FormName() == "file" {
			u.known = len(u.keys)
			return p, nil
		}

		if err := u.field(p); err != nil {
			return nil, err
		}
	}

	return nil, parley.Errorf(parley.InvalidArgument, "the form has more than %d fields", maxFields).
		Suggest("Send file, and if you want recipient, destination_filename and description.")
}

func (u *upload) field(p *multipart.Part) error {
	name, ok := fieldNames[p.FormName()]
	if !ok {
		known := []string{"file", "recipient", "destination_filename", "description", "idempotency_key"}
		e := parley.Errorf(parley.InvalidArgument, "an upload has no field %q", parley.CleanLine(parley.Truncate(p.FormName(), 100))).
			With("parameters", known)
		if near := parley.Nearest(p.FormName(), known); near != "" {
			return e.Suggest("Did you mean %q?", near)
		}

		return e.Suggest("It takes: file, recipient, destination_filename, description, idempotency_key.")
	}

	b, err := io.ReadAll(io.LimitReader(p, maxField+1))
	switch _, twice := u.fields[name]; {
	case err != nil:
		return err
	case len(b) > maxField:
		return parley.Errorf(parley.InvalidArgument, "the field %s is longer than %d bytes", name, maxField).
			With("parameter", name).
			Suggest("Shorten it.")
	case name == "api_key":
		u.keys = append(u.keys, string(b))
	case name == "sender_id":
		u.claims = append(u.claims, string(b))
	case twice:
		return u.second(p)
	default:
		u.fields[name] = string(b)
	}

	return nil
}

func (u *upload) second(p *multipart.Part) error {
	if p == nil {
		return nil
	}
	return parley.Errorf(parley.InvalidArgument, "%s was given twice", parley.CleanLine(p.FormName())).
		With("parameter", p.FormName()).
		Suggest("Give it once; send several files one by one.")
}

func (u *upload) checkClaims(caller parley.Caller) error {
	if i := slices.IndexFunc(u.claims, func(claim string) bool { return !caller.Is(claim) }); i >= 0 {
		return parley.Errorf(parley.NotAuthorized, "sender_id is %q, but the call comes from %s", parley.CleanLine(u.claims[i]), caller.Name).
			With("parameter", "sender_id").
			Suggest("Leave sender_id out: who calls is known from the connection.")
	}
	return nil
}

// How long, and for how many bytes, the rest of a refused body is read: a client that
// is still sending it would otherwise see its connection break, and not the answer.
const (
	lingerTime  = 3 * time.Second
	lingerBytes = 64 << 20
)

func (u *upload) linger(w http.ResponseWriter) {
	body := u.request.Body.(*patient)
	if u.request.Header.Get("Expect") != "" && !body.begun { // it waits for a word before it sends
		return
	}
	hearOut(w, body.ReadCloser)
}

func hearOut(w http.ResponseWriter, body io.Reader) {
	rc := http.NewResponseController(w)
	if rc.Flush() == nil && rc.SetReadDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.CopyN(io.Discard, body, lingerBytes) // however it ends
	}
}

// keepGoing gives each read of the body its time, and none when the request is over.
// The body has no other limit: whoever stores the file has one.
func (u *upload) keepGoing(w http.ResponseWriter) (done func()) {
	r, rc := u.request, http.NewResponseController(w)
	_ = rc.EnableFullDuplex() // else the server reads on before an answer goes out; HTTP/1 alone needs it
	body := &patient{ReadCloser: r.Body, deadline: rc.SetReadDeadline}
	r.Body = body
	stop := context.AfterFunc(r.Context(), func() {
		body.over.Store(true)
		_ = rc.SetReadDeadline(time.Unix(1, 0))
	})
	return func() {
		stop()
		_ = rc.SetReadDeadline(time.Now().Add(time.Second)) // the server reads on for a little
	}
}

type patient struct {
	io.ReadCloser
	deadline func(time.Time) error
	over     atomic.Bool
	begun    bool
}

func (p *patient) Read(b []byte) (int, error) {
	p.begun = true
	_ = p.deadline(time.Now().Add(uploadPause)) // not every connection has one
	if p.over.Load() {                          // it has been set to the past, perhaps before this
		return 0, os.ErrDeadlineExceeded
	}
	return p.ReadCloser.Read(b)
}

// explain says what a body that ends too early means.
func (u *upload) explain(err error) error {
	var known *parley.Error
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		return err
	case errors.As(err, &known):
		if known.Code == parley.FileRefused { // beyond the limit: the only reason for content
			return &refusal{http.StatusRequestEntityTooLarge, known}
		}
		return known
	case u.request.Context().Err() != nil:
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &refusal{
			http.StatusRequestTimeout,
			parley.Errorf(parley.InvalidArgument, "the upload stood still for %s", uploadPause).
				Suggest("Send it again."),
		}
	}

	return parley.Errorf(parley.InvalidArgument, "the form cannot be read: %w", err).
		Suggest("Send a whole multipart/form-data body, as curl -F does.")
}

// serveDownload gives a file, whole or a range of it. Whatever it holds, a browser
// shall not show it as a page of this daemon's.
func (a *api) serveDownload(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		a.fail(w, r, wrongMethod(w, r, http.MethodGet, http.MethodHead))
		return
	}

	caller, err := a.identify(r, nil)
	if err == nil {
		err = parley.FindOp("transfer_file").Allow(caller)
	}

	if err != nil {
		a.fail(w, r, err)
		return
	}

	f, content, err := a.Files.OpenFile(parley.WithCaller(r.Context(), caller), r.PathValue("file_id"))
	if err != nil {
		a.fail(w, r, err)
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
	if part.refused {
		a.noSuchPart(w, r, f)
	}
}
