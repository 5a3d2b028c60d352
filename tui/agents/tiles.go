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
	room.Actions
	shell tilesShell
	board
	only    []string // the ids of the agents that were selected as they opened; nil for all
	reading reading
	Pressed string // the last key
}

// tilesShell is what the tiles ask of the shell.
type tilesShell interface {
	Do(verb.Verb) tea.Cmd
	PaletteOpen() bool
}

// NewTiles returns the tiles, which ask the shell s for what lies beyond them.
func NewTiles(a room.Actions, s tilesShell, colours bool) *Tiles {
	return &Tiles{Actions: a, shell: s, reading: reading{Shared: a.Shared, colours: colours}}
}

// Opened reports whether the tiles lie over the screen.
func (t *Tiles) Opened() bool { return t.Over == room.Lens(t) }

// Keys returns the keys of the tiles.
func (t *Tiles) Keys() []kit.Binding {
	silent := func() bool { return t.reading.shots[t.sel].dialog == nil }
	by := func(move func(int), n int) func() tea.Cmd {
		return func() tea.Cmd { move(n); return nil }
	}
	answer := func() tea.Cmd { return t.answer().choose(t.Pressed) }

	return []kit.Binding{
		verb.Choose.To("answer its question: that option", answer).Hinted("answer").Unless(silent),
		verb.Open.To("zoom in; then attach to it", t.enter).Hinted("zoom").Unless(func() bool { return t.zoom }),
		verb.Attach.To("attach to its terminal", t.Attach).Hinted("attach"),
		verb.Switch.To("the next one", by(t.step, 1)).Hinted("next"),
		verb.SwitchBack.To("the one before", by(t.step, -1)),
		verb.Next.To("to the right", by(t.step, 1)),
		verb.Previous.To("to the left", by(t.step, -1)),
		verb.Down.To("down", by(t.stepRow, 1)),
		verb.Up.To("up", by(t.stepRow, -1)),
		verb.PageDown.To("next page", by(t.turnPage, 1)),
		verb.PageUp.To("previous page", by(t.turnPage, -1)),
		verb.More.To("more and smaller tiles", by(t.resize, 1)),
		verb.Fewer.To("fewer and larger tiles", by(t.resize, -1)),
		verb.Order.To("order again: who needs you first", t.arrange).Hinted("order"),
		verb.Select.To("select it, or no longer", func() tea.Cmd { t.SelectAgent(); return nil }),
		verb.Reply.To("answer its question with words", func() tea.Cmd { return t.answer().inWords() }),
		verb.SendKeys.To("send keys to it, beside the options", t.keys).Unless(silent),
		verb.Write.To("write to it", doing(t.shell, verb.Write)).Hinted("write"),
		verb.Review.To("see what it has changed", doing(t.shell, verb.Review)).Hinted("review"),
		verb.Broadcast.To("write to those selected, or to all", doing(t.shell, verb.Broadcast)),
		verb.Steer.To("steer it: guidance it must see", doing(t.shell, verb.Steer)),
		verb.Restart.To("restart it, or those selected", t.RestartChosen),
		verb.Stop.To("stop it, or those selected", t.StopChosen),
		verb.OpenText.To("open its text in your editor or pager", t.OpenText),
		verb.Undo.To("undo the last action", t.UndoLast),
		verb.Run.To("run any command", doing(t.shell, verb.Run)),
		verb.GoTo.To("go to anything by its name", doing(t.shell, verb.GoTo)),
		verb.Help.To("all keys", t.OpenHelp).Hinted("help"),
		verb.Back.To("back", t.back, verb.Leave).Hinted("back"),
	}
}

func doing(s tilesShell, v verb.Verb) func() tea.Cmd {
	return func() tea.Cmd { return s.Do(v) }
}

// Start shows the selected agents, else those that need eyes first and then the others.
func (t *Tiles) Start() tea.Cmd {
	t.only = nil
	for _, a := range t.Picked.In(&t.Team) {
		t.only = append(t.only, a.ID)
	}

	t.order = t.candidates()
	if len(t.order) == 0 {
		t.Lacks("No agent here has a terminal to show. " + t.Key("L") + " launches one.")
		return nil
	}

	t.Over, t.zoom, t.sel = t, false, t.order[0]

	return nil
}

