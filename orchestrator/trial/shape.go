package trial

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"parley"
	"parley/tmux"
)

// Sights are the screens of a program on which its composer is found. All have the same size.
type Sights struct {
	Rest  tmux.Screen // it waits for a prompt
	Draft tmux.Screen // and Probe was typed
	Lines tmux.Screen // and Several was pasted; without rows if that was not tried
}

// The texts that are typed to find a composer.
const (
	Probe   = draft
	Several = "first words\nsecond words\nthird words"
)

// Shape is a composer as it was found: the patterns that read it.
type Shape struct {
	Composer, Idle string
	Cursor         bool // the cursor stood in it on all screens
}

// FindShape finds the composer by what a typed text changes, and its edges by what stands around it. It fails if
// nothing tells where the composer is.
func FindShape(s Sights) (Shape, error) {
	f, err := locate(s)
	if err != nil {
		return Shape{}, err
	}
	f.measure(s.Lines.Lines)

	composer, idle, err := f.patterns()
	if err != nil {
		return Shape{}, err
	}
	return Shape{Composer: composer, Idle: idle, Cursor: f.holdsCursor(s)}, nil
}

// find is a composer while it is found.
type find struct {
	rest, draft []string // rows of the screens
	row, column int      // of the text on the draft's
	home        int      // its row on the resting screen
	prefix      string   // what stands before it in its row
	right       string   // the edge right of it; "": none
	indent      string   // what stands before the second row of a text, as a pattern
	width       int

	above, below edge
	lead         int      // rows of the composer's block above the text
	pad          string   // the beginning of empty rows of the composer's own below the text; "": it has none
	block        []string // rows of its block below those
	foot         []string // rows below it that are not empty
}

// locate finds where the text was typed: where it stands on the one screen and not on the other.
func locate(s Sights) (*find, error) {
	f := &find{rest: s.Rest.Lines, draft: s.Draft.Lines, width: s.Draft.Width, row: -1}
	for i, line := range f.draft {
		at := strings.Index(line, Probe)
		if at < 0 || i < len(f.rest) && strings.Contains(f.rest[i], Probe) {
			continue
		}
		if f.row >= 0 && i != s.Draft.CursorY {
			continue // such as a list that repeats it; the cursor stands in the composer
		}
		f.row, f.prefix, f.column = i, line[:at], ansi.StringWidthWc(line[:at])
	}
	if f.row < 0 {
		return nil, unclear("what is typed is not shown")
	}

	f.home = f.row
	sign := strings.TrimRight(f.prefix, " ")
	for far := range len(f.rest) {
		for _, i := range []int{f.row - far, f.row + far} {
			if i >= 0 && i < len(f.rest) && strings.HasPrefix(f.rest[i], sign) && f.sameAbove(i) {
				f.home = i
				f.indent = secondIndent(s.Lines.Lines, sign)
				return f, nil
			}
		}
	}
	return nil, unclear("its composer looks otherwise when it is empty")
}

// begins reports whether the beginning of a text, if only one letter, stands where the probe did.
func (f *find) begins(rows []string, text string) bool {
	return slices.ContainsFunc(rows, func(row string) bool {
		return strings.HasPrefix(row, f.prefix+text[:1]) && !slices.Contains(f.rest, row)
	})
}

// sameAbove reports whether the row above a row at rest is of the kind of that above the text.
func (f *find) sameAbove(i int) bool {
	if i == 0 || f.row == 0 {
		return i == f.row
	}
	return edgeIn(f.rest[i-1]).found() == edgeIn(f.draft[f.row-1]).found()
}

// secondIndent returns what stands before the second row of a text, "" if that is not known.
func secondIndent(rows []string, sign string) string {
	words := strings.Split(Several, "\n")
	for i, row := range rows {
		if i == 0 || !strings.HasSuffix(strings.TrimRight(strings.SplitN(rows[i-1], words[0], 2)[0], " "), sign) {
			continue
		}
		if !strings.Contains(rows[i-1], words[0]) {
			continue
		}
		if before, _, ok := strings.Cut(row, words[1]); ok {
			return before
		}
	}
	return ""
}

// measure notes what stands around the text. several are the rows of a screen with several lines in the composer.
func (f *find) measure(several []string) {
	line := strings.TrimRight(f.draft[f.row], " ")
	if i := strings.LastIndexFunc(line, isFrame); i > strings.Index(line, Probe)+len(Probe) && // not a cursor
		ansi.StringWidthWc(line[i:]) == 1 {
		f.right = line[i:]
	}
	if f.row > 0 {
		f.above = edgeIn(f.draft[f.row-1])
	}

	rows := f.draft[f.row+1:]
	if bar := barOf(f.prefix); bar != "" && f.right == "" {
		for f.row-f.lead > 0 && barOf(f.draft[f.row-f.lead-1]) == bar {
			f.lead++
		}
		for len(rows) > 0 && barOf(rows[0]) == bar && !edgeIn(rows[0]).found() {
			f.block, rows = append(f.block, rows[0]), rows[1:]
		}
		f.takePad(bar, several)
	}
	for f.right != "" && len(rows) > 0 && f.isPad(rows[0]) {
		rows = rows[1:]
	}
	if len(rows) > 0 {
		if f.below = edgeIn(rows[0]); f.below.found() {
			rows = rows[1:]
		}
	}
	for _, row := range rows {
		if strings.TrimSpace(row) != "" {
			f.foot = append(f.foot, row)
		}
	}
}

