package threads

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
)

// AskOnce reads the list of threads if it is not known yet.
func AskOnce(t *Screen) tea.Cmd {
	if t.Read || t.asking {
		return nil
	}
	t.asking = true
	return t.Do.Call(readThreads)
}

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
		t.sift(&t.Filter, &t.LastWords)
		return t.OpenThread(x.ID)
	}
}
