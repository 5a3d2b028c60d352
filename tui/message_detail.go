package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// detail is the pane of one message: its text, and every delivery with its ladder
// and evidence.
type detail struct {
	open   bool // the person opened it
	shut   bool // the person closed it, where there would be room
	id     string
	result *parley.MessageStatusResult // of id; nil until it was read
	err    error
	asking bool // a request is under way
	stale  bool // ask once more when that is done
	lost   bool // it could not be read because the daemon was away
	pane
}

// show turns to another message.
func (d *detail) show(id string) {
	if d.id != id {
		d.id, d.result, d.err, d.top, d.lost = id, nil, nil, 0, false
	}
}

// unreadByOperator reports whether the operator got the message and is not marked
// as its reader yet.
func (d *detail) unreadByOperator() bool {
	return d.result != nil && slices.ContainsFunc(d.result.Deliveries, func(x parley.Delivery) bool {
		return x.Recipient == parley.OperatorName && x.State == parley.DeliverySubmitted
	})
}

func (d *detail) view(th theme, r *row, w int, focused bool, now time.Time) []string {
	lines := d.lines(th, r, w, now)
	return d.pane.view(th.rule("Message "+parley.Short(d.id), d.note(len(lines)), w, focused), lines)
}

// lines draws the message. Until it was read, they are what the row r says.
func (d *detail) lines(th theme, r *row, w int, now time.Time) []string {
	switch {
	case d.err != nil:
		return errorLines(th, d.err, w)
	case d.result == nil || d.result.Object == nil:
		return []string{
			"  " + th.dim.Render(fit(r.from+" → "+r.to+" · "+string(r.kind), w-2)),
			"",
			"  " + fit(r.text, w-2),
		}
	}

	lines := d.head(th, w, now)
	lines = append(lines, "")
	lines = append(lines, indent(wrap(safeText(d.result.Object.Text), w-2), 2)...)
	lines = append(lines, "")
	for _, x := range worstFirst(d.result.Deliveries) {
		lines = append(lines, deliveryLines(th, x, w, now)...)
	}

	return lines
}

func (d *detail) head(th theme, w int, now time.Time) []string {
	m := d.result.Object
	var to []string
	for _, x := range d.result.Deliveries {
		to = append(to, shownName(x.Recipient, x.RecipientID))
	}

	words := []string{shownName(m.Sender, m.SenderID) + " → " + strings.Join(to, ", "), string(m.Kind)}
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
	for _, line := range wrap(safeLine(strings.Join(words, " · ")), w-2) {
		lines = append(lines, "  "+th.dim.Render(line))
	}

	return lines
}

func worstFirst(ds []parley.Delivery) []parley.Delivery {
	rank := func(d parley.Delivery) int {
		if i := slices.Index(grave, d.State); i >= 0 {
			return i
		}
		if d.State.Settled() {
			return len(grave) + 1
		}
		return len(grave)
	}
	return slices.SortedStableFunc(slices.Values(ds), func(a, b parley.Delivery) int {
		return cmp.Compare(rank(a), rank(b))
	})
}

// deliveryLines draws the delivery to one recipient: its state and why, then each
// rung with its time and its evidence.
func deliveryLines(th theme, d parley.Delivery, w int, now time.Time) []string {
	state := safeLine(string(d.State))
	head := fmt.Sprintf("%s %s: %s", pad(deliveryGlyph(d.State), 2), shownName(d.Recipient, d.RecipientID), state)
	if why := cmp.Or(d.WaitsFor, d.Reason); why != "" {
		head += ", " + safeLine(why)
	}

	var lines []string
	for _, line := range wrap(head, w-2) {
		lines = append(lines, "  "+th.delivery(d.State).Render(line))
	}

	var before time.Time
	for _, s := range d.Steps {
		lines = append(lines, stepLines(th, s, before, w, now)...)
		before = s.At
	}

	return lines
}

func stepLines(th theme, s parley.Step, before time.Time, w int, now time.Time) []string {
	took := ""
	if !before.IsZero() {
		took = "+" + brief(s.At.Sub(before))
	}

	left := fmt.Sprintf("     %s %s %s ", s.At.In(now.Location()).Format("15:04:05.000"),
		pad(took, 7), pad(safeLine(string(s.State)), 11))
	left = fit(left, w)
	evidence := wrap(safeLine(s.Evidence), max(w-width(left), 8))
	lines := []string{fit(left+evidence[0], w)}
	for _, line := range evidence[1:] {
		lines = append(lines, fit(strings.Repeat(" ", width(left))+line, w))
	}

	for i := range lines {
		lines[i] = th.dim.Render(lines[i])
	}

	return lines
}

// errorLines draws an error and what to do about it.
func errorLines(th theme, err error, w int) []string {
	e := parley.AsError(err)
	var lines []string
	for _, line := range wrap("✗ "+safeLine(e.Message), w-2) {
		lines = append(lines, "  "+th.bad.Render(line))
	}
	if e.Action == "" {
		return lines
	}
	return append(lines, indent(wrap(safeLine(e.Action), w-2), 2)...)
}

// detailMsg is a message with its deliveries.
type detailMsg struct {
	id     string
	result *parley.MessageStatusResult
	err    error
}

func readDetail(id string) request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := s.GetMessageStatus(ctx, parley.MessageStatusRequest{MessageID: id})
		return detailMsg{id: id, result: res, err: err}
	}
}
