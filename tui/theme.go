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

// The themes. ThemeTerminal has the terminal's own sixteen colours.
const (
	ThemeTerminal = "terminal"
	ThemeLight    = "light"
	ThemeDark     = "dark"
	ThemeContrast = "contrast"
	ThemeNone     = "none"
)

// Themes are the values of Options.Theme.
var Themes = []string{ThemeTerminal, ThemeLight, ThemeDark, ThemeContrast, ThemeNone}

// colours has the colours of a theme: those of a state, and those of agents' names.
type colours struct {
	good, busy, warn, bad, accent, faint color.Color
	names                                []color.Color
}

// themeColours are the colours of the themes that have some. Those of light and dark have a
// contrast of 4.5 to white and to black at least, and are told apart by people who do not see red
// and green.
var themeColours = map[string]colours{
	ThemeTerminal: {
		lipgloss.Green, lipgloss.Cyan, lipgloss.Yellow, lipgloss.Red, lipgloss.Cyan, nil,
		[]color.Color{
			lipgloss.Blue, lipgloss.Magenta, lipgloss.Cyan, lipgloss.Green,
			lipgloss.BrightBlue, lipgloss.BrightMagenta, lipgloss.BrightCyan, lipgloss.BrightGreen,
		},
	},
	ThemeLight: {
		hex("#116329"), hex("#0550ae"), hex("#7d4e00"), hex("#b3202a"), hex("#0550ae"), hex("#59636e"),
		hexes("#0550ae", "#8250df", "#1b7c83", "#116329", "#4150b5", "#99286e", "#0b6e75", "#5a6b00"),
	},
	ThemeDark: {
		hex("#7ee787"), hex("#79c0ff"), hex("#e3b341"), hex("#ff8a80"), hex("#79c0ff"), hex("#9da7b1"),
		hexes("#79c0ff", "#d2a8ff", "#76e3ea", "#7ee787", "#a5b4ff", "#ff9bce", "#56d4dd", "#cddc71"),
	},
}

func hex(code string) color.Color { return lipgloss.Color(code) }

func hexes(codes ...string) (all []color.Color) {
	for _, c := range codes {
		all = append(all, hex(c))
	}
	return all
}

func themeOf(name string, noColor bool) theme {
	s := lipgloss.NewStyle
	t := theme{
		plain: s(), strong: s().Bold(true), dim: s().Faint(true), good: s(), busy: s(), warn: s().Bold(true),
		bad: s().Bold(true), accent: s().Bold(true), focus: s().Reverse(true), alarm: s().Bold(true).Reverse(true),
	}

	if name == ThemeContrast {
		// Nothing is pale, and nothing depends on the background.
		t.dim, t.bad = s(), s().Bold(true).Reverse(true)
		return t
	}
	if noColor {
		return t
	}

	c, ok := themeColours[name]
	if !ok {
		c = themeColours[ThemeTerminal]
	}
	t.good, t.busy = t.good.Foreground(c.good), t.busy.Foreground(c.busy)
	t.warn, t.bad = t.warn.Foreground(c.warn), t.bad.Foreground(c.bad)
	t.accent, t.alarm = t.accent.Foreground(c.accent), t.alarm.Foreground(c.bad)
	if c.faint != nil {
		t.dim = s().Foreground(c.faint)
	}
	for _, name := range c.names {
		t.names = append(t.names, s().Foreground(name))
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
