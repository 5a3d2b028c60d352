package admission

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// Pause holds whether communication is paused. The database holds it too.
type Pause struct {
	now atomic.Pointer[parley.Pause] // nil: not paused

	changing sync.Mutex

	mu   sync.Mutex
	over chan struct{} // closed when the pause ends; nil: nobody waits
}

// Is returns the current pause, or nil if communication is not paused.
func (p *Pause) Is() *parley.Pause { return p.now.Load() }

// LoadPause returns the pause left by the previous daemon.
func LoadPause(ctx context.Context, s *store.Store) (*Pause, error) {
	stored, err := s.Workspace.Pause(ctx)
	p := &Pause{}
	p.now.Store(stored)
	return p, err
}

// Change pauses communication in the name of a member, or lets it go on: in the database first, and then here, in the
// order of all hosts. Pausing again keeps the start of the first pause.
func (p *Pause) Change(
	ctx context.Context, s *store.Store, by *team.Member, req parley.PauseCommunicationRequest, now time.Time,
) error {
	p.changing.Lock()
	defer p.changing.Unlock()

	var next *parley.Pause
	before := p.Is()
	if req.Paused {
		next = &parley.Pause{By: by.Name, Since: now, Reason: plain.CleanLabel(req.Reason)}
		if before != nil {
			next.Since = before.Since
		}
	}

	if before == nil && next == nil || before != nil && next != nil && *before == *next {
		return nil
	}
	return s.Workspace.SetPause(ctx, by.ID, next, func() { p.Set(next) })
}

// Set takes over a change that is in the database.
func (p *Pause) Set(next *parley.Pause) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now.Store(next); next == nil && p.over != nil {
		close(p.over)
		p.over = nil
	}
}

// ends returns a channel that is closed when the pause ends, or nil if communication is not
// paused.
func (p *Pause) ends() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now.Load() == nil {
		return nil
	}
	if p.over == nil {
		p.over = make(chan struct{})
	}
	return p.over
}

// Awaited reports whether somebody waits for the end of the pause.
func (p *Pause) Awaited() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over != nil
}

// WaitResumed blocks until communication is not paused, or ctx is done.
func (p *Pause) WaitResumed(ctx context.Context) error {
	for {
		over := p.ends()
		if over == nil {
			return ctx.Err()
		}
		select {
		case <-over:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// RefusePaused returns COMMUNICATION_DISABLED while communication is paused.
func (p *Pause) RefusePaused() error {
	now := p.Is()
	if now == nil {
		return nil
	}
	return parley.Errorf(parley.CommunicationDisabled, "%s", now.Words()).
		With("paused_by", now.By).With("since", now.Since).
		Suggest("Nothing was sent. Reading still works; send again when messages go on " +
			"(parley resume, or pause_communication with paused false).")
}
