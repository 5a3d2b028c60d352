package room

import (
	"time"

	"parley"
	"parley/tui/kit"
	"parley/tui/team"
)

// toastTime is how long a notice stays that needs no action: long enough to be
// read twice.
const toastTime = 8 * time.Second

// Status is the line that answers what the operator did.
type Status struct {
	Text    string
	Err     error     // text is then what was done before it
	Receipt *team.Row // of the last message sent; text is then its recipient
	until   time.Time
	Leaving bool // it warned of drafts that would be lost
	Warned  bool // it did so just before this key
}

// Clear makes way for the next answer.
func (s *Status) Clear() {
	*s = Status{Warned: s.Leaving}
}

// Age drops a notice that has stood long enough, and reports whether it did. Errors and warnings stay until
// a key is pressed.
func (s *Status) Age(now time.Time) bool {
	if s.until.IsZero() || !now.After(s.until) || s.Leaving {
		return false
	}
	*s = Status{}
	return true
}

// ErrorLines draws an error with what to do about it, in two lines at most.
func (s *Status) ErrorLines(th kit.Theme, w int) []string {
	e := parley.AsError(s.Err)
	words := "✗ " + kit.SafeLine(e.Message)
	if s.Text != "" {
		words += " · " + kit.SafeLine(s.Text)
	}
	if e.Action != "" {
		words += " → " + kit.SafeLine(e.Action)
	}

	lines := kit.Wrap(words, w)
	for i := range lines {
		lines[i] = th.Bad.Render(lines[i])
	}

	return lines[:min(len(lines), 2)]
}
