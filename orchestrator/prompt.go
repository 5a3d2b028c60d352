package orchestrator

import (
	"context"

	"parley"
	"parley/orchestrator/agents"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/program/profile"
)

// beckon has hooks in the turn of an agent's program ask for a message, or no longer.
func (o *Orchestrator) beckon(agentID string, up bool) {
	if o.opts.Boundary.Sockets == nil {
		return
	}
	if err := o.opts.Boundary.Sockets.Beckon(agentID, up); err != nil {
		o.log.Warn("Hooks do not know whether an urgent message waits", "agent", agentID, "error", err)
	}
}

// firstPrompt stores the first prompt of a launch as a message of the caller's, and claims it for the argument of the
// program. It stays to be typed where it is to be, something holds it, or waits before it. What cannot be stored now is
// sent, or refused, once the program runs.
func (o *Orchestrator) firstPrompt(
	ctx context.Context, m *team.Member, p *profile.Profile, text terminal.First, argument bool,
) (first terminal.Prompt) {
	ahead := text.Key != ""
	sent, err := o.services.messages.SendMessage(ctx, parley.SendMessageRequest{
		To: parley.Names{m.ID}, Text: text.Text, Type: agents.PromptType(ctx), IdempotencyKey: text.Key, Urgent: ahead,
		ContextReference: text.About,
	})
	if err != nil {
		return first
	}
	if first.MessageID = sent.MessageID; !argument {
		return first
	}

	jobs, err := o.store.Deliveries.Pending(ctx, m.ID, 1)
	if ahead {
		jobs, err = o.store.Deliveries.PendingAmong(ctx, m.ID, []string{sent.MessageID})
	}
	held := o.rooms.pause.Is() != nil || o.rooms.meter.Hold(m.ID) != "" || o.store.Hosts.LeaseOver()
	if err != nil || held || len(jobs) == 0 || jobs[0].Message.ID != sent.MessageID {
		return first
	}

	job := &jobs[0]
	text.Text = o.rooms.couriers.Argument(m, p, &job.Message)
	if text.Text == "" || o.store.Deliveries.ClaimArgument(ctx, job.Key) != nil {
		return first
	}
	first.Text, first.Mark, first.Key = text.Text, job.Message.Mark(), job.Key
	return first
}
