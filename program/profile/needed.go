package profile

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// A marker mostly does not match, and to find that out takes longer than to look for the words
// without which it cannot.

// shows reports whether a text matches a marker. nil matches nothing.
func (p *patterns) shows(marker *regexp.Regexp, text string) bool {
	if marker == nil {
		return false
	}
	needs := p.needs[marker]
	holds := func(word string) bool { return strings.Contains(text, word) }
	return (len(needs) == 0 || slices.ContainsFunc(needs, holds)) && marker.MatchString(text)
}

// needed returns the words of which a text must hold one to match an expression. There are none if
// that is not known.
func needed(re *regexp.Regexp) []string {
	parsed, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return nil
	}
	return neededBy(parsed)
}

func neededBy(re *syntax.Regexp) (words []string) {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			words = []string{string(re.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		words = neededBy(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			words = neededBy(re.Sub[0])
		}
	case syntax.OpConcat:
		for _, part := range re.Sub {
			if of := neededBy(part); shortest(of) > shortest(words) {
				words = of
			}
		}
	case syntax.OpAlternate:
		for _, way := range re.Sub {
			of := neededBy(way)
			if len(of) == 0 {
				return nil
			}
			words = append(words, of...)
		}
	}

	return words
}

// shortest returns the length of the shortest word, 0 if there are none.
func shortest(words []string) int {
	if len(words) == 0 {
		return 0
	}
	lengths := make([]int, len(words))
	for i, word := range words {
		lengths[i] = utf8.RuneCountInString(word)
	}
	return slices.Min(lengths)
}
