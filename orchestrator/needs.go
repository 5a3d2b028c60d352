package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"parley"
	"parley/orchestrator/answer"
	"parley/orchestrator/meter"
	"parley/orchestrator/overlap"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/orchestrator/trial"
	"parley/plain"
	"parley/store"
)

// operatorService does what only the operator may: needs, explanations, retries, guidance,
// the pause, and export. Its methods do not check the caller's rights: package op does.
type operatorService struct {
	*elsewhere
	admission  *admission
	store      *store.Store
	roster     *team.Roster
	talk       *talk.Talk
	responders *answer.Responders
	terminals  *terminal.Terminals
	meter      *meter.Meter
	overlaps   *overlap.Watcher
	programs   *trial.Programs
	pause      *pause
	reminders  *reminders
	losses     *losses
	agents     *agentNeeds
	opts       *Options
	now        func() time.Time
	log        *slog.Logger
}

// GetNeeds does op.GetNeeds.
func (ops *operatorService) GetNeeds(ctx context.Context, req parley.GetNeedsRequest) (*parley.GetNeedsResult, error) {
	res := &parley.GetNeedsResult{Answer: parley.OK}
	var err error
	if req.Dismiss != "" {
		if res.Dismissed, err = ops.dismiss(ctx, req.Dismiss); err != nil {
			return nil, err
		}
	}
	if res.Needs, err = ops.needs(ctx); err != nil {
		return nil, err
	}
	ops.agents.addScreens(ctx, res.Needs)
	if err := ops.offer(ctx, res.Needs); err != nil {
		return nil, err
	}
	res.Matters = parley.RootsAt(res.Needs)
	return res, nil
}

// needs returns everything that wants the operator, the most pressing first and the oldest first among equals, and
// then what is between agents. It is computed afresh on each call.
func (ops *operatorService) needs(ctx context.Context) ([]parley.Need, error) {
	needs := []parley.Need{} // an array, also without any
	for _, of := range []func(context.Context) ([]parley.Need, error){
		ops.storageNeeds, ops.needsOfAgents, ops.unconfirmedNeeds, ops.losses.needs, ops.talkNeeds, ops.overdueNeeds,
		ops.owedAnswers, ops.responders.Needs,
	} {
		some, err := of(ctx)
		if err != nil {
			return nil, err
		}
		needs = append(needs, some...)
	}
	needs = append(needs, slices.Concat(ops.startNeeds(), ops.systemNeeds(), ops.meter.Needs(), ops.overlaps.Needs(),
		ops.programs.Needs(), ops.notifierNeeds())...)

	slices.SortStableFunc(needs, func(a, b parley.Need) int {
		switch {
		case a.Between && !b.Between:
			return 1
		case b.Between && !a.Between:
			return -1
		}
		_, first := parley.NeedRowOf(a.Kind)
		_, second := parley.NeedRowOf(b.Kind)
		return cmp.Or(first-second, a.Since.Compare(b.Since))
	})

	return needs, nil
}

// offer adds what can be done about needs.
func (ops *operatorService) offer(ctx context.Context, needs []parley.Need) error {
	var counts map[string]store.AgentCounts
	for i := range needs {
		n := &needs[i]
		if n.Kind == parley.NeedDraft && counts == nil {
			var err error
			if counts, err = ops.store.Counts(ctx); err != nil {
				return err
			}
		}
		if n.Kind == parley.NeedDraft {
			n.Held = counts[n.AgentID].HeldID
		}
		n.Offer()
	}
	return nil
}

// needsOfAgents returns what agents want, such as an answer to a dialog.
func (ops *operatorService) needsOfAgents(ctx context.Context) ([]parley.Need, error) {
	queued, err := ops.store.Queued(ctx)
	if err != nil {
		return nil, err
	}
	return ops.agents.all(queued), nil
}

func (ops *operatorService) unconfirmedNeeds(ctx context.Context) (needs []parley.Need, err error) {
	unconfirmed, err := ops.store.Unconfirmed(ctx)
	for _, item := range unconfirmed {
		needs = append(needs, unconfirmedNeed(fillInItem(ops.roster, item)))
	}
	return needs, err
}

