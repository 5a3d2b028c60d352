package tmux

import "strings"

// quote makes one word of tmux's command language of s. Everything outside
// 0x20..0x7e is written in octal: a raw 0xFF desynchronises the parser of tmux
// and types the rest of the line into the pane (measured on 3.3a). NUL cannot be
// carried: tmux cuts the word there, so callers refuse it.
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

// splitFields cuts a reply at every '|' that no backslash precedes, and undoes
// the escapes. Free text in a format is written #{q:...}, which escapes '|', the
// backslash and other shell characters.
func splitFields(line string) []string {
	var fields []string
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			i++
			b.WriteByte(line[i])
		case c == '|':
			fields = append(fields, b.String())
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}

	return append(fields, b.String())
}
