package tui

import "parley"

// keptToSeveral is how many messages to several are remembered for their deliveries.
const keptToSeveral = 200

// lastWords are the last messages from an agent, to it, or in a thread, by its id.
type lastWords struct {
	of      map[string]said
	several map[string]said // the newest messages to several, by their ids
	ids     []string        // of those, the oldest first
}

// said is a message in words.
type said struct {
	words string
	seq   int64
}

func newLastWords() lastWords {
	return lastWords{of: map[string]said{}, several: map[string]said{}}
}

func (l *lastWords) get(id string) string { return l.of[id].words }

// set remembers a message, unless a newer one is known.
func (l *lastWords) set(id, words string, seq int64) {
	if id != "" && l.of[id].seq <= seq {
		l.of[id] = said{words, seq}
	}
}

// hear takes an announced message.
func (l *lastWords) hear(r *row) {
	l.set(r.threadID, wordsOf(r.from, r.text), r.seq)
	l.set(r.fromID, "→ "+r.to+": "+r.text, r.seq)

	came := "← " + r.from + ": " + r.text
	if r.toID != "" {
		l.set(r.toID, came, r.seq)
		return
	}

	l.several[r.id] = said{came, r.seq}
	if l.ids = append(l.ids, r.id); len(l.ids) > keptToSeveral {
		delete(l.several, l.ids[0])
		l.ids = l.ids[1:]
	}
}

// deliver takes a step of a delivery: who gets a message to several is known from its deliveries alone.
func (l *lastWords) deliver(e parley.Event) {
	if m, ok := l.several[e.MessageID]; ok && e.Type == parley.EventDelivery {
		l.set(recipientOf(e), m.words, m.seq)
	}
}
