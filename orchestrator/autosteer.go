package orchestrator

import (
	"context"
	"fmt"
	"time"

	"parley"
	"parley/orchestrator/team"
)

// ownEcho bounds how long after guidance was typed the terminal's output may still be that
// guidance being drawn.
const ownEcho = 10 * time.Second

// guardian steers stuck agents without being asked, once per time that an agent is stuck. Not
// safe for concurrent use.
type guardian struct {
	operator *operatorService
	given    map[*team.Member]given
}

func newGuardian(operator *operatorService) *guardian {
	return &guardian{operator, map[*team.Member]given{}}
}

// given records the last guidance that an agent got.
type given struct {
	messageID string
	busy      time.Time // the start of the state that the agent was stuck in
}

// guard steers the agents that are stuck.
func (g *guardian) guard(ctx context.Context) {
	for _, m := range g.operator.roster.All() {
		if err := g.steerIfStuck(ctx, m); err != nil && ctx.Err() == nil {
			g.operator.log.Error("steer a stuck agent", "agent", m.Name, "error", err)
		}
	}
}

// steerIfStuck steers an agent if it is stuck and has not been steered for that yet. It does
// nothing while communication is paused.
func (g *guardian) steerIfStuck(ctx context.Context, m *team.Member) error {
	since, stuck := g.operator.agents.stuckSince(m)
	if !stuck || g.operator.pause.is() != nil {
		return nil
	}

	done, err := g.steered(ctx, m, since)
	if err != nil || done {
		return err
	}

	from, err := g.operator.roster.System(ctx)
	if err != nil {
		return err
	}

	text := fmt.Sprintf("Your terminal has shown nothing since %s. If a command hangs, stop it and try another way. "+
		"If you need a decision or help, send a message to %s.",
		since.In(time.Local).Format("15:04"), parley.OperatorName)

	// The key keeps a restarted daemon from repeating the guidance.
	d, err := guidance(m, parley.GuidanceStuck, text, fmt.Sprintf("stuck %s %d", m.ID, since.UnixNano()))
	if err != nil {
		return err
	}

	busy := m.Agent().Since
	stored, err := g.operator.admission.admit(ctx, from, d)
	if err != nil {
		return err
	}

	g.given[m] = given{stored.Message.ID, busy}

	return nil
}

// steered reports whether guidance is on its way to the agent, or has reached it since it got
// stuck: the agent has done nothing since then but draw that guidance.
func (g *guardian) steered(ctx context.Context, m *team.Member, since time.Time) (bool, error) {
	last, ok := g.given[m]
	if !ok {
		return false, nil
	}

	_, deliveries, err := g.operator.store.Message(ctx, last.messageID)
	if parley.ErrorCode(err) == parley.MessageNotFound { // removed as old, so it is long past
		return false, nil
	}
	if err != nil {
		return false, err
	}

	d := deliveries[0]
	if !d.State.Settled() {
		return true, nil
	}

	drawn := d.Steps[len(d.Steps)-1].At.Add(ownEcho)

	return m.Agent().Since.Equal(last.busy) && !since.After(drawn), nil
}
