package profile

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"parley/plain"
	"parley/program/typed"
)

// Question is what a screen asks: a text that is typed then, or the key after it, would
// answer it. The zero value asks nothing.
type Question struct {
	For   Asked
	Words string // the question as it stands there
}

// Asked is what a question asks for: a code, as the markers of a profile name it, which also reads well.
type Asked string

// What the profile generic knows. A secret may not be shown.
const (
	Secret        Asked = "a secret"
	AKey          Asked = "a key"
	AYesOrNo      Asked = "a yes or no"
	Letters       Asked = "a choice of letters"
	Buttons       Asked = "buttons"
	AList         Asked = "a list"
	AConfirmation Asked = "a confirmation"
)

// Asks returns what a screen asks of which no markers know anything.
//
// A question is what the program has written before the cursor. Dialogs stand at the bottom
// of the screen; above a prompt at which the cursor waits is earlier output. Messages of
// parley's do not count, whatever they say.
func (p *Profile) Asks(s Screen) Question {
	if q := ask(p.patterns.questions, s.beforeCursor()); q != (Question{}) || s.atPrompt() {
		return q
	}
	return ask(p.patterns.dialogs, bottom(s.withoutTyped(s.Lines)))
}

// bottom returns the last rows of a screen. Unlike lastLines it keeps the empty ones between
// them, which set a list apart from what stands below a composer.
func bottom(rows []string) string {
	end := len(rows)
	for end > 0 && strings.TrimSpace(rows[end-1]) == "" {
		end--
	}
	return strings.Join(rows[max(0, end-bottomRows):end], "\n") + "\n"
}

// bottomRows is how many rows the dialogs that were seen need at most, with their choices.
const bottomRows = 30

// ask returns what the first pattern that matches asks for, in alphabetical order.
func ask(patterns map[string]*regexp.Regexp, text string) Question {
	for _, what := range slices.Sorted(maps.Keys(patterns)) {
		if match := patterns[what].FindStringIndex(text); match != nil {
			return Question{For: Asked(what), Words: rowAt(text, match[0])}
		}
	}
	return Question{}
}

// rowAt returns the row of a text in which a byte stands, or the first after it that says
// something, as words for people.
func rowAt(text string, at int) string {
	for row := range strings.Lines(text[strings.LastIndexByte(text[:at], '\n')+1:]) {
		if row = plain.CleanLine(strings.Trim(row, frameSigns)); row != "" {
			return plain.Truncate(row, questionLength)
		}
	}
	return ""
}

// frameSigns are what stands around the words of a dialog.
const frameSigns = " │┃|─━═╌\n"

// questionLength is how much of a question is repeated in words for people.
const questionLength = 80

// beforeCursor returns the last rows up to the cursor, without a line feed at their end. It
// is "" if nothing stands before the cursor in its row.
func (s *Screen) beforeCursor() string {
	if s.CursorY < 0 || s.CursorY >= len(s.Lines) {
		return ""
	}

	rows := trimRows(s.Lines[:s.CursorY+1])
	here := ansi.TruncateWc(rows[s.CursorY], max(0, s.CursorX), "")
	if strings.TrimSpace(here) == "" {
		return ""
	}

	rows[s.CursorY] = here
	return strings.TrimRight(lastLines(s.withoutTyped(rows)), " \n")
}

// atPrompt reports whether the cursor waits behind a text in the last row, as it does at the
// prompt of a program that reads lines.
func (s *Screen) atPrompt() bool {
	if s.CursorHidden || s.FullScreen || s.CursorY < 0 || s.CursorY >= len(s.Lines) {
		return false
	}
	below := strings.Join(trimRows(s.Lines[s.CursorY+1:]), "")
	here := ansi.TruncateWc(s.Lines[s.CursorY], max(0, s.CursorX), "")
	return below == "" && strings.TrimSpace(here) != ""
}

// withoutTyped returns the lines of rows, of which some are wrapped, without what parley has
// typed. Rows that end in a frame are not wrapped.
func (s *Screen) withoutTyped(rows []string) []string {
	var text strings.Builder
	for i, row := range trimRows(rows) {
		text.WriteString(row)
		last, _ := utf8.DecodeLastRuneInString(row)
		wraps := s.Width > 0 && ansi.StringWidthWc(row) >= s.Width && (last < '\u2500' || last > '\u259f')
		if i+1 < len(rows) && !wraps {
			text.WriteByte('\n')
		}
	}
	return strings.Split(typed.Cut(text.String()), "\n")
}
