package terminal

import (
	"context"
	"errors"

	"parley"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/store"
)

// firstPrompt stores the first prompt of a launch, if it can be the program's argument. Until end, the member's courier
// leaves it alone. The caller holds m.Changing.
func (la *launcher) firstPrompt(
	ctx context.Context, m *team.Member, p *profile.Profile, l *launch,
) (first Prompt, end func()) {
	if l.prompt == "" || l.begin.resumed || la.ts.opts.Prompt == nil || !p.TakesPrompt(l.Argv) {
		return Prompt{}, func() {}
	}

	m.Typing.Lock()
	first = la.ts.opts.Prompt(ctx, m, p, l.prompt)
	return first, func() {
		m.Started.Store(true) // also after an error, which may be that of a claim
		m.Typing.Unlock()
		m.Wake()
	}
}

// unsaid records what became of the first prompt of a launch that failed. full is nil if it failed before the start.
func (la *launcher) unsaid(ctx context.Context, first Prompt, full *launch) error {
	if first.Text == "" {
		return nil
	}

	fate := store.Change{State: parley.DeliveryFailed, Code: parley.EndedTerminated}
	if full != nil && full.ran {
		fate = store.Change{State: parley.DeliveryUnconfirmed, Code: parley.EndedArgumentSilent}
	}
	fate.Reason = fate.Code.Words("its launch failed")
	err := la.ts.store.Deliveries.Advance(ctx, first.Key, fate)
	if errors.Is(err, store.ErrStale) {
		return nil
	}
	return err
}
