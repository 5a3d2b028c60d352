package profile

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fits reports whether a text, with header and footer, may be typed in full.
func (p *Profile) Fits(text string) bool {
	return (!p.Recomposes || norm.NFC.IsNormalString(text)) && !p.patterns.garbled(text) &&
		within(p.InlineLines, strings.Count(text, "\n")+1) &&
		within(p.InlineChars, utf8.RuneCountInString(text)) && within(p.InlineBytes, len(text))
}

// garbled reports whether a text would garble the program's screen.
func (p *patterns) garbled(text string) bool {
	return p.garbles != nil && p.garbles.MatchString(text)
}

// Showable returns a line of text without the words that would garble the program's screen.
func (p *Profile) Showable(line string) string {
	if !p.patterns.garbled(line) {
		return line
	}
	return strings.Join(slices.DeleteFunc(strings.Fields(line), p.patterns.garbled), " ")
}

func within(limit, n int) bool { return limit == 0 || n <= limit }

// Instant reports whether the key follows the paste at once, without a look at the
// screen. Only tests and benchmarks have such a profile.
func (p *Profile) Instant() bool {
	return p.Settle == 0 && p.Quiet == 0 && p.Startup == 0 && !p.HasMarkers()
}
