package tui

import (
	"strings"
	"time"

	"parley"
)

// view draws height lines of at most w columns below the title.
func (t *record) view(th theme, w int, focused, loaded bool, now time.Time) []string {
	lines := []string{th.rule("Traffic", t.note(), w, focused)}
	if len(t.shown) == 0 {
		for _, line := range wrap(t.nothing(loaded), w-2) {
			lines = append(lines, "  "+line)
		}
		return clip(lines, t.height+1)
	}
	for _, r := range t.shown[t.top:min(t.top+t.height, len(t.shown))] {
		lines = append(lines, r.view(th, w, r == t.sel, focused, now))
	}
	return clip(lines, t.height+1)
}

func (t *record) nothing(loaded bool) string {
	switch {
	case !loaded:
		return "Reading what happened…"
	case t.sought != "":
		return "No message matches. esc shows all of them."
	}
	return "No messages yet. c writes to the chosen agent, b to all of them."
}

// view draws a message on one line: when, who to whom, how far, what.
func (r *row) view(th theme, w int, selected, focused bool, now time.Time) string {
	clock, route, state := 6, clamp(w*30/100, 16, 18), 7
	if w >= wideWords {
		clock, route, state = 8, clamp(w*28/100, 20, 36), 15
	}
	s, _, _ := r.standing()
	word := r.figure()
	if w >= wideWords || selected {
		word = deliveryGlyph(s) + " " + r.words()
	}
	state = max(state, width(word))
	mark := "  "
	if selected {
		mark = "▸ "
	}
	left := mark + pad(clockOf(r.at, now, clock), clock) + " " + pad(r.route(route), route) + " "
	word = pad(word, state) + " "
	tag := fit(r.tag(), w-width(left)-width(word))
	text := fit(r.text, w-width(left)-width(word)-width(tag))
	if selected && focused {
		return th.focus.Render(pad(left+word+tag+text, w))
	}
	tagStyle := th.dim
	if r.priority == parley.PriorityUrgent || r.priority == parley.PriorityHigh {
		tagStyle = th.warn
	}
	return left + th.delivery(s).Render(word) + tagStyle.Render(tag) + text
}

// route is `from → to` in at most w columns, both names kept recognisable.
func (r *row) route(w int) string {
	const arrow = " → "
	from, to := r.from, r.to
	if over := width(from) + width(arrow) + width(to) - w; over > 0 {
		half := (w - width(arrow)) / 2
		from = fit(from, max(half, width(from)-over))
		to = fit(to, w-width(arrow)-width(from))
	}
	return from + arrow + to
}

// clockOf is the time of day, or the date when that was another day.
func clockOf(at, now time.Time, w int) string {
	at = at.In(now.Location())
	switch {
	case at.YearDay() != now.YearDay() || at.Year() != now.Year():
		return at.Format("2 Jan")
	case w >= 8:
		return at.Format("15:04:05")
	}
	return at.Format("15:04")
}

// clip makes exactly n lines.
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

// beside sets two columns of lines next to each other, the left one w wide.
func beside(th theme, left, right []string, w int) []string {
	bar := th.dim.Render(" │ ")
	lines := make([]string, 0, len(left))
	for i := range left {
		lines = append(lines, pad(left[i], w)+bar+right[i])
	}
	return lines
}
