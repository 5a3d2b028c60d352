package tui

import (
	"errors"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// openFile shows a text in the person's editor, else their pager. Only they can read the file, which
// is removed afterwards.
func openFile(environ []string, msg textMsg) tea.Cmd {
	fail := func(err error) tea.Cmd { return func() tea.Msg { return openedMsg{name: msg.name, err: err} } }
	file, err := temporaryFile(msg.text)
	if err != nil {
		return fail(err)
	}

	cmd := withFile(environ, programOf(environ, "less", "VISUAL=", "EDITOR=", "PAGER="), file)

	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		defer os.Remove(file)
		return openedMsg{name: msg.name, err: err}
	})
}

// temporaryFile writes a text into a file that only its owner can read.
func temporaryFile(text string) (string, error) {
	f, err := os.CreateTemp("", "parley-*.md")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	return f.Name(), errors.Join(err, f.Close())
}

func withFile(environ, argv []string, file string) *exec.Cmd {
	argv = append(argv, file)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = environ
	return cmd
}

// programOf returns the program that the first set of some variables names, with its arguments.
func programOf(environ []string, otherwise string, names ...string) []string {
	for _, name := range names {
		for _, e := range environ {
			value, ok := strings.CutPrefix(e, name)
			if words := strings.Fields(value); ok && len(words) > 0 {
				return words
			}
		}
	}
	return []string{otherwise}
}
