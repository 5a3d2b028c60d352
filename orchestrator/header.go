package orchestrator

import (
	"fmt"
	"regexp"
	"strings"
	"time"
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
	expected := ""
	if by := replyBy(msg); by != "" {
		expected = " · " + by
	}

	tail := fmt.Sprintf("(%s · %s%s · %d characters, cut here: read it whole with get_messages, or parley message %s)",
		msg.Sender, l.mark, expected, utf8.RuneCountInString(msg.Text), parley.Short(msg.ID))
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
	case parley.KindThread:
		return fmt.Sprintf(
			`[AGENT %s IN THREAD %s "%s"]: `,
			parley.Short(msg.SenderID),
			parley.Short(msg.ThreadID),
			parley.ShownTitle(msg.ThreadTitle),
		)
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
	if msg.ResponseStatus != "" {
		parts = append(parts, string(msg.ResponseStatus))
	}
	if msg.Priority != parley.PriorityNormal {
		parts = append(parts, string(msg.Priority))
	}
	if by := replyBy(msg); by != "" {
		parts = append(parts, by)
	}

	return "(" + strings.Join(parts, " · ") + ")"
}

// replyBy says what is expected of the recipient; "" for nothing. The day is told
// where it is not that on which the message was sent.
func replyBy(msg *parley.Message) string {
	if msg.ResponseDeadline == nil {
		return ""
	}
	return "reply by " + localTime(*msg.ResponseDeadline, msg.Timestamp) + " with respond_to_message"
}

// localTime is a time as a person here reads it, with its day unless that is the day of
// another time.
func localTime(t, day time.Time) string {
	t, day = t.In(time.Local), day.In(time.Local)
	if t.Format(time.DateOnly) == day.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format("15:04 on 2 January")
}

// fakeHeader matches a line of a text that looks as if parley had written it.
var fakeHeader = regexp.MustCompile(`(?m)^([ \t]*)(\[(?:AGENT |GUARDIAN |PARLEY))`)

// defuse quotes such lines: an agent must not speak in another's name. The
// stored text stays as it was written.
func defuse(text string) string { return fakeHeader.ReplaceAllString(text, "$1> $2") }
