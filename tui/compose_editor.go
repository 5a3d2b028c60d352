package tui

import (
	"errors"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// editedMsg is the text that an editor left.
type editedMsg struct {
	to   address
	text string
	err  error
}

// edit opens a draft in the person's editor. Only they can read the file, which
// is removed afterwards.
func edit(environ []string, d draft) tea.Cmd {
	file, err := temporaryFile(d.text)
	if err != nil {
		return func() tea.Msg { return editedMsg{to: d.to, err: err} }
	}

	cmd := withFile(environ, editor(environ), file)

	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		defer os.Remove(file)
		text, readErr := os.ReadFile(file)
		return editedMsg{to: d.to, text: strings.TrimRight(string(text), "\n"), err: errors.Join(err, readErr)}
	})
}

// editor returns the person's editor with its arguments.
func editor(environ []string) []string { return programOf(environ, "vi", "VISUAL=", "EDITOR=") }

func (c *compose) openEditor() tea.Cmd {
	d := c.draft
	d.text = c.text()
	return c.do.edit(d)
}

// edited takes the text back, unless the editor failed.
func (c *compose) edited(msg editedMsg) tea.Cmd {
	if msg.err != nil {
		c.fail(parley.Errorf(parley.InvalidArgument, "the editor failed: %w; the draft is unchanged", msg.err).
			Suggest("Set EDITOR to a program such as nano or vi."))
		return nil
	}
	if c.open && c.draft.to == msg.to {
		c.box.SetValue(msg.text)
		c.box.MoveToEnd()
	}
	return nil
}
