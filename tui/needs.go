package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// needs is the screen of what waits for a person.
type needs struct {
	*desk
	drafts   func() []draft // the operator's own that are not sent
	forget   func(address)  // throws one of them away
	sel      string         // the key of the need under the marker
	at0      int            // where that was, for when it is gone
	top      int
	height   int
	inDetail bool // the movement keys go to the details
	asking   bool
	known    bool          // told is an answer
	told     []parley.Need // by the daemon
	list     []need
	err      error
	message  detail // what the need under the marker is about
	pane     pane
}

// pane is how far a text is scrolled.
type pane struct{ top, height int }

func newNeeds(d *desk, c *compose) *needs {
	return &needs{desk: d, drafts: c.unposted, forget: c.forget}
}

func (n *needs) title() string { return "Needs you" }

func (n *needs) badge() badge {
	count, grave := n.waiting()
	return badge{count: count, grave: grave}
}

func (n *needs) keys() []binding {
	return named([]binding{
		{inNeeds, []string{"enter"}, "enter", "do what helps: attach, reply, restart…", "do it", (*model).helpNeed, ""},
		{inNeeds, []string{"x"}, "x", "let it be: dismiss, decline, let go", "let be", (*model).dropNeed, ""},
		{inNeeds, []string{"R"}, "R", "again: type, release, or restart it", "again", (*model).againNeed, ""},
		{inNeeds, []string{"m"}, "m", "mark what came for you read", "read", (*model).markRead, ""},
		{
			inNeeds,
			[]string{"tab"},
			"tab",
			"between the list and its details",
			"",
			func(m *model) tea.Cmd { return m.needs.turn() },
			"",
		},
		{
			inNeeds,
			[]string{"esc"},
			"esc",
			"back to the list",
			"",
			func(m *model) tea.Cmd { m.needs.inDetail = false; return nil },
			"",
		},
		{inNeeds, []string{"e"}, "e", "explain the message's story", "explain", (*model).explain, ""},
	}, "R retry", "x dismiss", "e explain", "m mark read")
}

func (n *needs) turn() tea.Cmd { n.inDetail = !n.inDetail; return nil }

func (n *needs) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case agentsMsg, shownMsg:
		return n.ask()
	case needsMsg:
		return n.take(msg)
	case needDetailMsg:
		return n.detailed(msg)
	case dropDraftMsg:
		n.forget(msg.to)
	case feedMsg:
		n.message.stale = n.message.stale || slices.ContainsFunc(msg.events, func(e parley.Event) bool { return e.MessageID == n.message.id })
	case settledMsg:
		if n.at == atNeeds {
			n.gather()
		}
		return n.show()
	}

	return nil
}

// ask asks while the screen is looked at, one question at a time.
func (n *needs) ask() tea.Cmd {
	if n.at != atNeeds || n.asking {
		return nil
	}
	n.asking = true
	return n.do.needs()
}

func (n *needs) take(msg needsMsg) tea.Cmd {
	n.asking = false
	if n.err = msg.err; msg.err != nil {
		if n.daemonGone(msg.err) {
			return n.lookLater()
		}
		return nil
	}

	if !n.known {
		n.sel, n.at0 = "", 0 // what was there before was not all
	}

	n.known, n.told = true, msg.list
	n.gather()

	return nil
}

// needDetailMsg is what became of the message that a need is about.
type needDetailMsg struct {
	id     string
	result *parley.MessageStatusResult
	err    error
}

// show keeps the details on the need under the marker. Looking at a message
// here does not mark it read: the operator does, or answers.
func (n *needs) show() tea.Cmd {
	x := n.selected()
	if n.at != atNeeds || x == nil {
		return nil
	}

	d := &n.message
	if d.id != x.MessageID {
		d.show(x.MessageID)
		d.stale, n.pane.top = true, 0
	}

	if d.id == "" || d.asking || !d.stale || n.link.lost != nil {
		return nil
	}

	d.asking, d.stale = true, false
	id := d.id

	return n.do.call(func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := s.GetMessageStatus(ctx, parley.MessageStatusRequest{MessageID: id})
		return needDetailMsg{id: id, result: res, err: err}
	})
}

func (n *needs) detailed(msg needDetailMsg) tea.Cmd {
	d := &n.message
	d.asking = false
	if msg.id != d.id {
		d.stale = true
		return nil
	}

	if d.err = msg.err; msg.err == nil {
		d.result = msg.result
	} else if n.daemonGone(msg.err) {
		d.stale, d.err = true, nil
		return n.lookLater()
	}

	return nil
}

// index is where the need under the marker stands. When that is gone, the marker
// stays where it was: on what comes next.
func (n *needs) index() int {
	i := slices.IndexFunc(n.list, func(x need) bool { return x.key == n.sel })
	if i < 0 {
		i = clamp(n.at0, 0, max(0, len(n.list)-1))
	}
	return i
}

func (n *needs) mark(i int) {
	n.at0 = clamp(i, 0, max(0, len(n.list)-1))
	if n.sel = ""; len(n.list) > 0 {
		n.sel = n.list[n.at0].key
	}
}

// selected is the need under the marker, nil if there is none.
func (n *needs) selected() *need {
	if len(n.list) == 0 {
		return nil
	}
	return &n.list[n.index()]
}

func (n *needs) move(by motion) tea.Cmd {
	if n.inDetail {
		n.pane.top += by.lines(n.pane.height)
		return nil
	}
	n.mark(n.index() + by.lines(n.height))
	n.pane.top = 0
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

	if x.AgentID == "" && x.Kind != needUnsent && x.Agent != you {
		s.partnerID = x.Agent // it left the team, or is parley itself
	}

	return s
}

// ago is how long a need has lasted.
func (x *need) ago(now time.Time) string {
	if x.Since.IsZero() {
		return ""
	}
	return since(x.Since, now)
}
