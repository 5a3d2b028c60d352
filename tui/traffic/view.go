package traffic

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/team"
)

func (c *listColumns) fit(rows []*team.Row, w int) {
	if c.all != w {
		*c = listColumns{all: w, hidden: c.hidden}
	}
	for _, r := range rows {
		c.route = max(c.route, kit.Width(r.From)+kit.Width(arrow)+kit.Width(r.To))
		c.state = max(c.state, kit.Width(r.FigureIn(w)))
	}
	c.route = kit.Clamp(c.route, 12, max(16, min(w*28/100, 40)))
}

// view draws height lines of at most w columns below the title.
func (t *record) view(th kit.Theme, w int, focused bool, n listNote, now time.Time) []string {
	lines := []string{th.Rule(t.heading(), n.title, w, focused)}
	if len(t.rows) == 0 {
		for _, line := range kit.Wrap(n.nothing, w-2) {
			lines = append(lines, "  "+line)
		}
		return kit.Clip(lines, t.list.height+1)
	}

	for _, x := range t.list.linesInView() {
		if x.row == nil {
			lines = append(lines, th.Dim.Render(kit.Fit("  ── "+kit.DayWords(x.day, now)+" ──", w)))
			continue
		}
		onIt := x.row == t.Sel || slices.Contains(x.of, t.Sel)
		look := lineLook{kit.Marked(onIt, n.picked(&x)), onIt && focused}
		lines = append(lines, x.view(th, t.columns, look, now))
	}

	return kit.Clip(lines, t.list.height+1)
}

// heading names the list, and the day at its top if that is not today.
func (t *record) heading() string {
	view := t.list.linesInView()
	if len(view) == 0 || view[0].row == nil || kit.SameDay(view[0].row.At, t.today, t.today.Location()) {
		return "Traffic"
	}
	return "Traffic, " + kit.DayWords(view[0].row.At.In(t.today.Location()), t.today)
}

// listNote is what the list says of itself: next to its title, and when it is empty.
type listNote struct {
	title, nothing string
	picked         func(*listLine) bool // reports whether a line is selected
}

// lineLook is how a line stands out.
type lineLook struct {
	mark    string // two columns
	focused bool
}

func (t *Screen) listNote() listNote {
	n := listNote{title: t.Records.Shown.note(), nothing: "No messages yet.", picked: t.Selection.picked.has}
	if len(t.Selection.picked) > 0 {
		n.title = fmt.Sprintf("%d selected · ", len(t.Selection.picked)) + n.title
	}
	f := &t.Filter
	switch {
	case !f.query.empty():
		n.title = strings.Join([]string{f.note(), "/" + kit.SafeLine(f.query.text), n.title}, " · ")
		n.nothing = f.nothing()
	case !t.room.Link.Events, t.Records.Shown.asking != noPage:
		n.nothing = "Reading messages…"
	}
	return n
}

// view draws a line: its time, sender and recipient, standing, and text, which takes what is left.
func (x *listLine) view(th kit.Theme, c listColumns, look lineLook, now time.Time) string {
	r, w, clock := x.row, c.all, 5
	if w >= team.WideClock {
		clock = 8
	}

	when := look.mark + c.hidden.or("time", kit.Pad(kit.ClockOf(r.At, now, clock), clock)+" ")
	way := c.hidden.or("route", kit.Pad(x.route(c.route), c.route)+" ")
	left := when + way
	word := c.hidden.or("state", kit.Pad(x.figure(w >= team.WideWords), c.state)+" ")
	tag := kit.Fit(c.hidden.or("tag", x.tag()), w-kit.Width(left)-kit.Width(word))
	text := kit.Fit(r.Text, w-kit.Width(left)-kit.Width(word)-kit.Width(tag))
	if look.focused {
		return th.Focus.Render(kit.Pad(left+word+tag+text, w))
	}

	worst, _ := x.worst()
	s, _, _ := worst.Standing()
	tagStyle, stateStyle := th.Dim, th.Delivery(s)
	if r.Priority == parley.PriorityUrgent || r.Priority == parley.PriorityHigh {
		tagStyle = th.Warn
	}
	if !worst.Sure {
		stateStyle = th.Dim
	}

	return th.Dim.Render(when) + x.colour(th, way) + stateStyle.Render(word) + tagStyle.Render(tag) + text
}

// colour gives the names of a route their colours.
func (x *listLine) colour(th kit.Theme, way string) string {
	between := arrow
	if x.of != nil {
		between = bothWays
	}

	from, rest, ok := strings.Cut(way, between)
	if !ok {
		return way
	}

	r, to := x.first(), th.Plain
	if r.ToID != "" {
		to = th.Name(r.To)
	}

	return th.Name(r.From).Render(from) + th.Dim.Render(between) + to.Render(rest)
}

// tag names what is out of the ordinary; in a fold, how many messages it has and whose the last is.
func (x *listLine) tag() string {
	if x.of == nil {
		return x.row.Tag()
	}
	return fmt.Sprintf("×%d %s: ", len(x.of), x.row.From) + x.row.Tag()
}

// route returns the route of the message, or the two sides of a fold, in at most w columns.
func (x *listLine) route(w int) string {
	if x.of == nil {
		return route(x.row.From, arrow, x.row.To, w)
	}
	return route(x.first().From, bothWays, x.first().To, w)
}

// first returns the oldest message of a line.
func (x *listLine) first() *team.Row {
	if x.of == nil {
		return x.row
	}
	return x.of[0]
}

// What stands between a sender and a recipient, and between two that answer each other.
const (
	arrow    = " → "
	bothWays = " ⇄ "
)

// route returns `from → to` in at most w columns. Both names stay recognisable.
func route(from, between, to string, w int) string {
	if over := kit.Width(from) + kit.Width(between) + kit.Width(to) - w; over > 0 {
		half := (w - kit.Width(between)) / 2
		from = kit.FitName(from, max(half, kit.Width(from)-over))
		to = kit.FitName(to, w-kit.Width(between)-kit.Width(from))
	}
	return from + between + to
}

func (t *Screen) Point(p kit.Pointer) tea.Cmd {
	listW, listH, _, detailH := t.Parts(p.W, p.H)
	inDetail := detailH > 0 && p.Second(t.room.Tier, listW, listH)
	switch i := t.Records.Shown.list.top + p.Y - 1; {
	case inDetail && p.Wheel != 0:
		t.Detail.Top += p.Wheel
	case inDetail:
		t.Detail.focused = true
		t.Records.Shown.setFollow(false)
	case p.Wheel != 0:
		return kit.Times(p.Wheel, func(by kit.Motion) tea.Cmd { t.Records.Shown.move(by.Lines(1)); return nil })
	case p.Y > 0 && i < len(t.Records.Shown.list.lines) && t.Records.Shown.list.lines[i].row != nil:
		x := t.Records.Shown.list.lines[i]
		if again := x.row == t.Records.Shown.Sel && !t.Detail.focused; again && (x.of != nil || !t.Detail.opened()) {
			return t.enter()
		}
		t.Detail.focused, t.Records.Shown.follow, t.Records.Shown.Sel = false, false, x.row
		t.Records.Shown.settle()
	}

	return nil
}
