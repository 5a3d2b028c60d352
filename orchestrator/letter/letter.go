package letter

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"parley"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/program/profile"
)

// Letter is a message as it is typed into one terminal.
type Letter struct {
	Text      string
	Mark      string // "msg 5f0c21aa": stands in the footer and proves whose text it is
	Foot      string // the footer
	Announced bool   // it is the announcement of a text that is too long for the terminal
}

// Whole lays a message out whole. With short, its footer names the message alone.
func Whole(p *profile.Profile, msg *parley.Message, to *team.Member, short bool) Letter {
	seal := to.Agent().Seal
	foot := msg.Footer(short, seal)
	return Letter{Text: Layout(p, headOf(msg, to), bodyOf(msg, seal), foot), Mark: msg.Mark(), Foot: foot}
}

// Argument returns a message as an argument of its program. Other users can read that, so it has no seal.
func Argument(p *profile.Profile, msg *parley.Message, to *team.Member, short bool) Letter {
	foot := msg.Footer(short, "")
	body := bodyOf(msg, to.Agent().Seal)
	return Letter{Text: Layout(p, headOf(msg, to), body, foot), Mark: msg.Mark(), Foot: foot}
}

// Announcement shows the beginning of a text and the call that reads the rest.
func Announcement(p *profile.Profile, msg *parley.Message, to *team.Member) Letter {
	seal := to.Agent().Seal
	l := Letter{Mark: msg.Mark(), Foot: msg.AnnouncementFooter(utf8.RuneCountInString(msg.Text), seal), Announced: true}
	first, _, _ := strings.Cut(strings.TrimSpace(norm.NFC.String(bodyOf(msg, seal))), "\n")
	first = plain.QuoteForms(p.Showable(first)) // the words that are left could make a form
	for n := announcementLength; ; n /= 2 {     // halved until it fits: a profile may allow very little
		l.Text = Layout(p, headOf(msg, to), plain.Truncate(first+"…", n), l.Foot)
		if n < 2 || p.Fits(l.Text) {
			return l
		}
	}
}

// announcementLength is how many characters of a long text its announcement shows: enough
// to see what it is about.
const announcementLength = 200

// headOf returns the header of a message as it is typed to a member. A title is somebody's text, too: the
// seal is not in it.
func headOf(msg *parley.Message, to *team.Member) string {
	shown := *msg
	shown.ThreadTitle = plain.HideSeal(msg.ThreadTitle, to.Agent().Seal)
	return shown.Header(to.ID) + " "
}

// bodyOf returns the text of a message as it is typed into the terminal with this seal. Nothing
// in it looks like a header or a footer, and the seal is not in it.
func bodyOf(msg *parley.Message, seal string) string {
	return plain.QuoteForms(plain.HideSeal(strings.ReplaceAll(msg.Text, "\t", "    "), seal))
}

// Layout returns a text as it is typed to a program: in one line, where its profile wants that.
func Layout(p *profile.Profile, head, body, foot string) string {
	if p.OneLine {
		return head + strings.Join(strings.Fields(body), " ") + " " + foot
	}
	return head + body + "\n" + foot
}
