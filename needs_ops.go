package parley

import (
	"regexp"
	"strings"
	"time"
)

// NeedKind says why something wants the operator.
type NeedKind string

// The kinds of need, the most pressing first.
const (
	NeedDialog      NeedKind = "dialog"      // a question is open in a terminal
	NeedLost        NeedKind = "lost"        // a terminal went away
	NeedExited      NeedKind = "exited"      // a program ended by itself
	NeedBlocked     NeedKind = "blocked"     // by a usage limit or the like
	NeedStuck       NeedKind = "stuck"       // busy without any output for too long
	NeedDraft       NeedKind = "draft"       // a draft or copy mode was left in a terminal, and messages wait behind it
	NeedUnconfirmed NeedKind = "unconfirmed" // typed, and nobody knows whether it arrived
	NeedHeld        NeedKind = "held"        // agents said too much to each other
	NeedOverdue     NeedKind = "overdue"     // a required response did not come
	NeedOwesAnswer  NeedKind = "owes_answer" // idle, and a request is not answered
	NeedUnanswered  NeedKind = "unanswered"  // a model gave no answer
	NeedApproval    NeedKind = "approval"    // an agent asked to be special
)

// Need is one thing that wants the operator. It is derived from what is known,
// and goes when that changes.
type Need struct {
	Kind      NeedKind  `json:"kind"`
	AgentID   string    `json:"agent_id"`
	Agent     string    `json:"agent"`
	Since     time.Time `json:"since"`
	Text      string    `json:"text"`             // what it is, in one line
	Command   string    `json:"command"`          // what to call first
	Action    string    `json:"suggested_action"` // what to do, in a sentence
	MessageID string    `json:"message_id,omitempty"`
	Screen    []string  `json:"screen,omitempty"` // the last lines of the agent's screen, empty ones left out
}

// GetNeedsRequest asks what wants the operator.
type GetNeedsRequest struct {
	Dismiss string `json:"dismiss,omitempty" doc:"The id of an unconfirmed or unanswered message, or its first eight characters: it is not to be named any more."`
}

// GetNeedsResult lists it, the most pressing first.
type GetNeedsResult struct {
	Answer
	Needs     []Need `json:"needs"`
	Dismissed int    `json:"dismissed"` // deliveries that this call dismissed
}

// SteerAgentRequest is guidance for an agent.
type SteerAgentRequest struct {
	Agent          string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
	Text           string `json:"text" alias:"message,content" required:"true" doc:"What it should do, 1 to 2,000 characters."`
	Kind           string `json:"kind,omitempty" doc:"What the guidance is about, one or two words for its header: STUCK, OFF COURSE." default:"STUCK" max:"32"`
	IdempotencyKey string `json:"idempotency_key,omitempty" doc:"Your own key: a repeated call changes nothing." max:"200"`
	WaitSeconds    int    `json:"wait_seconds,omitempty" doc:"Wait so long for the outcome." min:"0" max:"60"`
}

// GuidanceStuck is the kind of guidance for an agent that does not go on.
const GuidanceStuck = "STUCK"

// guidanceForm keeps the header one that can be told by its form.
var guidanceForm = regexp.MustCompile(`^[A-Z][A-Z0-9_ -]{0,31}$`)

// Validate checks the kind and writes it in capitals.
func (r *SteerAgentRequest) Validate() error {
	if r.Kind = strings.ToUpper(CleanLine(r.Kind)); r.Kind == "" {
		r.Kind = GuidanceStuck
	}
	if !guidanceForm.MatchString(r.Kind) {
		return Errorf(InvalidArgument, "kind is %q", r.Kind).With("parameter", "kind").
			Suggest("Use a word or two of letters, digits, - and _, such as STUCK.")
	}
	return nil
}
