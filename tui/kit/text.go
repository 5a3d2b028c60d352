package kit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"parley"
	"parley/plain"
)

// Spare is how many columns at the right edge stay empty. A row that a terminal
// draws wider than we count then damages only itself: the excess of a full row
// wraps and scrolls the screen (measured in tmux 3.3a with emoji families, flags
// and Devanagari).
const Spare = 2

// maxMarks is how many combining marks a character keeps. Every living script
// needs fewer; a character with more is drawn over its neighbours.
const maxMarks = 4

// SafeLine makes a foreign text into one line that is safe to show.
func SafeLine(s string) string { return Visible(plain.CleanLine(s)) }

// SafeText makes a foreign text safe to show, with its line breaks.
func SafeText(s string) string {
	return Visible(strings.ReplaceAll(plain.Clean(s), "\t", "    "))
}

// CodeWords returns a code as words: "no_key" as "no key".
func CodeWords[T ~string](code T) string { return strings.ReplaceAll(SafeLine(string(code)), "_", " ") }

// Visible drops characters that have no shape (joiners, variation selectors, tags,
// fillers) or that no font shows: terminals disagree on their width.
func Visible(s string) string {
	marks := 0
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) {
			marks++
		} else {
			marks = 0
		}

		switch {
		case r == '\n':
			return r
		case invisible(r), marks > maxMarks:
			return -1
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return '�'
		}

		return r
	}, s)
}

func invisible(r rune) bool {
	switch r {
	case 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0:
		return true
	}
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || unicode.Is(unicode.Cf, r)
}

// Width returns how many columns s takes at most: terminals count either clusters
// or characters.
func Width(s string) int { return max(ansi.StringWidth(s), ansi.StringWidthWc(s)) }

// Fit cuts s to at most w columns, however the terminal counts. Where the two ways
// differ, it cuts by clusters until the other way fits as well.
func Fit(s string, w int) string {
	for n := w; n > 0; {
		cut := ansi.Truncate(s, n, "…")
		over := ansi.StringWidthWc(cut) - w
		if over <= 0 {
			return cut
		}
		n -= (over + 1) / 2
	}
	return ""
}

// FitName cuts a name to at most w columns in its middle: the names of a team begin alike, and end in a number.
func FitName(s string, w int) string {
	if Width(s) <= w {
		return s
	}
	end := Tail(s, (w-1)*2/5)
	return strings.TrimSuffix(Fit(s, w-Width(end)), "…") + "…" + end
}

// PadName makes a name exactly w columns wide.
func PadName(s string, w int) string { return Pad(FitName(s, w), w) }

// Tail keeps the last w columns of plain text, where its cursor is.
func Tail(s string, w int) string {
	for Width(s) > w {
		_, n := utf8.DecodeRuneInString(s)
		s = s[n:]
	}
	return s
}

// Pad makes s exactly w columns wide.
func Pad(s string, w int) string {
	s = Fit(s, w)
	return s + strings.Repeat(" ", max(0, w-Width(s)))
}

// Wrap breaks plain text into lines of at most w columns. It loses nothing.
func Wrap(s string, w int) []string {
	w = max(w, 2) // the widest character
	var lines []string
	for line := range strings.SplitSeq(ansi.Wrap(s, w, ""), "\n") {
		if Width(line) <= w {
			lines = append(lines, line)
			continue
		}

		line = ansi.HardwrapWc(line, w, true)
		for part := range strings.SplitSeq(line, "\n") {
			lines = append(lines, Fit(part, w))
		}
	}

	return lines
}

// Columns joins the words, best first, that fit into w columns.
func Columns(words []string, gap string, w int) string {
	var b strings.Builder
	used := 0
	for _, word := range words {
		need := Width(word)
		if used > 0 {
			need += Width(gap)
		}
		if word == "" || used+need > w {
			continue
		}
		if used > 0 {
			b.WriteString(gap)
		}

		b.WriteString(word)
		used += need
	}

	return b.String()
}

