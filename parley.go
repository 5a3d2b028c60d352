// Package parley declares what a team of agents is made of that talk through their terminals. Each noun has a file with
// its types and the requests and results of its operations, such as agent, message, delivery, conversation (with its
// threads), need, schedule and workspace. The other files have what all of parley shares: reasons as codes, and what is
// typed around a message (header). This one has the service, and its errors.
//
// The package imports only plain and small internal packages.
package parley

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"

	"parley/plain"
)

// Service is everything parley does. It has two implementations, the orchestrator (in the
// daemon) and the client (everywhere else), and one test suite runs against both. Package op
// has the operations: op.SendMessage.Call(ctx, service, request).
type Service interface {
	// Do answers an operation: request is a value of its request's type, and result a pointer to
	// its result's. The caller is the one in the context (see WithCaller); errors are *Error where
	// the caller can do something about it.
	//
	// It takes requests that are valid. op.Op.Decode checks each parameter and calls the request's
	// Validate, once, in the process that serves the call; the orchestrator does not check again,
	// and the client leaves it to its daemon. A program that calls the orchestrator in its own
	// process decodes with Op.Decode, or calls Validate itself.
	Do(ctx context.Context, operation string, request any) (result any, err error)
}

// Code names a kind of failure. Codes are part of the interface: new ones may be added,
// none is renamed.
type Code string

// The codes of the contract, and parley's own.
const (
	AgentNotFound         Code = "AGENT_NOT_FOUND"
	MessageNotFound       Code = "MESSAGE_NOT_FOUND"
	AlreadyDelivered      Code = "ALREADY_DELIVERED"
	FileNotFound          Code = "FILE_NOT_FOUND"
	FileRefused           Code = "FILE_REFUSED"
	InvalidRecipient      Code = "INVALID_RECIPIENT"
	MessageTooLong        Code = "MESSAGE_TOO_LONG"
	CommunicationDisabled Code = "COMMUNICATION_DISABLED"
	ResponseNotRequired   Code = "RESPONSE_NOT_REQUIRED"
	DeadlinePassed        Code = "RESPONSE_DEADLINE_PASSED"
	InvalidArgument       Code = "INVALID_ARGUMENT"
	Unauthenticated       Code = "UNAUTHENTICATED"
	NotAuthorized         Code = "NOT_AUTHORIZED"
	NotTrusted            Code = "NOT_TRUSTED" // of a parley.yaml
	AgentExists           Code = "AGENT_EXISTS"
	AgentUnavailable      Code = "AGENT_UNAVAILABLE"
	DialogChanged         Code = "DIALOG_CHANGED" // nothing was sent but the keys in its detail "sent"
	ThreadNotFound        Code = "THREAD_NOT_FOUND"
	NotAParticipant       Code = "NOT_A_PARTICIPANT"
	RateLimited           Code = "RATE_LIMITED"
	ConversationHeld      Code = "CONVERSATION_HELD" // of a held delivery, or one that a mailbox does not get
	ModelUnavailable      Code = "MODEL_UNAVAILABLE"
	TmuxUnavailable       Code = "TMUX_UNAVAILABLE"
	StorageUnavailable    Code = "STORAGE_UNAVAILABLE"
	DaemonUnavailable     Code = "DAEMON_UNAVAILABLE"
	DaemonRunning         Code = "DAEMON_RUNNING"
	AddressInUse          Code = "ADDRESS_IN_USE"
	Internal              Code = "INTERNAL"
)

// Error is a failure that the caller can act on: what happened, to what, and what to do
// next. All its exported fields cross the wire.
type Error struct {
	Code    Code
	Message string
	Details map[string]any
	Action  string
	Note    string // what the answer's message says instead of Message; usually ""

	cause error
}

// Errorf returns an Error. errors.Is finds an error that is wrapped with %w.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: err.Error(), cause: errors.Unwrap(err)}
}

// Suggest sets the next step, in words that a person and a model can follow, and returns
// e.
func (e *Error) Suggest(format string, args ...any) *Error {
	e.Action = fmt.Sprintf(format, args...)
	return e
}

