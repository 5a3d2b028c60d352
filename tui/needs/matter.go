package needs

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
)

// matters returns one need for each matter: what keeps an agent from working covers the answers that it
// owes, and a message covers the debt and the reminders that are about it. The needs come the most urgent
// first, and so do those that stay.
func matters(all []need) []need {
	var roots, reminders []need
	for _, x := range all {
		switch i := slices.IndexFunc(roots, func(r need) bool { return r.covers(&x) }); {
		case x.about != "":
			reminders = append(reminders, x)
		case i >= 0:
			roots[i].also = append(roots[i].also, x)
		default:
			roots = append(roots, x)
		}
	}

	for _, x := range reminders {
		if i := slices.IndexFunc(roots, func(r need) bool { return r.mentions(x.about) }); i >= 0 {
			roots[i].also = append(roots[i].also, x)
			continue
		}
		at := slices.IndexFunc(roots, func(r need) bool { return r.order(&x) > 0 })
		if at < 0 {
			at = len(roots)
		}
		roots = slices.Insert(roots, at, x)
	}

	return roots
}

// covers reports whether another need, which is no more urgent, is part of the same matter. A message to the operator
// covers the debt that is about it, and one state between agents the others of its kind.
func (n *need) covers(x *need) bool {
	if n.Between && x.Between && n.Kind == x.Kind {
		return true
	}
	if n.letter() {
		return x.IsDebt() && !x.Between && n.MessageID == x.MessageID
	}
	return n.Covers(&x.Need)
}

// mentions reports whether the matter is about a message.
func (n *need) mentions(message string) bool {
	return n.MessageID == message || slices.ContainsFunc(n.also, func(x need) bool { return x.MessageID == message })
}

// reminders returns the messages that only remind of the matter.
func (n *need) reminders() (ids parley.Names) {
	for _, x := range n.also {
		if x.letter() {
			ids = append(ids, x.MessageID)
		}
	}
	return ids
}

// headline is what the row of a need says: the question of a dialog itself, not that there is one, and
// the request that is not answered.
func (n *need) headline() string {
	if n.said != "" {
		return n.said
	}

	d := n.Dialog
	if d == nil || d.Question == "" {
		return kit.SafeLine(n.Text)
	}
	return team.Asking(d)
}

// alsoWords says what else is part of the matter; "" for nothing.
func alsoWords(t *team.Roster, x *need) string {
	var words []string
	if a := t.Find(x.AgentID); a != nil && a.Queued > 0 && x.Dialog != nil {
		words = append(words, fmt.Sprintf("%d queued", a.Queued))
	}

	covered := 0
	for i := range x.also {
		if !x.also[i].letter() {
			covered++
		}
	}
	switch {
	case covered == 0 || x.letter():
	case x.IsDebt() || x.Between:
		words = append(words, fmt.Sprintf("%d more", covered))
	default:
		words = append(words, fmt.Sprintf("%d owed", covered))
	}

	if len(words) == 0 {
		return ""
	}

	return "+" + strings.Join(words, ", ")
}

// Tally counts the matters as the daemon does, and the messages to the operator apart. A message may cover a debt,
// which counts. Until the list is up to date, it returns the daemon's counts.
func (n *Screen) Tally() (needs, letters int) {
	s := n.room.Link.Status
	if s != nil {
		needs = s.Needs
	}
	if !n.Read || n.report.count != needs || !n.room.Inbox.Known || n.room.Inbox.Asked != n.room.Team.Unread {
		return needs, n.room.Team.Unread
	}

	needs, letters = 0, n.room.Inbox.Unseen
	for i := range n.list.all {
		switch x := &n.list.all[i]; {
		case x.letter():
			letters++
			if slices.ContainsFunc(x.also, func(y need) bool { return !y.letter() }) {
				needs++
			}
		case x.Kind != needUnsent && !x.Between:
			needs++
		}
	}

	return needs, letters
}

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
