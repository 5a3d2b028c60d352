// Package needs tells what needs the operator, and does what they decide: explain, retry, steer, pause. It tells
// them by notices while they are away.
package needs

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"parley"
	"parley/orchestrator/admission"
	"parley/orchestrator/answer"
	"parley/orchestrator/meter"
	"parley/orchestrator/overlap"
	"parley/orchestrator/relay"
	"parley/orchestrator/settings"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/orchestrator/trial"
	"parley/plain"
	"parley/store"
)

// Service does what only the operator may: needs, explanations, retries, guidance,
// the pause, and export. Its methods do not check the caller's rights: package op does.
type Service struct {
	*relay.Elsewhere
	Admission  *admission.Admission
	Store      *store.Store
	Roster     *team.Roster
	Talk       *talk.Talk
	Responders *answer.Responders
	Terminals  *terminal.Terminals
	Meter      *meter.Meter
	Overlaps   *overlap.Watcher
	Plans      interface{ Needs() []parley.Need } // of schedules
	Programs   *trial.Programs
	Pause      *admission.Pause
	Reminders  *Reminders
	Losses     *Undelivered
	Agents     *AgentNeeds
	Settings   *settings.Settings
	Away       *Away
	System     *System
	Now        func() time.Time
	Log        *slog.Logger
}

func (ops *Service) GetNeeds(ctx context.Context, req parley.GetNeedsRequest) (*parley.GetNeedsResult, error) {
	res := &parley.GetNeedsResult{Answer: parley.OK}
	var err error
	if req.Dismiss != "" {
		if res.Dismissed, err = ops.dismiss(ctx, req.Dismiss); err != nil {
			return nil, err
		}
	}
	if res.Needs, err = ops.All(ctx); err != nil {
		return nil, err
	}
	ops.Agents.addScreens(ctx, res.Needs)
	res.Matters = parley.RootsAt(res.Needs)
	return res, nil
}

// All returns everything that wants the operator, the most pressing first and the oldest first among equals, and
// then what is between agents. It is computed afresh on each call.
func (ops *Service) All(ctx context.Context) ([]parley.Need, error) {
	needs := []parley.Need{} // an array, also without any
	for _, of := range []func(context.Context) ([]parley.Need, error){
		ops.storageNeeds, ops.needsOfAgents, ops.unconfirmedNeeds, ops.Losses.needs, ops.talkNeeds, ops.overdueNeeds,
		ops.owedAnswers, ops.Responders.Needs,
	} {
		some, err := of(ctx)
		if err != nil {
			return nil, err
		}
		needs = append(needs, some...)
	}
	needs = append(needs, slices.Concat(ops.System.startNeeds(), ops.System.needs(), ops.Meter.Needs(),
		ops.Overlaps.Needs(), ops.Plans.Needs(),
		ops.Programs.Needs(), ops.notifierNeeds())...)

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

	return needs, ops.offer(ctx, needs)
}

