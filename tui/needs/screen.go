package needs

import (
	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/verb"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Screen is the screen of everything that waits for a person.
type Screen struct {
	room.Actions
	room.Listed
	shell     needsShell
	sel       string // the key of the need under the marker
	lastIndex int    // where that need was, for when it is gone
	top       int
	height    int
	inDetail  bool // the movement keys go to the details
	asking    bool
	reported  []parley.Need // by the daemon
	readFor   int           // the daemon's count that reported answers
	all       []need
	list      []need // those of all that the filter lets pass
	Detail    needDetail
	moved     time.Time      // when the marker last went to another need by itself
	acted     string         // the key of the need that a key has acted on: it goes as expected
	Question  *room.Question // takes the keys; nil: none does
}

// needsShell is what the screen of needs asks of the shell.
type needsShell interface {
	Do(verb.Verb) tea.Cmd
	Resume(room.Draft) tea.Cmd
	OpenThread(id string) tea.Cmd
}

// selected returns the need under the marker, or nil.
func (n *Screen) selected() *need {
	if len(n.list) == 0 {
		return nil
	}
	return &n.list[n.index()]
}

func (n *Screen) mark(i int) {
	n.lastIndex = kit.Clamp(i, 0, max(0, len(n.list)-1))
	if n.sel = ""; len(n.list) > 0 {
		n.sel = n.list[n.lastIndex].key
	}
}

// index returns the position of the need under the marker. When that is gone, the
// marker stays where it was, on the next one.
func (n *Screen) index() int {
	i := slices.IndexFunc(n.list, func(x need) bool { return x.key == n.sel })
	if i < 0 {
		i = kit.Clamp(n.lastIndex, 0, max(0, len(n.list)-1))
	}
	return i
}
