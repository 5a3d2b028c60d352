package tmux

import (
	"slices"
	"strconv"
	"strings"
)

// lookBuffer is the buffer through which a screen is read where printing it leaks.
const lookBuffer = "parley-look"

// leaksCaptures reports whether the server keeps for ever what capture-pane prints to a control client.
// 3.3 and 3.3a do: 63 kB for each message into a screen with 60 rows of text. Measured with 3.3a.
func (v Version) leaksCaptures() bool { return v.Text == "3.3" || v.Text == "3.3a" }

// capture returns the commands that print a pane's text, and what makes lines of their output. On a
// joined server each command has a client of its own, to which tmux prints as it is and frees it.
func (s *Server) capture(pane, flags string) (commands []string, decode func([]string) []string) {
	if s.opts.Join || !s.Version().leaksCaptures() {
		return []string{"capture-pane -p -t " + pane + flags}, slices.Clone[[]string]
	}
	return []string{
		"capture-pane -b " + lookBuffer + " -t " + pane + flags,
		"show-buffer -b " + lookBuffer,
		"delete-buffer -b " + lookBuffer,
	}, shownLines
}

// shownLines undoes what show-buffer does to a text for a control client: it quotes as vis(3) does, and
// prints an empty line after the last line feed.
func shownLines(shown []string) []string {
	lines := slices.Clone(shown)
	if n := len(lines); n > 0 && lines[n-1] == "" {
		lines = lines[:n-1]
	}
	for i, line := range lines {
		lines[i] = unvis(line)
	}
	return lines
}

// unvis undoes the quoting of vis(3): a backslash and three octal digits are a byte, and any other
// character behind a backslash is itself.
func unvis(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}

	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}

		if i+3 < len(text) {
			if code, err := strconv.ParseUint(text[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(code))
				i += 3
				continue
			}
		}
		i++
		b.WriteByte(text[i])
	}

	return b.String()
}
