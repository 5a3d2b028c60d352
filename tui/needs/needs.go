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