// talkNeeds returns the needs of conversations that parley holds back.
func (ops *operatorService) talkNeeds(ctx context.Context) ([]parley.Need, error) {
	held, err := ops.store.Withheld(ctx, talk.MaxHolds)
	if err != nil {
		return nil, err
	}
	return ops.talk.Needs(ctx, held)
}

func (ops *operatorService) overdueNeeds(ctx context.Context) (needs []parley.Need, err error) {
	overdue, err := ops.store.Overdue(ctx)
	now := ops.now()
	for _, w := range overdue {
		needs = append(needs, ops.reminders.overdueNeed(w, now))
	}
	return needs, err
}

// owedAnswers returns the needs of idle agents that owe an answer.
func (ops *operatorService) owedAnswers(ctx context.Context) (needs []parley.Need, err error) {
	now := ops.now()
	owed, err := ops.store.Owed(ctx, now.Add(-owesWithin), now.Add(-ops.opts.Settings.OwesAfter))
	if err != nil {
		return nil, err
	}

	for _, item := range owed {
		m := ops.roster.ByID(item.Delivery.RecipientID)
		if m.Kind != parley.KindHuman && m.Responder() == nil && m.Agent().State == parley.StateIdle {
			need := owesNeed(fillInItem(ops.roster, item), now)
			need.Between = isAgent(ops.roster, item.Message.SenderID)
			needs = append(needs, need)
		}
	}

	return needs, nil
}

func unconfirmedNeed(item store.InboxItem) parley.Need {
	d, short := item.Delivery, parley.Short(item.Message.ID)
	n := parley.Need{
		Kind:      parley.NeedUnconfirmed,
		AgentID:   d.RecipientID,
		Agent:     d.Recipient,
		MessageID: item.Message.ID,
		Since:     item.Message.Timestamp,
		Command:   "parley explain " + short,
		Text: fmt.Sprintf("whether message %s from %s arrived is not known: %s",
			short, item.Message.Sender, d.Reason),
		Action: fmt.Sprintf(
			"If it arrived: parley needs --dismiss %s. If not: parley retry %s --to %s.", short, short, d.Recipient,
		),
	}

	if d.ReasonCode == parley.EndedStanding || d.ReasonCode == parley.EndedUndone {
		n.Command = "parley attach " + d.Recipient
		n.Action = fmt.Sprintf("Press Enter there, or let parley press it: parley retry %s --to %s.",
			short, d.Recipient)
	}

	if d.ReasonCode == parley.EndedRefused {
		n.Text = fmt.Sprintf("message %s from %s was %s", short, item.Message.Sender, d.Reason)
		n.Action = fmt.Sprintf("When that has passed: parley retry %s --to %s. "+
			"Or let it go: parley needs --dismiss %s.", short, d.Recipient, short)
	}

	if len(d.Steps) > 0 {
		n.Since = d.Steps[len(d.Steps)-1].At
	}

	return n
}

func owesNeed(item store.InboxItem, now time.Time) parley.Need {
	d, msg, short := item.Delivery, item.Message, parley.Short(item.Message.ID)
	since := store.Arrived(d)
	quoted := plain.Truncate(plain.CleanLine(msg.Text), parley.PreviewLength)

	return parley.Need{
		Kind:      parley.NeedOwesAnswer,
		AgentID:   d.RecipientID,
		Agent:     d.Recipient,
		MessageID: msg.ID,
		Since:     since,
		Text: fmt.Sprintf("idle, and owes %s an answer to message %s, which it has had for %s: “%s”",
			msg.Sender, short, plain.FormatDuration(now.Sub(since)), quoted),
		Command: fmt.Sprintf(
			"parley steer %s --kind REMINDER \"please answer message %s from %s\"", d.Recipient, short, msg.Sender,
		),
		Action: fmt.Sprintf("Remind it, or let it be with parley needs --dismiss %s.", short),
	}
}
