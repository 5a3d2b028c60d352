package tui

import (
	"errors"
	"os/exec"
	"testing"

	"parley"
	"parley/tui/room"
)

// The key that comes back is parley's: in a tmux of the person's own it does nothing.
func TestAttachShowsNoReturnKeyForAdoptedAgents(t *testing.T) {
	f := busyTeam()
	f.agents[0].Socket = "/tmp/theirs"
	s := newScreen(t, f, 120, 40, func(o *Options) { o.ReturnKey = "F12" })
	s.choose("coder")
	s.shows("a attaches to coder · c writes to coder")
	s.hides("F12")
	s.send(room.BesideMsg{Name: "coder"})
	s.shows("coder is open in a new window.")
	s.choose("tester")
	s.shows("a attaches to tester, F12 returns")
}

func TestAttachReportsErrors(t *testing.T) {
	f := busyTeam()
	f.agents[0].Kind = parley.KindMailbox
	s := newScreen(t, f, 120, 40, func(o *Options) {
		o.Attach = func(string) (*exec.Cmd, error) {
			return nil, parley.Errorf(parley.TmuxUnavailable, "its tmux server is gone").Suggest("Restart it.")
		}
	})

	s.choose("coder")
	s.press("a")
	s.shows("coder has no terminal")
	s.press("j", "a")
	s.shows("✗ its tmux server is gone → Restart it.")
	s.send(room.ReturnedMsg{Name: "coder", Err: errors.New("no sessions")})
	s.shows("cannot show the terminal of coder: no sessions", "parley restart coder")
}

func TestAttachBesideKeepsTheScreen(t *testing.T) {
	s := newScreen(t, busyTeam(), 100, 30, func(o *Options) {
		o.Beside = func(name string) (*exec.Cmd, error) {
			if name == "scout" {
				return exec.Command("sh", "-c", "echo no space for a window >&2; exit 1"), nil
			}
			return exec.Command("true"), nil
		}
	})

	s.choose("coder")
	s.press("a")
	s.shows("coder is open in a new window; ctrl+b d closes it.")
	if len(s.attached) > 0 {
		t.Errorf("took the screen's own terminal for %q", s.attached)
	}

	s.choose("scout")
	s.press("a")
	s.shows("cannot show the terminal of scout: no space for a window")
}
