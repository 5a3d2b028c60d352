package profile

import (
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley/plain"
)

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
	if p.patterns.buttons == nil {
		return Menu{}, false
	}

	for i, line := range slices.Backward(s.Lines) {
		match := p.patterns.buttons.FindStringSubmatchIndex(line)
		if match == nil || rows[i].empty() || blocks(rows[i+1:]) > 1 {
			continue
		}

		m := Menu{Way: ByButton}
		group := 2 * textGroup(p.patterns.buttons)
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
