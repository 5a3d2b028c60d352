package conversation

import (
	"encoding/json"
	"slices"
	"sort"
	"time"
)

// Post is one message in a thread.
type Post struct {
	ID    string
	From  string // the sender's id
	Human bool   // the sender is a person
	Text  string
	At    time.Time
}

// Room is what the protocol remembers of one thread. The zero Room is a thread in
// which nobody has spoken. It remembers a bounded number of messages, never their
// texts, and can be kept as JSON, or made again by adding the thread's posts in their
// order. It is no good to several goroutines at once.
type Room struct {
	state roomState
	last  *Reading // what reading made for the moment at: a post is decided on for many at once
	at    time.Time

	post  Post // what hears made last
	heard *said
}

type roomState struct {
	Recent    []heard   `json:"recent,omitempty"` // of five minutes, oldest first
	Last      time.Time `json:"last_message_time,omitzero"`
	Sequence  []string  `json:"speaker_sequence,omitempty"`
	InARow    int       `json:"consecutive_same_speaker,omitempty"`
	Signals   []string  `json:"conclusion_signals,omitempty"`
	Concluded bool      `json:"concluded,omitempty"`
	Control   control   `json:"control,omitzero"`
}

// heard is what is remembered of a post.
type heard struct {
	At       time.Time `json:"at"`
	From     string    `json:"from"`
	Human    bool      `json:"human,omitempty"`
	Asks     bool      `json:"asks,omitempty"`
	Consents bool      `json:"consents,omitempty"`
}

// maxRecent bounds a thread's memory: of a thread faster than 100 messages a minute
// the last five minutes are its latest 500 messages. All that the counts are compared
// with is far below.
const maxRecent = 500

// maxSignals bounds the signals kept; two are enough to conclude.
const maxSignals = 10

// Add takes a post into account; posts come in their order. others are the names of
// those who take part, without the sender: a concluded conversation goes on when a
// person writes, or when one of them is mentioned or directly asked.
func (r *Room) Add(p Post, others []string) {
	s, text := r.change(), r.hears(p)
	if p.At.Before(s.Last) {
		p.At = s.Last // clocks may be set back; what was heard later is later
	}

	if r.concludedAt(p.At) {
		s.Concluded = true
		if p.Human || text.callsOneOf(others) {
			s.Concluded, s.Signals = false, nil
		}
	}

	if p.Human {
		s.Control.CooledUntil = time.Time{}
	}
	if len(s.Sequence) == 0 || s.Sequence[len(s.Sequence)-1] != p.From {
		s.InARow = 0
	}

	s.InARow++
	s.Sequence = latest(append(s.Sequence, p.From), keptSpeakers)
	s.Signals = latest(append(s.Signals, text.signals()...), maxSignals)
	s.Last = p.At
	s.Recent = append(s.Recent, heard{p.At, p.From, p.Human, len(text.asking) > 0, text.consents()})
	s.Recent = latest(within(s.Recent, p.At, fiveMinutes), maxRecent)
}

// hears takes a post's text apart, once for all who might answer it.
func (r *Room) hears(p Post) *said {
	if r.heard == nil || r.post != p {
		r.post, r.heard = p, hear(p.Text)
	}
	return r.heard
}

func (s *said) callsOneOf(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return s.mentions(name) || s.asks(name) })
}

// within returns those of messages that are younger than window at now.
func within(messages []heard, now time.Time, window time.Duration) []heard {
	first := sort.Search(len(messages), func(i int) bool { return now.Sub(messages[i].At) < window })
	return messages[first:]
}

// latest returns the last n of list. What is cut off is freed by the append that next
// finds no room behind it.
func latest[T any](list []T, n int) []T { return list[max(len(list)-n, 0):] }

// MarshalJSON writes what the room remembers.
func (r Room) MarshalJSON() ([]byte, error) { return json.Marshal(r.state) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Room) UnmarshalJSON(b []byte) error {
	*r = Room{}
	return json.Unmarshal(b, &r.state)
}
