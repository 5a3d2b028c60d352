package profile

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/plain"
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

// textGroup returns the number of the group that holds the composer's text, -1 if there
// is none.
func textGroup(re *regexp.Regexp) int { return re.SubexpIndex("text") }

// dialogPatterns are those for answers to dialogs.
type dialogPatterns struct{ dialogAbove, textOption, buttons *regexp.Regexp }

// patterns are a profile's regular expressions, compiled. nil: the profile has none.
type patterns struct {
	dialog, busy, idle     *regexp.Regexp
	composer, empty, paste *regexp.Regexp
	footer                 *regexp.Regexp
	garbles, alters        *regexp.Regexp

	dialogPatterns
	resets, answer *regexp.Regexp

	blocked            map[string]*regexp.Regexp
	causes             []string // of blocked, in their order
	questions, dialogs map[string]*regexp.Regexp
	titles             []title
	session            *regexp.Regexp
	transcript         *regexp.Regexp

	needs map[*regexp.Regexp][]string // see needed
}

// questionEnd ends the pattern of a question: signs may follow up to the cursor.
const questionEnd = `)[ :?.>)…]*\z`

// title is the signal of a terminal's title that matches the pattern.
type title struct {
	re     *regexp.Regexp
	signal Signal
}

// checker checks a profile that was read, and compiles its patterns.
type checker struct{ p *Profile }

// pattern compiles the pattern under a key.
func (c checker) pattern(key, text string) (*regexp.Regexp, error) {
	re, err := regexp.Compile("(?m)" + text)
	if err != nil {
		return nil, parley.Errorf(parley.InvalidArgument, "profile %s: %s: %w", c.p.Name, key, err).With("key", key).
			Suggest("Correct the regular expression; RE2 has no look-around and no back-references.")
	}
	return re, nil
}

// invalid returns the error for a key's value.
func (c checker) invalid(key, value string) *parley.Error { return invalid(c.p.Name, key, value) }

func invalid(profile, key, value string) *parley.Error {
	return parley.Errorf(parley.InvalidArgument, "profile %s: %s is %q", profile, key, plain.CleanLine(value)).
		With("key", key)
}

// versionForm matches a dotted number. The programs print names, brackets and commits
// around it.
var versionForm = regexp.MustCompile(`[0-9]+(?:\.[0-9]+)+`)
