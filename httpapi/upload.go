package httpapi

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"parley"
	"parley/op"
	"parley/plain"
)

// uploadPause bounds how long an upload may make no progress. On average it must bring leastRate
// bytes a second after the first uploadGrace: a byte now and then would keep it for days.
const (
	uploadPause = 15 * time.Second
	uploadGrace = time.Minute
	leastRate   = 4 << 10
)

// uploadUntil returns until when the next bytes of an upload must come.
func uploadUntil(now, began time.Time, read int64) time.Time {
	pause, due := now.Add(uploadPause), began.Add(uploadGrace+time.Duration(read)*(time.Second/leastRate))
	if due.Before(pause) {
		return due
	}
	return pause
}

// Bounds of the other fields of an upload, in bytes and in number. The longest field is a
// description.
const (
	maxField  = 16 << 10
	maxFields = 16
)

// maxHead bounds what stands before the file, in bytes: all fields, and their headers. Whoever is not
// identified yet can have no more kept in memory.
const maxHead = maxFields * (maxField + 4<<10)

// serveUpload takes a file as multipart/form-data. The caller is identified before the
// file is read; other fields may come before and after it.
func (fr *fileRoutes) serveUpload(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		fr.fail(w, r, wrongMethod(w, r, http.MethodPost))
		return
	}

	u := &upload{request: r, fields: map[string]string{}}
	defer u.keepGoing(w)()

	res, err := fr.upload(u)
	if err != nil {
		w.Header().Set("Connection", "close")
		fr.fail(w, r, u.explain(err))
		if body, sends := u.rest(); sends {
			fr.drainBody(w, body)
		}
		return
	}

	reply(w, resultStatus(res), res)
}

func (fr *fileRoutes) upload(u *upload) (*parley.TransferFileResult, error) {
	if err := u.begin(fr.files.FileLimit()); err != nil {
		return nil, err
	}

	u.body.most = maxHead
	file, err := u.nextFile()
	if err != nil {
		return nil, err
	}
	u.body.most = 0

	caller, err := fr.callers.identify(u.request, u.keys)
	if err == nil {
		err = op.Find("transfer_file").Allow(caller)
	}
	if err == nil {
		err = u.checkClaims(caller)
	}
	if err != nil {
		return nil, err
	}

	done, err := fr.busy.enter(caller)
	if err != nil {
		return nil, err
	}
	defer done()

	if file == nil {
		return nil, parley.Errorf(parley.InvalidArgument, "file is missing").With("parameter", "file").
			Suggest("Send the file as the part `file`: curl -F file=@PATH.")
	}

	name := file.FileName()
	describe := func() (parley.UploadFileRequest, error) { return u.finish(name, caller) }

	return fr.files.UploadFile(parley.WithCaller(u.request.Context(), caller), file, describe)
}

// begin checks the query and the length that the request announces, and opens the form.
func (u *upload) begin(limit int64) error {
	r := u.request
	q, err := readQuery(r)
	if err == nil {
		err = refuseQuery(r, q, "Send them as fields of the form, next to the file.")
	}
	if err != nil {
		return err
	}

	// A client that sent `Expect: 100-continue` then sends nothing.
	if r.ContentLength > limit+maxFields*maxField {
		return parley.Errorf(
			parley.FileRefused, "the upload has %d bytes, a file may have %d", r.ContentLength, limit,
		).With("limit", limit).
			Suggest("Send a part of it, or compress it; the operator can raise max_file_mb in parley.yaml.")
	}

	if u.parts, err = r.MultipartReader(); err != nil {
		return &refusal{http.StatusUnsupportedMediaType,
			parley.Errorf(parley.InvalidArgument, "the body is not a multipart form: %w", err).
				Suggest("Send the file as the part `file` of a multipart/form-data body: curl -F file=@PATH.")}
	}

	return nil
}

// finish reads the fields after the file and returns the valid request of all fields.
func (u *upload) finish(name string, caller parley.Caller) (parley.UploadFileRequest, error) {
	if another, err := u.nextFile(); err != nil || another != nil {
		return parley.UploadFileRequest{}, errors.Join(err, u.givenTwice(another))
	}

	req := parley.UploadFileRequest{
		Filename:       name,
		Recipient:      u.fields["recipient"],
		Description:    u.fields["description"],
		IdempotencyKey: u.fields["idempotency_key"],
	}
	if given, ok := u.fields["destination_filename"]; ok {
		req.Filename = given
	}

	if len(u.keys) > u.known { // the caller was identified without it
		return req, parley.Errorf(parley.Unauthenticated, "the API key comes after the file").
			Suggest("Send it before the file, or as `Authorization: Bearer KEY`.")
	}
	if err := u.checkClaims(caller); err != nil {
		return req, err
	}

	// The end of the body says whether it is the one that was signed.
	if _, err := io.CopyN(io.Discard, u.body, maxHead); err == nil {
		return req, parley.Errorf(parley.InvalidArgument, "the body goes on after the form").
			Suggest("Send the form alone.")
	} else if !errors.Is(err, io.EOF) {
		return req, err
	}

	return req, req.Validate()
}

// upload is the form of an upload while it is read.
type upload struct {
	request *http.Request
	body    *patientBody // of the request
	parts   *multipart.Reader
	fields  map[string]string // by name, aliases resolved
	claims  []string          // ids or names that must name the caller
	keys    []string
	known   int // the number of keys when the caller was identified
}

