package needs

import (
	"context"
	"fmt"
	"time"

	"parley"
	"parley/orchestrator/team"
)

// OwnEcho bounds how long after guidance was typed the terminal's output may still be that
// guidance being drawn.
const OwnEcho = 10 * time.Second

// Guardian steers stuck agents without being asked, once per time that an agent is stuck. Not
// safe for concurrent use.
type Guardian struct {
	operator *Service
	Given    map[*team.Member]Given
}

// NewGuardian returns one that has guided nobody yet.
func NewGuardian(operator *Service) *Guardian {
	return &Guardian{operator, map[*team.Member]Given{}}
}

// Given records the last guidance that an agent got.
type Given struct {
	MessageID string
	busy      time.Time // the start of the state that the agent was stuck in
}

// Guard steers the agents that are stuck.
func (g *Guardian) Guard(ctx context.Context) {
	for _, m := range g.operator.Roster.All() {
		if err := g.SteerIfStuck(ctx, m); err != nil && ctx.Err() == nil {
			g.operator.Log.Error("steer a stuck agent", "agent", m.Name, "error", err)
		}
	}
}

// SteerIfStuck steers an agent if it is stuck and has not been steered for that yet. It does
// nothing while communication is paused.
func (g *Guardian) SteerIfStuck(ctx context.Context, m *team.Member) error {
	since, stuck := g.operator.Agents.stuckSince(m)
	if !stuck || g.operator.Pause.Is() != nil {
		return nil
	}

	done, err := g.Steered(ctx, m, since)
	if err != nil || done {
		return err
	}

	from, err := g.operator.Roster.System(ctx)
	if err != nil {
		return err
	}

	text := fmt.Sprintf("Your terminal has shown nothing since %s. If a command hangs, stop it and try another way. "+
		"If you need a decision or help, send a message to %s.",
		since.In(time.Local).Format("15:04"), parley.OperatorName)

	// The key keeps a restarted daemon from repeating the guidance.
	key := fmt.Sprintf("stuck %s %d", m.ID, since.UnixNano())
	d, err := guidance([]*team.Member{m}, parley.GuidanceStuck, text, key)
	if err != nil {
		return err
	}

	busy := m.Agent().Since
	stored, err := g.operator.Admission.Admit(ctx, from, d)
	if err != nil {
		return err
	}

	g.Given[m] = Given{stored.Message.ID, busy}

	return nil
}

// Steered reports whether guidance is on its way to the agent, or has reached it since it got
// stuck: the agent has done nothing since then but draw that guidance.
func (g *Guardian) Steered(ctx context.Context, m *team.Member, since time.Time) (bool, error) {
	last, ok := g.Given[m]
	if !ok {
		return false, nil
	}

	_, deliveries, err := g.operator.Store.Messages.Message(ctx, last.MessageID)
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

	drawn := d.Steps[len(d.Steps)-1].At.Add(OwnEcho)

	return m.Agent().Since.Equal(last.busy) && !since.After(drawn), nil
}
