package profile

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"parley/plain"
)

// Place is where a text that is typed would stand, in a program without markers. The zero place is an empty row.
type Place struct {
	Words string // that stand before it, in one line; "" if none do
	Above string // the row above that asks for it; "" if none does
	New   bool   // nothing shows that messages belong there: it may be a question
	Lost  bool   // the cursor does not show it: nobody can say what belongs there
}

// PlaceOf returns the place at the cursor.
//
// Messages belong behind a bare sign, such as > or $, and in an empty row. A list of questions can never be
// complete, so everything else is new: words before the cursor; a question, a list or an order above it; and a cursor
// that is hidden, as most forms and menus have it. What stood there before says nothing: a program that has taken a
// message behind a sign can ask something behind the same one.
func PlaceOf(s Screen, p *Profile) Place {
	if s.CursorHidden || s.CursorY < 0 || s.CursorY >= len(s.Lines) {
		return Place{New: true, Lost: true, Above: "it hides its cursor"}
	}

	words, rows := s.wordsBefore(), s.withoutTyped(s.Lines[:s.CursorY])
	above, framed := lastRow(rows), strings.ContainsAny(ansi.TruncateWc(s.Lines[s.CursorY], s.CursorX, ""), "│┃")
	at := Place{Words: words}
	asks := asksAbove.MatchString(above) || ask(p.patterns.questions, above) != Question{} ||
		framed && field.MatchString(above) || words != "" && !s.FullScreen && endsInList(rows)

	bare := words == "" || sign.MatchString(words)
	if asks && bare {
		at.Above = plain.Truncate(plain.CleanLine(withoutFrame(above)), questionLength)
	}
	at.New = !bare || asks || ofShell.MatchString(words) || forSecret.MatchString(words)
	return at
}

// wordsBefore returns what stands before the cursor in its line, without what parley has typed there.
func (s *Screen) wordsBefore() string {
	rows := trimRows(s.Lines[:s.CursorY+1])
	rows[s.CursorY] = ansi.TruncateWc(rows[s.CursorY], max(0, s.CursorX), "")
	if strings.TrimSpace(rows[s.CursorY]) == "" {
		return ""
	}
	rows = s.withoutTyped(rows)
	return plain.CleanLine(withoutFrame(rows[len(rows)-1]))
}

// ID tells the place from others of its program. Numbers do not count: prompts have some that rise.
func (p Place) ID() string {
	id := plain.Truncate(p.Words, questionLength)
	if p.Above != "" {
		id = strings.TrimSpace(p.Above + "\n" + id)
	}
	return digits.ReplaceAllString(id, "0")
}

var (
	// sign matches a prompt that asks nothing: a sign, perhaps with one word before it; that of a debugger, or of
	// IPython.
	sign = regexp.MustCompile(`^(?:[^\s?]{0,40}[>$%#❯›»➜→λ⟩*]|\.{2,3}|\([\w.-]{1,20}\)|In \[\d+\]:)$`)
	// ofShell matches the sign of a shell: behind a path, a machine, or a name with $, # or %.
	ofShell = regexp.MustCompile(`[@~/].*[>$%#❯➜]$|[\w\])][$%#]$`)
	// forSecret matches a sign with a word that asks.
	forSecret = regexp.MustCompile(`(?i)^\W*(?:pass\w*|pin|otp|token|secret|confirm|y(?:es)?/no?)\W*$`)
	// asksAbove matches a row that may ask for what is typed in the next one: a question, an order, a choice of keys.
	asksAbove = regexp.MustCompile(`(?i)[?:：？][ )\]]*$|^\W*(?:please )?(?:type|paste|enter|press|choose|select|pick|` +
		`give|provide|confirm|hit)\b|\bto be \w+ed\b|(?:\b\w ?= ?\w+\W+){2}|\b\w ?= ?\w+\W+\w ?= ?\w+$`)
	// field matches the title of a field whose text stands in a frame below.
	field = regexp.MustCompile(`^ *[◆◇?✔] `)
	// item matches a row of a list of numbers or letters.
	item   = regexp.MustCompile(`^\W{0,4}(?:\d{1,2}|[a-zA-Z])[.):\]]\s*\S`)
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

// PlaceMenu is what the operator can do about what only they can say: answer it, or say that messages belong there.
func PlaceMenu(s Screen, words string) Menu {
	m := s.lineMenu(Question{Words: words})
	m.Options = []Option{{Label: "messages", Detail: "messages belong there; parley remembers it", Settles: true}}
	return m
}
