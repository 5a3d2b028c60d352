package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"parley/plain"
)

// Menu is an open dialog with the options as the screen shows them.
type Menu struct {
	Question string
	Lines    []string // what the dialog shows, without its frame
	Options  []Option
	Way      Way
	Text     bool   // it takes a line of text, as well as its options
	Secret   bool   // and that is not to be shown
	Hints    string // what it says of its keys, below its options

	Top, End int // its rows on the screen, Top to End-1; hints below the options are left out
}

// Option is one answer that a dialog offers.
type Option struct {
	Label   string
	Detail  string // more about it, in one line
	Number  int    // before its label on the screen; 0: none
	Key     string // that chooses it at once; "": none
	Marked  bool   // Enter would choose it
	Check   bool   // it can be ticked beside others
	Checked bool
	Text    bool  // it takes a text that is typed there
	Field   Field // for the text, where the option itself has to be chosen first

	Settles bool // to choose it presses no key: it says that messages belong there
}

// Field is the state of the field of an option that takes a text.
type Field int

// The states. A field opens below its option, with the cursor in it.
const (
	FieldClosed Field = iota
	FieldEmpty        // it shows its hint
	FieldFilled
)

// Way is how a dialog's options are chosen.
type Way int

// The ways. A mark is moved with the arrow keys, and Enter chooses the marked option. Some
// programs show no mark and choose by the option's digit. Others read a line.
const (
	NoWay Way = iota
	ByMark
	ByButton // a mark in a row of options
	ByDigit
	ByKey // the option's own key
	ByLine
	ByEnter
)

// Menu returns the dialog that a screen shows. It is not ok if it shows none. A dialog whose
// options are not recognized has none.
func (p *Profile) Menu(s Screen) (Menu, bool) {
	r := p.Read(s)
	if r.Shows == Dialog {
		return menuReader{p}.menu(&s), true
	}
	if r.Asks == (Question{}) {
		return Menu{}, false
	}
	m := menuReader{p}.menu(&s)
	if m.Way == NoWay {
		m = s.lineMenu(r.Asks)
	}

	return m, true
}

// ticks are what changes above the options while they are chosen: tabs show what has an answer.
var ticks = strings.NewReplacer("☒", "", "☐", "", "✔", "", "✓", "", "□", "", "■", "", "▸", "", " ", "")

// ID identifies a dialog by what it asks and offers. It does not depend on which option is
// marked or ticked, nor on a text that is being typed.
func (m *Menu) ID() string {
	h := sha256.New()
	for _, line := range m.Lines {
		fmt.Fprintln(h, ticks.Replace(line))
	}
	for _, o := range m.Options {
		if o.Text {
			o.Label, o.Detail = "", ""
		}
		fmt.Fprintf(h, "%q %q\n", o.Label, o.Detail)
	}
	return hex.EncodeToString(h.Sum(nil)[:4])
}

// Marked returns the index of the option that Enter would choose, -1 if the screen does not
// show which.
func (m *Menu) Marked() int {
	return slices.IndexFunc(m.Options, func(o Option) bool { return o.Marked })
}

// menuReader reads the options of a dialog as a profile describes them.
type menuReader struct{ profile *Profile }

// menu finds the options on a screen, and the rows of the dialog around them.
func (p menuReader) menu(s *Screen) Menu {
	rows := make([]menuRow, len(s.Lines))
	for i, line := range s.Lines {
		rows[i] = newMenuRow(line)
	}

	own := slices.Clone(rows)
	if known := p.dialogRow(s.Lines); known >= 0 {
		clear(own[:p.top(s, rows, known)]) // what stands above the dialog is no part of it
	}

	at, way := options(own)
	if m, ok := p.buttons(s, own); ok && (way == NoWay || m.End > at[len(at)-1]) {
		return m
	}
	if way == ByDigit && !p.profile.Markers.Digits {
		way = NoWay
	}
	if way == NoWay {
		end := len(rows)
		for end > 0 && rows[end-1].empty() {
			end--
		}
		return p.around(s, rows, Menu{}, end, end)
	}

	m := Menu{Way: way}
	for i, row := range at {
		next := len(rows)
		if i+1 < len(at) {
			next = at[i+1]
		}
		o := p.option(rows, row, next)
		if o.Text && s.CursorY > row && s.CursorY < next {
			o.Field = p.field(&o)
		}
		m.Options = append(m.Options, o)
	}

	end := at[len(at)-1] + 1
	for end < len(rows) && rows[end].continues(&rows[end-1]) && !rows[end].empty() {
		end++
	}

	return p.around(s, rows, m, at[0], end)
}

