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
)

const (
	talkPosts = 100  // posts of a thread that are read at once: as many as the daemon gives
	maxPosts  = 2000 // that are kept
)

// talk is the posts of a thread.
type talk struct {
	room *room.Shared
	postLayout
	id        string                   // the thread's
	posts     []parley.ContractMessage // the oldest first
	total     int
	known     bool
	asking    bool
	stale     bool // there are newer posts
	ended     bool // there are no older posts
	err       error
	sel       string // the message under the marker
	away      bool   // the newest post is out of sight
	standings postStandings
	inView    []string // messages
}

// talkMsg is a part of a thread's posts.
type talkMsg struct {
	id    string
	posts []parley.ContractMessage
	total int
	older bool // the part before the posts that were there
	err   error
}

// turnTo shows another thread, at its newest post.
func (t *talk) turnTo(id string) {
	if t.id == id {
		return
	}

	*t = talk{
		room:       t.room,
		id:         id,
		asking:     t.asking,
		stale:      true,
		standings:  postStandings{room: t.room, rows: map[string]*team.Row{}, asking: t.standings.asking},
		postLayout: postLayout{height: t.height},
	}
}

// takeEvents takes what the stream reports of the thread.
func (t *talk) takeEvents(events []parley.Event) {
	for _, e := range events {
		switch r := t.standings.rows[e.MessageID]; {
		case t.id == "":
		case e.Type.Announces() && e.ThreadID == t.id:
			t.stale = true
			t.room.Temperatures.Expire(t.id)
			if r == nil {
				t.standings.rows[e.MessageID] = team.NewRow(e)
			}
		case e.Type == parley.EventDelivery && r != nil:
			r.Moved(team.RecipientOf(e), parley.DeliveryState(kit.SafeLine(e.State)), e.ReasonCode)
		}
	}
}

// ask reads what is missing: newer posts, older ones, and how far those in view
// came.
func (t *talk) ask() tea.Cmd {
	return tea.Batch(t.askNewest(), t.askOlder(), t.standings.ask(t.inView))
}

func (t *talk) askNewest() tea.Cmd {
	if t.asking || !t.stale {
		return nil
	}
	t.asking, t.stale = true, false
	return t.room.Do.Call(readPosts(t.id, ""))
}

// askOlder reads older posts when the marker comes near the oldest one.
func (t *talk) askOlder() tea.Cmd {
	idle := !t.asking && !t.ended && t.known && t.away
	near := t.top <= t.height
	more := len(t.posts) > 0 && len(t.posts) < min(t.total, maxPosts)
	if !idle || !near || !more {
		return nil
	}
	t.asking = true
	return t.room.Do.Call(readPosts(t.id, t.posts[0].MessageID))
}

// readPosts reads the newest posts of a thread, or those before a message.
func readPosts(thread, before string) room.Request {
	keep := false
	r := parley.GetMessagesRequest{ThreadID: thread, SortOrder: "newest_first", Limit: talkPosts, MarkRead: &keep}
	if before != "" {
		r.Filters = &parley.MessageFilters{Before: before}
	}

	return func(ctx context.Context, s parley.Service) tea.Msg {
		msg := talkMsg{id: thread, older: before != ""}
		res, err := op.GetMessages.Call(ctx, s, r)
		if err != nil {
			msg.err = err
			return msg
		}

		slices.Reverse(res.Messages)
		msg.posts, msg.total = res.Messages, res.TotalCount

		return msg
	}
}

func (t *talk) take(msg talkMsg) tea.Cmd {
	t.asking = false
	switch {
	case msg.id != t.id:
		t.stale = true
	case msg.err == nil && msg.older:
		t.prepend(msg.posts, msg.total)
	case msg.err == nil:
		t.renew(msg.posts, msg.total)
	case t.room.Link.Gone(msg.err):
		t.stale = true
		return t.room.Link.LookLater()
	case msg.older:
		t.ended = true
		t.room.Fail(msg.err)
	default:
		t.err = msg.err
	}

	return nil
}

// prepend adds older posts in front. What is in view stays there.
func (t *talk) prepend(older []parley.ContractMessage, total int) {
	t.total = total
	known := map[string]bool{}
	for i := range t.posts {
		known[t.posts[i].MessageID] = true
	}

	older = slices.DeleteFunc(older, func(p parley.ContractMessage) bool { return known[p.MessageID] })
	t.posts, t.laid = append(older, t.posts...), false
	if t.ended = len(older) == 0; !t.ended && len(t.parts) > 0 {
		t.anchor = t.postInView(false)
		from, _ := t.extent(t.anchor)
		t.anchorAt = from - t.top
	}
}

// renew takes the newest posts, and keeps the older ones that were read.
func (t *talk) renew(newest []parley.ContractMessage, total int) {
	if len(newest) > 0 {
		i := t.index(newest[0].MessageID)
		if i < 0 {
			t.ended = false // more was posted meanwhile than was read
		}
		if i > 0 {
			newest = append(slices.Clone(t.posts[:i]), newest...)
		}
	}

	t.known, t.posts, t.total, t.err, t.laid = true, newest, total, nil, false
}

// index returns the position of a post, or -1.
func (t *talk) index(id string) int {
	return slices.IndexFunc(t.posts, func(p parley.ContractMessage) bool { return p.MessageID == id })
}

// selected returns the post under the marker, or nil.
func (t *talk) selected() *parley.ContractMessage {
	if i := t.index(t.sel); i >= 0 {
		return &t.posts[i]
	}
	return nil
}

// standingsPage is of how many messages the deliveries are read in one go.
const standingsPage = 20

// postStandings is how far each post of a thread came.
type postStandings struct {
	room   *room.Shared
	rows   map[string]*team.Row // by message
	asking bool
}

type postStandingsMsg struct{ room.StandingsMsg }

// ask reads the deliveries of posts that are not known.
func (x *postStandings) ask(posts []string) tea.Cmd {
	var ids []string
	for _, id := range posts {
		if x.rows[id] == nil && len(ids) < standingsPage {
			ids = append(ids, id)
		}
	}

	if x.asking || len(ids) == 0 {
		return nil
	}

	x.asking = true

	return x.room.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		return postStandingsMsg{room.ReadStandings(ctx, s, ids)}
	})
}

func (x *postStandings) take(msg postStandingsMsg) {
	x.asking = false
	if msg.Err != nil && x.room.Link.Gone(msg.Err) || x.rows == nil {
		return
	}

	for _, id := range msg.IDs {
		if x.rows[id] == nil {
			x.rows[id] = &team.Row{ID: id} // not to be asked for again
		}
	}

	for _, res := range msg.Results {
		if res.Object == nil || x.rows[res.Object.ID] == nil {
			continue
		}

		r := x.rows[res.Object.ID]
		r.Count = len(res.Deliveries)
		for _, d := range res.Deliveries {
			r.Moved(d.RecipientID, d.State, d.ReasonCode)
		}
	}
}
