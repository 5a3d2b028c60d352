package agents

import (
	"cmp"
	"slices"
	"time"

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
	shell   tilesShell
	colours bool     // of terminals are shown
	zoom    bool     // only the one under the marker is shown
	only    []string // the ids of the agents that were selected as they opened; nil for all
	order   []string // ids; it does not change by itself: a key must meet the tile that was seen
	sel     string   // the id under the marker
	side    int      // how many there are in a row or a column at most; 0 for what the window suggests
	grid    grid
	width   int // columns of all of them
	reading reading
	Pressed string    // the last key
	moved   time.Time // when the marker last went to another tile by itself
}

// grid is how the tiles of a page are laid out.
type grid struct{ cols, rows, w, h int }

func (g grid) size() int { return g.cols * g.rows }

const (
	leastTileW, leastTileH = 28, 6 // below, a tile shows nothing of use
	mostTiles              = 4     // in a row or a column
	tileRatio              = 4     // of a terminal's columns to its lines
)

// newGrid lays out n tiles, at most side in a row or a column, in w columns and h lines. Of
// the grids that have room for all, or the most, it takes that whose tiles are shaped most
// like a terminal.
func newGrid(n, side, w, h int) grid {
	cols, rows := kit.Clamp(w/leastTileW, 1, side), kit.Clamp(h/leastTileH, 1, side)
	best, worst := grid{cols: cols, rows: rows}, 0
	for c := 1; c <= cols; c++ {
		r := (n + c - 1) / c
		if r > rows || r == 0 {
			continue
		}

		// The ratio of the two sides, the larger by the smaller one.
		tileW, tileH := max(1, w/c), max(1, h/r*tileRatio)
		shape := max(tileW, tileH) * 100 / min(tileW, tileH)
		if worst == 0 || shape < worst {
			best, worst = grid{cols: c, rows: r}, shape
		}
	}

	best.w, best.h = w/best.cols, h/best.rows

	return best
}

// tilesShell is what the tiles ask of the shell.
type tilesShell interface {
	Do(verb.Verb) tea.Cmd
	PaletteOpen() bool
}

// NewTiles returns the tiles, which ask the shell s for what lies beyond them.
func NewTiles(a room.Actions, s tilesShell, colours bool) *Tiles {
	return &Tiles{Actions: a, shell: s, colours: colours}
}

// Opened reports whether the tiles lie over the screen.
func (t *Tiles) Opened() bool { return t.Over == room.Lens(t) }

// Keys returns the keys of the tiles.
func (t *Tiles) Keys() []kit.Binding {
	silent := func() bool { return t.dialog() == nil }
	return []kit.Binding{
		verb.Choose.To("answer its question: that option", t.answerPressed).Hinted("answer").Unless(silent),
		verb.Open.To("zoom in; then attach to it", t.enter).Hinted("zoom").Unless(func() bool { return t.zoom }),
		verb.Attach.To("attach to its terminal", t.Attach).Hinted("attach"),
		verb.Switch.To("the next one", t.stepping(1)).Hinted("next"),
		verb.SwitchBack.To("the one before", t.stepping(-1)),
		verb.Next.To("to the right", t.stepping(1)),
		verb.Previous.To("to the left", t.stepping(-1)),
		verb.Down.To("down", t.moving(1)),
		verb.Up.To("up", t.moving(-1)),
		verb.PageDown.To("next page", t.paging(1)),
		verb.PageUp.To("previous page", t.paging(-1)),
		verb.More.To("more and smaller tiles", t.resizing(1)),
		verb.Fewer.To("fewer and larger tiles", t.resizing(-1)),
		verb.Order.To("order again: who needs you first", t.arrange).Hinted("order"),
		verb.Select.To("select it, or no longer", func() tea.Cmd { t.SelectAgent(); return nil }),
		verb.Reply.To("answer its question with words", t.answerWithWords),
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

	all := t.candidates()
	t.order = slices.DeleteFunc(t.order, func(id string) bool { return !slices.Contains(all, id) })
	for _, id := range all {
		if !slices.Contains(t.order, id) {
			t.order = append(t.order, id)
		}
	}

	switch {
	case len(t.order) == 0:
		t.leave()
		t.Tell("No agent is left that has a terminal.")
	case !slices.Contains(t.order, t.sel):
		t.sel, t.zoom, t.moved = t.order[0], false, t.Do.Now()
	}
}

func (t *Tiles) index() int { return max(0, slices.Index(t.order, t.sel)) }

// inView returns the ids of the tiles that are drawn.
func (t *Tiles) inView() []string {
	switch {
	case !t.Opened() || len(t.order) == 0:
		return nil
	case t.zoom:
		return []string{t.sel}
	}
	size := max(1, t.grid.size())
	from := t.index() / size * size
	return t.order[from:min(from+size, len(t.order))]
}

// step moves the marker, around the ends.
func (t *Tiles) step(n int) {
	if all := len(t.order); all > 0 {
		t.sel = t.order[((t.index()+n)%all+all)%all]
	}
}

func (t *Tiles) stepping(n int) func() tea.Cmd {
	return func() tea.Cmd { t.step(n); return nil }
}

// moving goes a row down or up; where there is one row, or one tile, to the next.
func (t *Tiles) moving(n int) func() tea.Cmd {
	return func() tea.Cmd {
		if t.zoom {
			t.step(n)
			return nil
		}
		t.step(n * max(1, t.grid.cols))
		return nil
	}
}

func (t *Tiles) paging(n int) func() tea.Cmd {
	return func() tea.Cmd {
		if size := t.grid.size(); !t.zoom && len(t.order) > size {
			at := kit.Clamp(t.index()/size+n, 0, (len(t.order)-1)/size) * size
			t.sel = t.order[at]
			return nil
		}
		t.Tell("All of them are in view.")
		return nil
	}
}

func (t *Tiles) resizing(n int) func() tea.Cmd {
	return func() tea.Cmd {
		side := kit.Clamp(t.sideFor()+n, 1, mostTiles)
		if side == t.sideFor() {
			t.Tell("There are no other sizes.")
			return nil
		}
		t.side, t.zoom = side, false
		t.Tell(kit.Plural(side*side, "tile") + " at most.")
		return nil
	}
}

// sideFor returns how many tiles there are in a row or a column at most.
func (t *Tiles) sideFor() int {
	if t.side > 0 {
		return t.side
	}
	return []int{kit.Narrow: 2, kit.Medium: 3, kit.Wide: 3, kit.Broad: 4}[t.Tier]
}

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

// agent returns the agent under the marker, or nil.
func (t *Tiles) agent() *parley.AgentStatus { return t.Team.Find(t.sel) }

// About implements lens.
func (t *Tiles) About() room.Subject {
	a := t.agent()
	if a == nil {
		return room.Subject{}
	}
	return room.Subject{Agent: a, PartnerID: a.ID, Partner: a.Name}
}

// Settle sets the sizes of the tiles.
func (t *Tiles) Settle(w, h int) {
	t.width = w
	t.grid = newGrid(len(t.order), t.sideFor(), w, h)
}
