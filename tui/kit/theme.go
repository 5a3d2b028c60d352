package kit

import (
	"cmp"
	"hash/fnv"
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"parley"
)

// Theme is how things look. Colours are the terminal's own sixteen, so that its
// owner's dark or light palette holds. Nothing is told by colour alone. Warn is for what
// waits for a person, and for nothing else.
type Theme struct {
	Plain, Strong, Dim, Good, Busy, Warn, Bad, Accent, Focus, Alarm lipgloss.Style

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

// ThemeOf returns a theme by its name; the first of Themes if it is not known.
func ThemeOf(name string, noColor bool) Theme {
	s := lipgloss.NewStyle
	t := Theme{
		Plain: s(), Strong: s().Bold(true), Dim: s().Faint(true), Good: s(), Busy: s(), Warn: s().Bold(true),
		Bad: s().Bold(true), Accent: s().Bold(true), Focus: s().Reverse(true), Alarm: s().Bold(true).Reverse(true),
	}

	if name == ThemeContrast {
		// Nothing is pale, and nothing depends on the background.
		t.Dim, t.Bad = s(), s().Bold(true).Reverse(true)
		return t
	}
	if noColor {
		return t
	}

	c, ok := themeColours[name]
	if !ok {
		c = themeColours[ThemeTerminal]
	}
	t.Good, t.Busy = t.Good.Foreground(c.good), t.Busy.Foreground(c.busy)
	t.Warn, t.Bad = t.Warn.Foreground(c.warn), t.Bad.Foreground(c.bad)
	t.Accent, t.Alarm = t.Accent.Foreground(c.accent), t.Alarm.Foreground(c.bad)
	if c.faint != nil {
		t.Dim = s().Foreground(c.faint)
	}
	for _, name := range c.names {
		t.names = append(t.names, s().Foreground(name))
	}

	return t
}

// Name returns the style of an agent's name: the same each time, and neither that of trouble
// nor that of the person in front of the screen.
func (t Theme) Name(of string) lipgloss.Style {
	if len(t.names) == 0 || of == You {
		return t.Plain
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(of))
	return t.names[h.Sum32()%uint32(len(t.names))]
}

// AgentGlyph returns the shape of an agent's state. The word is always next to it.
func AgentGlyph(s parley.AgentState) string {
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

// Agent returns the style of a state of an agent.
func (t Theme) Agent(s parley.AgentState) lipgloss.Style {
	switch s {
	case parley.StateIdle:
		return t.Good
	case parley.StateBusy:
		return t.Busy
	case parley.StateStarting:
		return t.Plain
	case parley.StateWaiting, parley.StateDrafting, parley.StateUnknown:
		return t.Warn
	case parley.StateTerminated:
		return t.Dim
	}

	return t.Bad
}

var deliveryGlyphs = map[parley.DeliveryState]string{
	parley.DeliveryQueued: "○", parley.DeliveryHeld: "‖", parley.DeliveryTyping: "›", parley.DeliverySubmitted: "✓",
	parley.DeliveryRead: "✓✓", parley.DeliveryAnswered: "↩", parley.DeliveryFailed: "✗",
	parley.DeliveryUnconfirmed: "?", parley.DeliveryExpired: "⊘",
}

// DeliveryGlyph returns the shape of a rung, at most two columns wide.
func DeliveryGlyph(s parley.DeliveryState) string { return cmp.Or(deliveryGlyphs[s], "·") }

// Delivery returns the style of a rung of a delivery.
func (t Theme) Delivery(s parley.DeliveryState) lipgloss.Style {
	switch {
	case s.Delivered():
		return t.Good
	case s == parley.DeliveryHeld:
		return t.Plain // most go on by themselves
	case s.Settled():
		return t.Bad
	}
	return t.Plain
}

// Rule draws a pane's title. It is marked, in shape too, when the keys go there.
func (t Theme) Rule(title, note string, w int, focused bool) string {
	mark, style := "─ ", t.Dim
	if focused {
		mark, style = "▸ ", t.Accent
	}

	left := Fit(mark+title, w)
	if note != "" {
		note = Fit(" "+note, w-Width(left)-1)
	}

	line := " "
	for range w - Width(left) - Width(note) - 2 {
		line += "─"
	}

	if w-Width(left)-Width(note) < 2 {
		line = ""
	}

	return style.Render(left) + t.Dim.Render(line+note)
}

// Temperature returns the style of a state of a conversation.
func (t Theme) Temperature(state string) lipgloss.Style {
	switch state {
	case "hot":
		return t.Bad
	case "warming", "cooling":
		return t.Busy
	case "cold", "concluded":
		return t.Dim
	}
	return t.Good
}

// plainShapes replace the shapes where a terminal has no UTF-8. Each is as wide as
// the shape that it replaces.
var plainShapes = map[rune]string{
	'▸': ">", '─': "-", '│': "|", '…': ".", '·': ".", '●': "*", '◐': "%", '○': "o", '◌': ".", '◆': "#",
	'■': "#", '✎': "~", '∅': "0", '✗': "x", '✓': "+", '›': ">", '‖': "=", '⇄': "=", '↩': "<", '⊘': "!", '→': ">",
	'←': "<", '↑': "^", '↓': "v", '×': "x", '“': `"`, '”': `"`, '✉': "@", '↯': "!", '◔': "%", '≠': "#", '»': ">", '½': "/",
	'█': "#", '░': ".", '▁': "_", '▂': "_", '▃': "-", '▄': "-", '▅': "=", '▆': "=", '▇': "#",
}

// ToASCII returns a view in ASCII, as wide as before.
func ToASCII(s string) string {
	var b strings.Builder
	for _, r := range s {
		shape, ok := plainShapes[r]
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case ok:
			b.WriteString(shape)
		default:
			b.WriteString(strings.Repeat("?", ansi.StringWidthWc(string(r))))
		}
	}

	return b.String()
}

// KnowsUTF8 reports whether the environment's locale allows UTF-8.
func KnowsUTF8(environ []string) bool {
	for _, name := range []string{"LC_ALL=", "LC_CTYPE=", "LANG="} {
		for _, e := range environ {
			if value, ok := strings.CutPrefix(e, name); ok && value != "" {
				value = strings.ToLower(strings.ReplaceAll(value, "-", ""))
				return strings.Contains(value, "utf8")
			}
		}
	}
	return true
}
