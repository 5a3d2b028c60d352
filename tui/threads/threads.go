// Package threads is the screen of discussions, with the posts of one of them.
package threads

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
	"parley/tui/verb"
)

// threadPage is how many threads are listed.
const threadPage = 100

// Screen is the screen of discussions: the list of threads, and the posts of the
// one under the marker.
type Screen struct {
	room *room.Shared
	acts *room.Actions
	room.Listed
	List   threadList
	asking bool
	InTalk bool // the movement keys go to the posts
	talk   talk
	latest latestWords
	Linked *parley.Thread // is listed, however long ago it was active
}

type threadsMsg struct {
	list  []parley.Thread
	total int
	err   error
}

func readThreads(ctx context.Context, s parley.Service) tea.Msg {
	res, err := op.ListThreads.Call(ctx, s, parley.ListThreadsRequest{Limit: threadPage})
	if err != nil {
		return threadsMsg{err: err}
	}
	return threadsMsg{list: res.Threads, total: res.TotalCount}
}

// New returns the screen.
func New(a *room.Actions) *Screen {
	list := room.Listed{Awaited: room.Awaited{What: "the threads"}, Noun: "thread"}
	return &Screen{room: a.Room, acts: a, Listed: list, talk: talk{room: a.Room}}
}

func (t *Screen) Title() string { return "Threads" }

// Badge counts the unread posts.
func (t *Screen) Badge() room.Badge {
	n := 0
	for _, m := range t.room.Inbox.List {
		if m.ThreadID != "" {
			n++
		}
	}
	return room.Badge{Count: n}
}

// marked is what can be done with the thread under the marker.
func (t *Screen) marked() marked { return marked{t.room, t.acts, &t.List} }

func (t *Screen) Keys() []kit.Binding {
	x := t.marked()
	return []kit.Binding{
		verb.Open.To("read it; back to the list", t.turn, verb.Switch).Hinted("read").Unless(t.List.none),
		verb.Back.To("back to the list", t.back),
		verb.New.To("open a new thread", x.create).Hinted("new"),
		verb.More.To("add somebody to it", x.askingMembers("Add to", true)).Hinted("add").Unless(t.List.none),
		verb.Fewer.To("remove somebody from it",
			x.askingMembers("Remove from", false)).Hinted("remove").Unless(t.List.none),
		verb.Join.To("join it, or leave it", x.joinOrLeave).Hinted("join").Unless(t.List.none),
		verb.Explain.To("explain it: who is to answer, what is held", x.reasoning).Named("explain thread"),
		verb.Release.To("release what is held in it", x.controlling(parley.ActionRelease)).Named("release thread"),
		verb.Cool.To("cool it: 10 min, or until a person writes", x.controlling(parley.ActionCool)).
			Named("cool thread"),
		verb.Mute.To("mute it, or unmute it", x.muteOrUnmute).Hinted("mute").Named("mute thread").Unless(t.List.none),
		verb.Dismiss.To("mark its posts read", t.markAllRead),
	}
}

// turn gives the movement keys to the posts, or back to the list.
func (t *Screen) turn() tea.Cmd {
	switch {
	case !t.Read && t.List.selected() == nil: // a quick person means the thread that will be there
		t.InTalk = true
		return nil
	case t.List.selected() == nil:
		t.room.Lacks("No threads yet. " + t.room.Key("O") + " opens one.")
		return nil
	}
	if t.InTalk = !t.InTalk; t.InTalk {
		return t.readUnread()
	}
	return nil
}

func (t *Screen) back() tea.Cmd {
	if !t.InTalk {
		t.talk.away = false
	}
	t.InTalk = false
	return nil
}

func (t *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case room.AgentsMsg, room.ShownMsg:
		if t.room.At != room.AtThreads || t.asking {
			return nil
		}
		t.asking = true
		t.room.Temperatures.Expire(t.talk.id)
		return t.room.Do.Call(readThreads)
	case threadsMsg:
		t.take(msg)
	case room.FilteredMsg:
		t.List.sift(&t.Filter, &t.room.LastWords)
	case threadOpenedMsg:
		return t.opened(msg)
	case room.FeedMsg:
		t.talk.takeEvents(msg.Events)
	case talkMsg:
		return t.talk.take(msg)
	case postStandingsMsg:
		t.talk.standings.take(msg)
	case latestMsg:
		t.latest.take(t.room, msg)
	case room.SettledMsg:
		if t.room.At != room.AtThreads {
			return nil
		}
		var read tea.Cmd
		if t.InTalk && !t.talk.away && !t.room.Keys.Covered() { // posts in sight are read as they come
			read = t.readUnread()
		}
		return tea.Batch(read, t.askTalk(), t.askTemperaturesInView(), t.latest.ask(t.room, t.List.inView()))
	}

	return nil
}