// Since returns how long ago something was, roughly.
func Since(at, now time.Time) string {
	d := now.Sub(at)
	switch {
	case at.IsZero():
		return ""
	case d < time.Minute:
		return "<1m"
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// Tally formats counts by name, the largest first.
func Tally(in map[string]int) string {
	var names []string
	for name, n := range in {
		if n > 0 {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(in[b]-in[a], strings.Compare(a, b)) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", in[name], name)
	}
	return strings.Join(names, " · ")
}

// Brief returns a duration in at most six columns.
func Brief(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// Fuzzy scores how well a text has the letters of a query, in their order; 0 if
// it does not. Letters in a row and at the beginnings of words count for more.
func Fuzzy(query, text string) int {
	score, run, at := 1, 0, 0
	letters := []rune(strings.ToLower(text))
	for _, q := range strings.ToLower(query) {
		if unicode.IsSpace(q) || q == '_' {
			continue
		}

		i := slices.Index(letters[at:], q)
		if i < 0 {
			return 0
		}
		if run++; i > 0 {
			run = 1
		}

		score += 2 * run
		if j := at + i; j == 0 || !unicode.IsLetter(letters[j-1]) {
			score += 8
		}

		score -= min(i, 5)
		at += i + 1
	}

	return max(1, score*10-len(letters)/4)
}

// You is the name of the person in front of the screen.
const You = "you"

// ShownName returns the name of an agent as it is shown: "you" for the operator, and the beginning of the id
// where there is none.
func ShownName(name, id string) string {
	if name == parley.OperatorName {
		return You
	}
	if name == "" {
		name = parley.Short(id)
	}
	return SafeLine(name)
}

// Plural returns a number with its noun.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// LowerFirst returns a sentence as the end of another.
func LowerFirst(s string) string {
	if s == "" || s[0] < 'A' || s[0] > 'Z' {
		return s
	}
	return string(s[0]+'a'-'A') + s[1:]
}

// DayWords names a day as a person does.
func DayWords(at, now time.Time) string {
	switch {
	case at.Format(time.DateOnly) == now.Format(time.DateOnly):
		return "today"
	case at.Format(time.DateOnly) == now.AddDate(0, 0, -1).Format(time.DateOnly):
		return "yesterday"
	}
	return at.Format("Monday, 2 January 2006")
}

// Window returns the first line of a view of height lines, scrolled from top no
// further than needed to show line i of n.
func Window(top, i, n, height int) int {
	height = max(height, 1)
	return max(0, min(max(min(top, i), i-height+1), n-height))
}

// ClockOf returns the time of day in w columns.
func ClockOf(at, now time.Time, w int) string {
	at = at.In(now.Location())
	if w >= 8 {
		return at.Format("15:04:05")
	}
	return at.Format("15:04")
}

// MomentOf returns the time of day, or the date if it was another day.
func MomentOf(at, now time.Time) string {
	if at = at.In(now.Location()); !SameDay(at, now, now.Location()) {
		return at.Format("2 Jan")
	}
	return at.Format("15:04")
}

// Clip returns exactly n lines.
func Clip(lines []string, n int) []string {
	if len(lines) > n {
		return lines[:max(n, 0)]
	}
	for len(lines) < n {
		lines = append(lines, "")
	}
	return lines
}

// Clamp returns v, or the bound that it is beyond.
func Clamp(v, low, high int) int { return min(max(v, low), high) }

// Indent moves lines to the right.
func Indent(lines []string, by int) []string {
	for i := range lines {
		lines[i] = strings.Repeat(" ", by) + lines[i]
	}
	return lines
}

// Beside sets two columns of lines side by side, the left one w columns wide.
func Beside(th Theme, left, right []string, w int) []string {
	bar := th.Dim.Render(" │ ")
	lines := make([]string, 0, len(left))
	for i := range left {
		lines = append(lines, Pad(left[i], w)+bar+right[i])
	}
	return lines
}

// ColumnsIn splits a list of names. A column that was renamed is known by its old name, too.
func ColumnsIn(text string) []string {
	names := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ',' || r == ' ' })
	for i, name := range names {
		if name == "waiting" {
			names[i] = "messages"
		}
	}
	return names
}

// SameDay reports whether two times are of one day in a time zone.
func SameDay(a, b time.Time, zone *time.Location) bool {
	a, b = a.In(zone), b.In(zone)
	return a.YearDay() == b.YearDay() && a.Year() == b.Year()
}

// Marked draws the marker of a row, or of a tile: on it, selected, or both.
func Marked(on, selected bool) string {
	mark, star := " ", " "
	if on {
		mark = "▸"
	}
	if selected {
		star = "*"
	}
	return mark + star
}

// Sparks draws a column for each figure; the highest is full, but a few are no wall. Zero is a dot, and the smallest
// other figure is seen.
func Sparks(figures []int) string {
	top := 8
	for _, n := range figures {
		top = max(top, n)
	}
	return SparksTo(figures, top)
}

// SparksTo draws a column for each figure; one of top is full.
func SparksTo(figures []int, top int) string {
	const bars = "▁▂▃▄▅▆▇█"
	line := make([]rune, len(figures))
	for i, n := range figures {
		if line[i] = '·'; n > 0 {
			line[i] = []rune(bars)[min(n*8/max(top, 1), 8)-min(1, n*8/max(top, 1))]
		}
	}
	return string(line)
}
