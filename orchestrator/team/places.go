package team

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"parley/program/profile"
	"parley/store"
)

// Places are which programs take messages, and where, as the operator said. A program without a profile gets none
// before that. The zero place stands for the program itself; others are where it seems to ask something, and takes
// messages all the same. They are kept in the database, for this host alone. Safe for concurrent use.
type Places struct {
	keep func(ctx context.Context, p store.Place) error
	drop func(ctx context.Context, program string) error

	mu    sync.RWMutex
	known map[store.Place]bool
}

// LoadPlaces reads them.
func LoadPlaces(ctx context.Context, s *store.Store) (*Places, error) {
	kept, err := s.Workspace.Places(ctx)
	if err != nil {
		return nil, err
	}
	p := NewPlaces(s.Workspace.AddPlace, kept...)
	p.drop = s.Workspace.ForgetPlaces
	return p, nil
}

// NewPlaces returns the places that are known, and keeps others with keep.
func NewPlaces(keep func(ctx context.Context, p store.Place) error, known ...store.Place) *Places {
	p := &Places{keep: keep, known: map[store.Place]bool{}}
	for _, place := range known {
		p.known[place] = true
	}
	return p
}

// Add keeps that a program takes messages at a place.
func (p *Places) Add(ctx context.Context, program string, at profile.Place) error {
	place := store.Place{Program: program, Place: at.ID()}
	if err := p.keep(ctx, place); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known[place] = true
	return nil
}

// Forget takes back all that the operator has said of a program. It returns how many places those are.
func (p *Places) Forget(ctx context.Context, program string) (n int, err error) {
	if p.drop != nil {
		if err := p.drop(ctx, program); err != nil {
			return 0, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n = len(p.known)
	maps.DeleteFunc(p.known, func(at store.Place, _ bool) bool { return at.Program == program })
	return n - len(p.known), nil
}

// Has reports whether the operator has said that a program takes messages at a place. nil has none.
func (p *Places) Has(program string, at profile.Place) bool {
	if p == nil {
		return false
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.known[store.Place{Program: program, Place: at.ID()}]
}

// seen is what was seen of a terminal's input. Safe for concurrent use.
type seen struct {
	sign atomic.Pointer[string] // where its program has taken the last message
	said atomic.Pointer[string] // the name of its program, if its launch by the operator says that it takes messages
	keys atomic.Int64           // when a person last typed from elsewhere, in nanoseconds since 1970; 0: never
}

// NoteKeys notes that a person types into the terminal now without being attached to it.
func (t *Terminal) NoteKeys(now time.Time) { t.seen.keys.Store(now.UnixNano()) }

// Keyed returns when a person last typed into the terminal without being attached to it; zero if never.
func (t *Terminal) Keyed() time.Time {
	if at := t.seen.keys.Load(); at != 0 {
		return time.Unix(0, at)
	}
	return time.Time{}
}

// NoteTaken notes that the program has taken a message at a place, or is to take them there.
func (t *Terminal) NoteTaken(at profile.Place) {
	id := at.ID()
	t.seen.sign.Store(&id)
}

// HasMoved reports whether messages were taken elsewhere before: behind another sign, another program may read them.
func (t *Terminal) HasMoved(at profile.Place) bool {
	id := t.seen.sign.Load()
	return id != nil && *id != at.ID()
}
