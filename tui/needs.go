package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// needs is the screen of what waits for a person.
type needs struct {
	*desk
	sel    int
	top    int
	height int
	asking bool
	known  bool // list is an answer
	list   []parley.Need
	err    error
}

func (n *needs) title() string { return "Needs you" }

func (n *needs) badge() badge {
	if n.link.status == nil {
		return badge{}
	}
	return badge{count: n.link.status.Needs, grave: true}
}

func (n *needs) keys() []binding {
	return named([]binding{
		{inNeeds, []string{"enter"}, "enter", "attach to the agent's terminal", "attach", (*model).attach, ""},
		{inNeeds, []string{"R"}, "R", "type the message again", "retry", (*model).retry, ""},
		{inNeeds, []string{"x"}, "x", "dismiss: not to be named any more", "dismiss", (*model).dismiss, ""},
		{inNeeds, []string{"e"}, "e", "explain the message's story", "explain", (*model).explain, ""},
	}, "R retry", "x dismiss", "e explain")
}

func (n *needs) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case agentsMsg, shownMsg:
		return n.ask()
	case needsMsg:
		return n.take(msg)
	}
	return nil
}

// ask asks while the screen is looked at, one question at a time.
func (n *needs) ask() tea.Cmd {
	if n.at != atNeeds || n.asking {
		return nil
	}
	n.asking = true
	return n.do.needs()
}

func (n *needs) take(msg needsMsg) tea.Cmd {
	n.asking = false
	if n.err = msg.err; msg.err != nil {
		if n.daemonGone(msg.err) {
			return n.lookLater()
		}
		return nil
	}
	n.known, n.list = true, msg.list
	return nil
}

func (n *needs) move(by motion) tea.Cmd {
	n.sel = clamp(n.sel+by.lines(max(2, n.height/5)), 0, max(0, len(n.list)-1))
	return nil
}

func (n *needs) about() subject {
	if n.sel >= len(n.list) {
		return subject{}
	}
	need := n.list[n.sel]
	return subject{agent: n.team.find(need.AgentID), partnerID: need.AgentID, partner: safeLine(need.Agent),
		message: need.MessageID, text: safeLine(need.Text)}
}

func (n *needs) settle(w, h int) {
	n.height = h - 1
	n.sel = clamp(n.sel, 0, max(0, len(n.list)-1))
	lines, from, to := n.lines(w)
	n.top = window(window(n.top, max(from, to-1), len(lines), n.height), from, len(lines), n.height)
}

func (n *needs) view(w, h int) []string {
	lines, _, _ := n.lines(w)
	note := ""
	if more := len(lines) - n.top - n.height; more > 0 {
		note = plural(more, "more line")
	}
	title := []string{n.theme.rule("Needs you", note, w, true)}
	return clip(append(title, lines[clamp(n.top, 0, len(lines)):]...), h)
}

// lines draws all of it; the need under the marker is in lines from to to.
func (n *needs) lines(w int) (lines []string, from, to int) {
	switch {
	case n.err != nil:
		return errorLines(n.theme, n.err, w), 0, 0
	case !n.known:
		return []string{n.theme.dim.Render(fit("  looking…", w))}, 0, 0
	case len(n.list) == 0:
		return []string{n.theme.good.Render(fit("  ✓ Nothing needs you.", w))}, 0, 0
	}
	for i, need := range n.list {
		if i > 0 {
			lines = append(lines, "")
		}
		if i == n.sel {
			from = len(lines)
		}
		lines = append(lines, needLines(n.theme, need, w, i == n.sel, since(need.Since, n.now))...)
		if i == n.sel {
			to = len(lines)
		}
	}
	return lines, from, to
}

// needLines show one need: what it is, what the agent's screen shows, what to do.
func needLines(th theme, n parley.Need, w int, selected bool, age string) []string {
	head := fmt.Sprintf("%s  %s  %s", strings.ReplaceAll(safeLine(string(n.Kind)), "_", " "), safeLine(n.Agent), age)
	first := "  " + th.strong.Render(fit(head, w-2))
	if selected {
		first = th.focus.Render(pad("▸ "+head, w))
	}
	lines := []string{first}
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

// dismiss lets a message not be named any more; only the list forgets it.
func (m *model) dismiss() tea.Cmd {
	s := m.needs.about()
	if s.message == "" {
		m.tell("This goes when its cause does; only what is about a message can be dismissed.")
		return nil
	}
	return m.do.deed(deed{call: func(ctx context.Context, svc parley.Service) (string, error) {
		res, err := svc.GetNeeds(ctx, parley.GetNeedsRequest{Dismiss: s.message})
		if err != nil {
			return "", err
		}
		return plural(res.Dismissed, "delivery") + " dismissed.", nil
	}})
}
