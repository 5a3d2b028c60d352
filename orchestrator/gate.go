package orchestrator

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"parley"
	"parley/profile"
	"parley/tmux"
)

// obstacle is why nothing may be typed now. A brief one is expected to pass by
// itself, and is reported only when it does not.
type obstacle struct {
	reason string // "": the way is free
	brief  bool
}

var free obstacle

const inputOff = "its pane takes no input (tmux select-pane -e lets it)"

// gate decides whether it is safe to type now. What can change between this
// look and the paste is looked at again inside tmux, in the command that pastes.
func (c *courier) gate(ctx context.Context, t *terminal) obstacle {
	switch {
	case t == nil:
		return noTerminal(c.m.snapshot())
	case t.ended.Load():
		return obstacle{reason: "it is being stopped", brief: true}
	case t.instance != c.o.tmux.Instance():
		return obstacle{reason: "its tmux server is gone", brief: true}
	}
	if o := otherProgram(t); o != free {
		return o
	}
	if o := unread(t); o != free {
		return o
	}
	if t.profile.Instant() && !c.cautious {
		return free
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime) // a stop waits for this
	defer cancel()
	screen, err := t.pane.Screen(ctx, tmux.ScreenOptions{})
	switch {
	case err != nil:
		return obstacle{reason: "its terminal cannot be read: " + parley.CleanLine(err.Error()), brief: true}
	case screen.Dead:
		return obstacle{reason: fmt.Sprintf("its program has ended; parley restart %s delivers what waits", c.m.name)}
	case screen.InputOff:
		return obstacle{reason: inputOff}
	case screen.InMode:
		return obstacle{reason: "someone is scrolling in its terminal (copy mode)"}
	}
	return c.readiness(t, screen)
}

func noTerminal(a parley.Agent) obstacle {
	switch a.State {
	case parley.StateTerminated:
		return obstacle{reason: fmt.Sprintf("it is stopped; parley restart %s delivers what waits", a.Name)}
	case parley.StateExited, parley.StateUnreachable:
		return obstacle{reason: fmt.Sprintf("it is %s (%s); parley restart %s delivers what waits", a.State, a.Evidence, a.Name)}
	}
	return obstacle{reason: "its terminal is not there yet", brief: true}
}

// otherProgram stands in the way when what has the terminal would take the text for
// commands: a shell would run it, a pager or an editor would take it for keys.
func otherProgram(t *terminal) obstacle {
	argv, err := tmux.Foreground(t.pid)
	switch {
	case err != nil:
		return free
	case tmux.IsShell(argv):
		return obstacle{reason: fmt.Sprintf("a bare shell (%s) has its terminal and would run the text as commands", argv[0])}
	case tmux.TakesKeys(argv) != "":
		return obstacle{reason: fmt.Sprintf("%s has its terminal and would take the text for keys", tmux.TakesKeys(argv))}
	}
	return free
}

// unread stands in the way of a further message when the program has not read
// the last: it would get several as one, and nothing could be proven.
func unread(t *terminal) obstacle {
	if n, err := tmux.Unread(t.tty); err == nil && n > 0 {
		return obstacle{reason: fmt.Sprintf("its program is not reading its terminal (%d bytes wait there)", n), brief: true}
	}
	return free
}

// readiness reads the screen: by markers where the profile has them, and
// otherwise by its being quiet.
func (c *courier) readiness(t *terminal, screen tmux.Screen) obstacle {
	if !t.profile.HasMarkers() {
		now := c.o.now()
		if now.Sub(t.started) < t.profile.Startup {
			return obstacle{reason: "it is starting", brief: true}
		}
		if now.Sub(c.still.since(now, screen)) < t.profile.Quiet {
			return obstacle{reason: "the output in its terminal does not pause", brief: true}
		}
		if text, ok := t.profile.Composer(shown(screen)); ok && ownText.MatchString(text) {
			return obstacle{reason: "an unsent message stands in its terminal; press Enter there, or clear the line"}
		}
		return free
	}
	if canonical, err := tmux.Canonical(t.tty); err == nil && canonical && !t.profile.OneLine {
		return obstacle{reason: "its program has not taken over the terminal", brief: true}
	}
	switch t.profile.Look(screen.Lines) {
	case profile.Dialog:
		return obstacle{reason: "a dialog is open in its terminal, and the text would answer it"}
	case profile.Busy:
		return obstacle{reason: "it is busy", brief: true}
	case profile.Unknown:
		return obstacle{reason: "its screen shows nothing that is known to be ready", brief: true}
	}
	if text, ok := t.profile.Composer(shown(screen)); !ok || strings.TrimSpace(text) != "" {
		return obstacle{reason: "an unsent draft stands in its composer"}
	}
	return free
}

// ownText matches a text of ours that was pasted and not sent. Nothing else is
// known of what stands before the cursor of a program without markers.
var ownText = regexp.MustCompile(`\[AGENT [0-9a-f]{8} .*msg [0-9a-f]{8}[^)]*\)\s*$`)

// stillness tells since when a screen has not changed.
type stillness struct {
	screen string
	from   time.Time
}

func (s *stillness) since(now time.Time, screen tmux.Screen) time.Time {
	if text := fmt.Sprint(screen.CursorX, screen.CursorY, screen.Lines); text != s.screen || s.from.IsZero() {
		s.screen, s.from = text, now
	}
	return s.from
}

func shown(s tmux.Screen) profile.Screen {
	return profile.Screen{Lines: s.Lines, Width: s.Width, CursorX: s.CursorX, CursorY: s.CursorY}
}
