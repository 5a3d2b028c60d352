package needs

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
	"parley/tui/room"
)

// needList is the needs, and the marker that stands on one of them. The list changes by itself: the marker stays on its
// need, or where that was, and a key that was on its way is not for the need that has come there.
type needList struct {
	all       []need
	list      []need // those of all that the filter lets pass
	sel       string // the key of the need under the marker
	lastIndex int    // where that need was, for when it is gone
	top       int
	height    int
	moved     time.Time // when the marker last went to another need by itself
	acted     string    // the key of the need that a key has acted on: it goes as expected
}

// sift lists the needs that a filter lets pass, those of the agents that fit best first.
func (l *needList) sift(f *kit.Filter) {
	l.list = nil
	for i := range l.all {
		x := &l.all[i]
		if f.Matches(kit.SafeLine(x.Agent), kit.CodeWords(x.Kind), x.lead, x.headline(), x.MessageID) {
			l.list = append(l.list, *x)
		}
	}
	f.Counted(len(l.list), len(l.all))
	if kit.Best(f, l.list, func(x *need) string { return kit.SafeLine(x.Agent) }, kit.AsTheyAre) {
		l.moveTo(0)
	}
}

// selected returns the need under the marker, or nil.
func (l *needList) selected() *need {
	if len(l.list) == 0 {
		return nil
	}
	return &l.list[l.index()]
}

// none reports whether nothing needs the operator.
func (l *needList) none() bool { return l.selected() == nil }

// mark puts the marker on the need at a place.
func (l *needList) mark(i int) {
	l.lastIndex = kit.Clamp(i, 0, max(0, len(l.list)-1))
	if l.sel = ""; len(l.list) > 0 {
		l.sel = l.list[l.lastIndex].key
	}
}

// moveTo puts the marker there because a person wants so.
func (l *needList) moveTo(i int) {
	l.mark(i)
	l.moved = time.Time{}
}

// index returns the position of the need under the marker. When that is gone, the
// marker stays where it was, on the next one.
func (l *needList) index() int {
	i := slices.IndexFunc(l.list, func(x need) bool { return x.key == l.sel })
	if i < 0 {
		i = kit.Clamp(l.lastIndex, 0, max(0, len(l.list)-1))
	}
	return i
}

// settle scrolls the marker into view, and notes if it has gone to another need by itself.
func (l *needList) settle(height int, now time.Time) {
	l.height = height
	i := l.index()
	if l.sel != "" && i < len(l.list) && l.list[i].key != l.sel && l.sel != l.acted {
		l.moved = now
	}
	l.mark(i)
	l.top = kit.Window(l.top, i, len(l.list), l.height)
}

// slipped reports whether the marker has only just come to its need because another one went by itself. Otherwise the
// key acts on that need.
func (l *needList) slipped(now time.Time) bool {
	if now.Sub(l.moved) >= room.TileRests {
		if x := l.selected(); x != nil {
			l.acted = x.key
		}
		return false
	}
	l.moved = time.Time{}
	return true
}

// columns returns the columns that the list needs: what they do not take, the text has.
func (l *needList) columns() needColumns {
	c := needColumns{kind: 6, name: 5}
	for i := range l.list {
		c.kind = max(c.kind, kit.Width(kit.CodeWords(l.list[i].Kind)))
		c.name = max(c.name, kit.Width(kit.SafeLine(l.list[i].Agent)))
	}
	return needColumns{min(c.kind, 11), min(c.name, 14)}
}

// Count returns how much waits for the operator.
func Count(n *Screen) int { return len(n.list.all) }

// Named returns what waits for the operator, to go to.
func Named(n *Screen) (all []room.Named) {
	for i := range n.list.all {
		x := &n.list.all[i]
		all = append(all, room.Named{Kind: "need", Name: kit.SafeLine(x.Agent), About: kit.CodeWords(x.Kind) + " · " +
			x.lead + x.headline(), Go: func() tea.Cmd { return goTo(n, x.key) }})
	}
	return all
}

// goTo puts the marker on a need, if it is still there.
func goTo(n *Screen, key string) tea.Cmd {
	n.Filter.Drop()
	n.list.sift(&n.Filter)
	n.list.sel, n.list.acted, n.inDetail = key, key, false
	return n.room.GoTo(room.AtNeeds)
}
