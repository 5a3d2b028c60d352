package tui

import (
	"cmp"
	"hash/fnv"
	"image/color"

	"charm.land/lipgloss/v2"

	"parley"
)

// theme is how things look. Colours are the terminal's own sixteen, so that its
// owner's dark or light palette holds. Nothing is told by colour alone.
type theme struct {
	plain, strong, dim, good, busy, warn, bad, accent, focus, alarm lipgloss.Style

	names []lipgloss.Style // of agents; none without colours
}

func newTheme(noColor bool) theme {
	s := lipgloss.NewStyle
	t := theme{
		plain: s(), strong: s().Bold(true), dim: s().Faint(true), good: s(), busy: s(), warn: s().Bold(true),
		bad: s().Bold(true), accent: s().Bold(true), focus: s().Reverse(true), alarm: s().Bold(true).Reverse(true),
	}

	if noColor {
		return t
	}

	t.good = t.good.Foreground(lipgloss.Green)
	t.busy = t.busy.Foreground(lipgloss.Cyan)
	t.warn = t.warn.Foreground(lipgloss.Yellow)
	t.bad = t.bad.Foreground(lipgloss.Red)
	t.accent = t.accent.Foreground(lipgloss.Cyan)
	t.alarm = t.alarm.Foreground(lipgloss.Red)
	for _, c := range []color.Color{
		lipgloss.Blue, lipgloss.Magenta, lipgloss.Cyan, lipgloss.Green,
		lipgloss.BrightBlue, lipgloss.BrightMagenta, lipgloss.BrightCyan, lipgloss.BrightGreen,
	} {
		t.names = append(t.names, s().Foreground(c))
	}

	return t
}

// name returns the style of an agent's name: the same each time, and neither that of trouble
// nor that of the person in front of the screen.
func (t theme) name(of string) lipgloss.Style {
	if len(t.names) == 0 || of == you {
		return t.plain
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(of))
	return t.names[h.Sum32()%uint32(len(t.names))]
}

// agentGlyph returns the shape of an agent's state. The word is always next to it.
func agentGlyph(s parley.AgentState) string {
	switch s {
	case parley.StateStarting:
		return "◌"
	case parley.StateIdle:
		return "●"
	case parley.StateBusy:
		return "◐"
	case parley.StateExited:
		return "✗"
	case parley.StateTerminated:
		return "-"
	case parley.StateWaiting:
		return "◆"
	case parley.StateDrafting:
		return "✎"
	case parley.StateBlocked:
		return "■"
	case parley.StateUnreachable:
		return "∅"
	}

	return "?"
}

func (t theme) agent(s parley.AgentState) lipgloss.Style {
	switch s {
	case parley.StateIdle:
		return t.good
	case parley.StateBusy:
		return t.busy
	case parley.StateStarting:
		return t.plain
	case parley.StateWaiting, parley.StateDrafting, parley.StateUnknown:
		return t.warn
	case parley.StateTerminated:
		return t.dim
	}

	return t.bad
}

var deliveryGlyphs = map[parley.DeliveryState]string{
	parley.DeliveryQueued: "○", parley.DeliveryHeld: "‖", parley.DeliveryTyping: "›", parley.DeliverySubmitted: "✓",
	parley.DeliveryRead: "✓✓", parley.DeliveryAnswered: "↩", parley.DeliveryFailed: "✗",
	parley.DeliveryUnconfirmed: "?", parley.DeliveryExpired: "⊘",
}

// deliveryGlyph returns the shape of a rung, at most two columns wide.
func deliveryGlyph(s parley.DeliveryState) string { return cmp.Or(deliveryGlyphs[s], "·") }

func (t theme) delivery(s parley.DeliveryState) lipgloss.Style {
	switch {
	case s.Delivered():
		return t.good
	case s == parley.DeliveryHeld:
		return t.warn
	case s.Settled():
		return t.bad
	}
	return t.plain
}

// rule draws a pane's title. It is marked, in shape too, when the keys go there.
func (t theme) rule(title, note string, w int, focused bool) string {
	mark, style := "─ ", t.dim
	if focused {
		mark, style = "▸ ", t.accent
	}

	left := fit(mark+title, w)
	if note != "" {
		note = fit(" "+note, w-width(left)-1)
	}

	line := " "
	for range w - width(left) - width(note) - 2 {
		line += "─"
	}

	if w-width(left)-width(note) < 2 {
		line = ""
	}

	return style.Render(left) + t.dim.Render(line+note)
}
