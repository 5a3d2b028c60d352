package traffic

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
)

// detailDelay is how long a message is under the marker before its deliveries are
// read, while the marker follows the newest.
const detailDelay = 250 * time.Millisecond

// opened reports whether the message is shown: when the person opened it, and where there is room beside
// the list unless they closed it. While the list follows the newest, the messages have all the room.
func (t *pane) opened() bool {
	return t.records.Shown.Sel != nil && (t.Open || t.room.Tier >= kit.Wide && !t.Shut && !t.records.Shown.follow)
}

// follow keeps the open pane on the message under the marker.
func (t *pane) follow() tea.Cmd {
	if !t.opened() || t.records.Shown.Sel == nil || t.records.Shown.Sel.ID == t.ID {
		return nil
	}
	t.Show(t.records.Shown.Sel.ID)
	return t.ask()
}

// ask reads the message, once more afterwards if it is being read.
func (t *pane) ask() tea.Cmd {
	switch {
	case !t.opened():
		return nil
	case t.Asking:
		t.Stale = true
		return nil
	}

	t.Asking = true
	if t.records.Shown.follow { // the next one may come soon
		return t.room.Do.Later(detailDelay, room.ReadDetail(t.ID))
	}

	return t.room.Do.Call(room.ReadDetail(t.ID))
}

// take takes a message's deliveries, and asks again when they are out of
// date.
func (t *pane) take(msg room.DetailMsg) tea.Cmd {
	d := &t.Detail
	stale := d.Stale || msg.ID != d.ID
	d.Asking, d.Stale = false, false
	if msg.Err == nil && msg.Result != nil {
		t.records.learn(msg.ID, msg.Result.Deliveries)
		t.records.lengthen(msg.Result.Object)
	}

	var cmd tea.Cmd
	switch {
	case msg.ID != d.ID:
	case msg.Err == nil:
		d.Result, d.Err = msg.Result, nil
		if t.opened() && !t.records.Shown.follow && d.UnreadByOperator() {
			cmd = t.room.Do.Call(room.MarkMessagesRead(msg.ID))
		}
	case t.room.Link.Gone(msg.Err):
		cmd, d.Lost = t.room.Link.LookLater(), true
		if d.Result == nil {
			d.Err = msg.Err
		}
	default:
		d.Err = msg.Err
	}

	if stale {
		cmd = tea.Batch(cmd, t.ask())
	}

	return cmd
}

// reveal opens the pane because a person wants to see the message.
func (t *pane) reveal() { t.Open, t.Shut = true, false }

// shut closes the pane because a person has seen enough.
func (t *pane) shut() { t.Open, t.Shut, t.focused = false, true, false }

const (
	longestLine = 400         // characters of a message that the list keeps: a line on the widest screens
	textsEvery  = time.Second // between two readings of texts, however fast messages come
)

// textsMsg is what was read of messages.
type textsMsg struct{ room.StandingsMsg }

// askTexts reads the messages in view whose texts end before their lines do.
func (t *reader) askTexts() tea.Cmd {
	x := &t.texts
	if x.asking || t.room.Link.Lost != nil || t.room.Now.Sub(x.asked) < textsEvery ||
		t.records.Shown.columns.text() <= parley.PreviewLength {
		return nil
	}

	var ids []string
	for _, l := range t.records.Shown.list.linesInView() {
		if l.row != nil && l.row.Cut && len(ids) < mostStandings {
			ids = append(ids, l.row.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}

	x.asking, x.asked = true, t.room.Now

	return t.room.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		return textsMsg{room.ReadStandings(ctx, s, ids)}
	})
}

// takeTexts takes what was read. A message that is gone stays as it is.
func (t *reader) takeTexts(msg textsMsg) {
	t.texts.asking = false
	if msg.Err != nil && t.room.Link.Gone(msg.Err) {
		return
	}

	for _, res := range msg.Results {
		t.records.lengthen(res.Object)
	}
	for _, id := range msg.IDs {
		if r := t.records.Live.ByID[id]; r != nil {
			r.Cut = false
		}
	}
}

// text returns about how many columns the texts have.
func (c *listColumns) text() int { return c.all - 2 - len("15:04:05 ") - c.route - 1 - c.state - 1 }
