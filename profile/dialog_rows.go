package profile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// menuRow is a row of the screen, as a dialog may use it.
type menuRow struct {
	text   string // without frame, mark and number
	column int    // where that begins
	number int
	mark   string
	framed bool
	rule   bool // only a line
}

// rightEdge is what stands to the right of a text: a frame, or the bar of a list that scrolls.
const rightEdge = " │┃|█"

// sidebar is the space between a dialog and what stands at the right edge of a wide screen.
var sidebar = strings.Repeat(" ", 20)

var (
	markForm   = regexp.MustCompile(`^([❯›>●▸▶→◆]|\(\*\)) *`)
	numberForm = regexp.MustCompile(`^(\d{1,3})[.)] +(\S.*)`)
	buttonForm = regexp.MustCompile(`^(\d{1,3}) +\(([●○])\) +(\S.*)`) // a radio button with a number
	ruleForm   = regexp.MustCompile(`^[ ╭╮╰╯┌┐└┘╔╗╚╝─━═▔▁▄▀]+$`)
	leftFrame  = regexp.MustCompile(`^(?:[│┃|] *)*`)
	wideGap    = regexp.MustCompile(` {2,}`)
)

// listMarks are the marks that lists without numbers have: the others begin other rows too.
const listMarks = "❯›▸▶◆"

func newMenuRow(raw string) menuRow {
	text := strings.TrimRightFunc(raw, isBlank)
	inner := strings.TrimLeft(text, " ")
	frame := leftFrame.FindString(inner)
	r := menuRow{rule: inner != "" && ruleForm.MatchString(strings.Trim(inner, "│┃| ")), framed: frame != ""}
	if r.rule {
		return r
	}

	inner = strings.TrimRight(inner[len(frame):], rightEdge)
	switch {
	case strings.Contains(frame, sidebar):
		inner = ""
	case r.framed:
		inner, _, _ = strings.Cut(inner, sidebar)
	}
	r.text = strings.TrimLeft(inner, " ")
	if mark := markForm.FindString(r.text); mark != "" && mark != r.text {
		r.mark, r.text = strings.TrimSpace(mark), r.text[len(mark):]
	}
	if match := numberForm.FindStringSubmatch(r.text); match != nil {
		r.number, _ = strconv.Atoi(match[1])
		r.text = match[2]
	} else if match := buttonForm.FindStringSubmatch(r.text); match != nil {
		r.number, _ = strconv.Atoi(match[1])
		r.text = match[3]
		if match[2] == "●" {
			r.mark = match[2]
		}
	}
	if at := strings.LastIndex(text, r.text); at >= 0 {
		r.column = ansi.StringWidthWc(text[:at])
	}

	return r
}

func (r *menuRow) empty() bool { return r.rule || r.text == "" }

// continues reports whether a row belongs to the option above it.
func (r *menuRow) continues(option *menuRow) bool {
	return !r.empty() && r.mark == "" && r.number == 0 && r.column >= option.column
}

// options returns the rows of the last list of options: of those that show which one is
// marked, or else of those with numbers. What shows the dialog begins at a row; a list far
// above that is none of its, such as a prompt of several rows that begins with a mark.
func options(rows []menuRow, dialog int) ([]int, Way) {
	var unmarked, marked []int
	for _, run := range slices.Concat(numbered(rows), listed(rows)) {
		if farAbove(rows, run[len(run)-1], dialog) {
			continue
		}
		hasMark := slices.ContainsFunc(run, func(i int) bool { return rows[i].mark != "" })
		switch {
		case hasMark && (marked == nil || run[0] > marked[0]):
			marked = run
		case !hasMark && (unmarked == nil || run[0] > unmarked[0]):
			unmarked = run
		}
	}

	switch {
	case marked != nil:
		return marked, ByMark
	case unmarked != nil:
		return unmarked, ByDigit
	}

	return nil, NoWay
}

// hintRows is how many rows of words may stand between the last option and what shows that there is a dialog.
const hintRows = 3

// farAbove reports whether more words than a dialog's hints stand between a list that ends in a row and what shows the
// dialog. What goes on in the last option's rows does not count.
func farAbove(rows []menuRow, last, dialog int) bool {
	below, words := last+1, 0
	for below < dialog && rows[below].continues(&rows[last]) {
		below++
	}
	for i := below; i < dialog; i++ {
		if !rows[i].empty() {
			words++
		}
	}
	return words > hintRows
}

// numbered returns the lists of rows whose numbers count up by one.
func numbered(rows []menuRow) (lists [][]int) {
	var run []int
	end := func() {
		if len(run) > 1 {
			lists = append(lists, run)
		}
		run = nil
	}

	for i, row := range rows {
		switch {
		case row.number == 0:
			continue
		case len(run) > 0 && row.number != rows[run[len(run)-1]].number+1:
			end()
		}
		run = append(run, i)
	}
	end()

	return lists
}

// listed returns the lists without numbers around each mark: rows that begin where the
// marked one's text does.
func listed(rows []menuRow) (lists [][]int) {
	for i := range rows {
		r := &rows[i]
		if r.mark == "" || !strings.Contains(listMarks, r.mark) || r.number > 0 {
			continue
		}

		run := []int{i}
		for up := i - 1; up >= 0 && rows[up].alternative(&rows[i]); up-- {
			run = append([]int{up}, run...)
		}
		for down := i + 1; down < len(rows) && rows[down].alternative(&rows[i]); down++ {
			run = append(run, down)
		}
		alone := standsAlone(rows, run[0]-1) && standsAlone(rows, run[len(run)-1]+1)
		if len(run) > 1 && (alone || !r.framed) { // in frames, other rows may be descriptions
			lists = append(lists, run)
		}
	}

	return lists
}

// standsAlone reports whether the row beside a list is empty, or none.
func standsAlone(rows []menuRow, beside int) bool {
	return beside < 0 || beside >= len(rows) || rows[beside].empty()
}

// alternative reports whether a row is another option of a marked one's list.
func (r *menuRow) alternative(marked *menuRow) bool {
	return !r.empty() && r.mark == "" && r.number == 0 && r.column == marked.column
}
