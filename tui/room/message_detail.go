package room

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
	"parley/tui/team"
)

// Detail is the pane of one message: its text, and every delivery with its ladder
// and evidence.
type Detail struct {
	Open   bool // the person opened it
	Shut   bool // the person closed it, where there would be room
	ID     string
	Result *parley.MessageStatusResult // of id; nil until it was read
	Err    error
	Asking bool // a request is under way
	Stale  bool // ask once more when that is done
	Lost   bool // it could not be read because the daemon was away
	kit.Pane
}

// Show turns to another message.
func (d *Detail) Show(id string) {
	if d.ID != id {
		d.ID, d.Result, d.Err, d.Top, d.Lost = id, nil, nil, 0, false
	}
}

// UnreadByOperator reports whether the operator got the message and is not marked
// as its reader yet.
func (d *Detail) UnreadByOperator() bool {
	return d.Result != nil && slices.ContainsFunc(d.Result.Deliveries, func(x parley.Delivery) bool {
		return x.Recipient == parley.OperatorName && x.State == parley.DeliverySubmitted
	})
}

// View draws the message of row r.
func (d *Detail) View(th kit.Theme, r *team.Row, w int, focused bool, now time.Time) []string {
	lines := d.Lines(th, r, w, now)
	return d.Pane.View(th.Rule("Message "+parley.Short(d.ID), d.Note(len(lines)), w, focused), lines)
}

// Lines draws the message. Until it was read, they are what the row r says.
func (d *Detail) Lines(th kit.Theme, r *team.Row, w int, now time.Time) []string {
	switch {
	case d.Err != nil:
		return ErrorLines(th, d.Err, w)
	case d.Result == nil || d.Result.Object == nil:
		return []string{
			"  " + th.Dim.Render(kit.Fit(r.From+" → "+r.To+" · "+string(r.Kind), w-2)),
			"",
			"  " + kit.Fit(r.Text, w-2),
		}
	}

	lines := d.head(th, w, now)
	lines = append(lines, "")
	lines = append(lines, kit.Indent(kit.Wrap(kit.SafeText(d.Result.Object.Text), w-2), 2)...)
	lines = append(lines, "")
	for _, x := range worstFirst(d.Result.Deliveries) {
		lines = append(lines, deliveryLines(th, x, w, now)...)
	}

	return lines
}

func (d *Detail) head(th kit.Theme, w int, now time.Time) []string {
	m := d.Result.Object
	var to []string
	for _, x := range d.Result.Deliveries {
		to = append(to, kit.ShownName(x.Recipient, x.RecipientID))
	}

	words := []string{kit.ShownName(m.Sender, m.SenderID) + " → " + strings.Join(to, ", "), string(m.Kind)}
	if m.Type != parley.TypeInformation {
		words = append(words, string(m.Type))
	}
	if m.Priority != parley.PriorityNormal {
		words = append(words, string(m.Priority))
	}

	words = append(words, m.Timestamp.In(now.Location()).Format("2 Jan 15:04:05"))
	if m.InReplyTo != "" {
		words = append(words, "answers "+parley.Short(m.InReplyTo))
	}
	if m.ContextReference != "" {
		words = append(words, "about "+m.ContextReference)
	}

	var lines []string
	for _, line := range kit.Wrap(kit.SafeLine(strings.Join(words, " · ")), w-2) {
		lines = append(lines, "  "+th.Dim.Render(line))
	}

	return lines
}

func worstFirst(ds []parley.Delivery) []parley.Delivery {
	rank := func(d parley.Delivery) int {
		if i := slices.Index(team.Grave, d.State); i >= 0 {
			return i
		}
		if d.State.Settled() {
			return len(team.Grave) + 1
		}
		return len(team.Grave)
	}
	return slices.SortedStableFunc(slices.Values(ds), func(a, b parley.Delivery) int {
		return cmp.Compare(rank(a), rank(b))
	})
}

// deliveryLines draws the delivery to one recipient: its state and why, then each
// rung with its time and its evidence.
func deliveryLines(th kit.Theme, d parley.Delivery, w int, now time.Time) []string {
	state := kit.SafeLine(string(d.State))
	glyph, name := kit.Pad(kit.DeliveryGlyph(d.State), 2), kit.ShownName(d.Recipient, d.RecipientID)
	head := fmt.Sprintf("%s %s: %s", glyph, name, state)
	if why := cmp.Or(d.WaitsFor, d.Reason); why != "" {
		head += ", " + kit.SafeLine(why)
	}

	var lines []string
	for _, line := range kit.Wrap(head, w-2) {
		lines = append(lines, "  "+th.Delivery(d.State).Render(line))
	}

	var before time.Time
	for _, s := range d.Steps {
		lines = append(lines, stepLines(th, s, before, w, now)...)
		before = s.At
	}

	return lines
}

func stepLines(th kit.Theme, s parley.Step, before time.Time, w int, now time.Time) []string {
	took := ""
	if !before.IsZero() {
		took = "+" + kit.Brief(s.At.Sub(before))
	}

	left := fmt.Sprintf("     %s %s %s ", s.At.In(now.Location()).Format("15:04:05.000"),
		kit.Pad(took, 7), kit.Pad(kit.SafeLine(string(s.State)), 11))
	left = kit.Fit(left, w)
	evidence := kit.Wrap(kit.SafeLine(s.Evidence), max(w-kit.Width(left), 8))
	lines := []string{kit.Fit(left+evidence[0], w)}
	for _, line := range evidence[1:] {
		lines = append(lines, kit.Fit(strings.Repeat(" ", kit.Width(left))+line, w))
	}

	for i := range lines {
		lines[i] = th.Dim.Render(lines[i])
	}

	return lines
}

// ErrorLines draws an error and what to do about it.
func ErrorLines(th kit.Theme, err error, w int) []string {
	e := parley.AsError(err)
	var lines []string
	for _, line := range kit.Wrap("✗ "+kit.SafeLine(e.Message), w-2) {
		lines = append(lines, "  "+th.Bad.Render(line))
	}
	if e.Action == "" {
		return lines
	}
	return append(lines, kit.Indent(kit.Wrap(kit.SafeLine(e.Action), w-2), 2)...)
}

// DetailMsg is a message with its deliveries.
type DetailMsg struct {
	ID     string
	Result *parley.MessageStatusResult
	Err    error
}

// ReadDetail returns the request for a message with its deliveries.
func ReadDetail(id string) Request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := op.GetMessageStatus.Call(ctx, s, parley.MessageStatusRequest{MessageID: id})
		return DetailMsg{ID: id, Result: res, Err: err}
	}
}
