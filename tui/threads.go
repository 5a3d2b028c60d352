package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// threadPage is how many threads are listed.
const threadPage = 100

// threads is the screen of discussions: the list of threads, and the posts of the
// one under the marker.
type threads struct {
	actions
	list   []parley.Thread
	total  int
	sel    string // a thread's id
	top    int
	height int
	asking bool
	known  bool
	err    error
	inTalk bool // the movement keys go to the posts
	talk   talk
	latest latestWords
	linked *parley.Thread // is listed, however long ago it was active
}

// threadsMsg is the list of threads.
type threadsMsg struct {
	list  []parley.Thread
	total int
	err   error
}

func readThreads(ctx context.Context, s parley.Service) tea.Msg {
	res, err := s.ListThreads(ctx, parley.ListThreadsRequest{Limit: threadPage})
	if err != nil {
		return threadsMsg{err: err}
	}
	return threadsMsg{list: res.Threads, total: res.TotalCount}
}

func newThreads(a actions) *threads { return &threads{actions: a, talk: talk{shared: a.shared}} }

func (t *threads) title() string { return "Threads" }

// badge counts the unread posts.
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
		bind("enter tab", "read it; back to the list", t.turn).hinted("read").unless(t.none),
		bind("esc", "back to the list", t.back),
		bind("o", "open a new thread", t.create).hinted("new"),
		bind("+", "add somebody to it", t.add).hinted("add").unless(t.none),
		bind("-", "remove somebody from it", t.remove).hinted("remove").unless(t.none),
		bind("J", "join it, or leave it", t.joinOrLeave).hinted("join").unless(t.none),
		bind("i", "explain it: who is to answer, what is held", t.reasoning).named("explain thread"),
		bind("R", "release what is held in it", t.controlling(parley.ActionRelease)).named("release thread"),
		bind("C", "cool it: 10 min, or until a person writes", t.controlling(parley.ActionCool)).named("cool thread"),
		bind("M", "mute it, or unmute it", t.muteOrUnmute).hinted("mute").named("mute thread").unless(t.none),
		bind("m", "mark its posts read", t.markAllRead),
	}
}

// none reports that no thread is under the marker.
func (t *threads) none() bool { return t.selected() == nil }

// turn gives the movement keys to the posts, or back to the list.
func (t *threads) turn() tea.Cmd {
	switch {
	case !t.known && t.selected() == nil: // a quick person means the thread that will be there
		t.inTalk = true
		return nil
	case t.selected() == nil:
		t.tell("No threads yet. o opens one.")
		return nil
	}
	if t.inTalk = !t.inTalk; t.inTalk {
		return t.readUnread()
	}
	return nil
}

func (t *threads) back() tea.Cmd {
	if !t.inTalk {
		t.talk.away = false
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
		t.temperatures.expire(t.talk.id)
		return t.do.call(readThreads)
	case threadsMsg:
		t.take(msg)
	case threadOpenedMsg:
		return t.opened(msg)
	case feedMsg:
		t.talk.takeEvents(msg.events)
	case talkMsg:
		return t.talk.take(msg)
	case postStandingsMsg:
		t.talk.takeStandings(msg)
	case latestMsg:
		t.latest.take(t.shared, msg)
	case settledMsg:
		if t.at != atThreads {
			return nil
		}
		var read tea.Cmd
		if t.inTalk && !t.talk.away && !t.covered() { // posts in sight are read as they come
			read = t.readUnread()
		}
		return tea.Batch(read, t.askTalk(), t.askTemperaturesInView(), t.latest.ask(t.shared, t.inView()))
	}

	return nil
}

func (t *threads) take(msg threadsMsg) {
	t.asking = false
	if t.err = msg.err; msg.err != nil {
		t.link.gone(msg.err)
		return
	}

	t.known, t.list, t.total = true, msg.list, msg.total
	if x := t.linked; x != nil && !slices.ContainsFunc(t.list, func(y parley.Thread) bool { return x.ID == y.ID }) {
		t.list = append(t.list, *x)
	}
	if t.selected() == nil && len(t.list) > 0 {
		t.sel = t.list[0].ID
	}
}

// askTalk turns to the thread under the marker, and reads what is missing of it.
func (t *threads) askTalk() tea.Cmd {
	x := t.selected()
	if t.at != atThreads || x == nil || t.link.lost != nil {
		return nil
	}
	t.talk.turnTo(x.ID)
	return t.talk.ask()
}

// askTemperaturesInView reads the temperatures of the open thread and of those in
// view. A thread that was silent for long is cold.
func (t *threads) askTemperaturesInView() tea.Cmd {
	if t.at != atThreads {
		return nil
	}

	in := []string{t.talk.id}
	for _, x := range t.inView() {
		if x.ID != t.talk.id && t.now.Sub(x.LastMessageAt) < coldAfter {
			in = append(in, x.ID)
		}
	}

	return t.askTemperatures(in...)
}

func (t *threads) index() int {
	return max(0, slices.IndexFunc(t.list, func(x parley.Thread) bool { return x.ID == t.sel }))
}

// selected returns the thread under the marker, or nil.
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

// about describes the thread, and the post under the marker.
func (t *threads) about() subject {
	s := subject{thread: t.selected()}
	p := t.talk.selected()
	if s.thread == nil || !t.inTalk || p == nil || t.talk.id != s.thread.ID {
		return s
	}

	s.threadID, s.message, s.text = s.thread.ID, p.MessageID, safeLine(p.Content.Text)
	if p.SenderName != parley.OperatorName && p.SenderName != parley.SystemName {
		s.agent = t.team.find(p.SenderAgentID)
		s.partnerID, s.partner = p.SenderAgentID, shownName(p.SenderName, p.SenderAgentID)
	}

	return s
}

// takesPart reports whether the operator takes part in a thread.
func takesPart(x *parley.Thread) bool {
	return slices.Contains(x.ParticipantNames, parley.OperatorName)
}

// names returns a thread's participants; the operator is "you".
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

// openThread shows the posts of a thread.
func (t *threads) openThread(id string) tea.Cmd {
	t.sel, t.inTalk = id, true
	return tea.Batch(t.readUnread(), t.goTo(atThreads))
}

// readUnread marks the thread's posts read, as the operator looks at them.
func (t *threads) readUnread() tea.Cmd {
	ids := t.inbox.unreadIn(t.sel)
	if len(ids) == 0 {
		return nil
	}
	t.inbox.drop(ids...)
	return tea.Batch(t.link.lookLater(), t.do.call(markMessagesRead(ids...)))
}
