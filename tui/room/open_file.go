package room

import (
	"errors"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// OpenFile shows a text in the person's editor, else their pager. Only they can read the file, which
// is removed afterwards.
func OpenFile(environ []string, msg TextMsg) tea.Cmd {
	fail := func(err error) tea.Cmd { return func() tea.Msg { return OpenedMsg{Name: msg.Name, Err: err} } }
	file, err := TemporaryFile(msg.Text)
	if err != nil {
		return fail(err)
	}

	cmd := WithFile(environ, ProgramOf(environ, "less", "VISUAL=", "EDITOR=", "PAGER="), file)

	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		defer os.Remove(file)
		return OpenedMsg{Name: msg.Name, Err: err}
	})
}

// TemporaryFile writes a text into a file that only its owner can read.
func TemporaryFile(text string) (string, error) {
	f, err := os.CreateTemp("", "parley-*.md")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	return f.Name(), errors.Join(err, f.Close())
}

// WithFile returns the command that opens a file.
func WithFile(environ, argv []string, file string) *exec.Cmd {
	argv = append(argv, file)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = environ
	return cmd
}

// ProgramOf returns the program that the first set of some variables names, with its arguments.
func ProgramOf(environ []string, otherwise string, names ...string) []string {
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
