package profile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley/plain"
)

// menuRow is a row of the screen, as a dialog may use it.
type menuRow struct {
	text   string // without frame, mark, number and check
	column int    // where that begins
	begin  int    // where its number begins
	start  int    // where what stands behind the number begins: a box, or the text
	number int
	mark   string
	check  check
	framed bool
	rule   bool // only a line
}

// check is the box before an option of which several can be chosen.
type check int

// The boxes. A list in which one is chosen has none, or only shows round ones.
const (
	noCheck check = iota
	unchecked
	checked
)

// rightEdge is what stands to the right of a text: a frame, or the bar of a list that scrolls.
const rightEdge = " │┃|█"

// sidebar is the space between a dialog and what stands at the right edge of a wide screen.
var sidebar = strings.Repeat(" ", 20)

var (
	markForm   = regexp.MustCompile(`^([❯›>●▸▶→◆]|\(\*\)) *`)
	numberForm = regexp.MustCompile(`^(\d{1,3})[.)] +(\S.*)`)
	buttonForm = regexp.MustCompile(`^(\d{1,3}) +\(([●○])\) +(\S.*)`) // a radio button with a number
	checkForm  = regexp.MustCompile(`^(?:\[([ xX✓✔*])\]|([◻◼☐☒☑□■▣⬜])) +`)
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
	r.cutCheck() // before its number, or behind it
	r.begin = columnOf(text, r.text)
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
	r.start = columnOf(text, r.text)
	r.cutCheck()
	r.column = columnOf(text, r.text)

	return r
}

// columnOf returns the column in which the last part of a row begins.
func columnOf(row, last string) int {
	at := max(0, strings.LastIndex(row, last))
	return ansi.StringWidthWc(row[:at])
}

// emptyChecks are the boxes without a tick.
const emptyChecks = " ◻☐□⬜"

// cutCheck cuts the box from the beginning of a row's text.
func (r *menuRow) cutCheck() {
	box := checkForm.FindStringSubmatch(r.text)
	if box == nil || box[0] == r.text {
		return
	}
	r.check, r.text = checked, r.text[len(box[0]):]
	if strings.Contains(emptyChecks, box[1]+box[2]) {
		r.check = unchecked
	}
}

func (r *menuRow) empty() bool { return r.rule || r.text == "" }

// continues reports whether a row belongs to the option above it.
func (r *menuRow) continues(option *menuRow) bool {
	return !r.empty() && r.mark == "" && r.number == 0 && r.check == noCheck && r.column >= option.column
}

// options returns the rows of a dialog's list of options, of which the frame has only its own: the lowest one that
// shows which option is marked, or else the lowest one with numbers.
func options(rows []menuRow) ([]int, Way) {
	var best []int
	way := NoWay
	for _, run := range slices.Concat(numbered(rows), listed(rows)) {
		w := ByDigit
		if slices.ContainsFunc(run, func(i int) bool { return rows[i].mark != "" }) {
			w = ByMark
		}
		switch {
		case way == ByMark && w == ByDigit, way == w && slices.Max(run) <= slices.Max(best):
			continue
		}
		best, way = run, w
	}
	return best, way
}

// numbered returns the lists of rows whose numbers count up by one, with the options between and below them that
// have no number, such as Next and Submit.
func numbered(rows []menuRow) (lists [][]int) {
	var run []int
	first, last := 0, 0 // numbers of the run
	deep := false       // what explains its options stands under their labels, not under their boxes
	end := func() {
		if last > first {
			lists = append(lists, run)
		}
		run, first, last, deep = nil, 0, 0, false
	}

	for i := range rows {
		row := &rows[i]
		switch {
		case row.number == 0 && (run == nil || rows[i-1].empty() || !row.besides(&rows[run[0]], deep)):
			deep = deep || run != nil && row.explains(&rows[run[0]])
			continue
		case row.number > 0 && (run == nil || row.number != last+1):
			end()
			first = row.number
		}
		run = append(run, i)
		if row.number > 0 {
			last = row.number
		}
	}
	end()

	return lists
}

