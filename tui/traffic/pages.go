package traffic

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
)

// pageMsg is a part of the record: the events after low, up to end.
type pageMsg struct {
	of       pageOf
	about    string // the message that aroundPage holds
	low, end int64
	events   []parley.Event
	err      error
}

// pageRests is the pause after a page that could not be read.
const pageRests = 2 * time.Second

// readPage reads the part before, or after, an event. Numbers are missing where
// old events were pruned, so it goes on past empty pages.
func readPage(ctx context.Context, s parley.Service, of pageOf, at int64) pageMsg {
	msg := pageMsg{of: of, low: at, end: at}
	for range emptyPages {
		r := parley.ReadEventsRequest{After: at, Limit: pageEvents}
		switch of {
		case olderPage:
			r.After = max(0, msg.low-pageEvents)
		case newestPage:
			r = parley.ReadEventsRequest{Last: pageEvents, Limit: pageEvents}
		}

		res, err := op.ReadEvents.Call(ctx, s, r)
		if err != nil {
			msg.err = err
			return msg
		}

		events := res.Events
		if of == olderPage {
			events = slices.DeleteFunc(events, func(e parley.Event) bool { return e.Seq > msg.low })
		}

		msg.events, msg.low, msg.end = append(events, msg.events...), r.After, res.Next
		if of == newestPage && len(events) > 0 {
			msg.low = events[0].Seq - 1
		}

		if of != olderPage || msg.low == 0 ||
			slices.ContainsFunc(events, func(e parley.Event) bool { return e.Type.Announces() }) {
			break
		}
	}

	return msg
}

func (t *record) takePage(msg pageMsg) {
	t.asking, t.unreadable = noPage, ""
	if msg.err != nil {
		if msg.of != aroundPage {
			t.unreadable = "older messages could not be read"
		}
		return
	}

	if msg.of == aroundPage {
		t.follow = false
	}

	switch msg.of {
	case olderPage:
		t.prepend(msg)
	case newerPage:
		t.extend(msg)
	default:
		t.rows, t.ByID, t.low = nil, map[string]*team.Row{}, msg.low
		t.Sel, t.list.top = nil, 0
		t.extend(msg)
		if msg.of == oldestPage && len(t.rows) > 0 {
			t.Sel = t.rows[0]
		}
	}

	t.settle()
}

// prepend adds an older page. What it says of messages that are there already is
// out of date.
func (t *record) prepend(msg pageMsg) {
	if msg.low >= t.low {
		return // the window has moved
	}

	old := newRowSet()
	for _, e := range msg.events {
		old.take(e, false)
	}

	for _, r := range old.rows {
		t.ByID[r.ID] = r
	}

	t.rows, t.low = append(old.rows, t.rows...), msg.low
	t.dropNew()
}

// extend adds a newer page, and joins the newest messages when it has reached
// them.
func (t *record) extend(msg pageMsg) {
	next := t.seq + 1
	if len(t.missed) > 0 {
		next = t.missed[0].Seq
	}

	joined := msg.end >= next-1
	for _, e := range msg.events {
		t.take(e, joined && msg.of == newestPage)
	}

	if t.high, t.apart = msg.end, !joined; joined {
		t.seq = max(t.seq, msg.end)
		for _, e := range t.missed {
			if e.Seq > msg.end {
				t.take(e, true)
			}
		}
	}

	t.missed = nil
	t.dropOld()
}

// wanted returns the page that the marker comes near, or that the screen has room
// for.
func (t *record) wanted() (of pageOf, at int64) {
	i := slices.Index(t.rows, t.Sel)
	switch {
	case t.found || t.asking != noPage || t.seq == 0:
		return noPage, 0
	case t.follow && t.apart && t.high >= t.seq-pageEvents:
		return newerPage, t.high
	case t.follow && t.apart:
		return newestPage, 0
	case t.low > 0 && (t.short() || !t.follow && i < nearEdge):
		return olderPage, t.low
	case t.apart && i >= len(t.rows)-nearEdge:
		return newerPage, t.high
	}

	return noPage, 0
}

// short reports whether the screen has room for more lines. What is folded counts, so that an endless
// exchange does not push the newest messages out of the window.
func (t *record) short() bool { return len(t.list.lines) < t.list.height && len(t.rows) < maxRows/2 }

// ask reads what the list lacks now.
func (t *reader) ask() tea.Cmd { return tea.Batch(t.askPage(), t.askStandings(), t.askTexts()) }

func (t *reader) askPage() tea.Cmd {
	of, at := t.records.Shown.wanted()
	if t.room.Link.Lost != nil || of == noPage || t.records.Shown.unreadable != "" &&
		t.room.Do.Now().Sub(t.records.Shown.tried) < pageRests {
		return nil
	}
	t.records.Shown.asking = of
	return t.readPage(of, at)
}

func (t *reader) readPage(of pageOf, at int64) tea.Cmd {
	return t.room.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg { return readPage(ctx, s, of, at) })
}

// askStandings reads the deliveries of the messages in view whose events cannot
// tell them.
func (t *reader) askStandings() tea.Cmd {
	if t.verifying || t.room.Link.Lost != nil {
		return nil
	}

	var ids []string
	for _, r := range t.records.Shown.list.inView() {
		if !r.Sure && len(ids) < mostStandings {
			ids = append(ids, r.ID)
		}
	}

	if len(ids) == 0 {
		return nil
	}

	t.verifying = true

	return t.room.Do.Call(func(ctx context.Context,
		s parley.Service) tea.Msg {
		return room.ReadStandings(ctx, s, ids)
	})
}

func (t *reader) takeStandings(msg room.StandingsMsg) {
	t.verifying = false
	if msg.Err != nil && t.room.Link.Gone(msg.Err) {
		return
	}

	for _, id := range msg.IDs {
		if r := t.records.Shown.ByID[id]; r != nil {
			r.Sure = true // a message that is gone stays as it is
		}
	}

	for _, res := range msg.Results {
		if res.Object != nil {
			t.records.learn(res.Object.ID, res.Deliveries)
			t.records.lengthen(res.Object)
		}
	}
}

// toOldest shows the record's beginning.
func (t *reader) toOldest() tea.Cmd {
	if t.records.Shown.found || t.records.Shown.low == 0 || t.records.Shown.asking != noPage {
		t.records.Shown.move(-kit.All)
		return nil
	}
	t.records.Shown.follow, t.records.Shown.asking = false, oldestPage
	return t.readPage(oldestPage, 0)
}

const (
	pageEvents    = 1000 // events in a page: as many as the daemon gives at once
	mostStandings = 100  // messages whose deliveries are read in one go
	emptyPages    = 20   // pages without a message that are skipped in one go
)
