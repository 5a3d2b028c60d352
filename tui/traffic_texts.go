package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

const (
	longestLine = 400         // characters of a message that the list keeps: a line on the widest screens
	textsEvery  = time.Second // between two readings of texts, however fast messages come
)

// longTexts reads more of the messages in view where the list has room for it: an event has only the first
// characters.
type longTexts struct {
	asking bool
	asked  time.Time
}

// textsMsg is what was read of messages.
type textsMsg struct{ standingsMsg }

// askTexts reads the messages in view whose texts end before their lines do.
func (t *traffic) askTexts() tea.Cmd {
	x := &t.texts
	if x.asking || t.link.lost != nil || t.now.Sub(x.asked) < textsEvery || t.columns.text() <= parley.PreviewLength {
		return nil
	}

	var ids []string
	for _, l := range t.linesInView() {
		if l.row != nil && l.row.cut && len(ids) < mostStandings {
			ids = append(ids, l.row.id)
		}
	}
	if len(ids) == 0 {
		return nil
	}

	x.asking, x.asked = true, t.now

	return t.do.call(func(ctx context.Context, s parley.Service) tea.Msg { return textsMsg{readStandings(ctx, s, ids)} })
}

// takeTexts takes what was read. A message that is gone stays as it is.
func (t *traffic) takeTexts(msg textsMsg) {
	t.texts.asking = false
	if msg.err != nil && t.link.gone(msg.err) {
		return
	}

	for _, res := range msg.results {
		t.lengthen(res.Object)
	}
	for _, id := range msg.ids {
		if r := t.live.byID[id]; r != nil {
			r.cut = false
		}
	}
}

// lengthen gives the row of a message that was read the text that its line has room for.
func (t *traffic) lengthen(m *parley.Message) {
	if m == nil {
		return
	}
	if r := t.live.byID[m.ID]; r != nil && r.cut {
		r.cut, r.text = false, safeLine(parley.Truncate(parley.CleanLine(m.Text), longestLine))
	}
}

// text returns about how many columns the texts have.
func (c *listColumns) text() int { return c.all - 2 - len("15:04:05 ") - c.route - 1 - c.state - 1 }
