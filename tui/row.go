package tui

import (
	"fmt"
	"time"
	"unicode/utf8"

	"parley"
)

// leg is the delivery of a row's message to one recipient.
type leg struct {
	id    string
	state parley.DeliveryState
}

// row is one message of the traffic.
type row struct {
	id       string
	seq      int64 // of the event that announced it
	at       time.Time
	fromID   string
	from     string
	toID     string // empty when it went to several
	to       string
	kind     parley.MessageKind
	typ      parley.MessageType
	asks     bool // requires an answer
	priority parley.Priority
	answers  string // the id of the message that it answers, or that a notice is about
	text     string
	cut      bool // the text goes on, and has not been read
	thread   string
	threadID string
	count    int // recipients
	legs     []leg
	sure     bool // legs are up to date
}

func newRow(e parley.Event) *row {
	r := &row{
		id: e.MessageID, seq: e.Seq, at: e.Time, sure: true,
		fromID: e.SenderID, from: shownName(e.Sender, e.SenderID),
		toID: e.RecipientID, count: max(1, e.RecipientCount),
		kind: kindOf(e), typ: e.MessageType, asks: e.RequiresResponse, priority: e.Priority,
		answers: e.InReplyTo, cut: cut(e),
		text: safeLine(e.Excerpt()), thread: safeLine(e.Thread), threadID: e.ThreadID,
	}

	if e.ThreadID != "" {
		r.toID, r.to, r.count = "", "#"+r.thread, e.RecipientCount
		return r
	}

	if e.Type == parley.EventBroadcast || r.count > 1 || e.Recipient+e.RecipientID == "" {
		r.toID, r.to = "", plural(r.count, "agent")
		return r
	}

	r.to = shownName(e.Recipient, e.RecipientID)

	return r
}

// kindOf returns the message's kind. An older daemon does not report it.
func kindOf(e parley.Event) parley.MessageKind {
	switch {
	case e.Kind != "":
		return parley.MessageKind(safeLine(string(e.Kind)))
	case e.ThreadID != "":
		return parley.KindThread
	case e.Type == parley.EventBroadcast:
		return parley.KindBroadcast
	}
	return parley.KindDirect
}

// partner returns the agent that the operator means when the message is under the
// marker: its sender, or its recipient if the operator sent it, or parley did.
func (r *row) partner() (id, name string) {
	switch {
	case r.notice() && (r.to == you || r.threadID != ""):
		return "", ""
	case r.notice(), r.from == you:
		return r.toID, r.to
	}
	return r.fromID, r.from
}

// notice reports whether parley itself sent the message. It reads no answers.
func (r *row) notice() bool { return r.from == parley.SystemName }

// moved records that a delivery reached a rung.
func (r *row) moved(recipient string, state parley.DeliveryState) {
	for i := range r.legs {
		if r.legs[i].id == recipient {
			r.legs[i].state = state
			return
		}
	}
	r.legs = append(r.legs, leg{id: recipient, state: state})
}

// grave are the states that a person should see before all others, the worst
// first.
var grave = []parley.DeliveryState{
	parley.DeliveryFailed, parley.DeliveryUnconfirmed, parley.DeliveryExpired, parley.DeliveryHeld,
}

// standing sums up the legs: the state that matters most, and how many of how many
// recipients are in it. Delivered ones count as submitted unless all of them are
// read, or answered.
func (r *row) standing() (s parley.DeliveryState, n, of int) {
	in := map[parley.DeliveryState]int{}
	for _, l := range r.legs {
		in[l.state]++
	}

	of = max(r.count, len(r.legs))
	in[parley.DeliveryQueued] += of - len(r.legs)
	for _, s := range grave {
		if in[s] > 0 {
			return s, in[s], of
		}
	}

	answered := in[parley.DeliveryAnswered]
	read := in[parley.DeliveryRead] + answered
	arrived := in[parley.DeliverySubmitted] + read
	switch {
	case answered > 0 && answered == of:
		return parley.DeliveryAnswered, answered, of
	case read == of:
		return parley.DeliveryRead, read, of
	case arrived == of:
		return parley.DeliverySubmitted, arrived, of
	case arrived > 0, in[parley.DeliveryTyping] > 0:
		return parley.DeliveryTyping, arrived, of
	case in[parley.DeliveryQueued] > 0:
		return parley.DeliveryQueued, in[parley.DeliveryQueued], of
	}

	return r.legs[0].state, in[r.legs[0].state], of // a state of a newer daemon
}

// words returns the standing in words: `submitted`, `2/3 submitted`, `1 held`.
func (r *row) words() string {
	s, n, of := r.standing()
	switch {
	case of == 1:
		return string(s)
	case s == parley.DeliveryTyping:
		return fmt.Sprintf("%d/%d submitted", n, of)
	case s.Delivered():
		return fmt.Sprintf("%d/%d %s", n, of, s)
	}
	return fmt.Sprintf("%d %s", n, s)
}

// figure returns the standing where there is no room for words.
func (r *row) figure() string {
	s, n, of := r.standing()
	switch {
	case of == 1:
		return deliveryGlyph(s)
	case s.Delivered(), s == parley.DeliveryTyping:
		return fmt.Sprintf("%s %d/%d", deliveryGlyph(s), n, of)
	}
	return fmt.Sprintf("%s %d", deliveryGlyph(s), n)
}

// tag names what is out of the ordinary: priority, type, kind.
func (r *row) tag() string {
	words := ""
	switch r.priority {
	case "", parley.PriorityNormal:
	case parley.PriorityUrgent:
		words = "!! urgent "
	case parley.PriorityHigh:
		words = "! high "
	default:
		words = "(" + safeLine(string(r.priority)) + ") "
	}

	switch {
	case r.kind == parley.KindSteering:
		words += "guidance "
	case r.kind == parley.KindNotice:
		words += "notice "
	case r.typ != "" && r.typ != parley.TypeInformation:
		words += safeLine(string(r.typ)) + " "
	}

	if r.asks {
		words += "(answer due) "
	}

	return words
}

func recipientOf(e parley.Event) string {
	for _, id := range []string{e.RecipientID, e.AgentID, e.Recipient} {
		if id != "" {
			return id
		}
	}
	return e.Agent
}

// foldFrom is how many messages two agents exchange before they are folded: fewer are a question, an
// answer, and thanks.
const foldFrom = 4

// cut reports whether an event may have left out the end of its text.
func cut(e parley.Event) bool { return utf8.RuneCountInString(e.Preview) == parley.PreviewLength }

// betweenTwo reports whether one agent wrote to one other.
func (r *row) betweenTwo() bool { return r.toID != "" && r.fromID != "" && r.threadID == "" }

func (r *row) samePair(x *row) bool {
	return r.threadID == "" &&
		(r.fromID == x.fromID && r.toID == x.toID || r.fromID == x.toID && r.toID == x.fromID)
}

// figureIn returns the standing in a list of w columns: a glyph, or words where there is much room.
func (r *row) figureIn(w int) string {
	if w >= wideWords {
		return r.words()
	}
	return r.figure()
}

const (
	wideClock = 80  // columns from which the time has seconds
	wideWords = 150 // columns from which the standing is in words
)
