package tui

import (
	"time"

	"parley"
)

const noAgents = "No agents yet. Start one:  parley launch coder -- claude"

// lines draws each agent: one line, and more when something waits. from and to
// are where the selected one begins and ends.
func (a *agents) lines(w int) (lines []string, from, to int) {
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
		lines = append(lines, agentLine(a.theme, s, w, name, selected, a.now))
		if waits := counts(s); waits != "" {
			lines = append(lines, "    "+fit(waits, w-4))
		}
		if why := holds(s); why != "" {
			for _, line := range wrap(why, w-4) {
				lines = append(lines, "    "+a.theme.warn.Render(line))
			}
		}
		if selected {
			to = len(lines)
		}
	}
	return lines, from, to
}

func agentLine(th theme, s *parley.AgentStatus, w, name int, selected bool, now time.Time) string {
	mark := "  "
	if selected {
		mark = "▸ "
	}
	glyph, state := agentGlyph(s.State)+" ", pad(string(s.State), 11)
	long := " " + since(s.Since, now)
	if selected {
		return th.focus.Render(pad(mark+glyph+pad(s.Name, name)+" "+state+long, w))
	}
	style := th.agent(s.State)
	return mark + style.Render(glyph) + pad(s.Name, name) + " " + style.Render(state) + th.dim.Render(long)
}

func (a *agents) view(w, h int) []string {
	lines := []string{a.theme.rule("Agents", "", w, true)}
	if len(a.list) == 0 {
		return clip(append(lines, a.nothing(w)...), h)
	}
	all, _, _ := a.lines(w)
	return clip(append(lines, all[min(a.top, len(all)):]...), h)
}

func (a *agents) nothing(w int) []string {
	text, style := noAgents, a.theme.plain
	if !a.link.team {
		text, style = "Looking who is there…", a.theme.dim
	}
	var lines []string
	for _, line := range wrap(text, w-2) {
		lines = append(lines, "  "+style.Render(line))
	}
	return lines
}

// settle scrolls so that the selected agent is seen.
func (a *agents) settle(w, h int) {
	a.height = h - 1
	lines, from, to := a.lines(w)
	a.top = window(window(a.top, max(from, to-1), len(lines), a.height), from, len(lines), a.height)
}
