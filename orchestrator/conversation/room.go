package conversation

import (
	"encoding/json"
	"slices"
	"sort"
	"time"

	"parley"
)

// Post is one message in a thread.
type Post struct {
	ID    string
	From  string // the sender's id
	Human bool   // the sender is a person
	Text  string
	At    time.Time
	Asks  bool // it requires a response
}

// Room is the protocol's memory of one thread. The zero Room is a thread without posts.
// It remembers a bounded number of messages, never their texts. It can be stored as JSON,
// or restored by adding the thread's posts in their order. Not safe for concurrent use.
type Room struct {
	state roomState

	// The last Reading, for the moment at, and the last parsed post: many agents decide
	// about the same post. The interests are those of the agents that have decided, by id:
	// each decides about many posts.
	last      *Reading
	at        time.Time
	post      Post
	text      *parsedText
	interests map[string]*interests
}

type roomState struct {
	Recent    []postRecord `json:"recent,omitempty"` // of five minutes, oldest first
	Last      time.Time    `json:"last_message_time,omitzero"`
	Sequence  []string     `json:"speaker_sequence,omitempty"`
	InARow    int          `json:"consecutive_same_speaker,omitempty"`
	Signals   []string     `json:"conclusion_signals,omitempty"`
	Concluded bool         `json:"concluded,omitempty"`
	Control   control      `json:"control,omitzero"`
}

type postRecord struct {
	At           time.Time `json:"at"`
	From         string    `json:"from"`
	Human        bool      `json:"human,omitempty"`
	Asks         bool      `json:"asks,omitempty"`
	Acknowledges bool      `json:"consents,omitempty"`
}

// maxRecent bounds a thread's memory. In a thread with over 100 messages a minute, the
// last 500 messages stand for the last five minutes. All thresholds are far below.
const maxRecent = 500

// maxSignals bounds the signals kept; two are enough to conclude.
const maxSignals = 10

// Add records a post. Posts must be added in their order. others are the names of the
// participants without the sender: a concluded conversation goes on if a person writes,
// if one of these is mentioned or directly asked, or if the post requires a response.
func (r *Room) Add(p Post, others []string) {
	s, text := r.change(), r.parse(p)
	if p.At.Before(s.Last) {
		p.At = s.Last // a clock may be set back; the order counts
	}

	if r.concludedAt(p.At) {
		s.Concluded = true
		if p.Human || text.callsAny(others) {
			s.Concluded, s.Signals = false, nil
		}
	}
	if p.Asks { // politeness before it does not mean that the response is not wanted
		s.Concluded, s.Signals = false, nil
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
	s.Recent = append(s.Recent, postRecord{p.At, p.From, p.Human, len(text.questions) > 0, text.acknowledges()})
	s.Recent = latest(youngerThan(s.Recent, p.At, fiveMinutes), maxRecent)
}

// parse returns a post's parsed text, and caches it.
func (r *Room) parse(p Post) *parsedText {
	if r.text == nil || r.post != p {
		r.post, r.text = p, parseText(p.Text)
	}
	return r.text
}

// interestsOf returns an agent's interests, and caches them.
func (r *Room) interestsOf(agent *parley.Agent) *interests {
	if known := r.interests[agent.ID]; known != nil && known.areOf(agent) {
		return known
	}
	if r.interests == nil {
		r.interests = map[string]*interests{}
	}
	taken := interestsOf(agent)
	r.interests[agent.ID] = taken
	return taken
}

// callsAny reports whether the text mentions or directly asks one of the names.
func (t *parsedText) callsAny(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return t.mentions(name) || t.asks(name) })
}

func youngerThan(messages []postRecord, now time.Time, window time.Duration) []postRecord {
	first := sort.Search(len(messages), func(i int) bool { return now.Sub(messages[i].At) < window })
	return messages[first:]
}

// latest returns the last n elements of list. The rest is freed when a later append has
// to move the list.
func latest[T any](list []T, n int) []T { return list[max(len(list)-n, 0):] }

// MarshalJSON writes the room's memory.
func (r Room) MarshalJSON() ([]byte, error) { return json.Marshal(r.state) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Room) UnmarshalJSON(b []byte) error {
	*r = Room{}
	return json.Unmarshal(b, &r.state)
}
