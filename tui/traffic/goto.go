package traffic

import (
	"cmp"
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/room"
	"parley/tui/team"
)

// Recorded returns the function that finds a message in the record or among the found messages, nil for none.
func Recorded(t *Screen) func(id string) *team.Row {
	return func(id string) *team.Row { return cmp.Or(t.Records.Live.ByID[id], t.Records.hits.ByID[id]) }
}

// openMessage shows a message among those around it, wherever in the record it
// is.
func (t *Screen) openMessage(id string) tea.Cmd {
	t.Filter.clear()
	if r := t.Records.Shown.ByID[id]; r != nil {
		t.Want = ""
		t.openRow(r)
		return nil
	}

	t.Records.Shown.asking, t.Want = aroundPage, id

	return t.room.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg { return readAround(ctx, s, id) })
}

// openRow shows a message that is in the list.
func (t *Screen) openRow(r *team.Row) {
	t.Records.Shown.follow, t.Records.Shown.Sel = false, r
	t.Records.Shown.settle()
	t.Detail.reveal()
}

const (
	around      = pageEvents / 2 // events before a message that are read with it
	aroundPages = 4              // pages that are searched for it
)

// readAround reads the part of the record that holds a message. Events are in
// the order of time, so a binary search finds it in some twenty calls.
func readAround(ctx context.Context, s parley.Service, id string) pageMsg {
	msg := pageMsg{of: aroundPage, about: id}
	res, err := op.GetMessageStatus.Call(ctx, s, parley.MessageStatusRequest{MessageID: id})
	if err != nil {
		msg.err = err
		return msg
	}

	at, err := eventAt(ctx, s, res.Object.Timestamp.Add(-time.Second))
	if err != nil {
		msg.err = err
		return msg
	}

	msg.about = res.Object.ID
	msg.low = max(0, at-around)
	for msg.end = msg.low; len(msg.events) < aroundPages*pageEvents; {
		page, err := op.ReadEvents.Call(ctx, s, parley.ReadEventsRequest{After: msg.end, Limit: pageEvents})
		if err != nil {
			msg.err = err
			return msg
		}

		msg.events, msg.end = append(msg.events, page.Events...), page.Next
		for _, e := range page.Events {
			if e.MessageID == msg.about && e.Type.Announces() {
				return msg
			}
		}

		if len(page.Events) == 0 {
			break
		}
	}

	msg.err = parley.Errorf(parley.MessageNotFound, "message %s is no longer in the event record", parley.Short(id)).
		Suggest("parley message %s shows it.", parley.Short(id))
	return msg
}

// eventAt returns a sequence number before which every event is older than at.
func eventAt(ctx context.Context, s parley.Service, at time.Time) (int64, error) {
	newest, err := op.ReadEvents.Call(ctx, s, parley.ReadEventsRequest{Last: 1, Limit: 1})
	if err != nil {
		return 0, err
	}

	low, high := int64(0), newest.Next
	for low < high {
		middle := low + (high-low)/2
		page, err := op.ReadEvents.Call(ctx, s, parley.ReadEventsRequest{After: middle, Limit: 1})
		switch {
		case err != nil:
			return 0, err
		case len(page.Events) > 0 && page.Events[0].Time.Before(at):
			low = max(middle+1, page.Events[0].Seq)
		default:
			high = middle
		}
	}

	return low, nil
}

// Named returns the messages that are in memory, to go to, the newest first.
func Named(t *Screen) (all []room.Named) {
	for _, r := range slices.Backward(t.Records.Live.rows) {
		about := r.From + " → " + r.To + ": " + r.Text
		all = append(all, room.Named{Kind: "message", Name: parley.Short(r.ID), About: about,
			Go: func() tea.Cmd { return tea.Batch(t.room.GoTo(room.AtTraffic), t.openMessage(r.ID)) }})
	}
	return all
}
