package agents

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
)

// optionAt returns the option that a digit chooses: the one that the digit names, or, where
// options have letters, the one that has the digit.
func optionAt(d *parley.Dialog, key string) (parley.DialogOption, bool) {
	named := func(o parley.DialogOption) bool { return o.Choice == key }
	if i := slices.IndexFunc(d.Options, named); i >= 0 {
		return d.Options[i], true
	}
	for i, o := range d.Options {
		if digitOf(d, i) == key {
			return o, true
		}
	}

	return parley.DialogOption{}, false
}

// digitOf returns the key that chooses the option at a place: its number. Those with letters have the digits that are
// no option's number, in their order.
func digitOf(d *parley.Dialog, i int) string {
	if isNumber(d.Options[i].Choice) {
		return d.Options[i].Choice
	}

	n := 0
	for j := range i + 1 {
		if isNumber(d.Options[j].Choice) {
			continue
		}
		for n++; slices.ContainsFunc(d.Options, func(o parley.DialogOption) bool {
			return o.Choice == strconv.Itoa(n)
		}); n++ {
		}
	}
	return strconv.Itoa(n)
}

func isNumber(choice string) bool {
	_, err := strconv.Atoi(choice)
	return err == nil
}

// tileAnswer answers the question in the tile under the marker.
type tileAnswer struct {
	room    *room.Shared
	acts    *room.Actions
	board   *board
	reading *reading
}

// ready returns the question under the marker if a key may answer it: all of it was seen, for
// long enough. Otherwise it says what to do instead.
func (t tileAnswer) ready() *room.Question {
	a, x := t.room.Team.Find(t.board.sel), t.reading.shots[t.board.sel]
	switch {
	case a == nil:
		t.room.Lacks(room.WhichAgent)
		return nil
	case x.err != nil:
		t.room.Tell("The terminal of " + a.Name + " cannot be read now. Nothing was sent.")
		return nil
	case x.dialog == nil && (x.screen == nil || !x.asked && a.State == parley.StateWaiting):
		t.room.Tell(room.StillReading("what " + a.Name + " asks"))
		return nil
	case x.dialog == nil:
		t.room.Tell(a.Name + " asks nothing. esc leaves the tiles.")
		return nil
	case x.dialog.Secret:
		t.room.Tell(a.Name + " asks for a secret, which parley never types. a attaches.")
		return nil
	case t.room.Do.Now().Sub(x.since) < room.TileRests, t.room.Do.Now().Sub(t.board.moved) < room.TileRests:
		t.room.Tell("The question of " + a.Name + " has just come. Read it, then press the key again.")
		return nil
	case !t.board.zoom && !t.board.fits(t.room.Theme, x.dialog):
		t.board.zoom = true
		t.room.Tell("The question is longer than its tile. Here is all of it: press the key again.")
		return nil
	}

	return &room.Question{AgentID: a.ID, Agent: a.Name, Dialog: x.dialog}
}

func (t tileAnswer) choose(digit string) tea.Cmd {
	q := t.ready()
	if q == nil {
		return nil
	}

	o, ok := optionAt(q.Dialog, digit)
	switch {
	case !ok:
		t.room.Tell(fmt.Sprintf("%s is no option of %s: %s.", digit, q.Agent, kit.SafeLine(q.Dialog.Choices())))
		return nil
	case o.TakesText:
		return t.askWords(q, o.Choice, o.Label)
	}

	return t.give(q, o.Choice, "")
}

// give sends an answer. Until the terminal is read again there is nothing to answer: the same question may
// be asked twice, and one key must not answer both.
func (t tileAnswer) give(q *room.Question, choice, text string) tea.Cmd {
	if x, ok := t.reading.shots[q.AgentID]; ok {
		x.dialog, x.asked = nil, false
		t.reading.shots[q.AgentID] = x
	}
	return t.acts.AnswerDialog(q, choice, text)
}

// keys looks at the terminal for keys beside the options of its question.
func (t tileAnswer) keys() tea.Cmd {
	if q := t.ready(); q != nil {
		return t.acts.LookForKeys(q.AgentID)
	}
	return nil
}

// askKeys asks which keys the screen that was seen is to get.
func (t tileAnswer) askKeys(msg room.KeyScreenMsg) tea.Cmd {
	a := t.room.Team.Find(msg.AgentID)
	if t.room.Keys.Prompt != nil || a == nil || t.board.sel != msg.AgentID {
		return nil // the person has gone on
	}
	cmd, _ := t.acts.AskKeys(msg, a.Name)
	return cmd
}

func (t tileAnswer) inWords() tea.Cmd {
	q := t.ready()
	if q == nil {
		return nil
	}

	for _, o := range q.Dialog.Options {
		if o.TakesText {
			return t.askWords(q, o.Choice, o.Label)
		}
	}
	if q.Dialog.TakesText {
		return t.askWords(q, "", "Your answer to "+q.Agent)
	}
	t.room.Tell("It takes no words: choose an option.")

	return nil
}

func (t tileAnswer) askWords(q *room.Question, choice, label string) tea.Cmd {
	return t.room.Keys.AskLine(kit.SafeLine(label), func(text string) tea.Cmd { return t.give(q, choice, text) })
}

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
