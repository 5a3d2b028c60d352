package room

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
	"parley/op"
	"parley/tui/kit"
	"parley/tui/team"
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
	cmd.Env, cmd.Stdin = environ, os.Stdin
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

// openHistory is how many lines above an agent's screen are opened with it.
const openHistory = 2000

// OpenText opens the message under the marker, or the agent's terminal, in the person's editor or
// pager.
func (a *Actions) OpenText() tea.Cmd {
	switch s := a.Room.About(); {
	case s.Message != "":
		return a.Room.Do.Call(readMessageText(s.Message, a.Room.Now))
	case s.Agent != nil && team.Readable(s.Agent):
		return a.Room.Do.Call(readTerminalText(s.Agent.ID, s.Agent.Name))
	}
	a.Room.Lacks("No message and no terminal to open here.")
	return nil
}

func readMessageText(id string, now time.Time) Request {
	th := kit.ThemeOf(kit.ThemeContrast, true) // in which nothing is dim
	return func(ctx context.Context, s parley.Service) tea.Msg {
		msg := TextMsg{Name: "Message " + parley.Short(id)}
		res, err := op.GetMessageStatus.Call(ctx, s, parley.MessageStatusRequest{MessageID: id})
		if err != nil {
			msg.Err = err
			return msg
		}

		d := Detail{ID: id, Result: res}
		for _, line := range d.head(th, 1<<12, now) {
			msg.Text += strings.TrimSpace(line) + "\n"
		}
		msg.Text += "\n" + kit.SafeText(res.Object.Text) + "\n"

		return msg
	}
}

func readTerminalText(id, name string) Request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		msg := TextMsg{Name: "The terminal of " + name}
		res, err := op.ReadTerminal.Call(ctx, s, parley.ReadTerminalRequest{Agent: id, History: openHistory})
		if err != nil {
			msg.Err = err
			return msg
		}
		msg.Text = kit.SafeText(strings.Join(res.Lines, "\n")) + "\n"
		return msg
	}
}

// Exported tells what came of an export.
func (d *Shared) Exported(msg ExportedMsg) tea.Cmd {
	if msg.Err != nil {
		d.Failed(msg.Err)
		return nil
	}
	d.Tell(fmt.Sprintf("%s written to %s.", kit.Plural(msg.N, "message"), cmp.Or(kit.SafeLine(msg.Path), "the file")))
	return nil
}

// Attach goes to the terminal of the agent under the marker.
func (a *Actions) Attach() tea.Cmd {
	s := a.Room.About().Agent
	switch {
	case s == nil:
		a.Room.Lacks(WhichAgent)
	case s.Kind != parley.KindTerminal:
		a.Room.Tell(s.Name + " has no terminal: it reads its messages over the API.")
	default:
		a.Room.Tell("Attaching to " + s.Name + "." + a.Room.Keys.ReturnHint(s, " ", " returns."))
		return a.Room.Do.Attach(s.Name)
	}
	return nil
}

// ReturnHint names the key that comes back from an agent's terminal, between two
// texts. It is empty for an adopted agent, which lives in the person's own tmux
// with their keys.
func (d *keyboard) ReturnHint(s *parley.AgentStatus, before, after string) string {
	if s != nil && s.Adopted() {
		return ""
	}
	return before + d.returnKey + after
}
