package courier

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"parley"
	"parley/orchestrator/team"
	"parley/profile"
)

// letter is a message as it is typed into one terminal.
type letter struct {
	text   string
	mark   string // "msg 5f0c21aa": stands in the footer and proves whose text it is
	notice bool   // it announces a text that is too long for the terminal
}

// compose lays a message out for a terminal: a header that begins with a bracket, so
// that nothing in the text can be taken for a command; the text; and a footer that ends
// in a plain word, so that no completion takes the Enter.
func compose(p *profile.Profile, msg *parley.Message, to *team.Member, short bool) letter {
	body := parley.QuoteHeaders(strings.ReplaceAll(msg.Text, "\t", "    "))
	head := msg.Header(to.ID) + " "
	l := letter{mark: msg.Mark(), text: layout(p, head, body, msg.Footer(short))}
	if p.Fits(l.text) {
		return l
	}

	l.notice = true
	foot := msg.NoticeFooter(utf8.RuneCountInString(msg.Text))
	first, _, _ := strings.Cut(strings.TrimSpace(norm.NFC.String(body)), "\n")
	first = p.Showable(first)
	for n := noticeLength; ; n /= 2 { // halved until it fits: a profile may allow very little
		l.text = layout(p, head, parley.Truncate(first+"…", n), foot)
		if n < 2 || p.Fits(l.text) {
			return l
		}
	}
}

// noticeLength is how many characters of a long text its notice shows: enough to
// see what it is about.
const noticeLength = 200

func layout(p *profile.Profile, head, body, foot string) string {
	if p.OneLine {
		return head + strings.Join(strings.Fields(body), " ") + " " + foot
	}
	return head + body + "\n" + foot
}
