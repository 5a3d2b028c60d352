package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
)

// listColumns are how wide the columns of the list are. They grow with what comes into view, so that nothing
// jumps back and forth as the list scrolls.
type listColumns struct {
	all, route, state int
	hidden            hiddenColumns
}

// fit widens the columns for rows on a list of w columns.
func (c *listColumns) fit(rows []*row, w int) {
	if c.all != w {
		*c = listColumns{all: w, hidden: c.hidden}
	}
	for _, r := range rows {
		c.route = max(c.route, width(r.from)+width(arrow)+width(r.to))
		c.state = max(c.state, width(r.figureIn(w)))
	}
	c.route = clamp(c.route, 12, max(16, min(w*28/100, 40)))
}

// view draws height lines of at most w columns below the title.
func (t *record) view(th theme, w int, focused bool, n listNote, now time.Time) []string {
	lines := []string{th.rule(t.heading(), n.title, w, focused)}
	if len(t.rows) == 0 {
		for _, line := range wrap(n.nothing, w-2) {
			lines = append(lines, "  "+line)
		}
		return clip(lines, t.height+1)
	}

	for _, x := range t.linesInView() {
		if x.row == nil {
			lines = append(lines, th.dim.Render(fit("  ── "+dayWords(x.day, now)+" ──", w)))
			continue
		}
		onIt := x.row == t.sel || slices.Contains(x.of, t.sel)
		look := lineLook{marked(onIt, n.picked(&x)), onIt && focused}
		lines = append(lines, x.view(th, t.columns, look, now))
	}

	return clip(lines, t.height+1)
}

// heading names the list, and the day at its top if that is not today.
func (t *record) heading() string {
	view := t.linesInView()
	if len(view) == 0 || view[0].row == nil || sameDay(view[0].row.at, t.today, t.today.Location()) {
		return "Traffic"
	}
	return "Traffic, " + dayWords(view[0].row.at.In(t.today.Location()), t.today)
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

func (t *traffic) listNote() listNote {
	n := listNote{title: t.note(), nothing: "No messages yet.", picked: t.isPicked}
	if len(t.picked) > 0 {
		n.title = fmt.Sprintf("%d selected · ", len(t.picked)) + n.title
	}
	f := &t.filter
	switch {
	case !f.query.empty():
		n.title = strings.Join([]string{f.note(), "/" + safeLine(f.query.text), n.title}, " · ")
		n.nothing = f.nothing()
	case !t.link.events:
		n.nothing = "Reading messages…"
	}
	return n
}

// view draws a line: its time, sender and recipient, standing, and text, which takes what is left.
func (x *listLine) view(th theme, c listColumns, look lineLook, now time.Time) string {
	r, w, clock := x.row, c.all, 5
	if w >= wideClock {
		clock = 8
	}

	when := look.mark + c.hidden.or("time", pad(clockOf(r.at, now, clock), clock)+" ")
	way := c.hidden.or("route", pad(x.route(c.route), c.route)+" ")
	left := when + way
	word := c.hidden.or("state", pad(x.figure(w >= wideWords), c.state)+" ")
	tag := fit(c.hidden.or("tag", x.tag()), w-width(left)-width(word))
	text := fit(r.text, w-width(left)-width(word)-width(tag))
	if look.focused {
		return th.focus.Render(pad(left+word+tag+text, w))
	}

	worst, _ := x.worst()
	s, _, _ := worst.standing()
	tagStyle, stateStyle := th.dim, th.delivery(s)
	if r.priority == parley.PriorityUrgent || r.priority == parley.PriorityHigh {
		tagStyle = th.warn
	}
	if !worst.sure {
		stateStyle = th.dim
	}

	return th.dim.Render(when) + x.colour(th, way) + stateStyle.Render(word) + tagStyle.Render(tag) + text
}

// colour gives the names of a route their colours.
func (x *listLine) colour(th theme, way string) string {
	between := arrow
	if x.of != nil {
		between = bothWays
	}

	from, rest, ok := strings.Cut(way, between)
	if !ok {
		return way
	}

	r, to := x.first(), th.plain
	if r.toID != "" {
		to = th.name(r.to)
	}

	return th.name(r.from).Render(from) + th.dim.Render(between) + to.Render(rest)
}

// tag names what is out of the ordinary; in a fold, how many messages it has and whose the last is.
func (x *listLine) tag() string {
	if x.of == nil {
		return x.row.tag()
	}
	return fmt.Sprintf("×%d %s: ", len(x.of), x.row.from) + x.row.tag()
}

// route returns the route of the message, or the two sides of a fold, in at most w columns.
func (x *listLine) route(w int) string {
	if x.of == nil {
		return route(x.row.from, arrow, x.row.to, w)
	}
	return route(x.first().from, bothWays, x.first().to, w)
}

// first returns the oldest message of a line.
func (x *listLine) first() *row {
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
	if over := width(from) + width(between) + width(to) - w; over > 0 {
		half := (w - width(between)) / 2
		from = fit(from, max(half, width(from)-over))
		to = fit(to, w-width(between)-width(from))
	}
	return from + between + to
}
