package agents

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
	"parley/tui/verb"
)

// Tiles are the terminals of several agents at once, over the screen that is shown.
type Tiles struct {
	room    *room.Shared
	acts    *room.Actions
	shell   tilesShell
	board   board
	only    []string // the ids of the agents that were selected as they opened; nil for all
	reading reading
	Pressed string // the last key
}

type tilesShell interface {
	Do(verb.Verb) tea.Cmd
	PaletteOpen() bool
}

// NewTiles returns the tiles, which ask the shell s for what lies beyond them.
func NewTiles(a *room.Actions, s tilesShell, colours bool) *Tiles {
	return &Tiles{room: a.Room, acts: a, shell: s, reading: reading{room: a.Room, colours: colours}}
}

// Opened reports whether the tiles lie over the screen.
func (t *Tiles) Opened() bool { return t.room.Over == room.Lens(t) }

// Keys returns the keys of the tiles.
func (t *Tiles) Keys() []kit.Binding {
	silent := func() bool { return t.reading.shots[t.board.sel].dialog == nil }
	by := func(move func(int), n int) func() tea.Cmd {
		return func() tea.Cmd { move(n); return nil }
	}
	answer := func() tea.Cmd { return t.answer().choose(t.Pressed) }

	return []kit.Binding{
		verb.Choose.To("answer its question: that option", answer).Hinted("answer").Unless(silent),
		verb.Open.To("zoom in; then attach to it", t.enter).Hinted("zoom").Unless(func() bool { return t.board.zoom }),
		verb.Attach.To("attach to its terminal", t.acts.Attach).Hinted("attach"),
		verb.Switch.To("the next one", by(t.board.step, 1)).Hinted("next"),
		verb.SwitchBack.To("the one before", by(t.board.step, -1)),
		verb.Next.To("to the right", by(t.board.step, 1)),
		verb.Previous.To("to the left", by(t.board.step, -1)),
		verb.Down.To("down", by(t.board.stepRow, 1)),
		verb.Up.To("up", by(t.board.stepRow, -1)),
		verb.PageDown.To("next page", by(t.turnPage, 1)),
		verb.PageUp.To("previous page", by(t.turnPage, -1)),
		verb.More.To("more and smaller tiles", by(t.resize, 1)),
		verb.Fewer.To("fewer and larger tiles", by(t.resize, -1)),
		verb.Order.To("order again: who needs you first", t.arrange).Hinted("order"),
		verb.Select.To("select it, or no longer", func() tea.Cmd { t.acts.SelectAgent(); return nil }),
		verb.Reply.To("answer its question with words", func() tea.Cmd { return t.answer().inWords() }),
		verb.SendKeys.To("send keys instead of an option", t.keys).Unless(silent),
		verb.Write.To("write to it", doing(t.shell, verb.Write)).Hinted("write"),
		verb.Review.To("see what it has changed", doing(t.shell, verb.Review)).Hinted("review"),
		verb.Broadcast.To("write to those selected, or to all", doing(t.shell, verb.Broadcast)),
		verb.Steer.To("steer it: guidance it must see", doing(t.shell, verb.Steer)),
		verb.Restart.To("restart it, or those selected", t.acts.RestartChosen),
		verb.Stop.To("stop it, or those selected", t.acts.StopChosen),
		verb.OpenText.To("open its text in your editor or pager", t.acts.OpenText),
		verb.Undo.To("undo the last action", t.acts.UndoLast),
		verb.Run.To("run any command", doing(t.shell, verb.Run)),
		verb.GoTo.To("go to anything by its name", doing(t.shell, verb.GoTo)),
		verb.Help.To("all keys", t.room.OpenHelp).Hinted("help"),
		verb.Back.To("back", t.back, verb.Leave).Hinted("back"),
	}
}

func doing(s tilesShell, v verb.Verb) func() tea.Cmd {
	return func() tea.Cmd { return s.Do(v) }
}

// Start shows the selected agents, else those that need eyes first and then the others.
func (t *Tiles) Start() tea.Cmd {
	t.only = nil
	for _, a := range t.room.Picked.In(&t.room.Team) {
		t.only = append(t.only, a.ID)
	}

	t.board.order = t.candidates()
	if len(t.board.order) == 0 {
		t.room.Lacks("No agent here has a terminal to show. " + t.room.Key("L") + " launches one.")
		return nil
	}

	t.room.Over, t.board.zoom, t.board.sel = t, false, t.board.order[0]

	return nil
}

