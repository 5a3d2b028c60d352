package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// fields draws the line of what a message has besides its text.
func (c *compose) fields(w int) string {
	d, dim := c.draft, c.theme.dim
	var words []string
	if d.named() {
		to := string(d.names)
		if c.inTo {
			to += dim.Render(c.team.complete(to))
		}
		if to == "" {
			to = dim.Render("agents, @group or ALL")
		}

		words = append(words, dim.Render("to ")+to)
	}

	if d.formal() {
		words = append(words,
			dim.Render("priority ")+string(d.prio)+dim.Render(" ^p"),
			dim.Render("answer ")+dueWords(d.due)+dim.Render(" ^r"))
	} else {
		words = append(words, dim.Render("typed under its own header, with high priority"))
	}

	return fit("  "+strings.Join(words, "   "), w)
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
func (c *compose) fixed() bool {
	if c.draft.formal() {
		return false
	}
	c.tell("Guidance has high priority and requires no answer.")
	return true
}

func (c *compose) cyclePriority() tea.Cmd {
	if !c.fixed() {
		c.draft.prio = following(priorities, c.draft.prio)
	}
	return nil
}

func (c *compose) cycleDue() tea.Cmd {
	if !c.fixed() {
		c.draft.due = following(dues, c.draft.due)
	}
	return nil
}

// following returns the value after one, around the end.
func following[T comparable](values []T, v T) T {
	return values[(slices.Index(values, v)+1)%len(values)]
}

// editTo gives the keys to the names, where they can be chosen.
func (c *compose) editTo() tea.Cmd {
	switch {
	case c.draft.named():
		c.inTo = true
	case c.draft.to.steer:
		c.tell("Guidance goes to one agent. b and w write to others.")
	default:
		c.tell("The recipient is fixed here. " + c.key("w") + " writes to others.")
	}
	return nil
}

func (c *compose) leaveTo() tea.Cmd { c.inTo = false; return nil }

func (c *compose) typeTo(key tea.KeyPressMsg) { c.draft.names.press(key) }

func (c *compose) completeTo() tea.Cmd {
	if rest := c.team.complete(string(c.draft.names)); rest != "" {
		c.draft.names += line(rest + ", ")
		return nil
	}
	c.inTo = false
	return nil
}
