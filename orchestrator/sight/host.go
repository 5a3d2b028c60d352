package sight

import (
	"time"

	"parley/orchestrator/team"
	"parley/tmux"
)

// Host tells how programs read their terminals.
type Host interface {
	Unread(t *team.Terminal) (int, error)
	Canonical(t *team.Terminal) (bool, error)
	Echo(t *team.Terminal) (bool, error)
	// Reader returns who reads a terminal. One that was started after since may be missed.
	Reader(t *team.Terminal, since time.Time) (tmux.Reader, error)
}

// Machine is this one.
type Machine struct{ processes *tmux.Processes }

// NewMachine returns it.
func NewMachine() Machine { return Machine{processes: &tmux.Processes{}} }

// Unread returns how many bytes wait in a terminal.
func (Machine) Unread(t *team.Terminal) (int, error) { return tmux.Unread(t.TTY) }

// Canonical reports whether a terminal is read by lines, Echo whether it shows what is typed.
func (Machine) Canonical(t *team.Terminal) (bool, error) { return tmux.Canonical(t.TTY) }
func (Machine) Echo(t *team.Terminal) (bool, error)      { return tmux.Echo(t.TTY) }

// Alive reports whether the program runs. Where it is not known when that was born, any process of its pid counts.
func (Machine) Alive(t *team.Terminal) bool {
	if t.Born == "" {
		return tmux.Alive(t.PID)
	}
	return tmux.StillAlive(t.PID, t.Born)
}

// TTYMode is how a terminal is read: by lines, or byte by byte.
type TTYMode struct{ Canonical, Known bool }

// TTYModeOf returns how a terminal is read now.
func TTYModeOf(h Host, t *team.Terminal) TTYMode {
	canonical, err := h.Canonical(t)
	return TTYMode{canonical, err == nil}
}

// Unread returns how many bytes wait in a terminal for its program, 0 if that is unknown.
func Unread(t *team.Terminal) int {
	n, err := NewMachine().Unread(t)
	if err != nil {
		return 0
	}
	return n
}
