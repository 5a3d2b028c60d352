package tui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// tiles are the terminals of several agents at once, over the screen that is shown.
type tiles struct {
	actions
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
	pressed string    // the last key
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
	cols, rows := clamp(w/leastTileW, 1, side), clamp(h/leastTileH, 1, side)
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
	Do(verb) tea.Cmd
	PaletteOpen() bool
}

func newTiles(a actions, s tilesShell, colours bool) *tiles {
	return &tiles{actions: a, shell: s, colours: colours}
}

// opened reports whether the tiles lie over the screen.
func (t *tiles) opened() bool { return t.over == lens(t) }

func (t *tiles) keys() []binding {
	digits := bind("1–9", "answer its question: that option", t.answerPressed).hinted("answer").unless(t.asksNothing)
	digits.keys = strings.Split("123456789", "")

	return []binding{
		digits,
		bind("enter", "zoom in; then attach to it", t.enter).hinted("zoom").unless(func() bool { return t.zoom }),
		bind("a", "attach to its terminal", t.attach).hinted("attach"),
		bind("tab", "the next one", t.stepping(1)).hinted("next"),
		bind("shift+tab", "the one before", t.stepping(-1)),
		bind("→ l", "to the right", t.stepping(1)),
		bind("← h", "to the left", t.stepping(-1)),
		bind("↓ j", "down", t.moving(1)),
		bind("↑ k", "up", t.moving(-1)),
		bind("pgdn ctrl+d", "next page", t.paging(1)),
		bind("pgup ctrl+u", "previous page", t.paging(-1)),
		bind("+ =", "more and smaller tiles", t.resizing(1)),
		bind("-", "fewer and larger tiles", t.resizing(-1)),
		bind("o", "order again: who needs you first", t.arrange).hinted("order"),
		bind("space", "select it, or no longer", func() tea.Cmd { t.selectAgent(); return nil }),
		bind("t", "answer its question with words", t.answerWithWords),
		bind("c", "write to it", doing(t.shell, doWrite)).hinted("write"),
		bind("b", "write to those selected, or to all", doing(t.shell, doBroadcast)),
		bind("s", "steer it: guidance it must see", doing(t.shell, doSteer)),
		bind("R", "restart it, or those selected", t.restartChosen),
		bind("S", "stop it, or those selected", t.stopChosen),
		bind("e", "open its text in your editor or pager", t.openText),
		bind("u", "undo the last action", t.undoLast),
		bind(":", "run any command", doing(t.shell, doRunCommand)),
		bind("?", "all keys", t.openHelp).hinted("help"),
		bind("esc q", "back", t.back, "ctrl+c").hinted("back"),
	}
}

func doing(s tilesShell, v verb) func() tea.Cmd {
	return func() tea.Cmd { return s.Do(v) }
}

// start shows the selected agents, else those that need eyes first and then the others.
func (t *tiles) start() tea.Cmd {
	t.only = nil
	for _, a := range t.picked.in(&t.team) {
		t.only = append(t.only, a.ID)
	}

	t.order = t.candidates()
	if len(t.order) == 0 {
		t.tell("No agent here has a terminal to show. " + t.key("L") + " launches one.")
		return nil
	}

	t.over, t.zoom, t.sel = t, false, t.order[0]

	return nil
}

// candidates returns the ids of the agents that tiles show, those that need a person first.
func (t *tiles) candidates() []string {
	var all []*parley.AgentStatus
	for i := range t.team.list {
		if a := &t.team.list[i]; readable(a) && (t.only == nil || slices.Contains(t.only, a.ID)) {
			all = append(all, a)
		}
	}

	slices.SortStableFunc(all, func(x, y *parley.AgentStatus) int {
		return cmp.Or(section(x)-section(y), urgencyOf(x)-urgencyOf(y))
	})

	var ids []string
	for _, a := range all {
		ids = append(ids, a.ID)
	}

	return ids
}

// arrange brings those that need a person to the front.
func (t *tiles) arrange() tea.Cmd {
	t.order = t.candidates()
	if len(t.order) > 0 {
		t.sel = t.order[0]
	}
	t.tell("Ordered: those that need you come first.")
	return nil
}

// keepUp drops the agents that have no terminal any longer, and adds new ones at the end.
func (t *tiles) keepUp() {
	if !t.opened() {
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
		t.tell("No agent is left that has a terminal.")
	case !slices.Contains(t.order, t.sel):
		t.sel, t.zoom, t.moved = t.order[0], false, t.do.now()
	}
}

func (t *tiles) index() int { return max(0, slices.Index(t.order, t.sel)) }

// inView returns the ids of the tiles that are drawn.
func (t *tiles) inView() []string {
	switch {
	case !t.opened() || len(t.order) == 0:
		return nil
	case t.zoom:
		return []string{t.sel}
	}
	size := max(1, t.grid.size())
	from := t.index() / size * size
	return t.order[from:min(from+size, len(t.order))]
}

// step moves the marker, around the ends.
func (t *tiles) step(n int) {
	if all := len(t.order); all > 0 {
		t.sel = t.order[((t.index()+n)%all+all)%all]
	}
}

func (t *tiles) stepping(n int) func() tea.Cmd {
	return func() tea.Cmd { t.step(n); return nil }
}

// moving goes a row down or up; where there is one row, or one tile, to the next.
func (t *tiles) moving(n int) func() tea.Cmd {
	return func() tea.Cmd {
		if t.zoom {
			t.step(n)
			return nil
		}
		t.step(n * max(1, t.grid.cols))
		return nil
	}
}

func (t *tiles) paging(n int) func() tea.Cmd {
	return func() tea.Cmd {
		if size := t.grid.size(); !t.zoom && len(t.order) > size {
			at := clamp(t.index()/size+n, 0, (len(t.order)-1)/size) * size
			t.sel = t.order[at]
			return nil
		}
		t.tell("All of them are in view.")
		return nil
	}
}

func (t *tiles) resizing(n int) func() tea.Cmd {
	return func() tea.Cmd {
		side := clamp(t.sideFor()+n, 1, mostTiles)
		if side == t.sideFor() {
			t.tell("There are no other sizes.")
			return nil
		}
		t.side, t.zoom = side, false
		t.tell(plural(side*side, "tile") + " at most.")
		return nil
	}
}

// sideFor returns how many tiles there are in a row or a column at most.
func (t *tiles) sideFor() int {
	if t.side > 0 {
		return t.side
	}
	return []int{narrow: 2, medium: 3, wide: 3, broad: 4}[t.tier]
}

func (t *tiles) enter() tea.Cmd {
	if t.zoom {
		return t.attach()
	}
	t.zoom = true
	return nil
}

func (t *tiles) back() tea.Cmd {
	switch {
	case t.zoom:
		t.zoom = false
	default:
		t.leave()
	}
	return nil
}

func (t *tiles) leave() { t.zoom, t.over = false, nil }

// agent returns the agent under the marker, or nil.
func (t *tiles) agent() *parley.AgentStatus { return t.team.find(t.sel) }

// about implements lens.
func (t *tiles) about() subject {
	a := t.agent()
	if a == nil {
		return subject{}
	}
	return subject{agent: a, partnerID: a.ID, partner: a.Name}
}

func (t *tiles) settle(w, h int) {
	t.width = w
	t.grid = newGrid(len(t.order), t.sideFor(), w, h)
}
