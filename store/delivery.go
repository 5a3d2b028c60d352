package store

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"parley"
)

// Deliveries keeps how far each message has come on its way to a recipient.
type Deliveries struct{ *database }

// isOpen selects the deliveries that parley still has to work on. It must be spelled as
// in the index, or SQLite does not use that.
const isOpen = `(d.state = 'queued' OR d.state = 'held' OR d.state = 'typing')`

// Key names a delivery.
type Key struct {
	MessageSeq  int64
	RecipientID string
}

// Job is a delivery to a terminal that is still open.
type Job struct {
	Key       Key
	Message   parley.Message // without recipients
	State     parley.DeliveryState
	Reason    string
	Code      parley.ReasonCode // of the reason
	PaneSeq   uint64            // given by the last Claim, 0 before
	QueuedAt  time.Time
	Announced bool // the text is too long for the terminal, which got an announcement of it
	Door      bool // the last Claim was for the program's own entrance or argument, and not for its terminal
	Argument  bool // it was for the argument of its start
}

// Waits reports whether the delivery waits to be typed, as after a retry.
func (j *Job) Waits() bool { return waits(j.State) }

func waits(state parley.DeliveryState) bool {
	return state == parley.DeliveryQueued || state == parley.DeliveryHeld
}

// Change is a rung that a delivery reaches, with either a reason or an evidence.
type Change struct {
	State    parley.DeliveryState
	Reason   string            // why it does not get further
	Evidence string            // what proves the rung
	Code     parley.ReasonCode // of the reason or the evidence

	TurnStarted time.Time // when the recipient began to work on it, by its own report; zero if unknown
}

// Announced is the rung of a message whose text of so many characters was only announced to its recipient.
func Announced(characters int) Change {
	return Change{
		State: parley.DeliverySubmitted, Code: parley.ProofAnnounced,
		Reason: parley.ProofAnnounced.Words(number(int64(characters), "character")),
	}
}

// reasonCode returns the code of the reason, "" when there is no reason.
func (c *Change) reasonCode() string {
	if c.Reason == "" {
		return ""
	}
	return string(c.Code)
}

// words returns the reason or the evidence.
func (c *Change) words() string { return cmp.Or(c.Reason, c.Evidence) }

func (c *Change) step(at time.Time) parley.Step {
	s := parley.Step{State: c.State, At: instant(nanos(at)), Evidence: c.words(), Code: c.Code}
	if !c.TurnStarted.IsZero() {
		started := c.TurnStarted.UTC()
		s.TurnStarted = &started
	}
	return s
}

// follows lists the rungs that a delivery may reach from each rung. One that was given up
// may still turn out to have been read; one that was read stays so, unless its program is seen to have given it back:
// see climb.
var follows = map[parley.DeliveryState][]parley.DeliveryState{
	parley.DeliveryQueued: {
		parley.DeliveryHeld,
		parley.DeliverySubmitted,
		parley.DeliveryRead,
		parley.DeliveryFailed,
		parley.DeliveryExpired,
	},
	parley.DeliveryHeld: {
		parley.DeliveryQueued,
		parley.DeliveryHeld,
		parley.DeliverySubmitted,
		parley.DeliveryRead,
		parley.DeliveryFailed,
		parley.DeliveryExpired,
	},
	parley.DeliveryTyping: {
		parley.DeliveryTyping,
		parley.DeliveryQueued,
		parley.DeliveryHeld,
		parley.DeliverySubmitted,
		parley.DeliveryRead,
		parley.DeliveryFailed,
		parley.DeliveryUnconfirmed,
	},
	parley.DeliverySubmitted:   {parley.DeliverySubmitted, parley.DeliveryRead},
	parley.DeliveryRead:        {parley.DeliveryAnswered},
	parley.DeliveryUnconfirmed: {parley.DeliverySubmitted, parley.DeliveryRead},
	parley.DeliveryFailed:      {parley.DeliveryRead},
	parley.DeliveryExpired:     {parley.DeliveryRead},
}

// answered returns the last rung, with the ID of the reply as evidence.
func answered(by string) Change {
	return Change{State: parley.DeliveryAnswered, Evidence: "message " + parley.Short(by), Code: parley.ProofReply}
}

func linesOf(steps []parley.Step) string {
	var lines strings.Builder
	for _, st := range steps {
		lines.WriteString(stepLine(st))
	}
	return lines.String()
}

// stepLine encodes a step as it is appended to a delivery's steps.
func stepLine(st parley.Step) string {
	b, err := json.Marshal(st)
	if err != nil { // a year beyond 9999
		return ""
	}
	return string(b) + "\n"
}

// parseSteps is the inverse of linesOf. It skips what is not a step.
func parseSteps(lines string) []parley.Step {
	var steps []parley.Step
	for line := range strings.Lines(lines) {
		var st parley.Step
		if json.Unmarshal([]byte(line), &st) == nil {
			steps = append(steps, st)
		}
	}
	return steps
}
