package needs

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/room"
	"parley/tui/verb"
)

// Screen is the screen of everything that waits for a person.
type Screen struct {
	room.Actions
	room.Listed
	shell needsShell
	needList
	report   report
	inDetail bool // the movement keys go to the details
	Detail   needDetail
	Question *room.Question // takes the keys; nil: none does
}

// needsShell is what the screen of needs asks of the shell.
type needsShell interface {
	Do(verb.Verb) tea.Cmd
	Resume(room.Draft) tea.Cmd
	OpenThread(id string) tea.Cmd
}

// tooQuick reports whether a key was meant for a need that has just gone, and says so.
func (n *Screen) tooQuick() bool {
	if !n.slipped(n.Do.Now()) {
		return false
	}
	n.Tell("The list has just changed. Look again, then press the key again.")
	return true
}