// isPad reports whether a row in a box is one of the composer's that has no text, all of which begin in the same way.
func (f *find) isPad(row string) bool {
	before, ends := strings.CutSuffix(strings.TrimRight(row, " "), f.right)
	before = strings.TrimSpace(before)
	if !ends || before == "" || f.pad != "" && before != f.pad ||
		!strings.HasPrefix(strings.TrimSpace(f.prefix), before) {
		return false
	}
	f.pad = before
	return true
}

// takePad takes off the block behind a bar what gives way to more lines of a text.
func (f *find) takePad(bar string, several []string) {
	last := slices.IndexFunc(several, func(row string) bool { return strings.Contains(row, "third words") })
	left := 0
	for last >= 0 && last+1+left < len(several) && barOf(several[last+1+left]) == bar {
		left++
	}
	if last >= 0 && left < len(f.block) {
		f.pad, f.block = bar, f.block[len(f.block)-left:]
	}
}

// padding matches the rows of the composer's own that have no text.
func (f *find) padding() string {
	if f.pad == "" {
		return ""
	}
	return `(?: *` + regexp.QuoteMeta(f.pad) + ` *` + regexp.QuoteMeta(f.right) + `\n)*`
}

// start matches what stands before the text in its first row. Blanks at the end of a row are not on the screen.
func (f *find) start() string {
	sign := strings.TrimRight(f.prefix, " ")
	gap := fmt.Sprintf(` {0,%d}`, len(f.prefix)-len(sign))
	if len(f.prefix) == len(sign) {
		gap = ""
	}
	if sign == "" {
		return gap
	}
	quoted := regexp.QuoteMeta(strings.TrimLeft(sign, " "))
	return ` *` + numbers.ReplaceAllStringFunc(quoted, func(n string) string { // of a line: a wrapped one has none
		return strings.Repeat(`[ \d]`, len(n))
	}) + gap
}

// patterns returns the composer's pattern and that of a program at rest. The latter is matched against rows of
// which the empty ones are taken out.
func (f *find) patterns() (composer, idle string, err error) {
	start := f.start()
	sign := strings.TrimSpace(f.prefix)
	if sign == "" && !(f.above.found() && f.below.found()) {
		return "", "", unclear("nothing marks its composer: neither edges nor a sign before the text")
	}

	top, strictTop := "", ""
	if f.above.found() {
		top, strictTop = f.above.loose()+`\n`, f.above.strict()+`\n`
	}
	end := fmt.Sprintf(`\n(?:.*\n){0,%d}\z`, len(f.foot)+2)
	switch {
	case f.right != "" && f.above.found() && f.below.found():
		if corner := f.above.corner(); corner != "" {
			top = f.above.framed(corner) + `\n`
		}
		edge := regexp.QuoteMeta(f.right)
		text := `.*` + edge + `\n(?: *` + regexp.QuoteMeta(f.right) + `.*` + edge + `\n)*?`
		return `^` + top + start + `(?P<text>` + text + `)` + f.padding() + f.below.loose() + `$`,
			`^` + strictTop + start + text + f.below.strict() + end, nil
	case len(f.block) > 0 && f.below.found():
		return f.blockPatterns(start, end)
	case len(f.block) > 0, f.pad != "" && f.right == "":
		composer, idle = f.barPatterns(start)
		return composer, idle, nil
	case f.above.found() && f.below.found():
		text := `.*\n(?:(?:[^` + f.above.rule + f.below.rule + `\n].*)?\n)*?`
		rest := start + text
		if sign == "" { // an empty row
			rest = strings.TrimPrefix(text, `.*\n`)
		}
		return `^` + top + start + `(?P<text>` + text + `)` + f.below.loose() + `$`,
			`^` + strictTop + rest + f.below.strict() + end, nil
	case f.below.found():
		text := `.*\n(?:` + f.rest2() + `.*\n|\n)*?`
		return `^` + start + `(?P<text>` + text + `)` + f.below.loose() + `$`,
			`^` + start + text + f.below.strict() + end, nil
	}
	return f.openPatterns(top, strictTop, start)
}

// beside matches what stands right of a composer that does not reach the terminal's edge.
const beside = `(?: {8,}\S.*)?`

