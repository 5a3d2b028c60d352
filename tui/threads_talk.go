package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley"
)

const (
	talkPosts = 100  // posts of a thread that are read at once: as many as the daemon gives
	maxPosts  = 2000 // that are kept
	fatesPage = 20   // messages whose way is asked for in one go
)

// talk is what was said in a thread.
type talk struct {
	id        string                   // the thread's
	posts     []parley.ContractMessage // the oldest first
	total     int
	known     bool
	asking    bool
	stale     bool
	verifying bool
	feeling   bool                            // how it goes is asked for
	heat      *parley.ConversationStateResult // nil while nothing is known
	err       error
	fates     map[string]*row // by message: how far each post came
	inView    []string        // messages
	sel       string          // the message under the marker
	ended     bool            // there are no older ones
	anchor    string          // the message that is to stay so many lines from the top
	anchorAt  int
	top       int
	height    int
	away      bool                // from the newest
	parts     []part              // of what, by lay
	laid      bool                // they are those of the posts
	lines     int                 // how many there are
	wrapped   map[string][]string // by message: its text, for lines of so many columns
	columns   int
}

// talkMsg is a thread's newest posts.
type talkMsg struct {
	id    string
	posts []parley.ContractMessage
	total int
	older bool // those from before the ones that were there
	err   error
}

// fatesMsg is how far some posts have come.
type fatesMsg struct{ standingsMsg }

// turnTo shows another thread, at its newest post.
func (t *talk) turnTo(id string) {
	if t.id != id {
		*t = talk{
			id:        id,
			asking:    t.asking,
			verifying: t.verifying,
			feeling:   t.feeling,
			stale:     true,
			fates:     map[string]*row{},
			wrapped:   map[string][]string{},
			height:    t.height,
		}
	}
}

func (t *talk) bottom() { t.away = false }

func (t *talk) settle(height int) {
	t.height = max(1, height)
	end := max(0, t.lines-t.height)
	if t.anchor != "" { // older ones came in above
		from, _ := t.extent(t.anchor)
		t.top, t.anchor = from-t.anchorAt, ""
	}

	if t.top = clamp(t.top, 0, end); !t.away {
		t.top = end
		if n := len(t.posts); n > 0 {
			t.sel = t.posts[n-1].MessageID
		}
	}

	if from, to := t.extent(t.sel); from == to {
		t.sel = t.inLines(true)
	}
}

// hear takes what the stream says of the thread.
func (t *talk) hear(events []parley.Event) {
	for _, e := range events {
		switch {
		case t.id == "":
		case e.Type.Announces() && e.ThreadID == t.id:
			t.stale = true
			if t.fates[e.MessageID] == nil {
				t.fates[e.MessageID] = newRow(e)
			}
		case e.Type == parley.EventDelivery && t.fates[e.MessageID] != nil:
			t.fates[e.MessageID].moved(recipientOf(e), parley.DeliveryState(safeLine(e.State)))
		}
	}
}

// show keeps the conversation on the thread under the marker, and asks for what
// is missing of it.
func (t *threads) show() tea.Cmd {
	x := t.selected()
	if t.at != atThreads || x == nil || t.link.lost != nil {
		return nil
	}
	fresh := t.talk.id != x.ID || t.talk.stale
	t.talk.turnTo(x.ID)
	cmd := tea.Batch(t.askPosts(), t.askOlder(), t.askFates())
	if fresh {
		cmd = tea.Batch(cmd, t.askHeat())
	}
	return cmd
}

func (t *threads) askPosts() tea.Cmd {
	if t.talk.asking || !t.talk.stale {
		return nil
	}

	t.talk.asking, t.talk.stale = true, false
	id, keep := t.talk.id, false

	return t.do.call(func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := s.GetMessages(
			ctx,
			parley.GetMessagesRequest{ThreadID: id, SortOrder: "newest_first", Limit: talkPosts, MarkRead: &keep},
		)
		if err != nil {
			return talkMsg{id: id, err: err}
		}

		slices.Reverse(res.Messages)

		return talkMsg{id: id, posts: res.Messages, total: res.TotalCount}
	})
}

