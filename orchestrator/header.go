package orchestrator

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/profile"

	"golang.org/x/text/unicode/norm"
)

// letter is a message as it is typed into one terminal.
type letter struct {
	text   string
	mark   string // "msg 5f0c21aa": stands in the footer and proves whose text it is
	notice bool   // it announces a text that is too long for the terminal
}

// compose writes a message for a terminal: a header that begins with a
// bracket, so that nothing in the text can be taken for a command; the text; and a
// footer that ends in a plain word, so that no completion eats the Enter.
func compose(p *profile.Profile, msg *parley.Message, to *member, short bool) letter {
	l := letter{mark: "msg " + parley.Short(msg.ID)}
	body := defuse(strings.ReplaceAll(msg.Text, "\t", "    "))
	head := header(msg, to)
	l.text = l.layout(p, head, body, footer(msg, l.mark, short))
	if p.Fits(l.text) {
		return l
	}
	l.notice = true
	tail := fmt.Sprintf("(%s · %s · %d characters, cut here: read it whole with get_messages, or parley message %s)",
		msg.Sender, l.mark, utf8.RuneCountInString(msg.Text), parley.Short(msg.ID))
	first, _, _ := strings.Cut(strings.TrimSpace(norm.NFC.String(body)), "\n")
	for n := noticeLength; ; n /= 2 { // halved until it fits: a profile may allow very little
		l.text = l.layout(p, head, parley.Truncate(first+"…", n), tail)
		if n < 2 || p.Fits(l.text) {
			return l
		}
	}
}

// noticeLength is how many characters of a long text its notice shows: enough to
// see what it is about.
const noticeLength = 200

func (l *letter) layout(p *profile.Profile, head, body, foot string) string {
	if p.OneLine {
		return head + strings.Join(strings.Fields(body), " ") + " " + foot
	}
	return head + body + "\n" + foot
}

// header is exactly one of the forms that the seeds write down.
func header(msg *parley.Message, to *member) string {
	switch msg.Kind {
	case parley.KindSteering:
		return fmt.Sprintf("[GUARDIAN GUIDANCE - %s]: ", guidanceKind(msg))
	case parley.KindNotice:
		return "[PARLEY]: "
	case parley.KindBroadcast:
		return fmt.Sprintf("[AGENT %s BROADCAST]: ", parley.Short(msg.SenderID))
	}
	return fmt.Sprintf("[AGENT %s TO AGENT %s]: ", parley.Short(msg.SenderID), parley.Short(to.id))
}

func footer(msg *parley.Message, mark string, short bool) string {
	if short {
		return "(" + mark + ")"
	}
	parts := []string{msg.Sender, mark}
	if msg.InReplyTo != "" {
		parts = append(parts, "re "+parley.Short(msg.InReplyTo))
	}
	if msg.Priority != parley.PriorityNormal {
		parts = append(parts, string(msg.Priority))
	}
	return "(" + strings.Join(parts, " · ") + ")"
}

// fakeHeader matches a line of a text that looks as if parley had written it.
var fakeHeader = regexp.MustCompile(`(?m)^([ \t]*)(\[(?:AGENT |GUARDIAN |PARLEY))`)

// defuse quotes such lines: an agent must not speak in another's name. The
// stored text stays as it was written.
func defuse(text string) string { return fakeHeader.ReplaceAllString(text, "$1> $2") }