// besides reports whether a row without a number is another option of a list with numbers: it is marked as they are,
// or stands under their boxes where no explanation does.
func (r *menuRow) besides(option *menuRow, deep bool) bool {
	switch {
	case r.empty():
		return false
	case r.mark != "":
		return r.start >= option.begin && r.start <= option.start
	}
	return deep && r.start == option.start
}

// explains reports whether a row stands under the label of an option that has a box.
func (r *menuRow) explains(option *menuRow) bool {
	return !r.empty() && option.start < option.column && r.column == option.column
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

// ownKeyForm matches an option of a row that is chosen by a key of its own, such as [y] Approve or [D]eny.
var ownKeyForm = regexp.MustCompile(`\[(\w)\]( *)([^\[]*)`)

// namedKeyForm matches what a key of a name does, such as enter submit.
var namedKeyForm = regexp.MustCompile(`^(enter|esc) (\S.*)$`)

// namedKeys are the keys by those names.
var namedKeys = map[string]string{"enter": "Enter", "esc": "Escape"}

// keyed reads options of a row that have keys of their own.
func keyed(text string) (options []Option) {
	for _, words := range wideGap.Split(text, -1) {
		if match := namedKeyForm.FindStringSubmatch(words); match != nil {
			options = append(options, Option{Label: plain.CleanLine(match[2]), Key: namedKeys[match[1]]})
		}
	}
	for _, match := range ownKeyForm.FindAllStringSubmatch(text, -1) {
		label := match[3]
		if match[2] == "" {
			label = match[1] + label
		}
		options = append(options, Option{Label: plain.CleanLine(label), Key: strings.ToLower(match[1])})
	}
	return options
}

// buttons reads options that stand in one row. The marked one has another background, or each has a key of its own.
func (p menuReader) buttons(s *Screen, rows []menuRow) (Menu, bool) {
	if p.profile.patterns.buttons == nil {
		return Menu{}, false
	}

	for i, line := range slices.Backward(s.Lines) {
		match := p.profile.patterns.buttons.FindStringSubmatchIndex(line)
		if match == nil || rows[i].empty() || blocks(rows[i+1:]) > 1 {
			continue
		}

		m := Menu{Way: ByButton}
		group := 2 * textGroup(p.profile.patterns.buttons)
		from, text := match[group], line[match[group]:match[group+1]]
		if m.Options = keyed(text); m.Options != nil {
			m.Way = ByKey
			return p.around(s, rows, m, i, i+1), true
		}
		for _, label := range wideGap.Split(text, -1) {
			at := from + strings.Index(line[from:], label)
			m.Options = append(m.Options, Option{Label: plain.CleanLine(label), Marked: s.standsOut(i, line[:at])})
			from = at + len(label)
		}

		return p.around(s, rows, m, i, i+1), true
	}

	return Menu{}, false
}

// blocks returns how many blocks of words stand in rows. Below buttons are keys at most; below tabs is more.
func blocks(rows []menuRow) (n int) {
	for i := range rows {
		if !rows[i].empty() && (i == 0 || rows[i-1].empty()) {
			n++
		}
	}
	return n
}

// standsOut reports whether the cell behind the beginning of a row has another background than the
// cell two columns before it. Without colours none has.
func (s *Screen) standsOut(row int, before string) bool {
	if row >= len(s.Colours) {
		return false
	}
	column, styles := ansi.StringWidthWc(before), stylesOf(s.Colours[:row+1])[row]
	return styleAt(styles, column).background() != styleAt(styles, column-2).background()
}

// background returns the background of a cell. One that is drawn inverse has another than its neighbours.
func (s style) background() string {
	if s.inverse {
		return "inverse"
	}
	return s.bg
}
