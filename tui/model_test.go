package tui

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"parley"
)

func TestEachScreenHasItsKeys(t *testing.T) {
	s := newScreen(t, busyTeam(), 100, 30)
	for _, c := range []struct{ keys, shows string }{
		{"2A", "docs-writer"}, {"3D", "the parser's error messages"}, {"4Nn", "its terminal is gone"}, {"5H", "process 4711, up 3h"}, {"1T", "Plan for today"},
	} {
		for _, key := range c.keys {
			s.press("left", "left", string(key))
			s.shows(c.shows)
		}
	}

	s.press("left")
	s.shows("process 4711")
	s.press("right")
	s.shows("Plan for today")
}

func TestAttachBesideLeavesTheScreenWhereItIs(t *testing.T) {
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
	s.shows("coder is in a window of its own; ctrl+b d there closes it")
	if len(s.attached) > 0 {
		t.Errorf("took the screen's own terminal for %q", s.attached)
	}

	s.choose("scout")
	s.press("a")
	s.shows("the terminal of scout could not be shown: no space for a window")
}

func TestStoppingAsksFirst(t *testing.T) {
	f := busyTeam()
	s := newScreen(t, f, 100, 30)
	s.choose("coder")
	s.press("S")
	s.shows("Stop coder? Its program and what that knows end; its messages are kept. y/n")
	s.press("n")
	s.shows("Left as it is.")
	if len(f.stopped) > 0 {
		t.Errorf("stopped %q without a yes", f.stopped)
	}

	s.press("S", "y")
	s.shows("coder is stopped.")
	if got, want := strings.Join(f.stopped, " "), "stop "+agentID("coder"); got != want {
		t.Errorf("did %q, want %q", got, want)
	}
}

func TestPauseIsUndone(t *testing.T) {
	f := busyTeam()
	s := newScreen(t, f, 100, 30)
	s.press("u")
	s.shows("There is nothing to undo.")
	s.press("p")
	s.shows("‖ paused by operator", "Messages are paused. u lets them go on.")
	s.press("u")
	s.hides("paused by")
}

func TestSteersTheAgentThatIsMeant(t *testing.T) {
	f := busyTeam()
	s := newScreen(t, f, 100, 30)
	s.choose("coder")
	s.press("s")
	s.shows("Guidance for coder")
	s.typed("leave the lexer")
	s.press("enter")
	if len(f.steered) != 1 || f.steered[0].Agent != agentID("coder") || f.steered[0].Text != "leave the lexer" {
		t.Errorf("steered %+v, want coder once", f.steered)
	}
}

func TestAWordGoesByItselfAndAnErrorStays(t *testing.T) {
	f := busyTeam()
	s := newScreen(t, f, 100, 30)
	s.press("3", "r")
	s.shows("There is no message to reply to here.")
	s.send(tickMsg(noon.Add(toastTime + time.Second)))
	s.hides("There is no message")
	f.err = parley.Errorf(parley.Internal, "it broke")
	s.press("p")
	s.send(tickMsg(noon.Add(3 * toastTime)))
	s.shows("it broke")
}
