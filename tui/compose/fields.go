package compose

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
	"parley/tui/room"
)

// form is a draft, and what its message has besides the text.
type form struct {
	room  *room.Shared
	Draft room.Draft
	InTo  bool // the keys go to the names
}

// line draws the form.
func (f *form) line(w int) string {
	d, dim := f.Draft, f.room.Theme.Dim
	var words []string
	if d.Named() {
		to := string(d.Names)
		if f.InTo {
			to += dim.Render(f.room.Team.Complete(to))
		}
		if to == "" {
			to = dim.Render("agents, @group or ALL")
		}

		words = append(words, dim.Render("to ")+to)
	}

	if d.Formal() {
		words = append(words,
			dim.Render("priority ")+string(d.Prio)+dim.Render(" ^p"),
			dim.Render("answer ")+dueWords(d.Due)+dim.Render(" ^r"))
	} else {
		words = append(words, dim.Render("typed under its own header, with high priority"))
	}

	return kit.Fit("  "+strings.Join(words, "   "), w)
}

func dueWords(d time.Duration) string {
	switch {
	case d == 0:
		return "not required"
	case d < time.Hour:
		return fmt.Sprintf("within %dm", int(d.Minutes()))
	}
	return fmt.Sprintf("within %dh", int(d.Hours()))
}

// fixed reports whether the draft's priority and answer cannot be changed, and
// says so for guidance.
func (f *form) fixed() bool {
	if f.Draft.Formal() {
		return false
	}
	f.room.Tell("Guidance has high priority and requires no answer.")
	return true
}

func (f *form) cyclePriority() tea.Cmd {
	if !f.fixed() {
		f.Draft.Prio = following(room.Priorities, f.Draft.Prio)
	}
	return nil
}

func (f *form) cycleDue() tea.Cmd {
	if !f.fixed() {
		f.Draft.Due = following(room.Dues, f.Draft.Due)
	}
	return nil
}

// following returns the value after one, around the end.
func following[T comparable](values []T, v T) T {
	return values[(slices.Index(values, v)+1)%len(values)]
}

// editTo gives the keys to the names, where they can be chosen.
func (f *form) editTo() tea.Cmd {
	switch {
	case f.Draft.Named():
		f.InTo = true
	case f.Draft.To.Steer:
		f.room.Tell("Guidance goes to one agent. b and w write to others.")
	default:
		f.room.Tell("The recipient is fixed here. " + f.room.Key("w") + " writes to others.")
	}
	return nil
}

func (f *form) leaveTo() tea.Cmd { f.InTo = false; return nil }

// TypeTo takes a key for the names of the recipients.
func (f *form) TypeTo(key tea.KeyPressMsg) { f.Draft.Names.Press(key) }

func (f *form) completeTo() tea.Cmd {
	if rest := f.room.Team.Complete(string(f.Draft.Names)); rest != "" {
		f.Draft.Names += kit.Line(rest + ", ")
		return nil
	}
	f.InTo = false
	return nil
}
