package tui

import (
	"time"

	"parley"
)

// toastTime is how long a notice stays that needs no action: long enough to be
// read twice.
const toastTime = 8 * time.Second

// status is the line that answers what the operator did.
type status struct {
	text    string
	err     error // text is then what was done before it
	receipt *row  // of the last message sent; text is then its recipient
	until   time.Time
	leaving bool // it warned of drafts that would be lost
	warned  bool // it did so just before this key
}

// clear makes way for the next answer.
func (s *status) clear() {
	*s = status{warned: s.leaving}
}

// age drops a notice that has stood long enough, and reports whether it did. Errors and warnings stay until
// a key is pressed.
func (s *status) age(now time.Time) bool {
	if s.until.IsZero() || !now.After(s.until) || s.leaving {
		return false
	}
	*s = status{}
	return true
}

// errorLines draws an error with what to do about it, in two lines at most.
func (s *status) errorLines(th theme, w int) []string {
	e := parley.AsError(s.err)
	words := "✗ " + safeLine(e.Message)
	if s.text != "" {
		words += " · " + safeLine(s.text)
	}
	if e.Action != "" {
		words += " → " + safeLine(e.Action)
	}

	lines := wrap(words, w)
	for i := range lines {
		lines[i] = th.bad.Render(lines[i])
	}

	return lines[:min(len(lines), 2)]
}