// Zoom shows the terminal of one agent alone.
func Zoom(t *Tiles, id string) tea.Cmd {
	t.only, t.order = nil, t.candidates()
	if !slices.Contains(t.order, id) {
		return t.Attach() // which says why there is nothing to show
	}
	t.Over, t.zoom, t.sel = t, true, id
	return nil
}

// candidates returns the ids of the agents that tiles show, those that need a person first.
func (t *Tiles) candidates() []string {
	var all []*parley.AgentStatus
	for i := range t.Team.List {
		if a := &t.Team.List[i]; team.Readable(a) && (t.only == nil || slices.Contains(t.only, a.ID)) {
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
	t.order = t.candidates()
	if len(t.order) > 0 {
		t.sel = t.order[0]
	}
	t.Tell("Ordered: those that need you come first.")
	return nil
}

// keepUp drops the agents that have no terminal any longer, and adds new ones at the end.
func (t *Tiles) keepUp() {
	if !t.Opened() {
		return
	}

	t.keep(t.candidates(), t.Do.Now())
	if len(t.order) == 0 {
		t.leave()
		t.Tell("No agent is left that has a terminal.")
	}
}

// inView returns the ids of the tiles that are drawn.
func (t *Tiles) inView() []string {
	if !t.Opened() {
		return nil
	}
	return t.page()
}

// turnPage goes some pages on.
func (t *Tiles) turnPage(n int) {
	if !t.turn(n) {
		t.Tell("All of them are in view.")
	}
}

// resize makes room for more tiles, or for fewer.
func (t *Tiles) resize(n int) {
	side := kit.Clamp(t.mostIn(t.Tier)+n, 1, mostTiles)
	if side == t.mostIn(t.Tier) {
		t.Tell("There are no other sizes.")
		return
	}
	t.side, t.zoom = side, false
	t.Tell(kit.Plural(side*side, "tile") + " at most.")
}

// answer returns what answers the question in the tile under the marker.
func (t *Tiles) answer() tileAnswer { return tileAnswer{t.Actions, &t.board, &t.reading} }

func (t *Tiles) keys() tea.Cmd { return t.answer().keys() }

func (t *Tiles) enter() tea.Cmd {
	if t.zoom {
		return t.Attach()
	}
	t.zoom = true
	return nil
}

func (t *Tiles) back() tea.Cmd {
	switch {
	case t.zoom:
		t.zoom = false
	default:
		t.leave()
	}
	return nil
}

func (t *Tiles) leave() { t.zoom, t.Over = false, nil }

// About implements lens.
func (t *Tiles) About() room.Subject {
	a := t.Team.Find(t.sel)
	if a == nil {
		return room.Subject{}
	}
	return room.Subject{Agent: a, PartnerID: a.ID, Partner: a.Name}
}

// Settle sets the sizes of the tiles.
func (t *Tiles) Settle(w, h int) {
	t.width = w
	t.grid = newGrid(len(t.order), t.mostIn(t.Tier), w, h)
}

// Point marks a tile. A click on the marked one zooms in, as enter does; the wheel goes from
// one to the next.
func (t *Tiles) Point(p kit.Pointer) tea.Cmd {
	switch {
	case p.Wheel > 0:
		t.step(1)
	case p.Wheel < 0:
		t.step(-1)
	case t.zoom || p.Y < 0 || p.Y >= p.H || p.X >= p.W:
	default:
		return t.click(p.X/(t.grid.tileWidth(p.W)+kit.Width(tileGap)), p.Y/max(1, t.grid.h))
	}
	return nil
}

func (t *Tiles) click(col, row int) tea.Cmd {
	in := t.inView()
	i := row*t.grid.cols + col
	if col >= t.grid.cols || i >= len(in) {
		return nil
	}
	if in[i] == t.sel {
		return t.enter()
	}
	t.sel = in[i]
	return nil
}
