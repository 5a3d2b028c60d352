package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// needs is the screen of everything that waits for a person.
type needs struct {
	actions
	shell     needsShell
	sel       string // the key of the need under the marker
	lastIndex int    // where that need was, for when it is gone
	top       int
	height    int
	inDetail  bool // the movement keys go to the details
	asking    bool
	known     bool          // reported is an answer
	reported  []parley.Need // by the daemon
	readFor   int           // the daemon's count that reported answers
	list      []need
	err       error
	detail    needDetail
	moved     time.Time // when the marker last went to another need by itself
	acted     string    // the key of the need that a key has acted on: it goes as expected
	question  *question // takes the keys; nil: none does
}

// needsShell is what the screen of needs asks of the shell.
type needsShell interface {
	Do(verb) tea.Cmd
	Resume(draft) tea.Cmd
	OpenThread(id string) tea.Cmd
}

func newNeeds(a actions, s needsShell) *needs {
	return &needs{actions: a, shell: s, detail: needDetail{shared: a.shared}}
}

// needsMsg is the daemon's list.
type needsMsg struct {
	list  []parley.Need
	count int // for which it was read
	err   error
}

func readNeeds(count int) request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := s.GetNeeds(ctx, parley.GetNeedsRequest{})
		if err != nil {
			return needsMsg{err: err}
		}
		return needsMsg{list: res.Needs, count: count}
	}
}

func (n *needs) title() string { return "Needs you" }

func (n *needs) badge() badge {
	count, grave := n.waiting()
	return badge{count: count, grave: grave}
}

func (n *needs) keys() []binding {
	return []binding{
		bind("enter", "take the best action: answer, reply…", n.assist).hinted("do it").unless(n.none),
		bind("x", "dismiss it: mark read, decline, stop…", n.drop).
			hinted("dismiss").named("dismiss").unless(func() bool { return n.none() || !n.selected().drops() }),
		bind("R", "try again: retype, release, or restart", n.again).
			hinted("retry").named("retry").unless(func() bool { return n.none() || !n.selected().again() }),
		bind("K", "send keys to a screen that is not known", answering{n}.lookForKeys).
			hinted("keys").named("keys").unless(func() bool { return n.none() || !n.selected().takesKeys() }),
		bind("m", "mark a message to you read", n.readLetter).
			hinted("read").named("mark read").unless(func() bool { return n.none() || !n.selected().letter() }),
		bind("tab", "between the list and its details", n.turn),
		bind("esc", "back to the list", n.back),
		bind("i", "explain what happened to the message", n.explain).
			hinted("explain").named("explain").unless(func() bool { return n.none() || n.selected().MessageID == "" }),
	}
}

// slipped reports whether the marker has only just come to its need because another one went by itself: a key
// that was on its way is meant for that. It says so.
func slipped(n *needs) bool {
	if n.do.now().Sub(n.moved) >= tileRests {
		if x := n.selected(); x != nil {
			n.acted = x.key
		}
		return false
	}
	n.moved = time.Time{}
	n.tell("The list has just changed. Look again, then press the key again.")
	return true
}

// none reports whether nothing needs the operator.
func (n *needs) none() bool { return n.selected() == nil }

func (n *needs) turn() tea.Cmd { n.inDetail = !n.inDetail; return nil }
func (n *needs) back() tea.Cmd { n.inDetail = false; return nil }

func (n *needs) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case agentsMsg, shownMsg:
		return n.askNeeds()
	case needsMsg:
		return n.take(msg)
	case needDetailMsg:
		return n.detail.take(msg)
	case keyScreenMsg:
		return answering{n}.askKeys(msg)
	case sentMsg:
		if x := n.selected(); x != nil && msg.err == nil && msg.draft.to.replyTo == x.MessageID {
			return n.forgetReminders(x)
		}
	case dropDraftMsg:
		n.drafts.forget(msg.to)
	case inboxMsg:
		n.gather()
	case feedMsg:
		for _, e := range msg.events {
			n.detail.heard(e.MessageID)
		}
	case settledMsg:
		if n.at == atNeeds {
			n.gather()
		}
		return n.detail.ask(n.selected())
	}

	return nil
}

// askNeeds reads the list while the screen is shown, and else when the daemon counts another number: the
// bar counts matters. One request runs at a time.
func (n *needs) askNeeds() tea.Cmd {
	count := 0
	if n.link.status != nil {
		count = n.link.status.Needs
	}
	if n.asking || n.at != atNeeds && n.readFor == count && (n.known || count == 0) {
		return nil
	}
	n.asking = true
	return n.do.call(readNeeds(count))
}

func (n *needs) take(msg needsMsg) tea.Cmd {
	n.asking = false
	if n.err = msg.err; msg.err != nil {
		if n.link.gone(msg.err) {
			return n.link.lookLater()
		}
		return nil
	}

	if !n.known {
		n.sel, n.lastIndex = "", 0 // the list was not complete before
	}

	n.known, n.reported, n.readFor = true, msg.list, msg.count
	n.gather()
	answering{n}.checkQuestion()

	return nil
}

// index returns the position of the need under the marker. When that is gone, the
// marker stays where it was, on the next one.
func (n *needs) index() int {
	i := slices.IndexFunc(n.list, func(x need) bool { return x.key == n.sel })
	if i < 0 {
		i = clamp(n.lastIndex, 0, max(0, len(n.list)-1))
	}
	return i
}

func (n *needs) mark(i int) {
	n.lastIndex = clamp(i, 0, max(0, len(n.list)-1))
	if n.sel = ""; len(n.list) > 0 {
		n.sel = n.list[n.lastIndex].key
	}
}

// selected returns the need under the marker, or nil.
func (n *needs) selected() *need {
	if len(n.list) == 0 {
		return nil
	}
	return &n.list[n.index()]
}

func (n *needs) move(by motion) tea.Cmd {
	if n.inDetail {
		n.detail.move(by)
		return nil
	}
	n.mark(n.index() + by.lines(n.height))
	n.moved = time.Time{}
	n.detail.top = 0
	return nil
}

func (n *needs) about() subject {
	x := n.selected()
	if x == nil {
		return subject{}
	}

	s := subject{
		agent:     n.team.find(x.AgentID),
		partnerID: x.AgentID,
		partner:   safeLine(x.Agent),
		message:   x.MessageID,
		text:      safeLine(x.Text),
		threadID:  x.thread,
	}

	switch {
	case x.letter() && x.Agent == parley.SystemName && x.thread == "":
		s.notice, s.partner = n.noticeOf(x.about), ""
	case x.AgentID == "" && x.Kind != needUnsent && x.Agent != you:
		s.partnerID = x.Agent // an agent that left the team, or parley itself
	}

	return s
}
