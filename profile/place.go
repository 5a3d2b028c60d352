package profile

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"parley"
)

// Place is where a text that is typed would stand, in a program without markers.
type Place struct {
	Words string // that stand before it, in one line; "" if none do
	Above string // the last row above, if nothing else tells what the place is for
	New   bool   // nothing shows that messages belong there: it may be a question
}

// PlaceOf returns the place at the cursor. It is not ok if the cursor does not show it.
//
// Messages belong behind a bare sign, such as > or $, and in an empty row. A list of questions can never be
// complete, so everything else is new: words before the cursor, a list of numbers above the sign, and a row above an
// empty one that ends as questions do.
func PlaceOf(s Screen) (Place, bool) {
	if s.CursorHidden || s.CursorY < 0 || s.CursorY >= len(s.Lines) {
		return Place{}, false
	}

	words, rows := s.wordsBefore(), s.withoutTyped(s.Lines[:s.CursorY])
	above, framed := lastRow(rows), strings.ContainsAny(ansi.TruncateWc(s.Lines[s.CursorY], s.CursorX, ""), "│┃")
	p := Place{Words: words}

	switch {
	case words == "" && (asksAbove.MatchString(above) || framed && field.MatchString(above)):
		p.New, p.Above = true, parley.Truncate(parley.CleanLine(withoutFrame(above)), questionLength)
	case words != "":
		p.New = !sign.MatchString(words) || !s.FullScreen && endsInList(rows)
	}

	return p, true
}

// wordsBefore returns what stands before the cursor in its line, without what parley has typed there.
func (s *Screen) wordsBefore() string {
	rows := trimRows(s.Lines[:s.CursorY+1])
	rows[s.CursorY] = ansi.TruncateWc(rows[s.CursorY], max(0, s.CursorX), "")
	if strings.TrimSpace(rows[s.CursorY]) == "" {
		return ""
	}
	rows = s.withoutTyped(rows)
	return parley.CleanLine(withoutFrame(rows[len(rows)-1]))
}

// ID tells the place from others of its program. Numbers do not count: prompts have some that rise.
func (p Place) ID() string {
	return digits.ReplaceAllString(parley.Truncate(p.Words, questionLength), "0")
}

var (
	// sign matches a prompt that asks nothing: a sign, perhaps with one word before it; that of a debugger, or of
	// IPython.
	sign = regexp.MustCompile(`^(?:[^\s?]{0,40}[>$%#❯›»➜→λ⟩*]|\.{2,3}|\([\w.-]{1,20}\)|In \[\d+\]:)$`)
	// asksAbove matches a row that may ask for what is typed in the next one.
	asksAbove = regexp.MustCompile(`[?:：？][ )\]]*$`)
	// field matches the title of a field whose text stands in a frame below.
	field = regexp.MustCompile(`^ *[◆◇?✔] `)
	// item matches a row of a list of numbers.
	item   = regexp.MustCompile(`^\W{0,4}\d{1,2}[.):\]]\s*\S`)
	digits = regexp.MustCompile(`\d+`)
)

// withoutFrame returns a row without the lines that are drawn around it.
func withoutFrame(row string) string {
	return strings.TrimFunc(row, func(r rune) bool { return unicode.IsSpace(r) || r == '|' || r >= '─' && r <= '╿' })
}

// lastRow returns the last row, or the one above it if that is empty.
func lastRow(rows []string) string {
	for range 2 {
		if len(rows) == 0 {
			return ""
		}
		last := strings.TrimRightFunc(rows[len(rows)-1], unicode.IsSpace)
		if last != "" {
			return last
		}
		rows = rows[:len(rows)-1]
	}
	return ""
}

// endsInList reports whether the rows above a sign end in a list of numbers, with some words below it at most.
func endsInList(rows []string) bool {
	items, others := 0, 0
	for i := len(rows) - 1; i >= 0 && others <= 2; i-- {
		switch {
		case strings.TrimSpace(rows[i]) == "":
		case item.MatchString(rows[i]):
			items++
		case items > 0:
			return items > 1
		default:
			others++
		}
	}
	return items > 1
}

// PlaceMenu is what the operator can do about a new place: answer it, or say that messages belong there.
func PlaceMenu(s Screen, words string) Menu {
	m := s.lineMenu(Question{Words: words})
	m.Options = []Option{{Label: "messages", Detail: "messages belong there; parley remembers it", Settles: true}}
	return m
}
