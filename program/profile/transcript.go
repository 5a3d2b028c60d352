package profile

import (
	"regexp"
	"slices"
	"strings"
)

// Behind returns the text right after the parenthesis that holds mark, which is the
// footer of a message, and whether the screen shows the footer. The highest one counts,
// since quotations stand below it. The closing parenthesis may stand some rows further
// down, as programs wrap. Text after a wide gap does not count. A row of words right below, indented as
// the rows of a prompt are, is text behind it too: a program can take the key that submits for a line break, and of
// keys pressed before that one there are as many empty rows between, at most.
func Behind(lines []string, mark string, before int) (text string, shown bool) {
	for i, line := range lines {
		if _, after, ok := strings.Cut(line, mark); ok {
			return afterFooter(after, lines[i+1:], before)
		}
	}
	return "", false
}

func afterFooter(after string, below []string, before int) (text string, shown bool) {
	for range 1 + min(announcementRows, len(below)) {
		if _, rest, ok := strings.Cut(after, ")"); ok {
			rest, _, _ = strings.Cut(strings.TrimPrefix(rest, " "), gap)
			rest = strings.TrimFunc(frame.ReplaceAllString(rest, ""), isBlank)
			for before > 0 && len(below) > 1 && strings.Trim(below[0], " ") == "" {
				below, before = below[1:], before-1
			}
			if rest == "" && len(below) > 0 && furtherRow.MatchString(below[0]) {
				rest = strings.TrimSpace(below[0])
			}
			return rest, true
		}
		if len(below) > 0 {
			after, below = below[0], below[1:]
		}
	}
	return "", false
}

// Answered reports whether rows of a screen show an answer to the text that the next copy of mark ends,
// after as many copies from before it.
func (p *Profile) Answered(rows []string, mark string, copies int) bool {
	if p.patterns.answer == nil {
		return false
	}
	at := slices.IndexFunc(rows, func(row string) bool {
		copies -= strings.Count(row, mark)
		return copies < 0
	})
	return at >= 0 && p.patterns.answer.MatchString(strings.Join(rows[at+1:], "\n"))
}

// Shown reports whether rows of a screen show text, whatever the frames and the breaks that the
// program draws it with. A text that is wrapped next to other columns is not found.
func Shown(rows []string, text string) bool {
	text = withoutFrames(text)
	return text != "" && strings.Contains(withoutFrames(strings.Join(rows, "\n")), text)
}

// Times returns how often rows of a screen show text, as Shown finds it.
func Times(rows []string, text string) int {
	if text = withoutFrames(text); text == "" {
		return 0
	}
	return strings.Count(withoutFrames(strings.Join(rows, "\n")), text)
}

// withoutFrames removes white space and the characters with which frames are drawn.
func withoutFrames(s string) string {
	return strings.Map(func(r rune) rune {
		if isBlank(r) || r >= '\u2500' && r <= '\u259f' {
			return -1
		}
		return r
	}, s)
}

// Above returns the rows above the composer, which show what the program was given and has
// said. It is not ok if the composer is not on the screen.
func (p *Profile) Above(lines []string) (rows []string, ok bool) {
	pg := p.open(lines)
	return pg.above()
}

func (pg *page) above() (rows []string, ok bool) {
	if !pg.found {
		return nil, false
	}
	return pg.lines[:strings.Count(pg.text[:pg.composer.start], "\n")], true
}

const (
	// announcementRows is how many more rows the footer of an announcement, the longest footer,
	// takes on a terminal of 80 columns.
	announcementRows = 3
	gap              = "   "
)

// furtherRow matches a row of words that is indented.
var furtherRow = regexp.MustCompile(`^ +[\pL\pN]`)

// frame matches from the first character with which frames are drawn; people do not
// type those.
var frame = regexp.MustCompile(`[\x{2500}-\x{259f}].*`)
