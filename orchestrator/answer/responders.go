// Package answer answers messages to responders by asking models: what a model is told,
// the calls under way, the replies, and the screen that shows what a model writes.
package answer

import (
	"context"
	"log/slog"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/store"
)

// Model answers questions for responders.
type Model interface {
	// Answer asks the model until ctx's deadline. An error is a MODEL_UNAVAILABLE with
	// its reason; the answer then says what was spent.
	Answer(context.Context, parley.ModelQuestion) (parley.ModelAnswer, error)
	// Problem says what keeps a question from being asked, as far as that is known without
	// asking it.
	Problem(parley.ModelQuestion) error
}

// Admission lets replies into the service.
type Admission interface {
	// AdmitReply stores a reply and hands it on. The error is NOT_A_PARTICIPANT when the
	// responder has left the thread.
	AdmitReply(context.Context, Reply) (store.Appended, error)
}

// Pause knows whether communication is paused.
type Pause interface {
	// RefusePaused returns COMMUNICATION_DISABLED while communication is paused.
	RefusePaused() error
	// WaitResumed blocks while communication is paused.
	WaitResumed(context.Context) error
}

// Reply is the answer of a responder: a direct message to the sender of the message that
// it answers, or a post in the same thread.
type Reply struct {
	From    *team.Member // the responder
	To      *team.Member // the sender of Answers
	Answers *parley.Message
	Message parley.Message   // without sender and time
	InCall  bool             // the sender gets it with the answer of its own call
	Call    *store.ModelCall // to the model; nil for the answer to a command
	Forgets bool             // see store.Post
}

// Options are what responders work with. Model may be nil; then none answers.
type Options struct {
	Store     *store.Store
	Roster    *team.Roster
	Admission Admission
	Pause     Pause
	Tools     parley.Service // runs the tools that a model calls
	Model     Model
	Declared  []parley.DeclaredResponder // those of parley.yaml
	Host      string
	Timeout   time.Duration // how long a model has to answer
	MaxCalls  int           // to the model of one responder at once
	Now       func() time.Time
	Log       *slog.Logger
}

// Responders answers for the agents that have a model.
type Responders struct {
	*declarations
	prompts  *prompts
	opts     Options
	store    *store.Store
	roster   *team.Roster
	now      func() time.Time
	log      *slog.Logger
	inflight inflight
	screens  screens
}

// New returns responders that answer until Stop.
func New(opts Options) *Responders {
	rs := &Responders{opts: opts, store: opts.Store, roster: opts.Roster, now: opts.Now, log: opts.Log}
	rs.declarations, rs.prompts = &declarations{&rs.opts}, &prompts{&rs.opts}
	return rs
}

// InFlight returns how many messages are being answered.
func (rs *Responders) InFlight() int { return rs.inflight.len() }

// Stop cancels the calls to models and lets no other begin. Their callers get an error before the
// daemon ends.
func (rs *Responders) Stop() { rs.inflight.stop() }

// Close stops answering and waits until the last call has stored its result.
func (rs *Responders) Close() {
	rs.Stop()
	rs.inflight.group.Wait()
}
