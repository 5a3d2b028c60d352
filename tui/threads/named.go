package threads

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
)

// sift lists the threads that the filter lets pass.
func sift(t *Screen) {
	t.list = t.list[:0]
	for i := range t.all {
		x := &t.all[i]
		if t.Filter.Matches(kit.SafeLine(x.Title), append(names(x), x.ID, t.LastWords.Get(x.ID))...) {
			t.list = append(t.list, *x)
		}
	}
	t.Filter.Counted(len(t.list), len(t.all))

	if t.selected() == nil && len(t.list) > 0 {
		t.Sel = t.list[0].ID
	}
}

// AskOnce reads the list of threads if it is not known yet.
func AskOnce(t *Screen) tea.Cmd {
	if t.Read || t.asking {
		return nil
	}
	t.asking = true
	return t.Do.Call(readThreads)
}

// Count returns how many threads are known.
func Count(t *Screen) int { return len(t.all) }

// Named returns the threads that are known, to go to.
func Named(t *Screen) (all []room.Named) {
	for i := range t.all {
		x := &t.all[i]
		all = append(all, room.Named{Kind: "thread", Name: kit.SafeLine(x.Title), About: strings.Join(names(x), ", "),
			Go: goingTo(t, *x)})
	}
	return all
}

// goingTo returns the way to a thread, for a list of names.
func goingTo(t *Screen, x parley.Thread) func() tea.Cmd {
	return func() tea.Cmd {
		t.Filter.Drop()
		sift(t)
		return t.OpenThread(x.ID)
	}
}
