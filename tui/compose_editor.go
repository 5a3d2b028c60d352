package tui

import (
	"errors"
	"os"
	"os/exec"
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
	fail := func(err error) tea.Cmd { return func() tea.Msg { return editedMsg{to: d.to, err: err} } }
	f, err := os.CreateTemp("", "parley-*.md")
	if err != nil {
		return fail(err)
	}

	_, err = f.WriteString(d.text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fail(err)
	}

	argv := append(editor(environ), f.Name())
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = environ

	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		defer os.Remove(f.Name())
		text, readErr := os.ReadFile(f.Name())
		return editedMsg{to: d.to, text: strings.TrimRight(string(text), "\n"), err: errors.Join(err, readErr)}
	})
}

// editor returns the person's editor with its arguments.
func editor(environ []string) []string {
	for _, name := range []string{"VISUAL=", "EDITOR="} {
		for _, e := range environ {
			value, ok := strings.CutPrefix(e, name)
			if words := strings.Fields(value); ok && len(words) > 0 {
				return words
			}
		}
	}
	return []string{"vi"}
}

func (c *compose) openEditor() tea.Cmd {
	if c.sending() {
		return nil
	}
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
