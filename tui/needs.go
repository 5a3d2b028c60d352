package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// needs is the page of what wants the operator.
type needs struct {
	open   bool
	top    int
	height int
	asking bool
	known  bool // list is an answer
	list   []parley.Need
	err    error
}

func (n *needs) lines(th theme, w int, now time.Time) []string {
	switch {
	case n.err != nil:
		return errorLines(th, n.err, w)
	case !n.known:
		return []string{th.dim.Render(fit("  looking…", w))}
	case len(n.list) == 0:
		return []string{th.dim.Render(fit("  Nothing needs you.", w))}
	}
	var lines []string
	for i, need := range n.list {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, needLines(th, need, w, now)...)
	}
	return lines
}

// needLines show one need: what it is, what the agent's screen shows, what to do.
func needLines(th theme, n parley.Need, w int, now time.Time) []string {
	head := fmt.Sprintf("%s  %s  %s", strings.ReplaceAll(safeLine(string(n.Kind)), "_", " "), safeLine(n.Agent), since(n.Since, now))
	lines := []string{"  " + th.strong.Render(fit(head, w-2))}
	for _, line := range wrap(safeLine(n.Text), w-4) {
		lines = append(lines, "    "+line)
	}
	for _, line := range n.Screen {
		lines = append(lines, "    "+th.dim.Render(fit("│ "+visible(parley.Clean(line)), w-4)))
	}
	for _, line := range wrap("→ "+safeLine(n.Command), w-4) {
		lines = append(lines, "    "+th.accent.Render(line))
	}
	for _, line := range wrap(safeLine(n.Action), w-6) {
		lines = append(lines, "      "+line)
	}
	return lines
}

func (n *needs) view(th theme, w int, now time.Time) []string {
	lines := n.lines(th, w, now)
	note := ""
	if more := len(lines) - n.top - n.height; more > 0 {
		note = plural(more, "more line")
	}
	return clip(append([]string{th.rule("Needs you", note, w, true)}, lines[clamp(n.top, 0, len(lines)):]...), n.height+1)
}

func (n *needs) settle(lines int) { n.top = clamp(n.top, 0, max(0, lines-n.height)) }

func (m *model) openNeeds() tea.Cmd {
	m.needs.open, m.needs.top = true, 0
	return m.askNeeds()
}

// askNeeds asks while the page is open, one question at a time.
func (m *model) askNeeds() tea.Cmd {
	if !m.needs.open || m.needs.asking {
		return nil
	}
	m.needs.asking = true
	return m.do.needs()
}

func (m *model) needed(msg needsMsg) tea.Cmd {
	m.needs.asking = false
	if m.needs.err = msg.err; msg.err != nil {
		if m.daemonGone(msg.err) {
			return m.lookLater()
		}
		return nil
	}
	m.needs.known, m.needs.list = true, msg.list
	return nil
}
