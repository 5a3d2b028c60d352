package agents

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/room"
)

const (
	tilesEvery = 1200 * time.Millisecond // reads up to sixteen terminals
	tileWithin = 3 * time.Second         // bounds the reading of one: a hanging one does not stop the others
)

// reading is what the screen knows of the terminals in the tiles.
type reading struct {
	room    *room.Shared
	colours bool     // of terminals are shown
	turn    int      // counts the requests: the answer to an older one comes too late
	ids     []string // that the last request was for
	shots   map[string]shot
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

	got.screen, got.err = op.ReadTerminal.Call(ctx, s, parley.ReadTerminalRequest{Agent: x.id, Colours: colours})
	if got.err != nil || !x.waits {
		return got
	}
	if res, err := op.AnswerDialog.Call(ctx, s, parley.AnswerDialogRequest{Agent: x.id}); err == nil {
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
			t.reading.take(msg)
			every := tilesEvery
			if t.board.zoom {
				every = previewEvery // one alone is read more often
			}
			return t.reading.look(t.drawn(), every)
		}
	case room.KeyScreenMsg:
		if t.Opened() {
			return t.answer().askKeys(msg)
		}
	case room.SettledMsg:
		if drawn := t.drawn(); !slices.Equal(t.reading.ids, drawn) {
			return t.reading.look(drawn, 0)
		}
	}
	return nil
}

// drawn returns the ids of the tiles that nothing covers.
func (t *Tiles) drawn() []string {
	if t.room.Keys.Help.Open || t.shell.PaletteOpen() {
		return nil
	}
	return t.inView()
}

// look reads the terminals of the tiles that are drawn.
func (r *reading) look(drawn []string, after time.Duration) tea.Cmd {
	r.turn++
	if len(drawn) == 0 {
		r.ids, r.shots = drawn, nil
		return nil
	}

	r.ids = slices.Clone(drawn)
	var all []wanted
	for _, id := range r.ids {
		a := r.room.Team.Find(id)
		all = append(all, wanted{id: id, waits: a != nil && a.State == parley.StateWaiting})
	}

	return r.room.Do.Later(after, readTiles(all, r.turn, r.colours))
}

// take keeps what was read. What cannot be read at the moment keeps its last picture.
func (r *reading) take(msg shotsMsg) {
	old := r.shots
	r.shots = msg.shots
	for id, now := range msg.shots {
		before := old[id]
		if now.err != nil && before.screen != nil {
			now.screen = before.screen
		}
		now.shown, now.since = &wrapped{}, r.room.Do.Now()
		if now.dialog != nil && before.dialog != nil && now.dialog.ID == before.dialog.ID {
			now.since = before.since
		}
		msg.shots[id] = now
	}
}