func (t *Screen) take(msg threadsMsg) {
	t.asking = false
	if t.Err = msg.err; msg.err != nil {
		t.room.Link.Gone(msg.err)
		return
	}

	t.Read, t.List.all, t.List.total = true, msg.list, msg.total
	if x := t.Linked; x != nil && !slices.ContainsFunc(t.List.all, func(y parley.Thread) bool { return x.ID == y.ID }) {
		t.List.all = append(t.List.all, *x)
	}
	t.List.sift(&t.Filter, &t.room.LastWords)
}

// askTalk turns to the thread under the marker, and reads what is missing of it.
func (t *Screen) askTalk() tea.Cmd {
	x := t.List.selected()
	if t.room.At != room.AtThreads || x == nil || t.room.Link.Lost != nil {
		return nil
	}
	t.talk.turnTo(x.ID)
	return t.talk.ask()
}

// askTemperaturesInView reads the temperatures of the open thread and of those in
// view. A thread that was silent for long is cold.
func (t *Screen) askTemperaturesInView() tea.Cmd {
	if t.room.At != room.AtThreads {
		return nil
	}

	in := []string{t.talk.id}
	for _, x := range t.List.inView() {
		if x.ID != t.talk.id && t.room.Now.Sub(x.LastMessageAt) < team.ColdAfter {
			in = append(in, x.ID)
		}
	}

	return t.room.AskTemperatures(in...)
}

func (t *Screen) Move(by kit.Motion) tea.Cmd {
	switch {
	case t.InTalk:
		t.talk.move(by)
	default:
		t.List.move(by)
	}
	return nil
}

// Missing says what has not been read: the list, or the posts that the movement keys go to.
func (t *Screen) Missing() string {
	if t.InTalk && t.List.selected() != nil && !t.talk.known && t.talk.err == nil {
		return room.StillReading("the posts")
	}
	return t.Listed.Missing()
}

// About describes the thread, and the post under the marker.
func (t *Screen) About() room.Subject {
	s := room.Subject{Thread: t.List.selected()}
	p := t.talk.selected()
	if s.Thread == nil || !t.InTalk || p == nil || t.talk.id != s.Thread.ID {
		return s
	}

	s.ThreadID, s.Message, s.Text = s.Thread.ID, p.MessageID, kit.SafeLine(p.Content.Text)
	if p.SenderName != parley.OperatorName && p.SenderName != parley.SystemName {
		s.Agent = t.room.Team.Find(p.SenderAgentID)
		s.PartnerID, s.Partner = p.SenderAgentID, kit.ShownName(p.SenderName, p.SenderAgentID)
	}

	return s
}

// OpenThread shows the posts of a thread.
func (t *Screen) OpenThread(id string) tea.Cmd {
	t.List.Sel, t.InTalk = id, true
	return tea.Batch(t.readUnread(), t.room.GoTo(room.AtThreads))
}

// readUnread marks the thread's posts read, as the operator looks at them.
func (t *Screen) readUnread() tea.Cmd {
	ids := t.room.Inbox.UnreadIn(t.List.Sel)
	if len(ids) == 0 {
		return nil
	}
	t.room.Inbox.Drop(ids...)
	return tea.Batch(t.room.Link.LookLater(), t.room.Do.Call(room.MarkMessagesRead(ids...)))
}

// markAllRead marks the thread's posts read and says so.
func (t *Screen) markAllRead() tea.Cmd {
	return t.marked().with(func(x *parley.Thread) tea.Cmd {
		n := len(t.room.Inbox.UnreadIn(x.ID))
		switch {
		case n == 0 && !t.room.Inbox.Read(&t.room.Team):
			t.room.Tell(room.StillReading("your messages"))
			return nil
		case n == 0:
			t.room.Tell("Nothing unread in it.")
			return nil
		}
		t.room.Tell(kit.Plural(n, "post") + " marked read.")
		return t.readUnread()
	})
}
