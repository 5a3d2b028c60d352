package needs

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/room"
	"parley/tui/verb"
)

// Screen is the screen of everything that waits for a person.
type Screen struct {
	room *room.Shared
	acts *room.Actions
	room.Listed
	shell    needsShell
	list     needList
	report   report
	inDetail bool // the movement keys go to the details
	Detail   needDetail
	Answer   answering
}

// needsShell is what the screen of needs asks of the shell.
type needsShell interface {
	Do(verb.Verb) tea.Cmd
	Resume(room.Draft) tea.Cmd
	OpenThread(id string) tea.Cmd
}

// tooQuick reports whether a key was meant for a need that has just gone, and says so.
func (l *needList) tooQuick(d *room.Shared) bool {
	if !l.slipped(d.Do.Now()) {
		return false
	}
	d.Tell("The list has just changed. Look again, then press the key again.")
	return true
}