// dialogRow returns the lowest row in which what shows that there is a dialog begins, -1 if that is not known.
func (p menuReader) dialogRow(lines []string) int {
	if p.profile.patterns.dialog == nil {
		return -1
	}
	for i := range slices.Backward(lines) {
		at := p.profile.patterns.dialog.FindStringIndex(lastLines(lines[i:]))
		if at != nil && at[0] == 0 && strings.TrimSpace(lines[i]) != "" {
			return i
		}
	}
	return -1
}

// top returns the first row of the dialog that a row belongs to. A rule between options is not its edge.
func (p menuReader) top(s *Screen, rows []menuRow, from int) int {
	framed := from < len(rows) && rows[from].framed
	if from < len(rows) && rows[from].rule && !framed {
		return from + 1
	}

	top, number := from, 0
	for ; top > 0 && from-top < menuRows; top-- {
		if top < len(rows) && rows[top].number > 0 {
			number = rows[top].number
		}

		r := &rows[top-1]
		above := p.profile.patterns.dialogAbove != nil && p.profile.patterns.dialogAbove.MatchString(s.Lines[top-1])
		edge := r.rule && !r.framed || above && (number == 0 || r.number != number-1)
		if framed && !r.framed || edge && !goesOn(rows[:top-1], number) {
			break
		}
	}

	return top
}

// goesOn reports whether a list whose next number is this begins above, before the next rule.
func goesOn(above []menuRow, number int) bool {
	for _, r := range slices.Backward(above) {
		if r.rule {
			return false
		}
		if r.number > 0 {
			return number > 1 && r.number == number-1
		}
	}
	return false
}

func (p menuReader) option(rows []menuRow, at, next int) Option {
	r := rows[at]
	label, detail := r.text, ""
	if cut := wideGap.FindStringIndex(r.text); cut != nil {
		label, detail = r.text[:cut[0]], r.text[cut[1]:]
	}
	for i := at + 1; i < next && rows[i].continues(&r); i++ {
		detail = strings.TrimSpace(detail + " " + rows[i].text)
	}

	return Option{
		Label: plain.CleanLine(label), Detail: plain.CleanLine(detail), Number: r.number, Marked: r.mark != "",
		Check: r.check > noCheck, Checked: r.check == checked,
		Text: p.profile.patterns.textOption != nil && p.profile.patterns.textOption.MatchString(label),
	}
}

// field returns the state of the field that has the cursor, below an option.
func (p menuReader) field(o *Option) Field {
	switch {
	case o.Detail == "":
		return FieldClosed
	case p.profile.patterns.textOption.MatchString(o.Detail):
		return FieldEmpty
	}
	return FieldFilled
}

// around completes a dialog whose options begin and end at these rows with what stands above
// them.
func (p menuReader) around(s *Screen, rows []menuRow, m Menu, first, end int) Menu {
	framed := first < len(rows) && rows[first].framed
	top := p.top(s, rows, first)

	m.Top, m.End = top, end
	if framed && top > 0 {
		if title := titleForm.FindStringSubmatch(s.Lines[top-1]); title != nil {
			m.Top, m.Lines = top-1, []string{plain.CleanLine(title[1])}
		}
	}
	for i := top; i < first; i++ {
		text := plain.CleanLine(rows[i].whole())
		if strings.Trim(text, "╌"+scrollMarks) == "" && text != "" {
			continue
		}
		if text != "" || len(m.Lines) > 0 && m.Lines[len(m.Lines)-1] != "" {
			m.Lines = append(m.Lines, text)
		}
	}
	for len(m.Lines) > 0 && m.Lines[len(m.Lines)-1] == "" {
		m.Lines = m.Lines[:len(m.Lines)-1]
	}
	m.Question = question(m.Lines)
	m.Hints = hints(rows[end:])

	return m
}