func (t *threads) talked(msg talkMsg) tea.Cmd {
	t.talk.asking = false
	switch {
	case msg.id != t.talk.id:
		t.talk.stale = true
	case msg.err == nil && msg.older:
		t.talk.prepend(msg.posts, msg.total)
	case msg.err == nil:
		t.talk.renew(msg.posts, msg.total)
	case t.daemonGone(msg.err):
		t.talk.stale = true
		return t.lookLater()
	case msg.older:
		t.talk.ended = true
		t.fail(msg.err)
	default:
		t.talk.err = msg.err
	}

	return nil
}

// askOlder asks for what was said before, when the marker comes near to the oldest post
// that is there.
func (t *threads) askOlder() tea.Cmd {
	k := &t.talk
	if k.asking || k.ended || !k.known || !k.away || len(k.posts) == 0 || len(k.posts) >= min(k.total, maxPosts) ||
		k.top > k.height {
		return nil
	}

	k.asking = true
	id, before, keep := k.id, k.posts[0].MessageID, false

	return t.do.call(func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := s.GetMessages(
			ctx,
			parley.GetMessagesRequest{
				ThreadID:  id,
				Filters:   &parley.MessageFilters{Before: before},
				SortOrder: "newest_first",
				Limit:     talkPosts,
				MarkRead:  &keep,
			},
		)
		if err != nil {
			return talkMsg{id: id, older: true, err: err}
		}

		slices.Reverse(res.Messages)

		return talkMsg{id: id, older: true, posts: res.Messages, total: res.TotalCount}
	})
}

func (t *threads) askFates() tea.Cmd {
	var ids []string
	for _, id := range t.talk.inView {
		if t.talk.fates[id] == nil && len(ids) < fatesPage {
			ids = append(ids, id)
		}
	}

	if t.talk.verifying || len(ids) == 0 {
		return nil
	}

	t.talk.verifying = true

	return t.do.call(
		func(ctx context.Context, s parley.Service) tea.Msg { return fatesMsg{readStandings(ctx, s, ids)} },
	)
}

func (t *threads) fated(msg fatesMsg) {
	t.talk.verifying = false
	if msg.err != nil && t.daemonGone(msg.err) || t.talk.fates == nil {
		return
	}

	for _, id := range msg.ids {
		if t.talk.fates[id] == nil {
			t.talk.fates[id] = &row{id: id} // not to be asked for again
		}
	}

	for _, res := range msg.results {
		if res.Object == nil || t.talk.fates[res.Object.ID] == nil {
			continue
		}

		r := t.talk.fates[res.Object.ID]
		r.count = len(res.Deliveries)
		for _, d := range res.Deliveries {
			r.moved(d.RecipientID, d.State)
		}
	}
}

// unread are the posts of the thread that the operator has not read.
func (t *threads) unread() (ids parley.Names) {
	for _, m := range t.inbox.list {
		if m.ThreadID == t.sel {
			ids = append(ids, m.MessageID)
		}
	}
	return ids
}

// readAll marks them read without a word: the operator looks at them.
func (t *threads) readAll() tea.Cmd {
	ids := t.unread()
	if len(ids) == 0 {
		return nil
	}
	t.inbox.marked(ids...)
	return tea.Batch(t.lookLater(), t.do.call(func(ctx context.Context, s parley.Service) tea.Msg {
		_, err := s.MarkMessageRead(ctx, parley.MarkMessageReadRequest{MessageIDs: ids})
		return readMsg{err}
	}))
}

// markAll does so by a key, which is answered in any case.
func (t *threads) markAll() tea.Cmd {
	n := len(t.unread())
	if n == 0 {
		t.tell("Nothing in it is unread for you.")
		return nil
	}
	t.tell(plural(n, "post") + " marked read.")
	return t.readAll()
}
