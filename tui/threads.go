package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// threads is the screen of discussions of several: the list of them, and what
// was said in the one under the marker.
type threads struct {
	*desk
	list   []parley.Thread
	total  int
	sel    string // a thread's id
	top    int
	height int
	asking bool
	known  bool
	err    error
	inTalk bool // the movement keys go to what was said
	talk   talk
	linked *parley.Thread // which is shown, however long ago it was active
}

func (t *threads) title() string { return "Threads" }

// badge counts what is unread in threads.
func (t *threads) badge() badge {
	n := 0
	for _, m := range t.inbox.list {
		if m.ThreadID != "" {
			n++
		}
	}
	return badge{count: n}
}

func (t *threads) keys() []binding {
	return []binding{
		{
			inThreads,
			[]string{"enter", "tab"},
			"enter tab",
			"read it; back to the list",
			"read",
			func(m *model) tea.Cmd { return m.threads.turn() },
			"",
		},
		{
			inThreads,
			[]string{"esc"},
			"esc",
			"back to the list",
			"",
			func(m *model) tea.Cmd { return m.threads.back() },
			"",
		},
		{inThreads, []string{"o"}, "o", "open a new thread", "new", (*model).newThread, ""},
		{inThreads, []string{"+"}, "+", "add somebody to it", "add", (*model).addToThread, ""},
		{inThreads, []string{"-"}, "-", "remove somebody from it", "remove", (*model).removeFromThread, ""},
		{inThreads, []string{"J"}, "J", "join it, or leave it", "join", (*model).joinThread, ""},
		{
			inThreads,
			[]string{"R"},
			"R",
			"let what is held in it go on",
			"",
			controlling(parley.ActionRelease),
			"release thread",
		},
		{
			inThreads,
			[]string{"C"},
			"C",
			"cool it: 10 min, or until a person writes",
			"",
			controlling(parley.ActionCool),
			"cool thread",
		},
		{inThreads, []string{"M"}, "M", "mute it, or end that", "mute", controlling(parley.ActionMute), "mute thread"},
		{inThreads, []string{"m"}, "m", "mark what is unread in it read", "", (*model).markThread, ""},
	}
}

// turn gives the movement keys to what was said, or back to the list.
func (t *threads) turn() tea.Cmd {
	switch {
	case !t.known && t.selected() == nil: // who is quick means the one that will be there
		t.inTalk = true
		return nil
	case t.selected() == nil:
		t.tell("There is no thread to read yet. o opens one.")
		return nil
	}
	if t.inTalk = !t.inTalk; t.inTalk {
		return t.readAll()
	}
	return nil
}

func (t *threads) back() tea.Cmd {
	if !t.inTalk {
		t.talk.bottom()
	}
	t.inTalk = false
	return nil
}

func (t *threads) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case agentsMsg, shownMsg:
		if t.at != atThreads || t.asking {
			return nil
		}
		t.asking = true
		return tea.Batch(t.do.threads(), t.askHeat())
	case threadsMsg:
		t.asking = false
		if t.err = msg.err; msg.err != nil {
			t.daemonGone(msg.err)
			return nil
		}

		t.known, t.list, t.total = true, msg.list, msg.total
		if x := t.linked; x != nil && !slices.ContainsFunc(t.list, func(y parley.Thread) bool { return x.ID == y.ID }) {
			t.list = append(t.list, *x)
		}
		if t.selected() == nil && len(t.list) > 0 {
			t.sel = t.list[0].ID
		}
	case inboxMsg: // read as it comes
		if t.inTalk && t.at == atThreads && !t.talk.away {
			return t.readAll()
		}
	case threadOpenedMsg:
		return t.opened(msg)
	case feedMsg:
		t.talk.hear(msg.events)
	case talkMsg:
		return t.talked(msg)
	case heatMsg:
		t.felt(msg)
	case fatesMsg:
		t.fated(msg)
	case settledMsg:
		return tea.Batch(t.show(), t.askRows())
	}

	return nil
}

// askRows asks how hot the threads in view are. One in which nothing was said for long
// is cold.
func (t *threads) askRows() tea.Cmd {
	var in []string
	if t.at == atThreads {
		for _, x := range t.inView() {
			if t.now.Sub(x.LastMessageAt) < coldAfter {
				in = append(in, x.ID)
			}
		}
	}
	return t.askWarmth(in)
}

func (t *threads) index() int {
	return max(0, slices.IndexFunc(t.list, func(x parley.Thread) bool { return x.ID == t.sel }))
}

// selected is the thread under the marker, nil if there is none.
func (t *threads) selected() *parley.Thread {
	for i := range t.list {
		if t.list[i].ID == t.sel {
			return &t.list[i]
		}
	}
	return nil
}

func (t *threads) move(by motion) tea.Cmd {
	switch {
	case t.inTalk:
		t.talk.move(by)
	case len(t.list) > 0:
		t.sel = t.list[clamp(t.index()+by.lines(t.height), 0, len(t.list)-1)].ID
	}
	return nil
}

// about is the thread, and among its posts the one under the marker.
func (t *threads) about() subject {
	s := subject{thread: t.selected()}
	p := t.talk.selected()
	if s.thread == nil || !t.inTalk || p == nil || t.talk.id != s.thread.ID {
		return s
	}

	s.threadID, s.message, s.text = s.thread.ID, p.MessageID, safeLine(p.Content.Text)
	if p.SenderName != parley.OperatorName && p.SenderName != parley.SystemName {
		s.agent, s.partnerID, s.partner = t.team.find(
			p.SenderAgentID,
		), p.SenderAgentID, shownName(
			p.SenderName,
			p.SenderAgentID,
		)
	}

	return s
}

// takesPart reports whether the operator does.
func takesPart(x *parley.Thread) bool {
	return slices.Contains(x.ParticipantNames, parley.OperatorName)
}

// names are those who take part, the operator as you.
func names(x *parley.Thread) []string {
	var all []string
	for i, name := range x.ParticipantNames {
		id := ""
		if i < len(x.Participants) {
			id = x.Participants[i]
		}
		all = append(all, shownName(name, id))
	}
	return all
}
