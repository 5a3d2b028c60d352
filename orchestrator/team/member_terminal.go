package team

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"parley/profile"
	"parley/tmux"
)

// Stillness tells since when a screen has not changed.
type Stillness struct {
	seen string
	from time.Time
}

func (s *Stillness) Since(now time.Time, screen tmux.Screen) time.Time {
	return s.Of(now, fmt.Sprint(screen.CursorX, screen.CursorY, screen.Lines))
}

// Of is since for a part of the screen.
func (s *Stillness) Of(now time.Time, seen string) time.Time {
	if seen != s.seen || s.from.IsZero() {
		s.seen, s.from = seen, now
	}
	return s.from
}

// Adopted reports whether the terminal is on a server that is not ours.
func (t *Terminal) Adopted() bool { return t.Runs != nil }

// Terminal is where an agent runs now.
type Terminal struct {
	Server   *tmux.Server
	Pane     *tmux.Pane
	Profile  *profile.Profile
	PID      int
	Born     string // when the process was, "" if it is dead: the pid may be given again
	TTY      string
	Instance string      // of the tmux server
	Started  time.Time   // when it was launched; zero if by a daemon before this one
	Ended    atomic.Bool // it is being stopped: nothing may be typed any more
	Sight    Sight
	Output   atomic.Int64 // when the watcher last saw output, in nanoseconds since 1970

	Runs func(argv []string) bool // tells the program of an adopted agent; nil for one that was launched, whose pane runs nothing else

	// The watcher's own.
	Info    tmux.PaneInfo // as last seen
	Read    time.Time     // the output that was last looked at
	Still   Stillness
	Loud    time.Time // since when the output has not paused
	Drafted time.Time // since when something stands in its composer
	Dead    time.Time // when its program was first seen to have ended

	KeepsSize bool // it could not be given the size of its launch back
}

// NewTerminal returns the terminal in a pane of a server.
func NewTerminal(server *tmux.Server, p *profile.Profile, info tmux.PaneInfo) *Terminal {
	t := &Terminal{
		Server:   server,
		Pane:     server.Pane(info.ID),
		Profile:  p,
		PID:      info.PID,
		TTY:      info.TTY,
		Instance: server.Instance(),
	}
	t.Saw(info)
	if !info.Dead {
		t.Born = tmux.Birth(info.PID)
	}

	return t
}

// Saw notes what the watcher saw of the pane.
func (t *Terminal) Saw(info tmux.PaneInfo) {
	t.Info = info
	t.Output.Store(info.Activity.UnixNano())
}

// Sight is what a terminal shows, as seen by whoever looked last.
type Sight struct {
	mu    sync.Mutex
	shows profile.State
	from  time.Time // every look since then saw that
}

// See notes what a look saw, and returns since when it has been so.
func (s *Sight) See(now time.Time, shows profile.State) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if shows != s.shows || s.from.IsZero() {
		s.shows, s.from = shows, now
	}
	return s.from
}
