package agents

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/room"
)

const (
	tilesEvery = 1200 * time.Millisecond // reads up to sixteen terminals
	tileWithin = 3 * time.Second         // bounds the reading of one: a hanging one does not stop the others
)

// reading is what the screen knows of the terminals in the tiles.
type reading struct {
	turn  int      // counts the requests: the answer to an older one comes too late
	ids   []string // that the last request was for
	shots map[string]shot
}

// shot is a terminal as it was read last.
type shot struct {
	screen *parley.ReadTerminalResult
	shown  *wrapped
	err    error
	dialog *parley.Dialog // that is open in it; nil for none
	since  time.Time      // when this dialog was first drawn
	asked  bool           // a dialog was looked for
}

// shotsMsg is what a request for terminals found.
type shotsMsg struct {
	turn  int
	shots map[string]shot
}

// wanted is a terminal that is read.
type wanted struct {
	id    string
	waits bool // a question may be open in it
}

func readTiles(all []wanted, turn int, colours bool) room.Request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		msg := shotsMsg{turn: turn, shots: map[string]shot{}}
		for _, x := range all {
			msg.shots[x.id] = readTile(ctx, s, x, colours)
		}
		return msg
	}
}

// readTile reads a terminal. A dialog is looked for on the screen itself, so that
// what is answered is what stands there.
func readTile(ctx context.Context, s parley.Service, x wanted, colours bool) (got shot) {
	ctx, cancel := context.WithTimeout(ctx, tileWithin)
	defer cancel()

	got.screen, got.err = s.ReadTerminal(ctx, parley.ReadTerminalRequest{Agent: x.id, Colours: colours})
	if got.err != nil || !x.waits {
		return got
	}
	if res, err := s.AnswerDialog(ctx, parley.AnswerDialogRequest{Agent: x.id}); err == nil {
		got.dialog, got.asked = res.Dialog, true
	}

	return got
}

// Update keeps the terminals that are drawn up to date, and reads no others.
func (t *Tiles) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case room.AgentsMsg:
		t.keepUp()
	case shotsMsg:
		if msg.turn == t.reading.turn {
			t.take(msg)
			every := tilesEvery
			if t.zoom {
				every = previewEvery // one alone is read more often
			}
			return t.look(every)
		}
	case room.SettledMsg:
		if !slices.Equal(t.reading.ids, t.drawn()) {
			return t.look(0)
		}
	}
	return nil
}

// drawn returns the ids of the tiles that nothing covers.
func (t *Tiles) drawn() []string {
	if t.Help.Open || t.shell.PaletteOpen() {
		return nil
	}
	return t.inView()
}

func (t *Tiles) look(after time.Duration) tea.Cmd {
	r := &t.reading
	r.turn++
	if r.ids = t.drawn(); len(r.ids) == 0 {
		r.shots = nil
		return nil
	}

	r.ids = slices.Clone(r.ids)
	var all []wanted
	for _, id := range r.ids {
		a := t.Team.Find(id)
		all = append(all, wanted{id: id, waits: a != nil && a.State == parley.StateWaiting})
	}

	return t.Do.Later(after, readTiles(all, r.turn, t.colours))
}

// take keeps what was read. What cannot be read at the moment keeps its last picture.
func (t *Tiles) take(msg shotsMsg) {
	old := t.reading.shots
	t.reading.shots = msg.shots
	for id, now := range msg.shots {
		before := old[id]
		if now.err != nil && before.screen != nil {
			now.screen = before.screen
		}
		now.shown, now.since = &wrapped{}, t.Do.Now()
		if now.dialog != nil && before.dialog != nil && now.dialog.ID == before.dialog.ID {
			now.since = before.since
		}
		msg.shots[id] = now
	}
}
