package daemon

import (
	"strings"

	"parley"
	"parley/plain"
)

// notes notes what is out of order, unless it is nil, with the command to start with.
func (d *daemon) notes(wrong *parley.Error, command, further string) {
	if wrong == nil {
		return
	}
	text, _, _ := strings.Cut(wrong.Message, "\n")
	d.wrong = append(d.wrong, parley.Need{
		Text: plain.CleanLine(text), Command: command, Action: wrong.Action + further,
	})
}
