package team

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/plain"
	"parley/program/profile"
	"parley/tmux"
)

// Stillness measures since when a screen has not changed. Not safe for concurrent use.
type Stillness struct {
	seen string
	from time.Time
}

// Since notes what the screen shows now, and returns since when it and its cursor have been so.
func (s *Stillness) Since(now time.Time, screen tmux.Screen) time.Time {
	return s.SinceText(now, fmt.Sprint(screen.CursorX, screen.CursorY, screen.Lines))
}

// SinceText is like Since for a text that was taken from a screen. One Stillness must not serve both.
func (s *Stillness) SinceText(now time.Time, seen string) time.Time {
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
	Leader   int         // what tmux started in the pane, which leads the terminal's session
	TTY      string      // of the pane
	Instance string      // of the tmux server
	Started  time.Time   // when it was launched or adopted; zero if by an earlier daemon
	Stopping atomic.Bool // it is being stopped: nothing may be typed from now on
	Shown    StateTimer
	Limit    LimitTimer
	Drawn
	Origin
	Launched

	// IsProgram recognises the program of an adopted agent by its arguments. It is nil for a launched
	// agent, whose pane runs nothing else.
	IsProgram func(argv []string) bool

	// Known recognises the program of a launched agent, if the launch did not say which it is.
	Known  *profile.Set
	search search

	Places *Places // where programs take messages, by the operator's word; nil: nowhere
	seen   seen

	Watched
}

// Launched is how this daemon launched the program of a terminal. It is zero if an earlier daemon did, or a person.
type Launched struct {
	Resumed bool // it was launched to continue its session
	File    ProgramFile
	Own     bool // the command of the launch, by whichever daemon, is that of its profile's program
}

// ProgramFile is the file of a program, and its environment.
type ProgramFile struct {
	Path string
	Env  []string
}

// Origin is when the first process of a terminal was started.
type Origin struct {
	Born  string    // as the system counts it, since a pid may be reused; "" if the process was dead already
	Begun time.Time // zero: the system does not tell
}

// OriginOf returns when a process was started.
func OriginOf(pid int) Origin {
	at, _ := tmux.StartedAt(pid)
	return Origin{Born: tmux.Birth(pid), Begun: at}
}

// Drawn is what the watcher last saw of a program, for everybody.
type Drawn struct {
	LastOutput atomic.Int64 // when there was output, in nanoseconds since 1970
	title      atomic.Pointer[string]
}

// Title returns what the program calls its terminal.
func (d *Drawn) Title() string {
	if t := d.title.Load(); t != nil {
		return *t
	}
	return ""
}

// Watched is what the watcher remembers of a terminal. Nobody else uses it.
type Watched struct {
	Info       tmux.PaneInfo // as last seen
	LastRead   time.Time     // the time of the output that was last read off the screen
	Still      Stillness
	LoudSince  time.Time // since when the output has not paused
	DraftSince time.Time // since when something stands in its composer
	DeadSince  time.Time // when its program was first seen to have ended
	Searched   time.Time // when it was last searched for a known program
	Redraws    Redraws
	RedrawnAt  time.Time // when its program was last made to draw its screen again
	Bar        string    // what its status line says behind the name

	SessionLooked time.Time // when its program's session was last looked for

	ResizeFailed bool // the last attempt to restore the size of its launch failed
}

// Adopted reports whether parley adopted the program in the terminal, which is on a tmux server of
// the user's.
func (t *Terminal) Adopted() bool { return t.IsProgram != nil }

// NewTerminal returns the terminal of a launched agent, in a pane of server.
func NewTerminal(server *tmux.Server, p *profile.Profile, info tmux.PaneInfo) *Terminal {
	t := &Terminal{
		Server:   server,
		Pane:     server.Pane(info.ID),
		Profile:  p,
		PID:      info.PID,
		Leader:   info.PID,
		TTY:      info.TTY,
		Instance: server.Instance(),
	}

	t.SetInfo(info)
	if !info.Dead {
		t.Origin = OriginOf(info.PID)
	}

	return t
}

// SetInfo notes how tmux described the pane. Only the goroutine that makes the terminal and then the
// watcher may call it.
func (t *Terminal) SetInfo(info tmux.PaneInfo) {
	if t.Info = info; info.Title != t.Title() {
		t.title.Store(&info.Title)
	}
	if !t.redrew(info.Activity) {
		t.LastOutput.Store(info.Activity.UnixNano())
	}
}

// StateTimer measures since when all looks at a terminal, by the watcher and the courier, have found
// the same state. It is safe for concurrent use.
type StateTimer struct {
	mu    sync.Mutex
	state profile.State
	from  time.Time // all looks since then saw the same
}

// Lasts returns since when all looks have found this state. It is not ok if the last one has not.
func (s *StateTimer) Lasts(shows profile.State) (since time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.from, shows == s.state && !s.from.IsZero()
}

// Since notes the state that a look found, and returns since when all looks have found it.
func (s *StateTimer) Since(now time.Time, shows profile.State) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if shows != s.state || s.from.IsZero() {
		s.state, s.from = shows, now
	}
	return s.from
}

// search is the last search for the program that reads a terminal.
type search struct {
	processes tmux.Processes

	mu    sync.Mutex
	at    time.Time
	found *profile.Profile // nil: none
}

