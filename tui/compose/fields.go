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

// fields draws the line of what a message has besides its text.
func (c *Box) fields(w int) string {
	d, dim := c.Draft, c.Theme.Dim
	var words []string
	if d.Named() {
		to := string(d.Names)
		if c.InTo {
			to += dim.Render(c.Team.Complete(to))
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
func (c *Box) fixed() bool {
	if c.Draft.Formal() {
		return false
	}
	c.Tell("Guidance has high priority and requires no answer.")
	return true
}

func (c *Box) cyclePriority() tea.Cmd {
	if !c.fixed() {
		c.Draft.Prio = following(room.Priorities, c.Draft.Prio)
	}
	return nil
}

func (c *Box) cycleDue() tea.Cmd {
	if !c.fixed() {
		c.Draft.Due = following(room.Dues, c.Draft.Due)
	}
	return nil
}

// following returns the value after one, around the end.
func following[T comparable](values []T, v T) T {
	return values[(slices.Index(values, v)+1)%len(values)]
}

// editTo gives the keys to the names, where they can be chosen.
func (c *Box) editTo() tea.Cmd {
	switch {
	case c.Draft.Named():
		c.InTo = true
	case c.Draft.To.Steer:
		c.Tell("Guidance goes to one agent. b and w write to others.")
	default:
		c.Tell("The recipient is fixed here. " + c.Key("w") + " writes to others.")
	}
	return nil
}

func (c *Box) leaveTo() tea.Cmd { c.InTo = false; return nil }

// TypeTo takes a key for the names of the recipients.
func (c *Box) TypeTo(key tea.KeyPressMsg) { c.Draft.Names.Press(key) }

func (c *Box) completeTo() tea.Cmd {
	if rest := c.Team.Complete(string(c.Draft.Names)); rest != "" {
		c.Draft.Names += kit.Line(rest + ", ")
		return nil
	}
	c.InTo = false
	return nil
}
