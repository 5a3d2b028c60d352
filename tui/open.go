package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// openHistory is how many lines above an agent's screen are opened with it.
const openHistory = 2000

// textMsg is a text that was read to be opened in another program.
type textMsg struct {
	name string // of what it is, for people
	text string
	err  error
}

// openedMsg says that the other program has ended.
type openedMsg struct {
	name string
	err  error
}

// openText opens the message under the marker, or the agent's terminal, in the person's editor or
// pager.
func (a actions) openText() tea.Cmd {
	switch s := a.about(); {
	case s.message != "":
		return a.do.call(readMessageText(s.message, a.now))
	case s.agent != nil && readable(s.agent):
		return a.do.call(readTerminalText(s.agent.ID, s.agent.Name))
	}
	a.tell("No message and no terminal to open here.")
	return nil
}

func readMessageText(id string, now time.Time) request {
	th := themeOf(ThemeContrast, true) // in which nothing is dim
	return func(ctx context.Context, s parley.Service) tea.Msg {
		msg := textMsg{name: "Message " + parley.Short(id)}
		res, err := s.GetMessageStatus(ctx, parley.MessageStatusRequest{MessageID: id})
		if err != nil {
			msg.err = err
			return msg
		}

		d := detail{id: id, result: res}
		for _, line := range d.head(th, 1<<12, now) {
			msg.text += strings.TrimSpace(line) + "\n"
		}
		msg.text += "\n" + safeText(res.Object.Text) + "\n"

		return msg
	}
}

func readTerminalText(id, name string) request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		msg := textMsg{name: "The terminal of " + name}
		res, err := s.ReadTerminal(ctx, parley.ReadTerminalRequest{Agent: id, History: openHistory})
		if err != nil {
			msg.err = err
			return msg
		}
		msg.text = safeText(strings.Join(res.Lines, "\n")) + "\n"
		return msg
	}
}

// takeText gives the screen to the program that shows a text.
func (m *model) takeText(msg textMsg) tea.Cmd {
	if msg.err != nil {
		m.failed(msg.err)
		return nil
	}
	return m.do.open(msg)
}

func (m *model) opened(msg openedMsg) tea.Cmd {
	if msg.err != nil {
		m.fail(parley.Errorf(parley.InvalidArgument, "the editor failed: %w", msg.err).
			Suggest("Set EDITOR or PAGER to a program such as nano or less."))
		return nil
	}
	m.tell(msg.name + " was open. What you change there changes nothing here.")
	return nil
}

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

// exportedMsg is what came of an export.
type exportedMsg struct {
	path string
	n    int
	err  error
}

// exportFiltered asks for a file and writes the selected messages to it, else those that the filter lets through.
func (t *traffic) exportFiltered() tea.Cmd {
	if t.do.export == nil {
		t.tell("An export from here needs the daemon on this machine; parley export writes one.")
		return nil
	}
	if t.picks() {
		ids := idsOf(t.chosen())
		return t.askLine("File for "+plural(len(ids), "message")+" (.md, .jsonl or .html)", func(path string) tea.Cmd {
			t.tell("Exporting…")
			return t.do.export(Exported{IDs: ids}, path)
		})
	}

	if t.filter.query.problem != "" {
		t.tell("Nothing to export: " + t.filter.query.problem)
		return nil
	}

	what := "all messages"
	if !t.filter.query.empty() {
		what = "messages that match " + t.filter.query.text
	}

	return t.askLine("File for "+what+" (.md, .jsonl or .html)", func(path string) tea.Cmd {
		t.tell("Exporting…")
		if t.filter.query.empty() {
			return t.do.export(Exported{}, path)
		}
		request := t.filter.query.request
		return t.do.export(Exported{Find: &request}, path)
	})
}

// exported tells what came of an export.
func (d *shared) exported(msg exportedMsg) tea.Cmd {
	if msg.err != nil {
		d.failed(msg.err)
		return nil
	}
	d.tell(fmt.Sprintf("%s written to %s.", plural(msg.n, "message"), cmp.Or(safeLine(msg.path), "the file")))
	return nil
}