// blockPatterns are those of a block of rows behind a bar, with an edge below.
func (f *find) blockPatterns(start, end string) (composer, idle string, err error) {
	bar := ` *` + regexp.QuoteMeta(barOf(f.prefix))
	var lead, block, rows strings.Builder
	for range f.lead {
		lead.WriteString(bar + beside + `\n`)
	}
	for _, row := range f.block {
		if strings.TrimSpace(strings.Replace(row, barOf(row), "", 1)) == "" {
			block.WriteString(bar + beside + `\n`)
		} else {
			block.WriteString(bar + ` +\S.*\n`)
			rows.WriteString(bar + ` +\S.*\n`)
		}
	}
	text := `.*\n(?:` + bar + `.*\n)*?`
	return `^` + lead.String() + start + `(?P<text>` + text + `)` + block.String() + f.below.framed("") + `.*$`,
		`^` + rows.String() + f.below.strict() + end, nil
}

// barPatterns are those of a block of rows behind a bar that ends where no bar is.
func (f *find) barPatterns(start string) (composer, idle string) {
	sign := regexp.QuoteMeta(barOf(f.prefix))
	bar := ` *` + sign
	other := ` *[^ ` + sign + `\n].*`
	block := strings.Repeat(bar+beside+`\n`, len(f.block))
	head := `^` + strings.Repeat(bar+beside+`\n`, f.lead) + start
	text := `.*\n(?:` + bar + `.*\n)*?`
	return head + `(?P<text>` + text + `)` + f.padding() + block + `(?:` + other + `$|\n|\z)`,
		fmt.Sprintf(`%s%s%s%s(?:%s\n){0,%d}\z`, head, text, f.padding(), block, other, len(f.foot)+2)
}

// rest2 matches what stands before the second row of a text and those below it.
func (f *find) rest2() string {
	sign := strings.TrimSpace(f.indent)
	switch {
	case f.indent == "" && strings.TrimSpace(f.prefix) != "":
		return otherThan(strings.TrimSpace(f.prefix))
	case sign == "":
		return strings.Repeat(" ", min(2, len(f.indent)))
	}
	return ` *` + regexp.QuoteMeta(sign)
}

// otherThan matches the beginning of a row that is not empty and does not begin with a sign.
func otherThan(sign string) string {
	var ways []string
	for i, r := range sign {
		way := `[^` + regexp.QuoteMeta(string(r)) + `\n]`
		if i > 0 { // the row may end here
			way = regexp.QuoteMeta(sign[:i]) + `(?:` + way + `|$)`
		}
		ways = append(ways, way)
	}
	return `(?:` + strings.Join(ways, `|`) + `)`
}

// openPatterns are those of a composer without an edge below: it ends at a row of the program's, behind an empty one,
// or at the end of what the screen shows.
func (f *find) openPatterns(top, strictTop, start string) (composer, idle string, err error) {
	after := f.draft[f.row+1:]
	text := `.*\n(?:` + f.rest2() + `.*\n|\n)*`
	if len(f.foot) == 0 {
		return `^` + top + start + `(?P<text>` + text + `)\n*\z`,
			`^` + strictTop + start + `.*\n(?:` + f.rest2() + `.*\n)*\z`, nil
	}
	first := f.foot[0]
	if strings.TrimSpace(after[0]) != "" {
		return f.closedPatterns(top, strictTop, start)
	}

	lead := strings.Repeat(" ", len(first)-len(strings.TrimLeft(first, " ")))
	more := len(f.foot) + 2
	return fmt.Sprintf(`^%s%s(?P<text>%s)\n%s\S.*\n(?:.*\S.*\n){0,%d}\n*\z`, top, start, text, lead, more),
		fmt.Sprintf(`^%s%s.*\n(?:%s.*\n)*?%s\S.*\n(?:.*\n){0,%d}\z`, strictTop, start, f.rest2(), lead, more), nil
}

// closedPatterns are those of a composer that ends at a row of the program's right below it, which begins with a sign.
func (f *find) closedPatterns(top, strictTop, start string) (composer, idle string, err error) {
	sign, _, _ := strings.Cut(strings.TrimLeft(f.foot[0], " "), " ")
	if r := []rune(sign); len(r) != 1 || unicode.IsLetter(r[0]) || unicode.IsDigit(r[0]) {
		return "", "", unclear("nothing tells where its composer ends")
	}
	sign = ` *` + regexp.QuoteMeta(sign) + ` `
	text := `.*\n(?:` + f.rest2() + `.*\n|\n)*?`
	return `^` + top + start + `(?P<text>` + text + `)` + sign + `.*$`,
		fmt.Sprintf(`^%s%s%s%s.*\n(?:.*\n){0,%d}\z`, strictTop, start, text, sign, len(f.foot)+2), nil
}

// holdsCursor reports whether the cursor stood in the composer on all screens.
func (f *find) holdsCursor(s Sights) bool {
	return !slices.ContainsFunc([]tmux.Screen{s.Rest, s.Draft}, func(t tmux.Screen) bool { return t.CursorHidden }) &&
		s.Rest.CursorY == f.home && s.Draft.CursorY == f.row
}

// unclear says why no composer was found.
func unclear(why string) error {
	return parley.Errorf(parley.InvalidArgument, "parley cannot tell where its composer is: %s", why).
		Suggest("Use the profile generic: messages to it are typed as carefully as to any program. " +
			"Or write the markers by hand: parley profiles pi shows some.")
}
