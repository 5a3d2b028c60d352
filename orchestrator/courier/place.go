package courier

import (
	"cmp"
	"strings"

	"parley/orchestrator/letter"
	"parley/orchestrator/sight"
	"parley/plain"
)

// misplaced holds when a program without markers has come to ask something where the text was typed: the key would
// answer that.
func (a *attempt) misplaced(o *sight.Observation) sight.Hold {
	if o.Profile.HasMarkers() {
		return sight.Hold{}
	}
	s := o.Place()
	if !a.memory.leaves(&s, &a.text.letter) {
		return sight.Hold{}
	}
	return s.Hold()
}

// leaves reports whether a place where messages may not belong is another one than that of the last look, with the
// text of a letter at most behind it.
func (m *memory) leaves(s *sight.Spot, l *letter.Letter) bool {
	same := s.At.ID() == m.place.ID()
	return s.IsNew && !same && !m.isPart(cmp.Or(s.At.Words, s.At.Above), l)
}

// isPart reports whether words are a part of the text, perhaps behind what stood at the place before: the last row of
// a text that is wrapped, or one that imitates a footer.
func (m *memory) isPart(words string, l *letter.Letter) bool {
	words = strings.TrimSpace(strings.TrimPrefix(words, m.place.Words))
	return words != "" && strings.Contains(plain.CleanLine(l.Text), words)
}