// scrollMarks stand alone in a row, above and below a list of which only a part is shown.
const scrollMarks = "▲▼"

// hints returns the first words below the options, in one line.
func hints(below []menuRow) string {
	var words []string
	for i, r := range below {
		if i == 0 && !r.empty() && strings.Trim(r.text, scrollMarks) == "" {
			return "The list goes on: Up and Down show more. " + hints(below[1:])
		}
		if !r.empty() {
			words = append(words, r.whole())
		} else if words != nil {
			break
		}
	}
	return plain.Truncate(plain.CleanLine(strings.Join(words, " ")), hintLength)
}

// hintLength is how much of the words about keys is repeated.
const hintLength = 200

// spaceForm matches hints of which a tick is set by Space, as Enter goes on.
var spaceForm = regexp.MustCompile(`(?i)\bspace\b[^·|,]*\b(?:toggle|select|tick|check)`)

// TicksBySpace reports whether the dialog says that Space ticks an option.
func (m *Menu) TicksBySpace() bool { return spaceForm.MatchString(m.Hints) }

// titleForm matches the upper edge of a frame with words in it.
var titleForm = regexp.MustCompile(`^ *[╭┌╔][─━═]+ (\S.*?\S) [─━═]*[╮┐╗]?$`)

// menuRows is how many rows above its options a dialog has at most.
const menuRows = 40

// whole is the text of a row with its number.
func (r *menuRow) whole() string {
	if r.number > 0 {
		return fmt.Sprintf("%d. %s", r.number, r.text)
	}
	return strings.TrimSpace(r.mark + " " + r.text)
}

// fieldForm matches a line such as "Reason: May I?".
var fieldForm = regexp.MustCompile(`^\w+: `)

// asksForm matches a line that asks, with a remark such as "(select all that apply)".
var asksForm = regexp.MustCompile(`^[^●→←].*\?(?: \([^()]*\))?$`)

// question returns the last line that asks, or else the first with a word, but for one of tabs: Codex signs in below a
// picture.
func question(lines []string) string {
	for _, line := range slices.Backward(lines) {
		if asksForm.MatchString(line) && !fieldForm.MatchString(line) {
			return line
		}
	}
	for _, line := range lines {
		if strings.ContainsFunc(line, unicode.IsLetter) && !strings.HasPrefix(line, "←") {
			return line
		}
	}
	return ""
}

// letters matches the answers that a question of a line lists, such as [y/n].
var letters = regexp.MustCompile(`[\[(<]([\pL?]{1,11}(?:[/,][\pL?]{1,11})+)[\])>]`)

// lineMenu is the dialog of a program that reads a line.
func (s *Screen) lineMenu(q Question) Menu {
	m := Menu{Question: q.Words, Lines: []string{q.Words}, Way: ByLine, Text: true}
	m.Top, m.End = s.CursorY, s.CursorY+1

	switch q.For {
	case Secret:
		return Menu{Question: q.Words, Lines: m.Lines, Secret: true, Top: m.Top, End: m.End}
	case AKey:
		m.Way, m.Text, m.Options = ByEnter, false, []Option{{Label: "Enter"}}
	case AYesOrNo, Letters:
		words := []string{"y", "n"}
		if match := letters.FindStringSubmatch(q.Words); match != nil {
			words = strings.FieldsFunc(match[1], func(r rune) bool { return r == '/' || r == ',' })
		}
		for _, word := range words {
			m.Options = append(m.Options, Option{Label: word})
		}
	case Buttons, AList, AConfirmation:
		m.Way, m.Text = NoWay, false
	}

	return m
}
