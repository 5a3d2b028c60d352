package tui

import (
	"strings"
	"time"

	"parley"
)

const noAgents = "No agents yet. Start one:  parley launch coder -- claude"

// lines draws each agent: one line, and more when something waits. from and to
// are where the selected one begins and ends.
func (a *agents) lines(th theme, w int, focused bool, now time.Time) (lines []string, from, to int) {
	name := 8
	for _, s := range a.list {
		name = max(name, width(s.Name))
	}
	name = min(name, w-21) // mark 2, glyph 2, the longest state 11, how long 4, gaps 2
	for _, s := range a.list {
		selected := s.ID == a.sel
		if selected {
			from = len(lines)
		}
		lines = append(lines, agentLine(th, s, w, name, selected, focused, now))
		if waits := counts(s); waits != "" {
			lines = append(lines, "    "+fit(waits, w-4))
		}
		if why := holds(s); why != "" {
			for _, line := range wrap(why, w-4) {
				lines = append(lines, "    "+th.warn.Render(line))
			}
		}
		if selected {
			to = len(lines)
		}
	}
	return lines, from, to
}

func agentLine(th theme, s parley.AgentStatus, w, name int, selected, focused bool, now time.Time) string {
	mark := "  "
	if selected {
		mark = "▸ "
	}
	glyph, state := agentGlyph(s.State)+" ", pad(string(s.State), 11)
	long := " " + since(s.Since, now)
	if selected && focused {
		return th.focus.Render(pad(mark+glyph+pad(s.Name, name)+" "+state+long, w))
	}
	style := th.agent(s.State)
	return mark + style.Render(glyph) + pad(s.Name, name) + " " + style.Render(state) + th.dim.Render(long)
}

// view draws the pane beside the traffic.
func (a *agents) view(th theme, w int, focused, loaded bool, now time.Time) []string {
	title := []string{th.rule("Agents", "", w, focused)}
	if len(a.list) == 0 {
		return clip(append(title, a.nothing(th, w, loaded)...), a.height+1)
	}
	lines, _, _ := a.lines(th, w, focused, now)
	return clip(append(title, lines[min(a.top, len(lines)):]...), a.height+1)
}

func (a *agents) nothing(th theme, w int, loaded bool) []string {
	text, style := noAgents, th.plain
	if !loaded {
		text, style = "Looking who is there…", th.dim
	}
	var lines []string
	for _, line := range wrap(text, w-2) {
		lines = append(lines, "  "+style.Render(line))
	}
	return lines
}

// settle scrolls so that the selected agent is seen.
func (a *agents) settle(w, height int, strip bool, now time.Time) {
	a.height = height
	if strip {
		rows, at := a.chips(theme{}, w, false)
		a.top = window(a.top, at, len(rows), height)
		return
	}
	lines, from, to := a.lines(theme{}, w, false, now)
	a.top = window(window(a.top, max(from, to-1), len(lines), height), from, len(lines), height)
}

// strip draws the agents above the traffic, as many on a line as fit.
func (a *agents) strip(th theme, w int, focused, loaded bool) []string {
	title := []string{th.rule("Agents", "", w, focused)}
	if len(a.list) == 0 {
		return clip(append(title, a.nothing(th, w, loaded)...), a.height+1)
	}
	rows, _ := a.chips(th, w, focused)
	shown := rows[min(a.top, len(rows)):]
	if more := len(shown) - a.height; more > 0 {
		title[0] = th.rule("Agents", plural(more, "more line"), w, focused)
	}
	return clip(append(title, shown...), a.height+1)
}

// chips sets the agents one after the other into lines, and tells which line
// holds the selected one.
func (a *agents) chips(th theme, w int, focused bool) (rows []string, at int) {
	var b strings.Builder
	used := 0
	for _, s := range a.list {
		selected := s.ID == a.sel
		one := chip(th, s, w, selected, selected && focused)
		n := width(one)
		if used > 0 && used+2+n > w {
			rows = append(rows, b.String())
			b.Reset()
			used = 0
		}
		if used > 0 {
			b.WriteString("  ")
			used += 2
		}
		if selected {
			at = len(rows)
		}
		b.WriteString(one)
		used += n
	}
	return append(rows, b.String()), at
}

// chip is an agent of the strip.
func chip(th theme, s parley.AgentStatus, w int, selected, focused bool) string {
	mark := "  "
	if selected {
		mark = "▸ "
	}
	glyph, waits, why := agentGlyph(s.State), counts(s), holds(s)
	if waits != "" {
		waits = " · " + waits
	}
	if why != "" {
		why = " · " + why
	}
	if focused {
		return th.focus.Render(fit(mark+glyph+" "+s.Name+" "+string(s.State)+waits+why, w))
	}
	style := th.agent(s.State)
	return fit(mark+style.Render(glyph)+" "+s.Name+" "+style.Render(string(s.State))+waits+th.warn.Render(why), w)
}