// Redraws decides when a program is made to draw its screen again, because the screen has
// been of no use for long. The zero value is ready to use. Not safe for concurrent use.
type Redraws struct {
	since time.Time     // the screen has been of no use since then; zero: it is of use
	last  time.Time     // of the last redraw; zero: there was none
	pause time.Duration // between the last redraw and the next
}

// maxRedrawPause is the longest time between two redraws of a screen that stays of no use:
// it may belong to a version of the program that looks different.
const maxRedrawPause = 10 * time.Minute

// redrawTime is how long after a redraw was asked for output is taken for that: the window
// gets its size back after 5 s at the latest.
const redrawTime = 10 * time.Second

// redrew reports whether output came because the program was made to draw its screen again.
// That is no sign of life.
func (t *Terminal) redrew(at time.Time) bool {
	return !t.RedrawnAt.IsZero() && at.Unix() >= t.RedrawnAt.Unix() && at.Sub(t.RedrawnAt) < redrawTime
}

// Due notes the state that a look found, "" if it found none, and reports whether the
// program is to draw its screen again. The first time comes when the screen has been of no
// use for so long, each further one after twice the time.
func (r *Redraws) Due(now time.Time, state parley.AgentState, after time.Duration) bool {
	switch state {
	case "":
		return false
	case parley.StateUnknown, parley.StateDrafting: // what stands in the composer may be garbled too
	default:
		r.since = time.Time{}
		if now.Sub(r.last) > r.pause {
			r.pause = 0
		}
		return false
	}

	if r.since.IsZero() {
		r.since = now
	}
	if now.Sub(r.since) < after || now.Sub(r.last) < r.pause {
		return false
	}

	r.last, r.pause = now, min(max(2*r.pause, 2*after), maxRedrawPause)

	return true
}

// limitMargin is how long after the end of a usage limit a program is given something again:
// clocks differ, and programs show only minutes.
const limitMargin = 30 * time.Second

// Limit is a usage limit that a program shows. The zero value is none.
type Limit struct {
	On    bool
	Since time.Time // when it was first shown
	Until time.Time // zero: when it ends is not known
}

// Words says when it ends, as the end of a clause.
func (l Limit) Words() string {
	if l.Until.IsZero() {
		return "; when it ends is not known"
	}
	return ", until " + plain.FormatEnd(l.Until)
}

// LimitTimer remembers the usage limit of a terminal, since a time of day means another day when it
// is read again tomorrow. It is safe for concurrent use.
type LimitTimer struct {
	mu      sync.Mutex
	seen    time.Time // when the limit was first shown, as an earlier daemon knew it
	words   string
	limit   Limit
	resumed bool // something was typed after its end

	warned profile.Warning // that was shown last
	quota  *parley.Quota   // what it says; nil: none was shown
}

// Began notes that a limit that is shown has been there since then.
func (l *LimitTimer) Began(since time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = since
}

// See notes what a look at the screen found, and returns the limit that blocks the program. One behind which the
// program asks, or tries again by itself, is noted too. A screen that shows another known state ends it.
func (l *LimitTimer) See(r *profile.Reading, now time.Time) Limit {
	l.mu.Lock()
	defer l.mu.Unlock()

	l.warn(r.Quota, now)
	limited := r.Cause == profile.UsageLimit && r.Shows != profile.Idle
	switch {
	case !limited && (r.Shows == profile.Busy || r.Shows == profile.Idle || r.Shows == profile.Blocked):
		l.limit, l.words, l.seen, l.resumed = Limit{}, "", time.Time{}, false
	case limited && (!l.limit.On || r.LimitEnds != l.words):
		if l.seen.IsZero() || l.seen.After(now) {
			l.seen = now
		}
		since := l.seen
		if l.limit.On {
			since = l.limit.Since
		}
		l.words, l.limit, l.resumed = r.LimitEnds, Limit{On: true, Since: since}, false
		if until, ok := profile.ParseReset(l.words, l.seen, time.Local); ok {
			l.limit.Until = until
		}
		l.seen = time.Time{}
	}

	if !limited || r.Shows != profile.Blocked {
		return Limit{}
	}
	return l.limit
}

// warn notes a warning that is on the screen. A time of day is that after it was first shown.
func (l *LimitTimer) warn(w profile.Warning, now time.Time) {
	if w == (profile.Warning{}) || w == l.warned {
		return
	}
	l.warned = w
	window := parley.QuotaWindow{Name: w.Name, Used: float64(w.Used)}
	if until, ok := profile.ParseReset(w.Ends, now, time.Local); ok {
		window.ResetsAt = &until
	}
	l.quota = &parley.Quota{At: now, Windows: []parley.QuotaWindow{window}}
}

// Quota returns what the program's last warning says of a quota, nil if there was none.
func (l *LimitTimer) Quota() *parley.Quota {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.quota
}

// Limit returns the limit that was seen last.
func (l *LimitTimer) Limit() Limit {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.limit
}

// Over reports whether a limit that is still shown has ended, and nothing was typed since.
func (l *LimitTimer) Over(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.limit.On && !l.limit.Until.IsZero() && !l.resumed && !now.Before(l.limit.Until.Add(limitMargin))
}

// Resume notes that something is typed after the end of the limit: what the program shows then
// counts.
func (l *LimitTimer) Resume() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.resumed = true
}
