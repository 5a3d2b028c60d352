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
