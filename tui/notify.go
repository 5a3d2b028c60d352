package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// Notify is how the operator is told of what came for them while they look
// elsewhere.
type Notify struct {
	Bell    bool       // the terminal's
	Desktop bool       // a notification by the terminal, where it can
	Quiet   QuietHours // in which neither is used
}

// notifier remembers what the operator has been told of.
type notifier struct {
	Notify
	primed bool // the first look is no news
	needs  int
	heard  map[string]bool // messages
}

// needNews tells that more needs the operator than at the last look. It says
// nothing of what is gone.
func (d *desk) needNews() tea.Cmd {
	n, s := &d.notifier, d.link.status
	if !d.link.team || s == nil {
		return nil
	}
	more, first := s.Needs-n.needs, !n.primed
	n.primed, n.needs = true, s.Needs
	if first || more <= 0 {
		return nil
	}
	return d.ring(fmt.Sprintf("%s %s", plural(more, "thing"), needWord(more)))
}

// letterNews tells what came for the operator since the last look.
func (d *desk) letterNews() tea.Cmd {
	n, fresh := &d.notifier, []parley.InboxMessage(nil)
	heard := map[string]bool{}
	for _, m := range d.inbox.list {
		if heard[m.MessageID] = true; n.heard != nil && !n.heard[m.MessageID] {
			fresh = append(fresh, m)
		}
	}

	n.heard = heard
	switch len(fresh) {
	case 0:
		return nil
	case 1:
		return d.ring(
			fresh[0].Sender + ": " + parley.Truncate(parley.CleanLine(fresh[0].Content), parley.PreviewLength),
		)
	}

	return d.ring(
		fmt.Sprintf("%s for you, the last from %s", plural(len(fresh), "message"), fresh[len(fresh)-1].Sender),
	)
}

// ring makes the terminal tell it. OSC 9 is iTerm2's, OSC 777 that of urxvt,
// foot, Ghostty and others; who knows neither ignores both. BEL ends them, which
// all of them take.
func (d *desk) ring(text string) tea.Cmd {
	n, raw := &d.notifier, ""
	if n.Quiet.at(d.now) {
		return nil
	}
	if n.Bell {
		raw = "\a"
	}

	if n.Desktop {
		text = strings.Map(func(r rune) rune {
			if r == ';' || r < ' ' || r == 0x7f {
				return ' '
			}
			return r
		}, safeLine(text))

		raw += fmt.Sprintf("\x1b]9;parley: %s\a\x1b]777;notify;parley;%s\a", text, text)
	}

	if raw == "" {
		return nil
	}

	return tea.Raw(raw)
}

// windowTitle is what the terminal's window is called: how much waits for the
// operator, before whose screen it is.
func (m *model) windowTitle() string {
	title := "parley " + m.workspace
	if n, _ := m.needs.waiting(); n > 0 {
		title = fmt.Sprintf("(%d) %s", n, title)
	}
	return title
}

// QuietHours are a time of each day, from one time of day to another, which may be
// on the next one. Without a length they are never.
type QuietHours struct{ From, To time.Duration }

func (q QuietHours) at(now time.Time) bool {
	of := time.Duration(now.Hour())*time.Hour + time.Duration(now.Minute())*time.Minute
	if q.From <= q.To {
		return q.From <= of && of < q.To
	}
	return of >= q.From || of < q.To
}

// frameOf is how long news are gathered before they are shown.
func frameOf(still bool) time.Duration {
	if still {
		return time.Second
	}
	return feedGather
}
