package attempt

import (
	"cmp"
	"strings"

	"parley/orchestrator/letter"
	"parley/orchestrator/sight"
	"parley/plain"
)

// Misplaced holds when a program without markers has come to ask something where the text was typed: the key would
// answer that.
func (a *Attempt) Misplaced(o *sight.Observation) sight.Hold {
	if o.Profile.HasMarkers() {
		return sight.Hold{}
	}
	s := o.Place()
	if !a.Memory.Leaves(&s, &a.Text.Letter) {
		return sight.Hold{}
	}
	return s.Hold()
}

// Leaves reports whether a place where messages may not belong is another one than that of the last look, with the
// text of a letter at most behind it.
func (m *Memory) Leaves(s *sight.Spot, l *letter.Letter) bool {
	same := s.At.ID() == m.Place.ID()
	return s.IsNew && !same && !m.isPart(cmp.Or(s.At.Words, s.At.Above), l)
}

// isPart reports whether words are a part of the text, perhaps behind what stood at the place before: the last row of
// a text that is wrapped, or one that imitates a footer.
func (m *Memory) isPart(words string, l *letter.Letter) bool {
	words = strings.TrimSpace(strings.TrimPrefix(words, m.Place.Words))
	return words != "" && strings.Contains(plain.CleanLine(l.Text), words)
}
