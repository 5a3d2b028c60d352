package tmuxtest

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"parley/tmux"
)

// Person is somebody at a terminal, which is a pane of another private server. That server
// does not bind ReturnKey.
type Person struct {
	t        testing.TB
	Terminal *tmux.Server
	Pane     *tmux.Pane
}

// Attach shows a pane's session to a person in a terminal of the given size, and returns
// when it is visible.
func Attach(t testing.TB, s *tmux.Server, pane string, width, height int) *Person {
	t.Helper()
	// tmux takes keys that come within a millisecond for a paste, and gives them to the program. A person
	// is slower than a test; on a machine that had stood still, a test's keys came at once.
	run(t, s, "set-option", "-g", "assume-paste-time", "0")
	before := attached(t, s, pane)
	terminal := Start(t)
	info, err := terminal.NewSession(
		t.Context(),
		tmux.SessionOptions{Name: Name("terminal"), Owner: "person", Width: width, Height: height,
			Argv: append([]string{"env", "-u", "TMUX"}, s.AttachToPane(pane)...)},
	)
	if err != nil {
		t.Fatal(err)
	}

	run(t, terminal, "unbind-key", "-T", "root", tmux.ReturnKey) // bound on parley's servers
	p := &Person{t: t, Terminal: terminal, Pane: terminal.Pane(info.ID)}
	Poll(t, func() bool { return attached(t, s, pane) > before && strings.TrimSpace(p.screen().Text()) != "" },
		func() string { return "the person does not see it:\n" + p.screen().Text() })
	return p
}

// Press presses keys in the person's terminal. It takes the arguments of send-keys.
func (p *Person) Press(keys ...string) {
	p.t.Helper()
	run(p.t, p.Terminal, append([]string{"send-keys", "-t", p.Pane.ID()}, keys...)...)
}

// WaitLeft waits until the person is no longer attached.
func (p *Person) WaitLeft() {
	p.t.Helper()
	Poll(p.t, func() bool {
		info, err := p.Pane.Info(p.t.Context())
		return err == nil && info.Dead
	}, func() string { return "the person is still attached:\n" + p.screen().Text() })
}

func (p *Person) screen() tmux.Screen {
	screen, _ := p.Pane.Screen(p.t.Context(), tmux.ScreenOptions{})
	return screen
}

// attached counts the clients of a pane's session.
func attached(t testing.TB, s *tmux.Server, pane string) int {
	t.Helper()
	n, err := strconv.Atoi(run(t, s, "display-message", "-p", "-t", pane, "#{session_attached}"))
	if err != nil {
		t.Fatal(fmt.Errorf("the clients of %s: %w", pane, err))
	}
	return n
}

// run runs one command with a tmux process.
func run(t testing.TB, s *tmux.Server, args ...string) string {
	t.Helper()
	out, err := exec.Command(Binary(), append([]string{"-S", s.SocketPath()}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}
