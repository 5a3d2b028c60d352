package profile

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"parley"
)

// buttons reads options that stand in one row. The marked one has another background.
func (p menuReader) buttons(s *Screen, rows []menuRow) (Menu, bool) {
	if p.patterns.buttons == nil {
		return Menu{}, false
	}

	for i, line := range slices.Backward(s.Lines) {
		match := p.patterns.buttons.FindStringSubmatchIndex(line)
		if match == nil {
			continue
		}

		m := Menu{Way: ByButton}
		group := 2 * textGroup(p.patterns.buttons)
		from, text := match[group], line[match[group]:match[group+1]]
		for _, label := range wideGap.Split(text, -1) {
			at := from + strings.Index(line[from:], label)
			m.Options = append(m.Options, Option{Label: parley.CleanLine(label), Marked: s.standsOut(i, line[:at])})
			from = at + len(label)
		}

		return p.around(s, rows, m, i, i+1), true
	}

	return Menu{}, false
}

// standsOut reports whether the cell behind the beginning of a row has another background than the
// cell two columns before it. Without colours none has.
func (s *Screen) standsOut(row int, before string) bool {
	if row >= len(s.Colours) {
		return false
	}
	column := ansi.StringWidthWc(before)
	return backgroundAt(s.Colours[row], column) != backgroundAt(s.Colours[row], column-2)
}

// colourForm matches a sequence that sets colours.
var colourForm = regexp.MustCompile(`^\x1b\[([0-9;]*)m`)

// backgroundAt returns the background of a cell in a row with colours, "" for the usual one.
func backgroundAt(row string, column int) string {
	colour := ""
	for row != "" {
		if match := colourForm.FindStringSubmatch(row); match != nil {
			colour = background(strings.Split(match[1], ";"), colour)
			row = row[len(match[0]):]
			continue
		}

		r, size := utf8.DecodeRuneInString(row)
		if column -= ansi.StringWidthWc(string(r)); column < 0 {
			break
		}
		row = row[size:]
	}
	return colour
}

// background returns the background after the codes of a sequence.
func background(codes []string, colour string) string {
	operands := map[string]int{"5": 2, "2": 4} // of 38 and 48
	for i := 0; i < len(codes); i++ {
		switch code := codes[i]; {
		case code == "0", code == "", code == "49":
			colour = ""
		case code == "38" && i+1 < len(codes):
			i += operands[codes[i+1]]
		case code == "48" && i+1 < len(codes):
			end := min(i+operands[codes[i+1]]+1, len(codes))
			colour, i = strings.Join(codes[i:end], ";"), end-1
		case code == "7", len(code) == 2 && code[0] == '4', len(code) == 3 && code[:2] == "10":
			colour = code
		}
	}
	return colour
}
