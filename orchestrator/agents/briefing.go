package agents

import (
	"slices"
	"strings"
	"unicode/utf8"

	"parley/plain"
)

// section is a part of a briefing: a head, and lines of which the last ones count most.
type section struct {
	head  string
	lines []string
}

// leftOut stands in place of the lines of a section for which there is no room.
const leftOut = "…"

// compose returns a briefing of at most limit characters: the introduction, and what there is room for of the sections
// that have lines. What a short one leaves goes to the long ones.
func compose(introduction string, sections []section, limit int) string {
	sections = slices.DeleteFunc(slices.Clone(sections), func(s section) bool { return len(s.lines) == 0 })
	rest := limit - utf8.RuneCountInString(introduction)

	bySize := make([]int, len(sections))
	for i := range sections {
		bySize[i] = i
	}
	slices.SortStableFunc(bySize, func(a, b int) int { return sections[a].size() - sections[b].size() })
	texts := make([]string, len(sections))
	for n, i := range bySize {
		texts[i] = sections[i].text(rest / (len(sections) - n))
		rest -= utf8.RuneCountInString(texts[i])
	}

	return plain.Truncate(introduction+strings.Join(texts, ""), limit)
}

// size returns how many characters the section has as a whole.
func (s section) size() int {
	n := 3 + utf8.RuneCountInString(s.head)
	for _, line := range s.lines {
		n += 3 + utf8.RuneCountInString(line)
	}
	return n
}

// text returns the section in at most room characters, "" if not even a word has room. Lines are cut, then left out
// from the first one on.
func (s section) text(room int) string {
	const shortest = 24 // of a line that still says something
	rest := room - 3 - utf8.RuneCountInString(s.head)
	var kept []string
	for i := len(s.lines) - 1; i >= 0; i-- {
		line := plain.Truncate(s.lines[i], max(shortest, rest-3))
		if n := 3 + utf8.RuneCountInString(line); n <= rest {
			kept, rest = append(kept, line), rest-n
			continue
		}
		if len(kept) > 0 && rest >= 4 {
			kept = append(kept, leftOut)
		}
		break
	}
	if len(kept) == 0 {
		return ""
	}
	slices.Reverse(kept)
	return "\n\n" + s.head + "\n- " + strings.Join(kept, "\n- ")
}