// Zoom shows the terminal of one agent alone.
func Zoom(t *Tiles, id string) tea.Cmd {
	t.only, t.board.order = nil, t.candidates()
	if !slices.Contains(t.board.order, id) {
		return t.acts.Attach() // which says why there is nothing to show
	}
	t.room.Over, t.board.zoom, t.board.sel = t, true, id
	return nil
}

// candidates returns the ids of the agents that tiles show, those that need a person first.
func (t *Tiles) candidates() []string {
	var all []*parley.AgentStatus
	for i := range t.room.Team.List {
		if a := &t.room.Team.List[i]; team.Readable(a) && (t.only == nil || slices.Contains(t.only, a.ID)) {
			all = append(all, a)
		}
	}

	slices.SortStableFunc(all, func(x, y *parley.AgentStatus) int {
		return cmp.Or(team.Section(x)-team.Section(y), team.UrgencyOf(x)-team.UrgencyOf(y))
	})

	var ids []string
	for _, a := range all {
		ids = append(ids, a.ID)
	}

	return ids
}

// arrange brings those that need a person to the front.
func (t *Tiles) arrange() tea.Cmd {
	t.board.order = t.candidates()
	if len(t.board.order) > 0 {
		t.board.sel = t.board.order[0]
	}
	t.room.Tell("Ordered: those that need you come first.")
	return nil
}

// keepUp drops the agents that have no terminal any longer, and adds new ones at the end.
func (t *Tiles) keepUp() {
	if !t.Opened() {
		return
	}

	t.board.keep(t.candidates(), t.room.Do.Now())
	if len(t.board.order) == 0 {
		t.leave()
		t.room.Tell("No agent is left that has a terminal.")
	}
}

// inView returns the ids of the tiles that are drawn.
func (t *Tiles) inView() []string {
	if !t.Opened() {
		return nil
	}
	return t.board.page()
}

func (t *Tiles) turnPage(n int) {
	if !t.board.turn(n) {
		t.room.Tell("All of them are in view.")
	}
}

// resize makes room for more tiles, or for fewer.
func (t *Tiles) resize(n int) {
	side := kit.Clamp(t.board.mostIn(t.room.Tier)+n, 1, mostTiles)
	if side == t.board.mostIn(t.room.Tier) {
		t.room.Tell("There are no other sizes.")
		return
	}
	t.board.side, t.board.zoom = side, false
	t.room.Tell(kit.Plural(side*side, "tile") + " at most.")
}

// answer returns what answers the question in the tile under the marker.
func (t *Tiles) answer() tileAnswer { return tileAnswer{t.room, t.acts, &t.board, &t.reading} }

func (t *Tiles) keys() tea.Cmd { return t.answer().keys() }

func (t *Tiles) enter() tea.Cmd {
	if t.board.zoom {
		return t.acts.Attach()
	}
	t.board.zoom = true
	return nil
}

func (t *Tiles) back() tea.Cmd {
	switch {
	case t.board.zoom:
		t.board.zoom = false
	default:
		t.leave()
	}
	return nil
}

func (t *Tiles) leave() { t.board.zoom, t.room.Over = false, nil }

// About implements lens.
func (t *Tiles) About() room.Subject {
	a := t.room.Team.Find(t.board.sel)
	if a == nil {
		return room.Subject{}
	}
	return room.Subject{Agent: a, PartnerID: a.ID, Partner: a.Name}
}

// Settle sets the sizes of the tiles.
func (t *Tiles) Settle(w, h int) {
	t.board.width = w
	t.board.grid = newGrid(len(t.board.order), t.board.mostIn(t.room.Tier), w, h)
}

// Point marks a tile. A click on the marked one zooms in, as enter does; the wheel goes from
// one to the next.
func (t *Tiles) Point(p kit.Pointer) tea.Cmd {
	switch {
	case p.Wheel > 0:
		t.board.step(1)
	case p.Wheel < 0:
		t.board.step(-1)
	case t.board.zoom || p.Y < 0 || p.Y >= p.H || p.X >= p.W:
	default:
		return t.click(p.X/(t.board.grid.tileWidth(p.W)+kit.Width(tileGap)), p.Y/max(1, t.board.grid.h))
	}
	return nil
}

func (t *Tiles) click(col, row int) tea.Cmd {
	in := t.inView()
	i := row*t.board.grid.cols + col
	if col >= t.board.grid.cols || i >= len(in) {
		return nil
	}
	if in[i] == t.board.sel {
		return t.enter()
	}
	t.board.sel = in[i]
	return nil
}
