package traffic

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

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

// has reports whether all messages of a line are selected.
func (p pickedMessages) has(x *listLine) bool {
	return x.row != nil && !slices.ContainsFunc(x.rows(), func(r *team.Row) bool { return p[r.ID] == nil })
}

// rows returns the messages of a line.
func (x *listLine) rows() []*team.Row {
	if x.of != nil {
		return x.of
	}
	return []*team.Row{x.row}
}

// clear ends the selection, and reports whether there was one.
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
