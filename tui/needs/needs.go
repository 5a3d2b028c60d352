// Package needs is the screen of everything that waits for the operator.
package needs

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/verb"
)

// New returns the screen, which asks the shell s for what lies beyond it.
func New(a room.Actions, s needsShell) *Screen {
	list := room.Listed{Awaited: room.Awaited{What: "what needs you"}, Noun: "need"}
	return &Screen{Actions: a, Listed: list, shell: s, Detail: needDetail{Shared: a.Shared}}
}

// needsMsg is the daemon's list.
type needsMsg struct {
	list  []parley.Need
	count int // for which it was read
	err   error
}

func readNeeds(count int) room.Request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := s.GetNeeds(ctx, parley.GetNeedsRequest{})
		if err != nil {
			return needsMsg{err: err}
		}
		return needsMsg{list: res.Needs, count: count}
	}
}

func (n *Screen) Title() string { return "Needs you" }

func (n *Screen) Badge() room.Badge {
	count, grave := n.Waiting()
	return room.Badge{Count: count, Grave: grave}
}

func (n *Screen) Keys() []kit.Binding {
	return []kit.Binding{
		verb.Open.To("take the best action: answer, reply…", n.assist).Hinted("do it").Unless(n.none),
		verb.Dismiss.To("dismiss it: mark read, decline, stop…", n.drop).
			Hinted("dismiss").Named("dismiss").Unless(func() bool { return n.none() || !n.selected().drops() }),
		verb.Retry.To("try again: retype, release, or restart", n.again).
			Hinted("retry").Named("retry").Unless(func() bool { return n.none() || !n.selected().again() }),
		verb.SendKeys.To("send keys to a screen that is not known", Answering{n}.lookForKeys).
			Hinted("keys").Named("keys").Unless(func() bool { return n.none() || !n.selected().takesKeys() }),
		verb.Switch.To("between the list and its details", n.turn),
		verb.Back.To("back to the list", n.back),
		verb.Explain.To("explain what happened to the message", n.Explain).
			Hinted("explain").Named("explain").Unless(func() bool { return n.none() || n.selected().MessageID == "" }),
	}
}

// slipped reports whether the marker has only just come to its need because another one went by itself: a key
// that was on its way is meant for that. It says so.
func slipped(n *Screen) bool {
	if n.Do.Now().Sub(n.moved) >= room.TileRests {
		if x := n.selected(); x != nil {
			n.acted = x.key
		}
		return false
	}
	n.moved = time.Time{}
	n.Tell("The list has just changed. Look again, then press the key again.")
	return true
}

// none reports whether nothing needs the operator.
func (n *Screen) none() bool { return n.selected() == nil }

func (n *Screen) turn() tea.Cmd { n.inDetail = !n.inDetail; return nil }
func (n *Screen) back() tea.Cmd { n.inDetail = false; return nil }

func (n *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case room.AgentsMsg, room.ShownMsg:
		return n.askNeeds()
	case needsMsg:
		return n.take(msg)
	case needDetailMsg:
		return n.Detail.take(msg)
	case keyScreenMsg:
		return Answering{n}.askKeys(msg)
	case room.SentMsg:
		if x := n.selected(); x != nil && msg.Err == nil && msg.Draft.To.ReplyTo == x.MessageID {
			return n.forgetReminders(x)
		}
	case dropDraftMsg:
		n.Drafts.Forget(msg.to)
	case room.InboxMsg:
		n.gather()
	case room.FeedMsg:
		for _, e := range msg.Events {
			n.Detail.heard(e.MessageID)
		}
	case room.FilteredMsg:
		sift(n)
		n.mark(n.index())
		n.moved = time.Time{} // the person moved it
	case room.SettledMsg:
		if n.At == room.AtNeeds {
			n.gather()
		}
		return n.Detail.ask(n.selected())
	}

	return nil
}

// askNeeds reads the list while the screen is shown, and else when the daemon counts another number: the
// bar counts matters. One request runs at a time.
func (n *Screen) askNeeds() tea.Cmd {
	count := 0
	if n.Link.Status != nil {
		count = n.Link.Status.Needs
	}
	if n.asking || n.At != room.AtNeeds && n.readFor == count && (n.Read || count == 0) {
		return nil
	}
	n.asking = true
	return n.Do.Call(readNeeds(count))
}

func (n *Screen) take(msg needsMsg) tea.Cmd {
	n.asking = false
	if n.Err = msg.err; msg.err != nil {
		if n.Link.Gone(msg.err) {
			return n.Link.LookLater()
		}
		return nil
	}

	if !n.Read {
		n.sel, n.lastIndex = "", 0 // the list was not complete before
	}

	n.Read, n.reported, n.readFor = true, msg.list, msg.count
	n.gather()
	Answering{n}.checkQuestion()

	return nil
}

func (n *Screen) Move(by kit.Motion) tea.Cmd {
	if n.inDetail {
		n.Detail.Move(by)
		return nil
	}
	n.mark(n.index() + by.Lines(n.height))
	n.moved = time.Time{}
	n.Detail.Top = 0
	return nil
}

func (n *Screen) About() room.Subject {
	x := n.selected()
	if x == nil {
		return room.Subject{}
	}

	s := room.Subject{
		Agent:     n.Team.Find(x.AgentID),
		PartnerID: x.AgentID,
		Partner:   kit.SafeLine(x.Agent),
		Message:   x.MessageID,
		Text:      kit.SafeLine(x.Text),
		ThreadID:  x.thread,
	}

	switch {
	case x.letter() && x.Agent == parley.SystemName && x.thread == "":
		s.Notice, s.Partner = n.NoticeOf(x.about), ""
	case x.AgentID == "" && x.Kind != needUnsent && x.Agent != kit.You:
		s.PartnerID = x.Agent // an agent that left the team, or parley itself
	}

	return s
}
