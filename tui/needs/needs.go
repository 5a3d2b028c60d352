// Package needs is the screen of everything that waits for the operator.
package needs

import (
	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/verb"
)

// New returns the screen, which asks the shell s for what lies beyond it.
func New(a *room.Actions, s needsShell) *Screen {
	list := room.Listed{Awaited: room.Awaited{What: "what needs you"}, Noun: "need"}
	n := &Screen{room: a.Room, acts: a, Listed: list, shell: s, Detail: needDetail{room: a.Room},
		report: report{room: a.Room}}
	n.Answer = answering{room: a.Room, acts: a, list: &n.list}
	return n
}

func (n *Screen) Title() string { return "Needs you" }

func (n *Screen) Badge() room.Badge {
	count, grave := n.Waiting()
	return room.Badge{Count: count, Grave: grave}
}

func (n *Screen) Keys() []kit.Binding {
	return []kit.Binding{
		verb.Open.To("take the best action: answer, reply…", n.assist).Hinted("do it").Unless(n.list.none),
		verb.Dismiss.To("dismiss it: mark read, decline, stop…", n.drop).
			Hinted("dismiss").Named("dismiss").Unless(func() bool {
			return n.list.none() ||
				!n.list.selected().drops()
		}),
		verb.Retry.To("try again: retype, release, or restart", n.again).
			Hinted("retry").Named("retry").Unless(func() bool {
			return n.list.none() ||
				n.list.selected().again() == nil
		}),
		verb.SendKeys.To("send keys to its terminal", n.Answer.lookForKeys).
			Hinted("keys").Named("keys").Unless(func() bool { return n.list.none() || !n.list.selected().needsKeys() }),
		verb.Switch.To("between the list and its details", n.turn),
		verb.Back.To("back to the list", n.back),
		verb.Explain.To("explain what happened to the message", n.acts.Explain).
			Hinted("explain").Named("explain").Unless(func() bool {
			return n.list.none() ||
				n.list.selected().MessageID == ""
		}),
	}
}

func (n *Screen) turn() tea.Cmd { n.inDetail = !n.inDetail; return nil }
func (n *Screen) back() tea.Cmd { n.inDetail = false; return nil }

func (n *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case room.AgentsMsg, room.ShownMsg:
		return n.report.ask(n.Read)
	case needsMsg:
		return n.take(msg)
	case needDetailMsg:
		return n.Detail.take(msg)
	case room.KeyScreenMsg:
		ask, takes := n.Answer.askKeys(msg)
		if takes {
			n.report.sees(msg.AgentID, msg.Seen.Screen)
			n.gather()
		}
		return ask
	case room.SentMsg:
		if x := n.list.selected(); x != nil && msg.Err == nil && msg.Draft.To.ReplyTo == x.MessageID {
			return n.remedy().forgetReminders(x)
		}
	case dropDraftMsg:
		n.room.Drafts.Forget(msg.to)
	case room.InboxMsg:
		n.gather()
	case room.FeedMsg:
		for _, e := range msg.Events {
			n.Detail.heard(e.MessageID)
		}
	case room.FilteredMsg:
		n.list.sift(&n.Filter)
		n.list.moveTo(n.list.index())
	case room.SettledMsg:
		if n.room.At == room.AtNeeds {
			n.gather()
		}
		return n.Detail.ask(n.list.selected())
	}

	return nil
}

func (n *Screen) take(msg needsMsg) tea.Cmd {
	n.report.take(msg)
	if n.Err = msg.err; msg.err != nil {
		if n.room.Link.Gone(msg.err) {
			return n.room.Link.LookLater()
		}
		return nil
	}

	if !n.Read {
		n.list.sel, n.list.lastIndex = "", 0 // the list was not complete before
	}

	n.Read = true
	n.gather()
	n.Answer.checkQuestion()

	return nil
}

func (n *Screen) Move(by kit.Motion) tea.Cmd {
	if n.inDetail {
		n.Detail.Move(by)
		return nil
	}
	n.list.moveTo(n.list.index() + by.Lines(n.list.height))
	n.Detail.Top = 0
	return nil
}

