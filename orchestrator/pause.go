package orchestrator

import (
	"context"
	"sync"
	"sync/atomic"

	"parley"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// pause holds whether communication is paused. The database holds it too.
type pause struct {
	now atomic.Pointer[parley.Pause] // nil: not paused

	changing sync.Mutex

	mu   sync.Mutex
	over chan struct{} // closed when the pause ends; nil: nobody waits
}

// is returns the current pause, or nil if communication is not paused.
func (p *pause) is() *parley.Pause { return p.now.Load() }

// loadPause returns the pause left by the previous daemon.
func loadPause(ctx context.Context, s *store.Store) (*pause, error) {
	stored, err := s.Pause(ctx)
	p := &pause{}
	p.now.Store(stored)
	return p, err
}

// PauseCommunication does op.PauseCommunication. A message
// that is being typed is finished. Pausing again keeps the start of the first pause.
func (ops *operatorService) PauseCommunication(
	ctx context.Context, req parley.PauseCommunicationRequest,
) (*parley.PauseCommunicationResult, error) {
	by, err := ops.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := ops.setPause(ctx, by, req); err != nil {
		return nil, err
	}

	for _, m := range ops.roster.All() {
		m.Wake() // the reason that its messages wait has changed
	}

	counts, err := ops.store.DeliveryCounts(ctx)
	if err != nil {
		return nil, err
	}

	res := &parley.PauseCommunicationResult{Answer: parley.OK, Paused: ops.pause.is(), Message: "Messages go on."}
	for _, state := range []parley.DeliveryState{parley.DeliveryQueued, parley.DeliveryHeld, parley.DeliveryTyping} {
		res.Waiting += counts[string(state)]
	}

	if res.Paused != nil {
		res.Message = "Communication is paused: messages are refused, deliveries wait."
	}

	return res, nil
}

// setPause stores a change in the database first and then applies it, in the order of all hosts.
func (ops *operatorService) setPause(ctx context.Context, by *team.Member, req parley.PauseCommunicationRequest) error {
	ops.pause.changing.Lock()
	defer ops.pause.changing.Unlock()

	var next *parley.Pause
	before := ops.pause.is()
	if req.Paused {
		next = &parley.Pause{By: by.Name, Since: ops.now(), Reason: plain.CleanLabel(req.Reason)}
		if before != nil {
			next.Since = before.Since
		}
	}

	if before == nil && next == nil || before != nil && next != nil && *before == *next {
		return nil
	}
	return ops.store.SetPause(ctx, by.ID, next, func() { ops.pause.set(next) })
}

func (p *pause) set(next *parley.Pause) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now.Store(next); next == nil && p.over != nil {
		close(p.over)
		p.over = nil
	}
}

// ends returns a channel that is closed when the pause ends, or nil if communication is not
// paused.
func (p *pause) ends() <-chan struct{} {
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

// WaitResumed blocks until communication is not paused, or ctx is done.
func (p *pause) WaitResumed(ctx context.Context) error {
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
func (p *pause) RefusePaused() error {
	now := p.is()
	if now == nil {
		return nil
	}
	return parley.Errorf(parley.CommunicationDisabled, "%s", now.Words()).
		With("paused_by", now.By).With("since", now.Since).
		Suggest("Nothing was sent. Reading still works; send again when messages go on " +
			"(parley resume, or pause_communication with paused false).")
}
