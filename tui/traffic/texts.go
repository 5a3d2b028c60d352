package traffic

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/room"
)

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