func (n *Screen) About() room.Subject {
	x := n.list.selected()
	if x == nil {
		return room.Subject{}
	}

	s := room.Subject{
		Agent:     n.room.Team.Find(x.AgentID),
		PartnerID: x.AgentID,
		Partner:   kit.SafeLine(x.Agent),
		Message:   x.MessageID,
		Text:      kit.SafeLine(x.Text),
		ThreadID:  x.thread,
	}

	switch {
	case x.letter() && x.Agent == parley.SystemName && x.thread == "":
		s.Notice, s.Partner = n.room.NoticeOf(x.about), ""
	case x.AgentID == "" && x.Kind != needUnsent && x.Agent != kit.You:
		s.PartnerID = x.Agent // an agent that left the team, or parley itself
	}

	return s
}

// takesKeys reports whether the need is a screen that may be sent keys, also beside its options.
func (n *need) takesKeys() bool {
	return n.Kind == parley.NeedDialog && (n.Dialog == nil || !n.Dialog.Secret)
}

// needsKeys reports whether nothing but keys answers the need.
func (n *need) needsKeys() bool { return n.takesKeys() && !n.answerable() }

// lookForKeys looks at the agent's screen, for which a person is then asked for keys.
func (n *answering) lookForKeys() tea.Cmd {
	x := n.list.selected()
	switch {
	case x == nil:
		n.room.Lacks(nothingNeeded)
		return nil
	case !x.takesKeys():
		n.room.Tell("It takes no keys from here.")
		return nil
	case n.list.tooQuick(n.room):
		return nil
	}

	return n.acts.LookForKeys(x.AgentID)
}

// keysBesideOptions leaves the options of the question for keys.
func (n *answering) keysBesideOptions() tea.Cmd {
	if n.Question.Names("k") {
		return n.Choose("k")
	}
	n.Question = nil
	return n.lookForKeys()
}

// askKeys shows the screen that was seen, and asks which keys it is to get. It reports whether a need without a
// question takes them.
func (n *answering) askKeys(msg room.KeyScreenMsg) (ask tea.Cmd, takes bool) {
	x := n.list.selected()
	if n.room.At != room.AtNeeds || n.room.Keys.Prompt != nil || x == nil || x.AgentID != msg.AgentID {
		return nil, false // the person has gone on
	}

	ask, takes = n.acts.AskKeys(msg, x.Agent)
	return ask, takes && x.Dialog == nil
}

// hintsOf draws what a dialog says of its keys.
func (n *needDetail) hintsOf(d *parley.Dialog, w int) []string {
	lines := []string{n.room.Theme.Accent.Render("  K ") + " sends keys"}
	if d.Hints == "" {
		return lines
	}
	for _, part := range kit.Wrap("It says: "+kit.SafeLine(d.Hints), max(2, w-5)) {
		lines = append(lines, n.room.Theme.Dim.Render("     "+part))
	}
	return lines
}

func (n *Screen) Point(p kit.Pointer) tea.Cmd {
	listW, listH, _, paneH := n.Parts(p.W, p.H)
	inPane := paneH > 0 && p.Second(n.room.Tier, listW, listH)
	switch {
	case inPane && p.Wheel != 0:
		n.Detail.Top += p.Wheel
	case inPane:
		n.inDetail = true
	case p.Wheel != 0:
		n.inDetail = false
		return kit.Times(p.Wheel, n.Move)
	case p.Y > 0:
		i, at := n.list.top+p.Y-1, n.list.index()
		if i > at {
			i-- // the row under the marker takes two lines
		}
		if n.inDetail = false; i < len(n.list.list) && i != at {
			n.list.mark(i)
			n.Detail.Top = 0
		}
		n.inDetail = p.Twice
	}

	return nil
}

// Screen is the screen of everything that waits for a person.
type Screen struct {
	room *room.Shared
	acts *room.Actions
	room.Listed
	shell    needsShell
	list     needList
	report   report
	inDetail bool // the movement keys go to the details
	Detail   needDetail
	Answer   answering
}

// needsShell is what the screen of needs asks of the shell.
type needsShell interface {
	Do(verb.Verb) tea.Cmd
	Resume(room.Draft) tea.Cmd
	OpenThread(id string) tea.Cmd
}

// tooQuick reports whether a key was meant for a need that has just gone, and says so.
func (l *needList) tooQuick(d *room.Shared) bool {
	if !l.slipped(d.Do.Now()) {
		return false
	}
	d.Tell("The list has just changed. Look again, then press the key again.")
	return true
}
