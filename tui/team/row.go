package team

import (
	"fmt"
	"time"
	"unicode/utf8"

	"parley"
	"parley/tui/kit"
)

// Leg is the delivery of a row's message to one recipient.
type Leg struct {
	ID    string
	State parley.DeliveryState
	Code  parley.ReasonCode // of the reason why it is not further, or of what proves it
}

// Row is one message of the traffic.
type Row struct {
	ID       string
	Seq      int64 // of the event that announced it
	At       time.Time
	FromID   string
	From     string
	ToID     string // empty when it went to several
	To       string
	Kind     parley.MessageKind
	Typ      parley.MessageType
	Asks     bool // requires an answer
	Priority parley.Priority
	Answers  string // the id of the message that it answers, or that a notice is about
	Text     string
	Cut      bool // the text goes on, and has not been read
	Thread   string
	ThreadID string
	Count    int // recipients
	Legs     []Leg
	Sure     bool // legs are up to date
}

// NewRow returns the row of an announced message.
func NewRow(e parley.Event) *Row {
	r := &Row{
		ID: e.MessageID, Seq: e.Seq, At: e.Time, Sure: true,
		FromID: e.SenderID, From: kit.ShownName(e.Sender, e.SenderID),
		ToID: e.RecipientID, Count: max(1, e.RecipientCount),
		Kind: kindOf(e), Typ: e.MessageType, Asks: e.RequiresResponse, Priority: e.Priority,
		Answers: e.InReplyTo, Cut: cut(e),
		Text: kit.SafeLine(e.Excerpt()), Thread: kit.SafeLine(e.Thread), ThreadID: e.ThreadID,
	}

	if e.ThreadID != "" {
		r.ToID, r.To, r.Count = "", "#"+r.Thread, e.RecipientCount
		return r
	}

	if e.Type == parley.EventBroadcast || r.Count > 1 || e.Recipient+e.RecipientID == "" {
		r.ToID, r.To = "", kit.Plural(r.Count, "agent")
		return r
	}

	r.To = kit.ShownName(e.Recipient, e.RecipientID)

	return r
}

// kindOf returns the message's kind. An older daemon does not report it.
func kindOf(e parley.Event) parley.MessageKind {
	switch {
	case e.Kind != "":
		return parley.MessageKind(kit.SafeLine(string(e.Kind)))
	case e.ThreadID != "":
		return parley.KindThread
	case e.Type == parley.EventBroadcast:
		return parley.KindBroadcast
	}
	return parley.KindDirect
}

// Partner returns the agent that the operator means when the message is under the
// marker: its sender, or its recipient if the operator sent it, or parley did.
func (r *Row) Partner() (id, name string) {
	switch {
	case r.Notice() && (r.To == kit.You || r.ThreadID != ""):
		return "", ""
	case r.Notice(), r.From == kit.You:
		return r.ToID, r.To
	}
	return r.FromID, r.From
}

// Notice reports whether parley itself sent the message. It reads no answers.
func (r *Row) Notice() bool { return r.From == parley.SystemName }

// Moved records that a delivery reached a rung.
func (r *Row) Moved(recipient string, state parley.DeliveryState, code parley.ReasonCode) {
	for i := range r.Legs {
		if r.Legs[i].ID == recipient {
			r.Legs[i].State, r.Legs[i].Code = state, code
			return
		}
	}
	r.Legs = append(r.Legs, Leg{ID: recipient, State: state, Code: code})
}

// announced reports whether the only recipient was given no more than the beginning of the text.
func (r *Row) announced() bool { return len(r.Legs) == 1 && r.Legs[0].Code == parley.ProofAnnounced }

// Grave are the states that a person should see before all others, the worst
// first.
var Grave = []parley.DeliveryState{
	parley.DeliveryFailed, parley.DeliveryUnconfirmed, parley.DeliveryExpired, parley.DeliveryHeld,
}

