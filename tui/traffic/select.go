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
func (t *Screen) Picks() bool { return len(t.picked) > 0 && t.At == room.AtTraffic && t.Over == nil }

// Chosen returns the selected messages, the oldest first, else the one under the marker.
func (t *Screen) Chosen() []*team.Row {
	if !t.Picks() {
		if t.Sel == nil {
			return nil
		}
		return []*team.Row{t.Sel}
	}

	var rows []*team.Row
	for _, r := range t.picked {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b *team.Row) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID)) })

	return rows
}

// Selecting is what keys do to several messages of the traffic.
type Selecting struct{ *Screen }

// toggle selects what the marker is on, or no longer, and goes on to the next line. A fold is all its messages.
func (t Selecting) toggle() tea.Cmd {
	x := t.marked()
	if x.row == nil {
		t.Lacks("No message to select yet.")
		return nil
	}

	selected := t.picked.has(&x)
	for _, r := range x.rows() {
		if selected {
			delete(t.picked, r.ID)
		} else {
			t.picked[r.ID] = r
		}
	}
	t.record.setFollow(false)
	t.record.move(1)

	if len(t.picked) == 0 {
		t.Tell("Nothing is selected.")
		return nil
	}
	t.Tell(fmt.Sprintf(
		"%s selected. %s copies, %s copies ids, %s exports, %s retries, %s releases, %s marks read; %s clears.",
		kit.Plural(len(t.picked), "message"), t.Key("y"), t.Key("Y"), t.Key("E"), t.Key("T"), t.Key("l"), t.Key("x"),
		t.Key("esc")))

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
func (t Selecting) clear() bool {
	if len(t.picked) == 0 {
		return false
	}
	clear(t.picked)
	t.Tell("Nothing is selected.")
	return true
}

// each makes a call for each message that is selected, or for the one under the marker.
func (t Selecting) each(
	rows []*team.Row, did string, call func(context.Context, parley.Service, *team.Row) error,
) tea.Cmd {
	name := func(r *team.Row) string { return parley.Short(r.ID) }
	return t.Actions.Run(room.Each[*team.Row]{Of: rows, Name: name, Did: did, Call: call}.Action())
}

// retryAll tries the selected messages again where they failed, else the one under the marker.
func (t Selecting) retryAll() tea.Cmd {
	if !t.Picks() {
		return t.Retry()
	}
	return t.each(t.Chosen(), "retried", func(ctx context.Context, s parley.Service, r *team.Row) error {
		_, err := op.RetryDelivery.Call(ctx, s, parley.RetryDeliveryRequest{MessageID: r.ID})
		return err
	})
}

// releaseAll lets the chosen messages go that the conversation protocol holds.
func (t Selecting) releaseAll() tea.Cmd {
	rows := t.Chosen()
	if len(rows) == 0 {
		t.Lacks("No message to release here.")
		return nil
	}

	return t.each(rows, "released", func(ctx context.Context, s parley.Service, r *team.Row) error {
		_, err := op.ControlConversation.Call(ctx, s,
			parley.ControlConversationRequest{Action: parley.ActionRelease, MessageID: r.ID})
		return err
	})
}

// markAll marks the selected messages read, else the one under the marker.
func (t Selecting) markAll() tea.Cmd {
	if !t.Picks() {
		return t.MarkRead()
	}

	ids := room.IDsOf(t.Chosen())
	return t.Actions.Run(room.Action{Do: func(ctx context.Context, s parley.Service) (string, error) {
		res, err := op.MarkMessageRead.Call(ctx, s, parley.MarkMessageReadRequest{MessageIDs: ids})
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
func (t Selecting) CopyAll() tea.Cmd {
	rows, zone := t.Chosen(), t.Now.Location()
	what := kit.Plural(len(rows), "message")
	t.Tell("Reading " + what + "…")

	return t.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		var texts []string
		for _, r := range rows {
			res, err := op.GetMessageStatus.Call(ctx, s, parley.MessageStatusRequest{MessageID: r.ID})
			if err != nil {
				return room.CopiedMsg{Err: err}
			}
			head := fmt.Sprintf("%s%s%s, %s", r.From, arrow, r.To, r.At.In(zone).Format("2 Jan 2006 15:04:05"))
			texts = append(texts, head+"\n"+kit.SafeText(res.Object.Text))
		}
		return room.CopiedMsg{Text: strings.Join(texts, "\n\n"), What: "The text of " + what}
	})
}
