package room

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/plain"
	"parley/tui/kit"
	"parley/tui/team"
)

// toastTime is how long a notice stays that needs no action: long enough to be
// read twice.
const toastTime = 8 * time.Second

// Status is the line that answers what the operator did.
type Status struct {
	Text    string
	Err     error     // text is then what was done before it
	Receipt *team.Row // of the last message sent; text is then its recipient
	until   time.Time
	Leaving bool // it warned of drafts that would be lost
	Warned  bool // it did so just before this key
}

// Clear makes way for the next answer.
func (s *Status) Clear() {
	*s = Status{Warned: s.Leaving}
}

// Age drops a notice that has stood long enough, and reports whether it did. Errors and warnings stay until
// a key is pressed.
func (s *Status) Age(now time.Time) bool {
	if s.until.IsZero() || !now.After(s.until) || s.Leaving {
		return false
	}
	*s = Status{}
	return true
}

// ErrorLines draws an error with what to do about it, in two lines at most.
func (s *Status) ErrorLines(th kit.Theme, w int) []string {
	e := parley.AsError(s.Err)
	words := "✗ " + kit.SafeLine(e.Message)
	if s.Text != "" {
		words += " · " + kit.SafeLine(s.Text)
	}
	if e.Action != "" {
		words += " → " + kit.SafeLine(e.Action)
	}

	lines := kit.Wrap(words, w)
	for i := range lines {
		lines[i] = th.Bad.Render(lines[i])
	}

	return lines[:min(len(lines), 2)]
}

// Notify is how the operator learns of what came for them while they look
// elsewhere.
type Notify struct {
	Bell    bool       // rings the terminal's bell
	Desktop bool       // makes the terminal show a notification, where it can
	Quiet   QuietHours // when neither is used
}

// QuietHours are a part of each day, given as times since midnight. They may
// end on the next day. If both times are equal there are none.
type QuietHours struct{ From, To time.Duration }

func (q QuietHours) at(now time.Time) bool {
	of := time.Duration(now.Hour())*time.Hour + time.Duration(now.Minute())*time.Minute
	if q.From <= q.To {
		return q.From <= of && of < q.To
	}
	return of >= q.From || of < q.To
}

// notifier remembers what the operator was told.
type notifier struct {
	Notify
	primed   bool // the first look is no news
	needs    int
	messages map[string]bool
}

// RingForNeeds rings if more needs the operator than at the last look.
func (d *Shared) RingForNeeds() tea.Cmd {
	n, s := &d.notifier, d.Link.Status
	if !d.Link.Team || s == nil {
		return nil
	}

	more, first := s.Needs-n.needs, !n.primed
	n.primed, n.needs = true, s.Needs
	if first || more <= 0 {
		return nil
	}

	return n.ring(d.Now, fmt.Sprintf("%s %s", kit.Plural(more, "thing"), team.NeedWord(more)))
}

// ringForMessages rings for what came for the operator since the last look.
func (n *notifier) ringForMessages(now time.Time, list []parley.InboxMessage) tea.Cmd {
	var fresh []parley.InboxMessage
	known := map[string]bool{}
	for _, m := range list {
		if known[m.MessageID] = true; n.messages != nil && !n.messages[m.MessageID] {
			fresh = append(fresh, m)
		}
	}

	n.messages = known
	if len(fresh) == 0 {
		return nil
	}

	last := fresh[len(fresh)-1]
	if len(fresh) > 1 {
		return n.ring(now, fmt.Sprintf("%s for you, the last from %s", kit.Plural(len(fresh), "message"), last.Sender))
	}

	return n.ring(now, last.Sender+": "+plain.Truncate(plain.CleanLine(last.Content), parley.PreviewLength))
}

// ring returns the command that makes the terminal ring. OSC 9 is iTerm2's, OSC
// 777 that of urxvt, foot, Ghostty and others; a terminal that knows neither
// ignores both. BEL ends them, which all of them take.
func (n *notifier) ring(now time.Time, text string) tea.Cmd {
	if n.Quiet.at(now) {
		return nil
	}

	raw := ""
	if n.Bell {
		raw = "\a"
	}

	if n.Desktop {
		text = strings.Map(func(r rune) rune {
			if r == ';' || r < ' ' || r == 0x7f {
				return ' '
			}
			return r
		}, kit.SafeLine(text))

		raw += fmt.Sprintf("\x1b]9;parley: %s\a\x1b]777;notify;parley;%s\a", text, text)
	}

	if raw == "" {
		return nil
	}

	return tea.Raw(raw)
}

// Awaited is embedded by what shows an answer of the daemon. Until that has come, nothing is known of it.
type Awaited struct {
	What string // is read, as in "Still reading the threads."
	Read bool   // the answer has come
	Err  error  // of the last try; nil if it went well
}

// Missing says that the answer has not come; "" if it has.
func (a *Awaited) Missing() string {
	switch {
	case a.Read:
		return ""
	case a.Err != nil:
		return "Not read yet: " + kit.SafeLine(parley.AsError(a.Err).Message) + "."
	}
	return StillReading(a.What)
}

// StillReading says that an answer has not come yet.
func StillReading(what string) string {
	return "Still reading " + what + ". Press the key again in a moment."
}

// Listed is embedded by a screen whose list can be narrowed.
type Listed struct {
	Awaited
	Noun   string // a thing of the list
	Filter kit.Filter
}

// ListFilter returns the filter of the screen's list.
func (l *Listed) ListFilter() *kit.Filter { return &l.Filter }

// Missing says that the list has not been read, or that the filter lets nothing of it pass; "" otherwise.
func (l *Listed) Missing() string {
	if l.Read && l.Filter.Active() && l.Filter.Empty() {
		return l.Filter.Nothing(l.Noun)
	}
	return l.Awaited.Missing()
}

// Lacks tells that what a key needs is not there. What has not been read yet may be there: it then says that.
func (d *Shared) Lacks(text string) {
	if !d.Link.Team {
		d.Tell(StillReading("who is in the team"))
		return
	}

	var shown any = d.Shown()
	if d.Over != nil {
		shown = d.Over
	}
	if x, ok := shown.(interface{ Missing() string }); ok && x.Missing() != "" {
		text = x.Missing()
	}
	d.Tell(text)
}

// FilteredMsg tells a screen that the filter of its list has changed.
type FilteredMsg struct{}

// Named is something that one can go to by its name.
type Named struct {
	Kind  string // agent, thread, need or message
	Name  string
	About string
	Go    func() tea.Cmd
}
