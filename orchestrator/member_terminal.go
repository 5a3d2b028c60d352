package orchestrator

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"parley/profile"
	"parley/tmux"
)

// stillness tells since when a screen has not changed.
type stillness struct {
	seen string
	from time.Time
}

func (s *stillness) since(now time.Time, screen tmux.Screen) time.Time {
	return s.of(now, fmt.Sprint(screen.CursorX, screen.CursorY, screen.Lines))
}

// of is since for a part of the screen.
func (s *stillness) of(now time.Time, seen string) time.Time {
	if seen != s.seen || s.from.IsZero() {
		s.seen, s.from = seen, now
	}
	return s.from
}

// adopted reports whether the terminal is on a server that is not ours.
func (t *terminal) adopted() bool { return t.runs != nil }

// terminal is where an agent runs now.
type terminal struct {
	server   *tmux.Server
	pane     *tmux.Pane
	profile  *profile.Profile
	pid      int
	born     string // when the process was, "" if it is dead: the pid may be given again
	tty      string
	instance string      // of the tmux server
	started  time.Time   // when it was launched; zero if by a daemon before this one
	ended    atomic.Bool // it is being stopped: nothing may be typed any more
	sight    sight
	output   atomic.Int64 // when the watcher last saw output, in nanoseconds since 1970

	runs func(argv []string) bool // tells the program of an adopted agent; nil for one that was launched, whose pane runs nothing else

	// The watcher's own.
	info    tmux.PaneInfo // as last seen
	read    time.Time     // the output that was last looked at
	still   stillness
	loud    time.Time // since when the output has not paused
	drafted time.Time // since when something stands in its composer
	dead    time.Time // when its program was first seen to have ended

	keepsSize bool // it could not be given the size of its launch back
}

// newTerminal returns the terminal in a pane of a server.
func newTerminal(server *tmux.Server, p *profile.Profile, info tmux.PaneInfo) *terminal {
	t := &terminal{
		server:   server,
		pane:     server.Pane(info.ID),
		profile:  p,
		pid:      info.PID,
		tty:      info.TTY,
		instance: server.Instance(),
	}
	t.saw(info)
	if !info.Dead {
		t.born = tmux.Birth(info.PID)
	}

	return t
}

// saw notes what the watcher saw of the pane.
func (t *terminal) saw(info tmux.PaneInfo) {
	t.info = info
	t.output.Store(info.Activity.UnixNano())
}

// sight is what a terminal shows, as seen by whoever looked last.
type sight struct {
	mu    sync.Mutex
	shows profile.State
	from  time.Time // every look since then saw that
}

// see notes what a look saw, and returns since when it has been so.
func (s *sight) see(now time.Time, shows profile.State) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if shows != s.shows || s.from.IsZero() {
		s.shows, s.from = shows, now
	}
	return s.from
}
