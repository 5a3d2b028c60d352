package compose

import (
	"errors"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/room"
)

// EditedMsg is the text that an editor left.
type EditedMsg struct {
	To   room.Address
	Text string
	Err  error
}

// Edit opens a draft in the person's editor. Only they can read the file, which
// is removed afterwards.
func Edit(environ []string, d room.Draft) tea.Cmd {
	file, err := room.TemporaryFile(d.Text)
	if err != nil {
		return func() tea.Msg { return EditedMsg{To: d.To, Err: err} }
	}

	cmd := room.WithFile(environ, editor(environ), file)

	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		defer os.Remove(file)
		text, readErr := os.ReadFile(file)
		return EditedMsg{To: d.To, Text: strings.TrimRight(string(text), "\n"), Err: errors.Join(err, readErr)}
	})
}

// editor returns the person's editor with its arguments.
func editor(environ []string) []string { return room.ProgramOf(environ, "vi", "VISUAL=", "EDITOR=") }

func (c *Box) openEditor() tea.Cmd {
	d := c.Form.Draft
	d.Text = c.text()
	return c.room.Do.Edit(d)
}

// Edited takes the text back, unless the editor failed.
func (c *Box) Edited(msg EditedMsg) tea.Cmd {
	if msg.Err != nil {
		c.room.Fail(parley.Errorf(parley.InvalidArgument, "the editor failed: %w; the draft is unchanged", msg.Err).
			Suggest("Set EDITOR to a program such as nano or vi."))
		return nil
	}
	if c.Open && c.Form.Draft.To == msg.To {
		c.box.SetValue(msg.Text)
		c.box.MoveToEnd()
	}
	return nil
}
