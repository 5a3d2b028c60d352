package courier

import (
	"cmp"
	"strings"

	"parley/plain"
)

// misplaced holds when a program without markers has come to ask something where the text was typed: the key would
// answer that.
func (a *attempt) misplaced(o *observation) hold {
	if o.profile.HasMarkers() {
		return hold{}
	}
	s := o.place()
	if !a.memory.leaves(&s, &a.text.letter) {
		return hold{}
	}
	return s.hold()
}

// leaves reports whether a place where messages may not belong is another one than that of the last look, with the
// text of a letter at most behind it.
func (m *memory) leaves(s *spot, l *letter) bool {
	same := s.at.ID() == m.place.ID()
	return s.isNew && !same && !m.isPart(cmp.Or(s.at.Words, s.at.Above), l)
}

// isPart reports whether words are a part of the text, perhaps behind what stood at the place before: the last row of
// a text that is wrapped, or one that imitates a footer.
func (m *memory) isPart(words string, l *letter) bool {
	words = strings.TrimSpace(strings.TrimPrefix(words, m.place.Words))
	return words != "" && strings.Contains(plain.CleanLine(l.text), words)
}