// Standing sums up the legs: the state that matters most, and how many of how many
// recipients are in it. Delivered ones count as submitted unless all of them are
// read, or answered.
func (r *Row) Standing() (s parley.DeliveryState, n, of int) {
	in := map[parley.DeliveryState]int{}
	for _, l := range r.Legs {
		in[l.State]++
	}

	of = max(r.Count, len(r.Legs))
	in[parley.DeliveryQueued] += of - len(r.Legs)
	for _, s := range Grave {
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

	return r.Legs[0].State, in[r.Legs[0].State], of // a state of a newer daemon
}

// Words returns the standing in words: `submitted`, `2/3 submitted`, `1 held`.
func (r *Row) Words() string {
	s, n, of := r.Standing()
	switch {
	case of == 1 && r.announced():
		return "announced"
	case of == 1:
		return string(s)
	case s == parley.DeliveryTyping:
		return fmt.Sprintf("%d/%d submitted", n, of)
	case s.Delivered():
		return fmt.Sprintf("%d/%d %s", n, of, s)
	}
	return fmt.Sprintf("%d %s", n, s)
}

// Figure returns the standing where there is no room for words.
func (r *Row) Figure() string {
	s, n, of := r.Standing()
	switch {
	case of == 1 && r.announced():
		return "½"
	case of == 1:
		return kit.DeliveryGlyph(s)
	case s.Delivered(), s == parley.DeliveryTyping:
		return fmt.Sprintf("%s %d/%d", kit.DeliveryGlyph(s), n, of)
	}
	return fmt.Sprintf("%s %d", kit.DeliveryGlyph(s), n)
}

// Tag names what is out of the ordinary: priority, type, kind.
func (r *Row) Tag() string {
	words := ""
	switch r.Priority {
	case "", parley.PriorityNormal:
	case parley.PriorityUrgent:
		words = "!! urgent "
	case parley.PriorityHigh:
		words = "! high "
	default:
		words = "(" + kit.SafeLine(string(r.Priority)) + ") "
	}

	switch {
	case r.Kind == parley.KindSteering:
		words += "guidance "
	case r.Kind == parley.KindNotice:
		words += "notice "
	case r.Typ != "" && r.Typ != parley.TypeInformation:
		words += kit.SafeLine(string(r.Typ)) + " "
	}

	if r.Asks {
		words += "(answer due) "
	}

	return words
}

// RecipientOf returns whom an event of a delivery is about.
func RecipientOf(e parley.Event) string {
	for _, id := range []string{e.RecipientID, e.AgentID, e.Recipient} {
		if id != "" {
			return id
		}
	}
	return e.Agent
}

// FoldFrom is how many messages two agents exchange before they are folded: fewer are a question, an
// answer, and thanks.
const FoldFrom = 4

// cut reports whether an event may have left out the end of its text.
func cut(e parley.Event) bool { return utf8.RuneCountInString(e.Preview) == parley.PreviewLength }

// BetweenTwo reports whether one agent wrote to one other.
func (r *Row) BetweenTwo() bool { return r.ToID != "" && r.FromID != "" && r.ThreadID == "" }

// SamePair reports whether two messages are between the same two agents.
func (r *Row) SamePair(x *Row) bool {
	return r.ThreadID == "" &&
		(r.FromID == x.FromID && r.ToID == x.ToID || r.FromID == x.ToID && r.ToID == x.FromID)
}

// FigureIn returns the standing in a list of w columns: a glyph, or words where there is much room.
func (r *Row) FigureIn(w int) string {
	if w >= WideWords {
		return r.Words()
	}
	return r.Figure()
}

const (
	WideClock = 80  // columns from which the time has seconds
	WideWords = 150 // columns from which the standing is in words
)

// keptToSeveral is how many messages to several are remembered for their deliveries.
const keptToSeveral = 200

// LastWords are the last messages from an agent, to it, or in a thread, by its id.
type LastWords struct {
	of      map[string]said
	several map[string]said // the newest messages to several, by their ids
	ids     []string        // of those, the oldest first
}

// said is a message in words.
type said struct {
	words string
	seq   int64
}

// NewLastWords returns a memory of nothing.
func NewLastWords() LastWords {
	return LastWords{of: map[string]said{}, several: map[string]said{}}
}

// Get returns the last message of an agent or a thread in words.
func (l *LastWords) Get(id string) string { return l.of[id].words }

// Set remembers a message, unless a newer one is known.
func (l *LastWords) Set(id, words string, seq int64) {
	if id != "" && l.of[id].seq <= seq {
		l.of[id] = said{words, seq}
	}
}

// Hear takes an announced message.
func (l *LastWords) Hear(r *Row) {
	l.Set(r.ThreadID, WordsOf(r.From, r.Text), r.Seq)
	if r.Notice() {
		return // what it reminds of is counted, and what was said stays
	}
	l.Set(r.FromID, "→ "+r.To+": "+r.Text, r.Seq)

	came := "← " + r.From + ": " + r.Text
	if r.ToID != "" {
		l.Set(r.ToID, came, r.Seq)
		return
	}

	l.several[r.ID] = said{came, r.Seq}
	if l.ids = append(l.ids, r.ID); len(l.ids) > keptToSeveral {
		delete(l.several, l.ids[0])
		l.ids = l.ids[1:]
	}
}

// Deliver takes a step of a delivery: who gets a message to several is known from its deliveries alone.
func (l *LastWords) Deliver(e parley.Event) {
	if m, ok := l.several[e.MessageID]; ok && e.Type == parley.EventDelivery {
		l.Set(RecipientOf(e), m.words, m.seq)
	}
}
