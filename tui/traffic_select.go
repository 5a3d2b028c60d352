package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// pickedMessages are the messages that the operator selected, by id, in whatever part of the record they are.
// Keys that can act on several messages act on these, while there are any.
type pickedMessages map[string]*row

// picks reports whether keys act on the selected messages: there are some, and the screen shows them.
func (t *traffic) picks() bool { return len(t.picked) > 0 && t.at == atTraffic && t.over == nil }

// chosen returns the selected messages, the oldest first, else the one under the marker.
func (t *traffic) chosen() []*row {
	if !t.picks() {
		if t.sel == nil {
			return nil
		}
		return []*row{t.sel}
	}

	var rows []*row
	for _, r := range t.picked {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b *row) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.id, b.id)) })

	return rows
}

// selecting is what keys do to several messages of the traffic.
type selecting struct{ *traffic }

// toggle selects what the marker is on, or no longer, and goes on to the next line. A fold is all its messages.
func (t selecting) toggle() tea.Cmd {
	x := t.marked()
	if x.row == nil {
		t.tell("No message to select yet.")
		return nil
	}

	selected := t.isPicked(&x)
	for _, r := range x.rows() {
		if selected {
			delete(t.picked, r.id)
		} else {
			t.picked[r.id] = r
		}
	}
	t.record.setFollow(false)
	t.record.move(1)

	if len(t.picked) == 0 {
		t.tell("Nothing is selected.")
		return nil
	}
	t.tell(fmt.Sprintf(
		"%s selected. %s copies, %s copies ids, %s exports, %s retries, %s releases, %s marks read; %s clears.",
		plural(len(t.picked), "message"), t.key("y"), t.key("Y"), t.key("E"), t.key("R"), t.key("l"), t.key("m"),
		t.key("esc")))

	return nil
}

// isPicked reports whether all messages of a line are selected.
func (t *traffic) isPicked(x *listLine) bool {
	return x.row != nil && !slices.ContainsFunc(x.rows(), func(r *row) bool { return t.picked[r.id] == nil })
}

// rows returns the messages of a line.
func (x *listLine) rows() []*row {
	if x.of != nil {
		return x.of
	}
	return []*row{x.row}
}

// clear ends the selection, and reports whether there was one.
func (t selecting) clear() bool {
	if len(t.picked) == 0 {
		return false
	}
	clear(t.picked)
	t.tell("Nothing is selected.")
	return true
}

// each makes a call for each message that is selected, or for the one under the marker.
func (t selecting) each(
	rows []*row, did string, call func(context.Context, parley.Service, *row) error,
) tea.Cmd {
	name := func(r *row) string { return parley.Short(r.id) }
	return t.actions.run(each[*row]{of: rows, name: name, did: did, call: call}.action())
}

// retryAll tries the selected messages again where they failed, else the one under the marker.
func (t selecting) retryAll() tea.Cmd {
	if !t.picks() {
		return t.retry()
	}
	return t.each(t.chosen(), "retried", func(ctx context.Context, s parley.Service, r *row) error {
		_, err := s.RetryDelivery(ctx, parley.RetryDeliveryRequest{MessageID: r.id})
		return err
	})
}

// releaseAll lets the chosen messages go that the conversation protocol holds.
func (t selecting) releaseAll() tea.Cmd {
	rows := t.chosen()
	if len(rows) == 0 {
		t.tell("No message to release here.")
		return nil
	}

	return t.each(rows, "released", func(ctx context.Context, s parley.Service, r *row) error {
		_, err := s.ControlConversation(ctx,
			parley.ControlConversationRequest{Action: parley.ActionRelease, MessageID: r.id})
		return err
	})
}

// markAll marks the selected messages read, else the one under the marker.
func (t selecting) markAll() tea.Cmd {
	if !t.picks() {
		return t.markRead()
	}

	ids := idsOf(t.chosen())
	return t.actions.run(action{do: func(ctx context.Context, s parley.Service) (string, error) {
		res, err := s.MarkMessageRead(ctx, parley.MarkMessageReadRequest{MessageIDs: ids})
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

// copyAll copies the selected messages, each with its sender, its recipient and its time.
func (t selecting) copyAll() tea.Cmd {
	rows, zone := t.chosen(), t.now.Location()
	what := plural(len(rows), "message")
	t.tell("Reading " + what + "…")

	return t.do.call(func(ctx context.Context, s parley.Service) tea.Msg {
		var texts []string
		for _, r := range rows {
			res, err := s.GetMessageStatus(ctx, parley.MessageStatusRequest{MessageID: r.id})
			if err != nil {
				return copiedMsg{err: err}
			}
			head := fmt.Sprintf("%s%s%s, %s", r.from, arrow, r.to, r.at.In(zone).Format("2 Jan 2006 15:04:05"))
			texts = append(texts, head+"\n"+safeText(res.Object.Text))
		}
		return copiedMsg{text: strings.Join(texts, "\n\n"), what: "The text of " + what}
	})
}
