package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"parley/op"
)

type fit = op.Fit

// The fits of columns. Output that goes to no terminal has all columns, as wide as they are.
const (
	whole = op.Whole
	inner = op.Inner
	brief = op.Brief
	prose = op.Prose
	aside = op.Aside
	spare = op.Spare
)

// The least widths of columns that can be narrower, and that of names where nothing else helps.
const (
	leastInner = 14
	leastBrief = 10
	leastProse = 32
	leastName  = 8
)

// table aligns columns by their width on a terminal.
type table struct {
	fits   []fit // of its columns; if none are given, the last is prose
	headed bool  // the first row has the headings
	rows   [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) print(o *output) {
	lines := t.sentences
	if !wordsOnly(o.at.env) {
		lines = func() []string { return t.lines(columnsOf(o.out)) }
	}
	for _, line := range lines() {
		fmt.Fprintln(o.out, o.at.shown(line))
	}
}

// columnsOf returns the number of columns of a terminal, 0 for what is none.
func columnsOf(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !isTerminal(f) {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

type column struct {
	at    int // its place in the rows
	fit   fit
	width int
	blank bool // it has no cell but its heading
}

// least returns how narrow a column can be.
func (k column) least() int {
	switch k.fit {
	case inner:
		return min(k.width, leastInner)
	case brief:
		return min(k.width, leastBrief)
	case prose:
		return min(k.width, leastProse)
	}
	return k.width
}

// columns returns the columns, as wide as their widest cells.
func (t *table) columns() []column {
	var all []column
	for r, row := range t.rows {
		for i, cell := range row {
			if i == len(all) {
				all = append(all, column{at: i, blank: true})
			}
			all[i].blank = all[i].blank && (cell == "" || t.headed && r == 0)
			for line := range strings.SplitSeq(cell, "\n") {
				all[i].width = max(all[i].width, ansi.StringWidth(line))
			}
		}
	}

	for i := range all {
		switch {
		case i < len(t.fits):
			all[i].fit = t.fits[i]
		case t.fits == nil && i == len(all)-1:
			all[i].fit = prose
		}
	}

	return all
}

// arrange returns the columns that stand beside one another in lines of so many columns of a terminal, and those
// that stand below each row.
func (t *table) arrange(width int) (beside, below []column) {
	beside = t.columns()
	if width == 0 || sum(beside, column.wide) <= width {
		return beside, nil
	}

	if sum(beside, column.least) > width {
		beside = slices.DeleteFunc(beside, func(k column) bool { return k.fit == spare || k.blank })
	}
	for i := len(beside) - 1; i > 0 && sum(beside, column.least) > width; i-- {
		if k := beside[i]; k.fit == prose || k.fit == aside {
			beside, below = slices.Delete(beside, i, i+1), append([]column{k}, below...)
		}
	}

	shrink(beside, width, column.least)
	shrink(beside, width, func(k column) int {
		if k.fit == inner {
			return min(k.width, leastName)
		}
		return k.least()
	})

	return beside, below
}

func (k column) wide() int { return k.width }

// sum returns the width of columns side by side.
func sum(columns []column, width func(column) int) int {
	total := max(0, 2*len(columns)-2)
	for _, k := range columns {
		total += width(k)
	}
	return total
}

// shrink makes the widest of the columns narrower until they have room, each down to its least width.
func shrink(columns []column, width int, least func(column) int) {
	for sum(columns, column.wide) > width {
		widest := -1
		for i, k := range columns {
			if k.width > least(k) && (widest < 0 || k.width > columns[widest].width) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		columns[widest].width--
	}
}

// lines returns the table in lines of at most so many columns of a terminal, if that can be; of any length for 0.
func (t *table) lines(width int) []string {
	var lines []string
	beside, below := t.arrange(width)
	for r, row := range t.rows {
		height := 1
		cells := make([][]string, len(beside))
		for i, k := range beside {
			cells[i] = k.cell(row)
			height = max(height, len(cells[i]))
		}
		for h := range height {
			var line strings.Builder
			for i, k := range beside {
				text := ""
				if h < len(cells[i]) {
					text = cells[i][h]
				}
				if line.WriteString(text); i < len(beside)-1 {
					line.WriteString(strings.Repeat(" ", max(0, k.width-ansi.StringWidth(text))+2))
				}
			}
			lines = append(lines, strings.TrimRight(line.String(), " "))
		}

		if t.headed && r == 0 {
			continue
		}
		for _, k := range below {
			lines = append(lines, t.below(k, row, width)...)
		}
	}

	return lines
}

// cell returns the lines of a cell as wide as its column.
func (k column) cell(row []string) []string {
	if k.at >= len(row) {
		return nil
	}
	switch text := row[k.at]; k.fit {
	case inner:
		return []string{cutMiddle(text, k.width)}
	case brief:
		return []string{ansi.Truncate(text, k.width, "…")}
	case prose:
		var lines []string
		for line := range strings.SplitSeq(text, "\n") {
			lines = append(lines, fold(line, k.width)...)
		}
		return lines
	default:
		return []string{text}
	}
}

// below returns the lines below a row that have a cell for which there is no room beside the others.
func (t *table) below(k column, row []string, width int) []string {
	if k.at >= len(row) || row[k.at] == "" {
		return nil
	}
	text := row[k.at]
	if t.headed {
		text = strings.ToLower(ansi.Strip(t.rows[0][k.at])) + ": " + text
	}
	if k.fit == aside {
		return []string{"    " + text}
	}
	return indented(fold(text, width-4), "    ")
}

// cutMiddle puts an ellipsis in place of the middle of a text that is wider than so many columns.
func cutMiddle(text string, width int) string {
	plain := ansi.Strip(text)
	wide := ansi.StringWidth(plain)
	if wide <= width {
		return text
	}

	head := ansi.Truncate(plain, width/2, "")
	tail := plain
	from := wide - (width - 1 - ansi.StringWidth(head))
	for ; ansi.StringWidth(head)+1+ansi.StringWidth(tail) > width; from++ {
		tail = ansi.TruncateLeft(plain, from, "")
	}

	return strings.Replace(text, plain, head+"…"+tail, 1) // with the style that it has
}

// fold breaks a line between words into lines of so many columns. A longer word stays whole: it may be a path or
// an address that somebody copies.
func fold(line string, width int) []string { return hang(line, width, 0) }

// hang is fold with so many spaces before the lines that follow the first.
func hang(line string, width, indent int) []string {
	if width <= 0 || ansi.StringWidth(line) <= width {
		return []string{line}
	}

	var lines []string
	var begun string
	some := false // the line has a word
	for i, word := range strings.Split(line, " ") {
		switch {
		case i == 0:
			begun = word
		case some && word != "" && ansi.StringWidth(begun+" "+word) > width:
			lines = append(lines, strings.TrimRight(begun, " "))
			begun = strings.Repeat(" ", indent) + word
		default:
			begun += " " + word
		}
		some = some || word != ""
	}

	return append(lines, begun)
}

// indented puts the same before each line.
func indented(lines []string, by string) []string {
	for i, line := range lines {
		lines[i] = by + line
	}
	return lines
}

// heads returns the headings of a table.
func (o *output) heads(names ...string) []string {
	for i, name := range names {
		names[i] = o.paint(faint, name)
	}
	return names
}

// quoted is a line of an agent's screen, as much of it as a line of the terminal takes.
func (o *output) quoted(line string) string {
	if width := columnsOf(o.out) - 4; width > 0 && !wordsOnly(o.at.env) {
		line = ansi.Truncate(line, width, "…")
	}
	return strings.TrimRight(o.paint(faint, "  │ ")+line, " ")
}

// folded folds a line for standard output, with so many spaces before the lines that follow the first.
func (o *output) folded(line string, indent int) string {
	return strings.Join(hang(line, columnsOf(o.out), indent), "\n")
}
