package parley

import "strings"

// ruleCharacters are those that lines are drawn with. A line of nothing else carries no text.
const ruleCharacters = " ─━═╌╍┄┅┈┉-=_"

// deadPane begins tmux's own line below what a program that has ended left on its screen.
const deadPane = "Pane is dead ("

// ScreenLine returns a line of a program's screen as it is quoted to people: clean, and with spaces in place of what
// is only drawn, such as spinners of braille dots, pictures and bars of blocks.
func ScreenLine(line string) string {
	return strings.TrimRight(strings.Map(func(r rune) rune {
		if r == '\t' || r >= 0x2580 && r <= 0x259f || r >= 0x2800 && r <= 0x28ff {
			return ' '
		}
		return r
	}, Clean(line)), " ")
}

// ScreenEnd returns the last n lines of a screen that carry text, as they are quoted.
func ScreenEnd(lines []string, n int) []string {
	end := []string{}
	for _, line := range lines {
		if line = ScreenLine(line); strings.Trim(line, ruleCharacters) != "" && !strings.HasPrefix(line, deadPane) {
			end = append(end, line)
		}
	}
	return end[max(0, len(end)-n):]
}