// offer adds what can be done about needs.
func (ops *Service) offer(ctx context.Context, needs []parley.Need) error {
	parley.Gather(needs)
	var counts map[string]store.AgentCounts
	for i := range needs {
		n := &needs[i]
		if n.Kind == parley.NeedDraft && counts == nil {
			var err error
			if counts, err = ops.Store.Inbox.Counts(ctx); err != nil {
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
func (ops *Service) needsOfAgents(ctx context.Context) ([]parley.Need, error) {
	queued, err := ops.Store.Needs.Queued(ctx)
	if err != nil {
		return nil, err
	}
	return ops.Agents.all(queued), nil
}

func (ops *Service) unconfirmedNeeds(ctx context.Context) (needs []parley.Need, err error) {
	unconfirmed, err := ops.Store.Needs.Unconfirmed(ctx)
	for _, item := range unconfirmed {
		needs = append(needs, unconfirmedNeed(fillInItem(ops.Roster, item)))
	}
	return needs, err
}

// talkNeeds returns the needs of conversations that parley holds back.
func (ops *Service) talkNeeds(ctx context.Context) ([]parley.Need, error) {
	held, err := ops.Store.Holds.Withheld(ctx, talk.MaxHolds)
	if err != nil {
		return nil, err
	}
	return ops.Talk.Needs(ctx, held)
}

func (ops *Service) overdueNeeds(ctx context.Context) (needs []parley.Need, err error) {
	overdue, err := ops.Store.Debts.Overdue(ctx)
	now := ops.Now()
	for _, w := range overdue {
		needs = append(needs, ops.Reminders.overdueNeed(w, now))
	}
	return needs, err
}

// owedAnswers returns the needs of idle agents that owe an answer.
func (ops *Service) owedAnswers(ctx context.Context) (needs []parley.Need, err error) {
	now := ops.Now()
	owed, err := ops.Store.Needs.Owed(ctx, now.Add(-owesWithin), now.Add(-ops.Settings.OwesAfter))
	if err != nil {
		return nil, err
	}

	for _, item := range owed {
		m := ops.Roster.ByID(item.Delivery.RecipientID)
		if m.Kind != parley.KindHuman && m.Responder() == nil && m.Agent().State == parley.StateIdle {
			need := owesNeed(fillInItem(ops.Roster, item), now)
			need.Between = isAgent(ops.Roster, item.Message.SenderID)
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
		Action:    "See whether it arrived: nothing proves that.",
		Text: fmt.Sprintf("whether message %s from %s arrived is not known: %s",
			short, item.Message.Sender, d.Reason),
	}

	if d.ReasonCode.Stands() {
		n.Command = "parley attach " + d.Recipient
		n.Action = "Press Enter there, or let parley press it: retype does that."
	}

	if d.ReasonCode == parley.EndedRefused {
		n.Text = fmt.Sprintf("message %s from %s was %s", short, item.Message.Sender, d.Reason)
		n.Action = "Type it again when that has passed, or let it go."
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
		Action: "Remind it, or let it be.",
	}
}

// fillInItem fills in the names of a message and its recipient.
func fillInItem(roster *team.Roster, item store.InboxItem) store.InboxItem {
	roster.Names.FillIn(&item.Message)
	item.Delivery.Recipient = roster.ByID(item.Delivery.RecipientID).Name
	return item
}

// isAgent reports whether an id is that of a program, and not of a person or of parley.
func isAgent(roster *team.Roster, id string) bool {
	m := roster.ByID(id)
	return m != nil && m.Kind != parley.KindHuman && m.Kind != parley.KindSystem
}

func (ops *Service) ExportMessages(
	ctx context.Context, req parley.ExportMessagesRequest,
) (*parley.ExportMessagesResult, error) {
	q := store.ExportQuery{After: req.After, Limit: cmp.Or(req.Limit, 100)}
	if req.Since != nil {
		q.Since = *req.Since
	}

	res := &parley.ExportMessagesResult{Answer: parley.OK, Messages: []parley.ExportedMessage{}}
	for i, ref := range req.Between {
		m, err := ops.Roster.Find(ref)
		if err != nil {
			return nil, err
		}
		res.Between = append(res.Between, m.Name)
		*[]*string{&q.A, &q.B}[i] = m.ID
	}

	if q.A != "" && q.A == q.B {
		return nil, parley.Errorf(parley.InvalidRecipient, "both are %s", res.Between[0]).
			Suggest("Name two who talked to each other.")
	}

	if req.ThreadID != "" {
		th, err := ops.Store.Threads.Thread(ctx, req.ThreadID)
		if err != nil {
			return nil, err
		}
		th = ops.Roster.Names.FillInThread(th)
		q.ThreadID, res.Thread = th.ID, &th
	}

	page, err := ops.Store.Messages.Export(ctx, q)
	if err != nil {
		return nil, err
	}

	for _, m := range page.Messages {
		ops.Roster.Names.FillIn(&m.Message)
		ops.Roster.Names.FillInDeliveries(m.Deliveries)
		res.Messages = append(res.Messages, m)
	}

	res.Next, res.HasMore, res.TotalCount = page.Next, page.HasMore, page.Total

	return res, nil
}