// fieldNames maps the names and aliases of fields to their names.
var fieldNames = map[string]string{
	"recipient": "recipient", "recipient_id": "recipient", "to": "recipient",
	"destination_filename": "destination_filename", "filename": "destination_filename",
	"description": "description", "idempotency_key": "idempotency_key",
	"sender_id": "sender_id", "sender_agent_id": "sender_id", "api_key": "api_key",
}

// nextFile reads fields up to the next file, and returns nil if there is none.
func (u *upload) nextFile() (*multipart.Part, error) {
	for range maxFields {
		p, err := u.parts.NextPart()
		if err == io.EOF { // not errors.Is: a form that is cut off wraps io.EOF
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
		Suggest("Send file and, as needed, recipient, destination_filename and description.")
}

func (u *upload) field(p *multipart.Part) error {
	name, ok := fieldNames[p.FormName()]
	if !ok {
		known := []string{"file", "recipient", "destination_filename", "description", "idempotency_key"}
		given := plain.CleanLine(plain.Truncate(p.FormName(), 100))
		e := parley.Errorf(parley.InvalidArgument, "an upload has no field %q", given).With("parameters", known)
		if near := plain.Nearest(p.FormName(), known); near != "" {
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
	case !utf8.Valid(b):
		return parley.Errorf(parley.InvalidArgument, "the field %s is not UTF-8", name).With("parameter", name).
			Suggest("Encode the text as UTF-8.")
	case name == "api_key":
		u.keys = append(u.keys, string(b))
	case name == "sender_id":
		u.claims = append(u.claims, string(b))
	case twice:
		return u.givenTwice(p)
	default:
		u.fields[name] = string(b)
	}

	return nil
}

func (u *upload) givenTwice(p *multipart.Part) error {
	if p == nil {
		return nil
	}
	return parley.Errorf(parley.InvalidArgument, "%s was given twice", plain.CleanLine(p.FormName())).
		With("parameter", p.FormName()).
		Suggest("Give it once; send several files one by one.")
}

func (u *upload) checkClaims(caller parley.Caller) error {
	if i := slices.IndexFunc(u.claims, func(claim string) bool { return !caller.Is(claim) }); i >= 0 {
		claim := plain.CleanLine(u.claims[i])
		return parley.Errorf(parley.NotAuthorized, "sender_id is %q, but the call comes from %s", claim, caller.Name).
			With("parameter", "sender_id").
			Suggest("Leave sender_id out: the connection says who calls.")
	}
	return nil
}

// rest is what a client still sends of a body that was refused.
func (u *upload) rest() (body io.Reader, sends bool) {
	waits := u.request.Header.Get("Expect") != "" && !u.body.begun // it sends nothing before it gets 100 Continue
	return u.body.ReadCloser, !waits
}

// keepGoing gives each read of the body uploadPause, and no time once the request is
// over. The body has no other limit here: the store limits the file's size.
func (u *upload) keepGoing(w http.ResponseWriter) (done func()) {
	r, rc := u.request, http.NewResponseController(w)
	_ = rc.EnableFullDuplex() // else an HTTP/1 server reads the body before it sends a response
	body := &patientBody{ReadCloser: r.Body, deadline: rc.SetReadDeadline, since: time.Now()}
	r.Body, u.body = body, body
	stop := context.AfterFunc(r.Context(), func() {
		body.over.Store(true)
		_ = rc.SetReadDeadline(time.Unix(1, 0))
	})
	return func() {
		stop()
		_ = rc.SetReadDeadline(time.Now().Add(time.Second)) // the server reads on for a moment
	}
}

type patientBody struct {
	io.ReadCloser
	deadline func(time.Time) error
	over     atomic.Bool
	begun    bool
	since    time.Time
	read     int64 // bytes
	most     int64 // how many bytes may be read now; 0 for any number
}

func (p *patientBody) Read(b []byte) (int, error) {
	p.begun = true
	_ = p.deadline(uploadUntil(time.Now(), p.since, p.read)) // not every connection supports deadlines
	if p.over.Load() {                                       // the deadline was set to the past
		return 0, os.ErrDeadlineExceeded
	}

	if p.most > 0 && p.read >= p.most {
		return 0, parley.Errorf(parley.MessageTooLong, "more than %d bytes stand before the file", p.most).
			With("limit", p.most).
			Suggest("Send it as the part `file`, with few and short fields before it: curl -F file=@PATH.")
	}

	n, err := p.ReadCloser.Read(b)
	p.read += int64(n)

	return n, err
}

// explain returns the error for the client after a body could not be read.
func (u *upload) explain(err error) error {
	var known *parley.Error
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		return err
	case errors.As(err, &known):
		if known.Code == parley.FileRefused { // content is refused only because of its size
			return &refusal{http.StatusRequestEntityTooLarge, known}
		}
		return known
	case u.request.Context().Err() != nil:
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &refusal{
			http.StatusRequestTimeout,
			parley.Errorf(parley.InvalidArgument,
				"the upload made no progress for %s, or is slower than %d bytes a second", uploadPause, leastRate).
				Suggest("Send it again."),
		}
	}

	return parley.Errorf(parley.InvalidArgument, "the form cannot be read: %w", err).
		Suggest("Send a whole multipart/form-data body, as curl -F does.")
}