// With adds a detail and returns e.
func (e *Error) With(key string, value any) *Error {
	e.Details = maps.Clone(e.Details)
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[key] = value
	return e
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the error that Errorf wrapped.
func (e *Error) Unwrap() error { return e.cause }

// ErrorCode returns the code of err: Internal if no *Error is in its chain, "" for nil.
func ErrorCode(err error) Code {
	if err == nil {
		return ""
	}
	return AsError(err).Code
}

// AsError returns the *Error in err's chain, or err as an INTERNAL error; nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Code: Internal, Message: err.Error(), cause: err,
		Action: "Try again. If it keeps failing, look into the daemon's log (parley status names it)."}
}

// errorJSON is the contract's form of an error. Some clients read `detail`, `error` or
// `message` instead of error_message.
type errorJSON struct {
	Success bool           `json:"success"`
	Code    Code           `json:"error_code"`
	Message string         `json:"error_message"`
	Details map[string]any `json:"details"`
	Action  string         `json:"suggested_action"`
	Detail  string         `json:"detail"`
	Error   string         `json:"error"`
	Note    string         `json:"message"`
}

// MarshalJSON writes {success: false, error_code, error_message, details,
// suggested_action}.
func (e *Error) MarshalJSON() ([]byte, error) {
	details := e.Details
	if details == nil {
		details = map[string]any{}
	}
	return json.Marshal(errorJSON{Code: e.Code, Message: e.Message, Details: details,
		Action: e.Action, Detail: e.Message, Error: e.Message, Note: cmp.Or(e.Note, e.Message)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *Error) UnmarshalJSON(b []byte) error {
	var j errorJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	if len(j.Details) == 0 {
		j.Details = nil
	}
	*e = Error{Code: j.Code, Message: j.Message, Details: j.Details, Action: j.Action}
	if j.Note != j.Message {
		e.Note = j.Note
	}
	return nil
}

// Panic is the error of a call in which the service panicked. Its text is for the
// caller; the stack appears only in the log.
type Panic struct {
	Value any    // what was passed to panic
	Stack []byte // as debug.Stack formats it
}

func (p *Panic) Error() string { return fmt.Sprintf("the call crashed: %v", p.Value) }

// LogValue logs the panic with its stack.
func (p *Panic) LogValue() slog.Value {
	return slog.GroupValue(slog.String("text", p.Error()), slog.String("stack", string(p.Stack)))
}

// shortages are the system's words for what it has run out of, and what helps.
var shortages = []struct {
	errno        syscall.Errno
	words, helps string
}{
	{syscall.EMFILE, "as many files are open as one process may have",
		"Raise the limit where the daemon starts (ulimit -n 1024), or end what keeps many connections open."},
	{syscall.ENFILE, "the system has no file descriptors left",
		"End programs that keep many files open (lsof shows them)."},
	{syscall.EAGAIN, "no further process may be started", "End programs, or raise the limit (ulimit -u)."},
	{syscall.ENOMEM, "the system has no memory left", "End programs that take much memory."},
}

// Exhausted returns the error of starting a program or opening a file for which the system had no
// means left, nil for any other error. The call may succeed when it is repeated later.
func Exhausted(code Code, err error) *Error {
	for _, s := range shortages {
		if errors.Is(err, s.errno) {
			return Errorf(code, "%s: %w", s.words, err).Suggest("%s Then try again.", s.helps)
		}
	}
	return nil
}

// Answer begins every result: success, and an error that is null. A failure is an *Error
// instead, whose JSON has the same two fields.
type Answer struct {
	Success bool    `json:"success"`
	Error   *string `json:"error"`
}

// OK is the Answer of a call that succeeded.
var OK = Answer{Success: true}

// OneOf returns an INVALID_ARGUMENT error unless a parameter has one of its allowed values.
func OneOf(name, value string, allowed []string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return Errorf(InvalidArgument, "%s is %q", name, plain.CleanLine(value)).With("parameter", name).
		With("allowed", allowed).Suggest("Use one of: %s.", strings.Join(allowed, ", "))
}

// enumOf returns the allowed values of a request's parameter.
func enumOf[Req any](name string) []string {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Req]()) {
		if json, _, _ := strings.Cut(f.Tag.Get("json"), ","); json == name {
			return strings.Split(f.Tag.Get("enum"), ",")
		}
	}
	return nil
}

// expression compiles a form when it is first needed: every command of parley is a new process.
func expression(form string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(form) })
}
