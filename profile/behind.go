package profile

import (
	"regexp"
	"strings"
)

// Behind returns what stands on a screen right behind a parenthesis that holds mark, as
// the end of every message does, and whether it is on the screen at all. The highest one
// counts: what quotes it stands below. A parenthesis is looked for over some rows, as
// programs wrap, and what a wide gap divides from it is something else.
func Behind(lines []string, mark string) (text string, shown bool) {
	for i, line := range lines {
		if _, after, ok := strings.Cut(line, mark); ok {
			return behind(after, lines[i+1:])
		}
	}
	return "", false
}

func behind(after string, below []string) (text string, shown bool) {
	for range 1 + min(noticeRows, len(below)) {
		if _, rest, ok := strings.Cut(after, ")"); ok {
			rest, _, _ = strings.Cut(strings.TrimPrefix(rest, " "), gap)
			return strings.TrimFunc(framing.ReplaceAllString(rest, ""), blank), true
		}
		if len(below) > 0 {
			after, below = below[0], below[1:]
		}
	}
	return "", false
}

const (
	// noticeRows is how many rows more the end of a notice, the longest there is, may
	// take on a terminal of 80 columns.
	noticeRows = 3
	gap        = "   "
)

// framing is what frames are drawn with, and nobody types.
var framing = regexp.MustCompile(`[\x{2500}-\x{259f}].*`)
