package tmux

import (
	"slices"
	"strconv"
	"strings"
)

// quote returns s as one word of tmux's command language. Everything outside
// 0x20..0x7e is written in octal: a raw 0xFF desynchronises tmux's parser, which then
// types the rest of the line into the pane (measured on 3.3a). Callers must refuse
// NUL, where tmux cuts the word.
func quote(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c < 0x20 || c > 0x7e, c == '~' && i == 0:
			b.WriteByte('\\')
			b.WriteByte('0' + c>>6)
			b.WriteByte('0' + c>>3&7)
			b.WriteByte('0' + c&7)
		case c == '"' || c == '\\' || c == '$':
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}

	b.WriteByte('"')

	return b.String()
}

func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, " ")
}

// escaped returns a format that expands to free text in which splitFields finds no '|'. The
// modifier q: of tmux would do, but 3.3a never frees what that makes: 52 bytes each time, half a
// gigabyte a day with 30 agents.
func escaped(variable string) string { return "#{s/~/~0/;s/[|]/~1/:" + variable + "}" }

var unescape = strings.NewReplacer("~0", "~", "~1", "|")

// splitFields splits a reply at every '|', and undoes what escaped does.
func splitFields(line string) []string {
	fields := strings.Split(line, "|")
	for i, field := range fields {
		fields[i] = unescape.Replace(field)
	}
	return fields
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
