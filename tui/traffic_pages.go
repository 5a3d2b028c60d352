package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley"
)

const (
	pageEvents = 1000 // events in a page: as many as the daemon gives at once
	emptyPages = 20   // pages without a message that are read in one go
)

// pageOf says which part of the record is asked for.
type pageOf int

const (
	noPage pageOf = iota
	olderPage
	newerPage
	oldestPage
	newestPage
	aroundPage // in which a message is
)

// pageMsg is a part of the record: what came after one event, up to another.
type pageMsg struct {
	of       pageOf
	about    string // a message
	low, end int64
	events   []parley.Event
	err      error
}

// standingsMsg is how far some messages have come by now, as far as that could
// be read.
type standingsMsg struct {
	ids     []string
	results []*parley.MessageStatusResult
	err     error
}

func readStandings(ctx context.Context, s parley.Service, ids []string) standingsMsg {
	msg := standingsMsg{ids: ids}
	for _, id := range ids {
		res, err := s.GetMessageStatus(ctx, parley.MessageStatusRequest{MessageID: id})
		if err != nil {
			msg.err = err
			continue
		}
		msg.results = append(msg.results, res)
	}
	return msg
}

// readPage reads the part that lies before, or behind, an event. Numbers may be
// missing where old events were pruned, so it goes on past empty pages.
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

		res, err := s.ReadEvents(ctx, r)
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

// paged takes a page into the window.
func (t *record) paged(msg pageMsg) {
	t.asking, t.amiss = noPage, ""
	if msg.err != nil {
		t.amiss = map[bool]string{false: "older ones could not be read"}[msg.of == aroundPage]
		return
	}

	if msg.of == aroundPage {
		t.sought, t.follow = sought{}, false
	}

	switch msg.of {
	case olderPage:
		t.prepend(msg)
	case newerPage:
		t.extend(msg)
	default:
		t.rows, t.byID, t.low, t.holes = nil, map[string]*row{}, msg.low, false
		t.sel, t.top = nil, 0
		t.extend(msg)
		if msg.of == oldestPage && len(t.rows) > 0 {
			t.sel = t.rows[0]
		}
	}

	t.sift()
}

// prepend puts what came before in front. What the page says of messages that
// are there already is older than what is known of them.
func (t *record) prepend(msg pageMsg) {
	if msg.low >= t.low {
		return // another window by now
	}

	old := record{byID: map[string]*row{}}
	for _, e := range msg.events {
		old.take(e, false)
	}

	for _, r := range old.rows {
		t.byID[r.id] = r
	}

	t.rows, t.low = append(old.rows, t.rows...), msg.low
	if !t.sought.empty() && len(t.rows) > maxRows {
		t.dropHidden()
	}

	t.dropNew()
}

// dropHidden keeps of the window what the filter shows.
func (t *record) dropHidden() {
	t.holes = true
	t.rows = slices.DeleteFunc(t.rows, func(r *row) bool {
		hidden := !r.has(t.sought)
		if hidden {
			delete(t.byID, r.id)
		}
		return hidden
	})
}

// extend puts what came afterwards behind, and joins the newest when it has
// reached them.
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

// wanted says which page the marker comes near to, or the screen has room for.
func (t *record) wanted() (of pageOf, at int64) {
	i := slices.Index(t.shown, t.sel)
	switch {
	case t.asking != noPage || t.seq == 0:
		return noPage, 0
	case t.follow && t.apart && t.high >= t.seq-pageEvents:
		return newerPage, t.high
	case t.follow && t.apart, t.holes && t.sought.empty():
		return newestPage, 0
	case t.low > 0 && (len(t.shown) < t.height || !t.follow && i < nearEdge):
		return olderPage, t.low
	case t.apart && i >= len(t.shown)-nearEdge:
		return newerPage, t.high
	}

	return noPage, 0
}

// more asks for what is wanted.
func (t *traffic) more() tea.Cmd {
	of, at := t.wanted()
	if t.link.lost != nil || of == noPage {
		return nil
	}
	t.asking = of
	return t.do.page(of, at)
}

// certain asks how far the messages in view have come by now, where the window
// cannot know it.
func (t *traffic) certain() tea.Cmd {
	if t.verifying || t.link.lost != nil {
		return nil
	}

	var ids []string
	for _, r := range t.inView() {
		if !r.sure {
			ids = append(ids, r.id)
		}
	}

	if len(ids) == 0 {
		return nil
	}

	t.verifying = true

	return t.do.standings(ids)
}

func (t *traffic) ascertained(msg standingsMsg) {
	t.verifying = false
	if msg.err != nil && t.daemonGone(msg.err) {
		return
	}

	for _, id := range msg.ids {
		if r := t.byID[id]; r != nil {
			r.sure = true // or it is gone: there is nothing more to be known
		}
	}

	for _, res := range msg.results {
		if res.Object != nil {
			t.learn(res.Object.ID, res.Deliveries)
		}
	}
}

// toOldest shows the record's beginning.
func (t *traffic) toOldest() tea.Cmd {
	if t.low == 0 || t.asking != noPage || !t.sought.empty() {
		t.record.move(-all)
		return nil
	}
	t.follow, t.asking = false, oldestPage
	return t.do.page(oldestPage, 0)
}
