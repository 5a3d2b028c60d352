package traffic

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
)

// Picks reports whether keys act on the selected messages: there are some, and the screen shows them.
func (s *selection) Picks() bool {
	return len(s.picked) > 0 && s.room.At == room.AtTraffic && s.room.Over == nil
}

// Chosen returns the selected messages, the oldest first, else the one under the marker.
func (s *selection) Chosen() []*team.Row {
	if !s.Picks() {
		if s.records.Shown.Sel == nil {
			return nil
		}
		return []*team.Row{s.records.Shown.Sel}
	}

	var rows []*team.Row
	for _, r := range s.picked {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b *team.Row) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID)) })

	return rows
}

// toggle selects what the marker is on, or no longer, and goes on to the next line. A fold is all its messages.
func (s *selection) toggle() tea.Cmd {
	x := s.records.Shown.marked()
	if x.row == nil {
		s.room.Lacks("No message to select yet.")
		return nil
	}

	selected := s.picked.has(&x)
	for _, r := range x.rows() {
		if selected {
			delete(s.picked, r.ID)
		} else {
			s.picked[r.ID] = r
		}
	}
	s.records.Shown.setFollow(false)
	s.records.Shown.move(1)

	if len(s.picked) == 0 {
		s.room.Tell("Nothing is selected.")
		return nil
	}
	s.room.Tell(fmt.Sprintf(
		"%s selected. %s copies, %s copies ids, %s exports, %s retries, %s releases, %s marks read; %s clears.",
		kit.Plural(len(s.picked), "message"), s.room.Key("y"), s.room.Key("Y"), s.room.Key("E"), s.room.Key("T"),
		s.room.Key("l"), s.room.Key("x"),
		s.room.Key("esc")))

	return nil
}

func (p pickedMessages) has(x *listLine) bool {
	return x.row != nil && !slices.ContainsFunc(x.rows(), func(r *team.Row) bool { return p[r.ID] == nil })
}

func (x *listLine) rows() []*team.Row {
	if x.of != nil {
		return x.of
	}
	return []*team.Row{x.row}
}

func (s *selection) clear() bool {
	if len(s.picked) == 0 {
		return false
	}
	clear(s.picked)
	s.room.Tell("Nothing is selected.")
	return true
}

// each makes a call for each message that is selected, or for the one under the marker.
func (s *selection) each(
	rows []*team.Row, did string, call func(context.Context, parley.Service, *team.Row) error,
) tea.Cmd {
	name := func(r *team.Row) string { return parley.Short(r.ID) }
	return s.acts.Run(room.Each[*team.Row]{Of: rows, Name: name, Did: did, Call: call}.Action())
}

// retryAll tries the selected messages again where they failed, else the one under the marker.
func (s *selection) retryAll() tea.Cmd {
	if !s.Picks() {
		return s.acts.Retry()
	}
	return s.each(s.Chosen(), "retried", func(ctx context.Context, c parley.Service, r *team.Row) error {
		_, err := op.RetryDelivery.Call(ctx, c, parley.RetryDeliveryRequest{MessageID: r.ID})
		return err
	})
}

// releaseAll lets the chosen messages go that the conversation protocol holds.
func (s *selection) releaseAll() tea.Cmd {
	rows := s.Chosen()
	if len(rows) == 0 {
		s.room.Lacks("No message to release here.")
		return nil
	}

	return s.each(rows, "released", func(ctx context.Context, c parley.Service, r *team.Row) error {
		_, err := op.ControlConversation.Call(ctx, c,
			parley.ControlConversationRequest{Action: parley.ActionRelease, MessageID: r.ID})
		return err
	})
}

// markAll marks the selected messages read, else the one under the marker.
func (s *selection) markAll() tea.Cmd {
	if !s.Picks() {
		return s.acts.MarkRead()
	}

	ids := room.IDsOf(s.Chosen())
	return s.acts.Run(room.Action{Do: func(ctx context.Context, c parley.Service) (string, error) {
		res, err := op.MarkMessageRead.Call(ctx, c, parley.MarkMessageReadRequest{MessageIDs: ids})
		if err != nil {
			return "", err
		}

		marked, already := len(res.MarkedRead), len(res.AlreadyRead)
		words := fmt.Sprintf("%d marked read, %d already read.", marked, already)
		if others := len(ids) - marked - already; others > 0 {
			words += fmt.Sprintf(" Only their recipients can mark the other %d.", others)
		}
		return words, nil
	}})
}

// CopyAll copies the selected messages, each with its sender, its recipient and its time.
func (s *selection) CopyAll() tea.Cmd {
	rows, zone := s.Chosen(), s.room.Now.Location()
	what := kit.Plural(len(rows), "message")
	s.room.Tell("Reading " + what + "…")

	return s.room.Do.Call(func(ctx context.Context, c parley.Service) tea.Msg {
		var texts []string
		for _, r := range rows {
			res, err := op.GetMessageStatus.Call(ctx, c, parley.MessageStatusRequest{MessageID: r.ID})
			if err != nil {
				return room.CopiedMsg{Err: err}
			}
			head := fmt.Sprintf("%s%s%s, %s", r.From, arrow, r.To, r.At.In(zone).Format("2 Jan 2006 15:04:05"))
			texts = append(texts, head+"\n"+kit.SafeText(res.Object.Text))
		}
		return room.CopiedMsg{Text: strings.Join(texts, "\n\n"), What: "The text of " + what}
	})
}

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
