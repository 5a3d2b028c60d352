package tui

import (
	"fmt"
	"strings"
	"time"

	"parley"
)

// leg is how far a row's message is with one recipient.
type leg struct {
	id    string
	state parley.DeliveryState
}

// row is one message of the traffic.
type row struct {
	id       string
	at       time.Time
	fromID   string
	from     string
	toID     string // empty when it went to several
	to       string
	priority parley.Priority
	text     string
	count    int // recipients
	legs     []leg
}

// you is what the screen calls the person in front of it.
const you = "you"

func shownName(name, id string) string {
	if name == parley.OperatorName {
		return you
	}
	if name == "" {
		name = parley.Short(id)
	}
	return safeLine(name)
}

func newRow(e parley.Event) *row {
	r := &row{id: e.MessageID, at: e.Time, fromID: e.SenderID, from: shownName(e.Sender, e.SenderID),
		toID: e.RecipientID, priority: e.Priority, text: safeLine(e.Preview), count: max(1, e.RecipientCount)}
	if e.ThreadID != "" {
		r.toID, r.to, r.count = "", "thread "+safeLine(e.Thread), e.RecipientCount
		return r
	}
	if e.Type == parley.EventBroadcast || r.count > 1 || e.Recipient+e.RecipientID == "" {
		r.toID, r.to = "", plural(r.count, "agent")
		return r
	}
	r.to = shownName(e.Recipient, e.RecipientID)
	return r
}

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

// grave are the states that a person should see before all others, worst first.
var grave = []parley.DeliveryState{parley.DeliveryFailed, parley.DeliveryUnconfirmed,
	parley.DeliveryExpired, parley.DeliveryHeld}

// standing sums up the legs: the state that matters most, how many of how many
// are in it. Delivered ones count as submitted unless all of them are read, or
// answered.
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
	return r.legs[0].state, in[r.legs[0].state], of // a word of a newer daemon
}

// words says the standing: `submitted`, `2/3 submitted`, `1 held`.
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

// figure is the standing where there is no room for words.
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

// tag is the priority, in words, when it is not the normal one.
func (r *row) tag() string {
	switch r.priority {
	case "", parley.PriorityNormal:
		return ""
	case parley.PriorityUrgent:
		return "!! urgent "
	case parley.PriorityHigh:
		return "! high "
	}
	return "(" + safeLine(string(r.priority)) + ") "
}

// has reports whether a person looking for text (lower case) means this row.
func (r *row) has(text string) bool {
	hay := strings.ToLower(r.from + " " + r.to + " " + r.words() + " " + r.tag() + r.id + " " + r.text)
	for word := range strings.FieldsSeq(text) {
		if !strings.Contains(hay, word) {
			return false
		}
	}
	return true
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
