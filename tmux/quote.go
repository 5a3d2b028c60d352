package tmux

import "strings"

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

// splitFields splits a reply at every '|' without a backslash before it, and undoes
// the escapes. Formats put free text into #{q:...}, which escapes '|', the backslash
// and other shell characters.
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
