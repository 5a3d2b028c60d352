package team

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"parley/profile"
	"parley/tmux"
)

// Stillness measures since when a screen has not changed. Not safe for concurrent use.
type Stillness struct {
	seen string
	from time.Time
}

// Since notes what the screen shows now, and returns since when it and its cursor have been so.
func (s *Stillness) Since(now time.Time, screen tmux.Screen) time.Time {
	return s.Of(now, fmt.Sprint(screen.CursorX, screen.CursorY, screen.Lines))
}

// Of is like Since for a text that was taken from a screen. One Stillness must not serve both.
func (s *Stillness) Of(now time.Time, seen string) time.Time {
	if seen != s.seen || s.from.IsZero() {
		s.seen, s.from = seen, now
	}
	return s.from
}

// Terminal is the tmux pane in which an agent's program runs now.
type Terminal struct {
	Server   *tmux.Server
	Pane     *tmux.Pane
	Profile  *profile.Profile
	PID      int         // of the program
	Born     string      // when that process was born, since its pid may be reused; "" if it was dead already
	TTY      string      // of the pane
	Instance string      // of the tmux server
	Started  time.Time   // when it was launched or adopted; zero if by an earlier daemon
	Ended    atomic.Bool // it is being stopped: nothing may be typed from now on
	Sight    Sight
	Output   atomic.Int64 // when the watcher last saw output, in nanoseconds since 1970

	// Runs recognises the program of an adopted agent by its arguments. It is nil for a launched
	// agent, whose pane runs nothing else.
	Runs func(argv []string) bool

	// Only the watcher uses these fields.
	Info    tmux.PaneInfo // as last seen
	Read    time.Time     // the time of the output that was last read off the screen
	Still   Stillness
	Loud    time.Time // since when the output has not paused
	Drafted time.Time // since when something stands in its composer
	Dead    time.Time // when its program was first seen to have ended

	KeepsSize bool // the last attempt to restore the size of its launch failed
}

// Adopted reports whether parley adopted the program in the terminal, which is on a tmux server of
// the user's.
func (t *Terminal) Adopted() bool { return t.Runs != nil }

// NewTerminal returns the terminal of a launched agent, in a pane of server.
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

// Saw notes how tmux described the pane. Only the goroutine that makes the terminal and then the
// watcher may call it.
func (t *Terminal) Saw(info tmux.PaneInfo) {
	t.Info = info
	t.Output.Store(info.Activity.UnixNano())
}

// Sight is the state that a terminal showed at the last look of the watcher or the courier.
type Sight struct {
	mu    sync.Mutex
	shows profile.State
	from  time.Time // all looks since then saw the same
}

// See notes the state that a look found, and returns since when all looks have found it.
func (s *Sight) See(now time.Time, shows profile.State) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if shows != s.shows || s.from.IsZero() {
		s.shows, s.from = shows, now
	}
	return s.from
}
