package profile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Composer returns the text in the composer with wrapped rows joined, "" if it is empty.
// It is not ok if the composer is not on the screen.
func (p *Profile) Composer(s Screen) (text string, ok bool) {
	pg := p.open(s.Lines)
	return pg.composed(&s)
}

func (pg *page) composed(s *Screen) (text string, ok bool) {
	p := pg.profile
	switch {
	case p.patterns.composer == nil:
		return s.textBeforeCursor()
	case !pg.found:
		return "", false
	}

	screen, c := pg.text, pg.composer
	row, column := strings.Count(screen[:c.start], "\n"), columnAt(screen, c.start)
	rows := strings.Split(strings.TrimRight(screen[c.start:c.end], "\n"), "\n")
	if p.Markers.Cursor && (s.CursorY < row || s.CursorY >= row+len(rows)) {
		return "", false
	}

	width := s.Width
	if c.right > 0 {
		width = min(c.right, width)
		rows = truncateRows(rows, column, width)
	}

	rows = s.withoutHint(rows, row, column)
	text = joinRows(rows, column, width)
	atStart := s.CursorY == row && s.CursorX == column
	if s.CursorHidden {
		text, atStart = withoutCaret(text, atStart)
	}
	if isHint(p.patterns.empty, text, atStart, s.CursorHidden) {
		return "", true
	}

	return text, true
}

// carets are the characters that programs draw as a cursor, where they hide the terminal's.
const carets = "█▉▊▋▌▍▎▏"

// withoutCaret takes a cursor that is drawn as a character off the end of a text. It reports whether one stands at its
// beginning, or the terminal's does.
func withoutCaret(text string, atStart bool) (string, bool) {
	bare := strings.TrimLeft(text, carets)
	return strings.TrimRight(bare, carets), atStart || len(bare) < len(text)
}

// isHint reports whether a text is the hint in an empty composer, given its pattern: the cursor stands before it, or
// where that stands is not known and there is nothing else.
func isHint(empty *regexp.Regexp, text string, atStart, hidden bool) bool {
	if empty == nil {
		return false
	}
	at := empty.FindStringIndex(text)
	return at != nil && (atStart || hidden && at[1] == len(text))
}

// composer is the place of the composer on a screen.
type composer struct {
	start, end int  // bytes of the screen that hold its text
	right      int  // column right of its frame; 0 if it has none
	cut        bool // more of the text may stand above the shown part
	tall       bool // nothing stands below it
}

// findComposer returns the lowest composer on a screen, given its pattern.
func findComposer(re *regexp.Regexp, screen string) (composer, bool) {
	matches := re.FindAllStringSubmatchIndex(screen, -1)
	if len(matches) == 0 {
		return composer{}, false
	}

	last := matches[len(matches)-1]
	group := func(name string) (at []int, ok bool) {
		i := 2 * re.SubexpIndex(name)
		if i < 0 || last[i] < 0 {
			return nil, false
		}
		return last[i : i+2], true
	}

	_, cut := group("cut")
	text, tall := group("tall")
	if !tall {
		text, _ = group("text")
	}
	c := composer{start: text[0], end: text[1], cut: cut || tall, tall: tall}
	if frame, ok := group("frame"); ok {
		c.right = columnAt(screen, frame[1])
	}

	return c, true
}

// Collapsed reports whether the composer shows a placeholder for a long paste, which a narrow one wraps.
func (p *Profile) Collapsed(composer string) bool {
	return p.patterns.paste != nil && p.patterns.paste.MatchString(unwrapped(composer))
}

func unwrapped(text string) string { return strings.Join(strings.Fields(text), " ") }

// Holds reports whether part stands in a composer's text. White space does not count:
// programs that wrap text themselves break lines and indent as they like.
func Holds(composer, part string) bool {
	if composer == "" {
		return false
	}
	if part != "" && strings.Contains(composer, part) {
		return true // without the work of taking the space out
	}
	part = withoutSpace(part)
	return part != "" && strings.Contains(withoutSpace(composer), part)
}

func withoutSpace(s string) string { return strings.Join(strings.Fields(s), "") }

// CollapsedOnly reports whether the composer holds the placeholder for one long paste
// and nothing else.
func (p *Profile) CollapsedOnly(composer string) bool {
	if p.patterns.paste == nil {
		return false
	}

	composer = unwrapped(composer)
	at := p.patterns.paste.FindStringIndex(composer)
	if at == nil {
		return false
	}

	rest := composer[at[1]:]
	if !strings.HasSuffix(composer[:at[1]], "]") { // the marker matches only the beginning
		_, rest, _ = strings.Cut(rest, "]")
	}

	rest = composer[:at[0]] + rest
	return lettersAndDigits(rest) == "" && !strings.ContainsFunc(rest, isOtherLetter)
}

// numbers matches the numbers in a placeholder. One after '#' counts the pastes, not
// their length.
var numbers = regexp.MustCompile(`#?\d+`)

// Measures reports whether a placeholder for a paste gives the length of text, in
// characters, bytes, lines or line breaks.
func Measures(placeholder, text string) bool {
	breaks := strings.Count(text, "\n")
	lengths := []int{breaks, breaks + 1, utf8.RuneCountInString(text), len(text)}
	return slices.ContainsFunc(numbers.FindAllString(placeholder, -1), func(number string) bool {
		n, err := strconv.Atoi(number)
		return err == nil && slices.Contains(lengths, n)
	})
}
