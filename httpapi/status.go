package httpapi

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"sync"

	"parley"
)

// statuses maps error codes to HTTP statuses.
var statuses = map[parley.Code]int{
	parley.InvalidArgument:       http.StatusBadRequest,
	parley.InvalidRecipient:      http.StatusBadRequest,
	parley.Unauthenticated:       http.StatusUnauthorized,
	parley.NotAuthorized:         http.StatusForbidden,
	parley.NotTrusted:            http.StatusForbidden,
	parley.AgentNotFound:         http.StatusNotFound,
	parley.MessageNotFound:       http.StatusNotFound,
	parley.ThreadNotFound:        http.StatusNotFound,
	parley.NotAParticipant:       http.StatusForbidden,
	parley.FileNotFound:          http.StatusNotFound,
	parley.FileRefused:           http.StatusForbidden,
	parley.AgentExists:           http.StatusConflict,
	parley.AlreadyDelivered:      http.StatusConflict,
	parley.DialogChanged:         http.StatusConflict,
	parley.ResponseNotRequired:   http.StatusConflict,
	parley.DeadlinePassed:        http.StatusConflict,
	parley.AgentUnavailable:      http.StatusConflict,
	parley.DaemonRunning:         http.StatusConflict,
	parley.AddressInUse:          http.StatusConflict,
	parley.MessageTooLong:        http.StatusRequestEntityTooLarge,
	parley.ConversationHeld:      http.StatusConflict,
	parley.RateLimited:           http.StatusTooManyRequests,
	parley.ModelUnavailable:      http.StatusBadGateway,
	parley.CommunicationDisabled: http.StatusServiceUnavailable,
	parley.TmuxUnavailable:       http.StatusServiceUnavailable,
	parley.StorageUnavailable:    http.StatusServiceUnavailable,
	parley.DaemonUnavailable:     http.StatusServiceUnavailable,
	parley.Internal:              http.StatusInternalServerError,
}

func statusOf(code parley.Code) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// refusal is an error of HTTP itself, such as an unknown path or a wrong method. It has a
// status of its own instead of that of its code.
type refusal struct {
	status int
	err    *parley.Error
}

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

// coded is a result that can report a failure, such as a message to one agent that is
// terminated. Its HTTP status is that of its code; an empty code means success.
type coded interface{ Failure() parley.Code }

func resultStatus(result any) int {
	if c, ok := result.(coded); ok && c.Failure() != "" {
		return statusOf(c.Failure())
	}
	return http.StatusOK
}

func replyError(w http.ResponseWriter, status int, e *parley.Error) {
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if seconds, ok := e.Details["retry_after_seconds"].(int); ok && status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	reply(w, status, e)
}

// reply writes one JSON value.
func reply(w http.ResponseWriter, status int, v any) {
	status, b := encode(status, v)
	write(w, status, b)
}

// leastPacked is how many bytes are worth being compressed.
const leastPacked = 1 << 10

var packers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(io.Discard, gzip.DefaultCompression) // the level is a right one
	return w
}}

// replyPacked writes one JSON value, compressed if it is long: the page may be on a phone's line. What has a key in it
// is not for it.
func replyPacked(w http.ResponseWriter, status int, v any) {
	status, b := encode(status, v)
	w.Header().Set("Vary", "Accept-Encoding")
	if len(b) < leastPacked {
		write(w, status, b)
		return
	}

	var packed bytes.Buffer
	z, _ := packers.Get().(*gzip.Writer)
	z.Reset(&packed)
	_, _ = z.Write(b) // a buffer takes everything
	_ = z.Close()
	packers.Put(z)
	w.Header().Set("Content-Encoding", "gzip")
	write(w, status, packed.Bytes())
}

func encode(status int, v any) (int, []byte) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		b.Reset()
		status = http.StatusInternalServerError
		_ = json.NewEncoder(&b).Encode(parley.AsError(err))
	}
	return status, b.Bytes()
}

func write(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that is gone has no use for the error
}
