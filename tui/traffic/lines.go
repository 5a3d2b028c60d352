package traffic

import (
	"fmt"
	"slices"
	"time"

	"parley/tui/kit"
	"parley/tui/team"
)

// listLine is a line of the list: a message, several between the same two agents that are folded into
// one, or the beginning of a day.
type listLine struct {
	row *team.Row   // the message, or the last of those that are folded; nil for a day
	day time.Time   // that begins
	of  []*team.Row // the messages that are folded, the oldest first; nil for one that is not
}

type listLines struct {
	lines  []listLine
	top    int // the first line in view
	height int
}

// laid is what the lines depend on.
type laid struct {
	n, unfolded int // rows
	first, last *team.Row
	sel         *team.Row // at which a fold ends; nil for none
	year, day   int
	zone        *time.Location
}

// lay finds the lines of the rows, unless they are as before. A fold ends at the marker, so that what the
// marker is on does not change while more messages come.
func (t *record) lay() {
	n := len(t.rows)
	now := laid{n: n, unfolded: len(t.unfolded), first: t.rows[0], last: t.rows[n-1],
		year: t.today.Year(), day: t.today.YearDay(), zone: t.today.Location()}
	if !t.follow && !t.found {
		now.sel = t.Sel
	}
	if now == t.laid {
		return
	}
	t.laid = now

	t.list.lines = t.list.lines[:0]
	days := dayMarks{now: t.today}
	for i := 0; i < len(t.rows); {
		if day, begins := days.next(t.rows[i].At); begins {
			t.list.lines = append(t.list.lines, listLine{day: day})
		}

		n, folds := t.run(i, &days)
		run := t.rows[i : i+n : i+n]
		if i += n; folds {
			t.list.lines = append(t.list.lines, listLine{row: run[n-1], of: run})
			continue
		}
		for _, r := range run {
			t.list.lines = append(t.list.lines, listLine{row: r})
		}
	}
}

// run returns how many rows from i on are of one day and between the same two agents, and whether they fold.
func (t *record) run(i int, day *dayMarks) (n int, folds bool) {
	first := t.rows[i]
	if t.found || !first.BetweenTwo() || t.unfolded[first.ID] {
		return 1, false
	}

	both := false
	for n = 1; i+n < len(t.rows); n++ {
		r := t.rows[i+n]
		atMarker := t.rows[i+n-1] == t.Sel && !t.follow
		if atMarker || !r.SamePair(first) || !day.has(r.At) || t.unfolded[r.ID] {
			break
		}
		both = both || r.FromID != first.FromID
	}

	return n, n >= team.FoldFrom && both
}

// dayMarks tells where a day begins. Days are not named while all is of today.
type dayMarks struct {
	now      time.Time
	from, to time.Time // the day of the last row
	begun    bool
}

// has reports whether a time is on the day of the last row.
func (d *dayMarks) has(at time.Time) bool { return d.begun && !at.Before(d.from) && at.Before(d.to) }

// next takes the time of the next row. It returns the day that begins with it, if one is to be named.
func (d *dayMarks) next(at time.Time) (day time.Time, begins bool) {
	if d.has(at) {
		return day, false
	}

	first := !d.begun
	local := at.In(d.now.Location())
	year, month, date := local.Date()
	d.from, d.begun = time.Date(year, month, date, 0, 0, 0, 0, local.Location()), true
	d.to = d.from.AddDate(0, 0, 1)

	return d.from, !first || !kit.SameDay(at, d.now, d.now.Location())
}

// lineOf returns the line that a row is on, or -1.
func (l *listLines) lineOf(r *team.Row) int {
	for i := len(l.lines) - 1; i >= 0; i-- {
		x := &l.lines[i]
		if x.row == r && r != nil || slices.Contains(x.of, r) {
			return i
		}
	}
	return -1
}

func (l *listLines) step(i, n int) int {
	j := kit.Clamp(i+n, 0, len(l.lines)-1)
	if l.lines[j].row == nil && (n > 0 || j == 0) {
		j++
	} else if l.lines[j].row == nil {
		j--
	}
	return kit.Clamp(j, 0, len(l.lines)-1)
}

func (l *listLines) linesInView() []listLine {
	return l.lines[kit.Clamp(l.top, 0, len(l.lines)):kit.Clamp(l.top+l.height, 0, len(l.lines))]
}

func (l *listLines) inView() (rows []*team.Row) {
	for _, x := range l.linesInView() {
		switch {
		case x.of != nil:
			rows = append(rows, x.of...)
		case x.row != nil:
			rows = append(rows, x.row)
		}
	}
	return rows
}

// marked returns the line under the marker.
func (t *record) marked() listLine {
	if i := t.list.lineOf(t.Sel); i >= 0 {
		return t.list.lines[i]
	}
	return listLine{}
}

// unfold shows the messages of a fold one by one.
func (t *record) unfold(x listLine) {
	if t.unfolded == nil {
		t.unfolded = map[string]bool{}
	}
	for _, r := range x.of {
		t.unfolded[r.ID] = true
	}
	t.settle()
}

// fold folds what was unfolded around the marker, and reports whether there was anything.
func (t *record) fold() bool {
	i := slices.Index(t.rows, t.Sel)
	if i < 0 || !t.unfolded[t.Sel.ID] {
		return false
	}

	for j := i; j >= 0 && t.rows[j].SamePair(t.Sel); j-- {
		delete(t.unfolded, t.rows[j].ID)
	}
	last := i
	for j := i; j < len(t.rows) && t.rows[j].SamePair(t.Sel); j++ {
		delete(t.unfolded, t.rows[j].ID)
		last = j
	}
	t.Sel = t.rows[last]
	t.settle()

	return true
}

// worst returns the row of a line whose standing a person should see: the last, unless another one is in trouble.
func (x *listLine) worst() (r *team.Row, n int) {
	r, rank := x.row, len(team.Grave)
	for _, y := range x.of {
		s, _, _ := y.Standing()
		at := slices.Index(team.Grave, s)
		switch {
		case at < 0 || at > rank:
		case at < rank:
			r, rank, n = y, at, 1
		default:
			n++
		}
	}
	return r, n
}

// figure returns the standing of a line, in words or as a glyph.
func (x *listLine) figure(words bool) string {
	r, n := x.worst()
	s, _, _ := r.Standing()
	switch {
	case n > 1 && words:
		return fmt.Sprintf("%d %s", n, s)
	case n > 1:
		return fmt.Sprintf("%s %d", kit.DeliveryGlyph(s), n)
	case words:
		return r.Words()
	}
	return r.Figure()
}

// Columns are the columns that the traffic may have, besides its texts.
var Columns = []string{"time", "route", "state", "tag"}

// HiddenColumnsOf returns the columns that the settings leave out.
func HiddenColumnsOf(text string) hiddenColumns {
	shown := kit.ColumnsIn(text)
	if len(shown) == 0 {
		return nil
	}

	hidden := hiddenColumns{}
	for _, name := range Columns {
		hidden[name] = !slices.Contains(shown, name)
	}

	return hidden
}

// or returns the text of a column, "" if that is hidden.
func (h hiddenColumns) or(column, text string) string {
	if h[column] {
		return ""
	}
	return text
}
