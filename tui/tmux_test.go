package tui

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/must"
)

// terminal is a real one: the test binary runs as the screen in its own tmux.
type terminal struct {
	t      *testing.T
	socket string
}

func newTerminal(t *testing.T, w, h string) *terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}

	dir := must.Have(os.MkdirTemp("", "tui"))(t) // t.TempDir is too long for a socket

	s := &terminal{t: t, socket: filepath.Join(dir, "s")}
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", s.socket, "kill-server").Run()
		_ = os.RemoveAll(dir)
	})

	s.tmux("-f", "/dev/null", "new-session", "-d", "-s", "coder", "-x", "80", "-y", "20", "cat")
	s.tmux("set-option", "-g", "remain-on-exit", "on")
	s.tmux("new-session", "-d", "-s", "screen", "-x", w, "-y", h, "-e", screenVariable+"=busy",
		"-e", socketVariable+"="+s.socket, "-e", "LC_ALL=C.UTF-8", os.Args[0], "-test.run=^$")
	return s
}

func (s *terminal) tmux(args ...string) string {
	s.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-u", "-S", s.socket}, args...)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (s *terminal) shows(want string) {
	s.t.Helper()
	screen := ""
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if screen = s.tmux("capture-pane", "-p", "-t", "=screen:"); strings.Contains(screen, want) {
			return
		}
	}
	s.t.Fatalf("the terminal does not show %q:\n%s", want, screen)
}

func TestScreenInARealTerminal(t *testing.T) {
	s := newTerminal(t, "120", "30")
	s.shows("build is red on main")
	s.shows("✗ 1 exited")

	s.tmux("send-keys", "-t", "=screen:", "k", "k", "k", "k", "k", "Enter")
	s.shows("tester: held, the pane is in copy mode")

	s.tmux("resize-window", "-t", "=screen:", "-x", "80", "-y", "24")
	s.shows("Message 5f0c0005")

	s.tmux("send-keys", "-t", "=screen:", "f", "b")
	s.tmux("send-keys", "-t", "=screen:", "-l", "hello all")
	s.tmux("send-keys", "-t", "=screen:", "Enter")
	s.shows("Sent to all agents: ○ 7 queued")
	s.shows("you → 7 agents")

	s.tmux("send-keys", "-t", "=screen:", "2", "o", "o", "g", "a")
	s.shows("[coder]") // tmux's own status line
	s.tmux("send-keys", "-t", "=screen:", "-l", "typed in coder's terminal")
	s.shows("typed in coder's terminal")
	s.tmux("send-keys", "-t", "=screen:", "C-b", "d")
	s.shows("Back from coder.")

	s.tmux("send-keys", "-t", "=screen:", "j", "a") // docs-writer has no session here
	s.shows("cannot show the terminal of docs-writer: can't find session")

	s.tmux("send-keys", "-t", "=screen:", "q")
	s.ended("0")
}

// keys are pressed; text is typed as it is.
func (s *terminal) keys(keys ...string) {
	s.t.Helper()
	s.tmux(append([]string{"send-keys", "-t", "=screen:"}, keys...)...)
}

func (s *terminal) text(text string) { s.t.Helper(); s.tmux("send-keys", "-t", "=screen:", "-l", text) }

// TestFiveScreensInARealTerminal goes through all of them as a person does, and
// reads the terminal.
func TestFiveScreensInARealTerminal(t *testing.T) {
	s := newTerminal(t, "100", "30")
	s.shows("▸1 Traffic")
	s.shows("build is red on main")
	s.keys("2")
	s.shows("▸2 Agents")
	s.shows("In trouble 4")
	s.shows("∅ scout")
	s.keys("3", "Enter")
	s.shows("▸3 Threads")
	s.shows("▸ 10:00 you")
	s.shows("Do it. One commit.")
	s.keys("k", "k", "r")
	s.shows("Reply to reviewer in the thread")
	s.text("a draft that outlives the window")
	s.tmux("resize-window", "-t", "=screen:", "-x", "40", "-y", "10")
	s.shows("Make it larger")
	s.tmux("resize-window", "-t", "=screen:", "-x", "140", "-y", "40")
	s.shows("a draft that outlives the window")
	s.keys("Escape")
	s.shows("Draft kept.")
	s.keys("4")
	s.shows("▸4 Needs you")
	s.shows("enter restart · x stop")
	s.shows("✎ unsent")
	s.keys("5")
	s.shows("▸5 Health")
	s.shows("process 4711")
	s.text("\x1b[<0;16;2M\x1b[<0;16;2m") // a click on the second name
	s.shows("▸2 Agents")
	s.keys("?")
	s.shows("traffic, agents, threads, needs you, health")
	s.keys("?", ":") // escape and a key at once are one key to a terminal
	s.shows("Run a command")
	s.text("read_ter")
	s.shows("▸ read_terminal")
	s.keys("Enter")
	s.shows("Lines above the screen to include.")
	s.keys("Escape", "Escape") // come as one as well
	s.shows("In trouble 4")
	s.keys("q")
	s.shows("Press the key again to quit anyway")
	s.keys("q")
	s.ended("0")
}

// ended waits until the screen's program is gone, and checks how it left. Some
// versions of tmux miss a child's death now and then; asked by the signal that
// they missed, they look again.
func (s *terminal) ended(status string) {
	s.t.Helper()
	pid := must.Have(strconv.Atoi(strings.TrimSpace(s.tmux("display-message", "-p", "#{pid}"))))(s.t)

	got := ""
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		_ = syscall.Kill(pid, syscall.SIGCHLD)
		got = strings.TrimSpace(s.tmux("display-message", "-p", "-t", "=screen:", "#{pane_dead} #{pane_dead_status}"))
		if got == "1 "+status {
			return
		}
	}

	s.t.Fatalf("dead and its status: %q, want %q", got, "1 "+status)
}
