package team

import "parley"

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
