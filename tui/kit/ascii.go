package kit

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

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
