package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// health is the screen of the daemon and its figures.
type health struct {
	*desk
	top    int
	height int
}

func (h *health) title() string { return "Health" }

func (h *health) badge() badge { return badge{} }

func (h *health) keys() []binding { return nil }

func (h *health) update(tea.Msg) tea.Cmd { return nil }

func (h *health) about() subject { return subject{} }

func (h *health) move(by motion) tea.Cmd {
	h.top += by.lines(h.height)
	return nil
}

func (h *health) settle(w, rows int) {
	h.height = rows - 1
	h.top = clamp(h.top, 0, max(0, len(h.lines(w))-h.height))
}

func (h *health) view(w, rows int) []string {
	lines := h.lines(w)
	return clip(append([]string{h.theme.rule("Health", "", w, true)}, lines[clamp(h.top, 0, len(lines)):]...), rows)
}

func (h *health) lines(w int) []string {
	s := h.link.status
	if s == nil {
		return []string{h.theme.dim.Render(fit("  Asking the daemon…", w))}
	}
	var lines []string
	add := func(name, value string) {
		if value != "" && value != "0" {
			lines = append(lines, "  "+h.theme.dim.Render(pad(name, 12))+fit(safeLine(value), w-14))
		}
	}
	add("daemon", fmt.Sprintf("%s, process %d, up %s", s.Version, s.PID, since(s.StartedAt, h.now)))
	add("workspace", s.Workspace)
	add("database", s.Database)
	add("log", s.Log)
	add("socket", s.Socket)
	add("http", s.HTTP)
	add("tmux", strings.TrimSpace(s.TmuxVersion+" "+s.TmuxSocket))
	add("events", fmt.Sprint(s.LastEvent))
	lines = append(lines, "")
	add("agents", tally(s.Agents))
	add("deliveries", tally(s.Deliveries))
	if s.Paused != nil {
		add("paused", s.Paused.Words())
	}
	return lines
}

// tally writes counts by name, the most first.
func tally(in map[string]int) string {
	var names []string
	for name, n := range in {
		if n > 0 {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if in[a] != in[b] {
			return in[b] - in[a]
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", in[name], name)
	}
	return strings.Join(names, " · ")
}
