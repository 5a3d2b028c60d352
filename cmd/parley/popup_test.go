package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/internal/wait"
)

// ownTerminal is a person's terminal that shows a tmux of their own: a pane of another server.
type ownTerminal struct {
	*testing.T
	*testhome.Home
}

func (o *ownTerminal) tmux(server string, args ...string) string {
	o.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", filepath.Join(o.Dir, "t", server)}, args...)...)
	cmd.Dir, cmd.Env = o.Workspace, o.Env
	out, err := cmd.CombinedOutput()
	if err != nil {
		o.Fatalf("tmux %v: %v: %s", args, err, out)
	}
	return string(out)
}

func (o *ownTerminal) press(keys ...string) {
	o.Helper()
	o.tmux("terminal", append([]string{"send-keys"}, keys...)...)
}

// shows waits until the terminal shows a text, or does not.
func (o *ownTerminal) shows(text string, want bool) {
	o.Helper()
	ctx, cancel := context.WithTimeout(o.Context(), testhome.Patience)
	defer cancel()

	var screen string
	if wait.Until(ctx, 50*time.Millisecond, func() (bool, error) {
		screen = o.tmux("terminal", "capture-pane", "-p")
		return strings.Contains(screen, text) == want, nil
	}) != nil {
		o.Fatalf("%q shows: never %v; the screen is\n%s", text, want, screen)
	}
}

// closed waits until the popup that showed a text is closed, and keys reach the program behind it. A popup
// takes keys for a moment after its last picture is gone.
func (o *ownTerminal) closed(text string) {
	o.Helper()
	o.shows(text, false)
	ctx, cancel := context.WithTimeout(o.Context(), testhome.Patience)
	defer cancel()

	behind := o.tmux("own", "capture-pane", "-p")
	must.Do(o, wait.Until(ctx, 50*time.Millisecond, func() (bool, error) {
		o.press("x")
		return o.tmux("own", "capture-pane", "-p") != behind, nil
	}))
}

// The bindings of the page on attaching open popups in which everything can be seen, and which close.
func TestPopupsOfTheDocsWork(t *testing.T) {
	t.Parallel()
	bindings := regexp.MustCompile(`(?m)^bind-key .*\n`).FindAllString(documents(t)["terminals.md"], -1)
	o := &ownTerminal{t, testhome.New(t)}
	testhome.Run[parley.LaunchAgentResult](t, o.Home, "launch", "coder", "--profile", "generic", "--", "cat")

	conf := filepath.Join(o.Workspace, "tmux.conf")
	taken := "bind-key -n F12 display-message taken\n" // which does not matter to a popup
	must.Do(t, os.WriteFile(conf, []byte(strings.Join(bindings, "")+taken), 0o600))
	o.tmux("own", "-f", conf, "new-session", "-d", "-n", "own", "cat")
	t.Cleanup(func() { o.tmux("own", "kill-server") })
	o.tmux("terminal", "-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "40",
		"env -u TMUX tmux -S "+filepath.Join(o.Dir, "t", "own")+" attach-session")
	t.Cleanup(func() { o.tmux("terminal", "kill-server") })
	o.shows("0:own", true)

	agent := func(name string) {
		o.press("C-b", "A")
		o.shows("agent:", true)
		o.press(name, "Enter")
	}

	for _, leave := range [][]string{{"F12"}, {"C-b", "d"}} {
		agent("coder")
		o.shows("[coder]", true)
		o.press(leave...)
		o.closed("[coder]")
	}

	agent("nobody")
	o.shows("there is no agent", true)
	o.press("Escape")
	o.closed("there is no agent")

	o.press("C-b", "P")
	o.shows("Traffic", true)
	o.press("2")
	o.shows("coder", true)
	o.press("a")
	o.shows("[coder]", true)
	o.press("F12")
	o.shows("[coder]", false)
	o.press("q")
	o.closed("Traffic")
	if windows := o.tmux("own", "list-windows"); strings.Count(windows, "\n") != 1 {
		t.Errorf("behind the popup are windows:\n%s", windows)
	}
}
