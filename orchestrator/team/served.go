package team

import (
	"sync"
	"time"
)

// Served says whether an agent's program takes what it reports: one that is signed out refuses what it has reported.
// Safe for concurrent use.
type Served struct {
	mu   sync.Mutex
	last *Terminal // that the program had; nil: this daemon never knew one
	left time.Time // when it had none any more; zero: it has one
	on   *Terminal // in which it has had a turn, and has refused nothing since; nil: in none
	at   time.Time // when that was known

	refuses bool // last is nil, and a program of its kind refuses what it reports while it is signed out
}

// runs notes the terminal that the program has now, nil if it has none.
func (s *Served) runs(t *Terminal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t == nil {
		s.left = time.Now()
		return
	}
	s.last, s.left = t, time.Time{}
}

// Gone notes a program that was gone when this daemon began: whether one of its kind refuses what it has reported.
func (s *Served) Gone(refuses bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuses = refuses
}

// Note notes the terminal in which the program has had a turn, and has refused nothing since; nil: in none.
func (s *Served) Note(t *Terminal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.on != t {
		s.on, s.at = t, time.Now()
	}
}

// MayRefuse reports whether the program may have refused a message that it has reported at a time.
func (s *Served) MayRefuse(reported time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		return s.refuses
	}
	unknown := !s.left.IsZero() && reported.After(s.left) // a program that this daemon does not know yet
	return s.last.Profile.RefusesWithin > 0 && (s.on != s.last || reported.Before(s.at) || unknown)
}
