package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
)

const (
	wideWords = 64  // columns from which each row shows its ladder
	allWords  = 110 // columns from which each row also says it in words
)

// view draws height lines of at most w columns below the title.
func (t *record) view(th theme, w int, focused bool, n listNote, now time.Time) []string {
	lines := []string{th.rule("Traffic", n.title, w, focused)}
	if len(t.rows) == 0 {
		for _, line := range wrap(n.nothing, w-2) {
			lines = append(lines, "  "+line)
		}
		return clip(lines, t.height+1)
	}
	dated := slices.ContainsFunc(t.inView(), func(r *row) bool { return !today(r.at, now) })
	for _, r := range t.inView() {
		lines = append(lines, r.view(th, w, dated, r == t.sel, focused, now))
	}
	return clip(lines, t.height+1)
}

// listNote is what the list says of itself: next to its title, and when it is empty.
type listNote struct{ title, nothing string }

func (t *traffic) listNote() listNote {
	n := listNote{title: t.note(), nothing: "No messages yet."}
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

// view draws a message on one line: its time, sender and recipient, standing, and
// text. The row under the marker has its standing in words, and where there is
// much room they all do.
func (r *row) view(th theme, w int, dated, selected, focused bool, now time.Time) string {
	clock, route, state := 6, clamp(w*30/100, 16, 18), 7
	if w >= wideWords {
		clock, route, state = 8, clamp(w*28/100, 20, 36), 7+5
	}
	if w >= allWords {
		state = 20
	}

	if dated && w >= wideWords {
		clock = datedClock
	}

	s, _, _ := r.standing()
	word := r.figure()
	switch {
	case w >= allWords || w >= wideWords && selected:
		word = ladder(s) + " " + r.words()
	case w >= wideWords:
		word = ladder(s) + " " + r.share()
	case selected:
		word = deliveryGlyph(s) + " " + r.words()
	}

	state = max(state, width(word))
	mark := "  "
	if selected {
		mark = "▸ "
	}

	when, way := mark+pad(clockOf(r.at, now, clock), clock)+" ", pad(r.route(route), route)+" "
	left := when + way
	word = pad(word, state) + " "
	tag := fit(r.tag(), w-width(left)-width(word))
	text := fit(r.text, w-width(left)-width(word)-width(tag))
	if selected && focused {
		return th.focus.Render(pad(left+word+tag+text, w))
	}

	tagStyle, stateStyle := th.dim, th.delivery(s)
	if r.priority == parley.PriorityUrgent || r.priority == parley.PriorityHigh {
		tagStyle = th.warn
	}
	if !r.sure {
		stateStyle = th.dim
	}

	if from, rest, ok := strings.Cut(way, arrow); ok {
		to := th.plain
		if r.toID != "" {
			to = th.name(r.to)
		}
		way = th.name(r.from).Render(from) + th.dim.Render(arrow) + to.Render(rest)
	}

	return when + way + stateStyle.Render(word) + tagStyle.Render(tag) + text
}

var ladders = map[parley.DeliveryState]string{
	parley.DeliveryQueued: "○····", parley.DeliveryHeld: "○‖···", parley.DeliveryTyping: "○›···",
	parley.DeliverySubmitted: "○›✓··", parley.DeliveryRead: "○›✓✓·", parley.DeliveryAnswered: "○›✓✓↩",
	parley.DeliveryFailed: "○✗···", parley.DeliveryUnconfirmed: "○›?··", parley.DeliveryExpired: "○⊘···",
}

// ladder draws how far a message came, with a column for each rung: stored, being
// typed, taken, read, answered. A problem is in the place of the next rung.
func ladder(s parley.DeliveryState) string { return cmp.Or(ladders[s], "·····") }

// share returns how many of several recipients a standing is about.
func (r *row) share() string {
	s, n, of := r.standing()
	switch {
	case of == 1:
		return ""
	case s.Delivered(), s == parley.DeliveryTyping:
		return fmt.Sprintf("%d/%d", n, of)
	}
	return fmt.Sprint(n)
}

// arrow stands between a sender and a recipient.
const arrow = " → "

// route returns `from → to` in at most w columns. Both names stay recognisable.
func (r *row) route(w int) string {
	from, to := r.from, r.to
	if over := width(from) + width(arrow) + width(to) - w; over > 0 {
		half := (w - width(arrow)) / 2
		from = fit(from, max(half, width(from)-over))
		to = fit(to, w-width(arrow)-width(from))
	}
	return from + arrow + to
}

// clockOf returns the time of day, with the date if it was another day, as far as there is room.
func clockOf(at, now time.Time, w int) string {
	at = at.In(now.Location())
	switch {
	case today(at, now):
	case w >= datedClock:
		return at.Format("2 Jan 15:04")
	default:
		return at.Format("2 Jan")
	}

	switch {
	case w >= 8:
		return at.Format("15:04:05")
	}
	return at.Format("15:04")
}

// datedClock are the columns of a date with its time.
const datedClock = 12

func today(at, now time.Time) bool {
	at = at.In(now.Location())
	return at.YearDay() == now.YearDay() && at.Year() == now.Year()
}

// clip returns exactly n lines.
func clip(lines []string, n int) []string {
	if len(lines) > n {
		return lines[:max(n, 0)]
	}
	for len(lines) < n {
		lines = append(lines, "")
	}
	return lines
}

func clamp(v, low, high int) int { return min(max(v, low), high) }

func indent(lines []string, by int) []string {
	for i := range lines {
		lines[i] = strings.Repeat(" ", by) + lines[i]
	}
	return lines
}

// beside sets two columns of lines side by side, the left one w columns wide.
func beside(th theme, left, right []string, w int) []string {
	bar := th.dim.Render(" │ ")
	lines := make([]string, 0, len(left))
	for i := range left {
		lines = append(lines, pad(left[i], w)+bar+right[i])
	}
	return lines
}
