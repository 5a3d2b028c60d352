package client_test

import (
	"context"
	"slices"
	"strings"
	"time"

	"parley"
)

// require sets by when a letter must be answered.
func (l *letter) require(required bool, at *time.Time) error {
	if !required && at == nil {
		return nil
	}
	due := time.Now().Add(30 * time.Minute)
	if at != nil {
		due = *at
	}
	if ahead := time.Until(due); ahead <= 0 || ahead > 366*24*time.Hour {
		return parley.Errorf(parley.InvalidArgument, "the deadline is out of reach").Suggest("Give a time to come.")
	}
	l.RequiresResponse, l.ResponseDeadline = true, &due
	return nil
}

func (l *letter) owe(a *parley.Agent) {
	if l.RequiresResponse && a.State != parley.StateTerminated {
		l.debts = append(
			l.debts,
			&parley.Debt{
				MessageID: l.ID,
				DebtorID:  a.ID,
				Debtor:    a.Name,
				State:     parley.ResponseOpen,
				DueAt:     *l.ResponseDeadline,
			},
		)
	}
}

func (l *letter) debt(id string) *parley.Debt {
	i := slices.IndexFunc(l.debts, func(d *parley.Debt) bool { return d.DebtorID == id })
	if i < 0 {
		return nil
	}
	return l.debts[i]
}

func (l *letter) responses() []parley.Debt {
	var list []parley.Debt
	for _, d := range l.debts {
		list = append(list, *d)
	}
	slices.SortFunc(list, func(a, b parley.Debt) int { return strings.Compare(a.Debtor, b.Debtor) })
	return list
}

func (m *memory) owed(id string) (all, late int) {
	for _, l := range m.messages {
		if d := l.debt(id); d != nil && d.State.Owed() {
			all++
			if time.Now().After(d.DueAt) {
				late++
			}
		}
	}
	return all, late
}

// answeredWith notes that a reply goes to its sender.
func (l *letter) answeredWith(reply *letter, to []*parley.Agent) error {
	mine := slices.IndexFunc(l.deliveries, func(d *parley.Delivery) bool { return d.RecipientID == reply.SenderID })
	if mine < 0 || !slices.ContainsFunc(to, func(a *parley.Agent) bool { return a.ID == l.SenderID }) {
		return nil
	}

	now, debt := time.Now(), l.debt(reply.SenderID)
	owed := debt != nil && debt.State.Owed()
	late := owed && now.After(debt.DueAt)
	switch {
	case reply.ResponseStatus != "" && !owed:
		return parley.Errorf(parley.ResponseNotRequired, "no response is owed").Suggest("Leave status out.")
	case reply.ResponseStatus != "" && late:
		return parley.Errorf(parley.DeadlinePassed, "it is too late").Suggest("Leave status out.")
	}

	if owed {
		debt.State, debt.AnsweredBy, debt.AnsweredAt, debt.Late = reply.ResponseStatus, reply.ID, &now, late
		if debt.State == "" {
			debt.State = parley.ResponseCompleted
		}
	}

	if d := l.deliveries[mine]; d.AnsweredBy == "" {
		item{l, d}.mark()
		d.State, d.ReadAt, d.AnsweredAt, d.AnsweredBy = parley.DeliveryAnswered, &now, &now, reply.ID
		d.Steps = append(
			slices.Clone(d.Steps),
			parley.Step{State: parley.DeliveryAnswered, At: now, Evidence: "message " + reply.ID[:8]},
		)
	}

	return nil
}

func (m *memory) RespondToMessage(
	ctx context.Context,
	r parley.RespondToMessageRequest,
) (*parley.RespondToMessageResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	c, original := parley.CallerFrom(ctx), m.letter(r.MessageID)
	if original == nil || !c.Operator && !m.concerns(original, c.ID) {
		return nil, parley.Errorf(parley.MessageNotFound, "there is no such message").
			Suggest("check_inbox shows the ids.")
	}

	late := m.late(original.ID, c.ID)
	switch got := slices.Contains(original.Recipients, c.ID); {
	case got:
	case late && r.Status != "":
		return nil, parley.Errorf(parley.ResponseNotRequired, "no response is owed").Suggest("Leave status out.")
	case !late:
		return nil, parley.Errorf(parley.NotAuthorized, "it was not sent to you").Suggest("Use send_message.")
	}

	back, err := m.find(original.SenderID)
	if err != nil {
		return nil, err
	}

	others, err := m.recipients(c.ID, r.AdditionalRecipients)
	if err != nil {
		return nil, err
	}

	others = slices.DeleteFunc(others, func(a *parley.Agent) bool { return a == back })
	if r.Status == parley.ResponseDelegated && len(others) == 0 {
		return nil, parley.Errorf(parley.InvalidArgument, "it is delegated to nobody").Suggest("Name who is to answer.")
	}

	l, err := m.repeated(c.ID, r.IdempotencyKey, r)
	if err != nil {
		return nil, err
	}

	updated := l != nil
	if l == nil {
		debt := original.debt(c.ID)
		updated = debt != nil && debt.State.Owed() ||
			slices.ContainsFunc(original.deliveries, func(d *parley.Delivery) bool {
				return d.RecipientID == c.ID && d.AnsweredBy == ""
			})

		l = &letter{
			key: r.IdempotencyKey,
			Message: parley.Message{Kind: parley.KindDirect, Type: parley.TypeResponse, Priority: parley.PriorityNormal,
				SenderID: c.ID, Sender: c.Name, Text: r.Text, Data: r.Data, InReplyTo: original.ID, ResponseStatus: r.Status},
		}

		if d, _ := m.discussion(original.ThreadID); d != nil && original.Kind == parley.KindThread &&
			len(others) == 0 &&
			d.has(c.ID) {
			l.Kind = parley.KindThread
			l, err = m.post(d, l, parley.Event{Type: parley.EventThreadMessage}, c.ID)
		} else {
			l, err = m.admit(l, append([]*parley.Agent{back}, others...))
		}

		if err != nil {
			return nil, err
		}

		if r.Status == parley.ResponseDelegated {
			for _, a := range others {
				original.Recipients = append(original.Recipients, a.ID)
				original.deliveries = append(
					original.deliveries,
					&parley.Delivery{MessageID: original.ID, RecipientID: a.ID, Recipient: a.Name,
						ConversationID: parley.ConversationID(
							original.SenderID,
							a.ID,
						), State: parley.DeliverySubmitted},
				)

				original.owe(a)
			}
		}
	}

	return &parley.RespondToMessageResult{
		Answer:            parley.OK,
		ResponseMessageID: l.ID,
		MessageID:         l.ID,
		OriginalUpdated:   updated,
		Timestamp:         l.Timestamp,
		DeliveryStatus:    parley.SumUp(l.copies()),
	}, nil
}

func (m *memory) IgnoreMessage(
	ctx context.Context,
	r parley.IgnoreMessageRequest,
) (*parley.IgnoreMessageResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	for _, i := range m.inbox(parley.CallerFrom(ctx).ID) {
		if i.ID == r.MessageID {
			i.mark()
			i.letter.ignored = append(i.letter.ignored, i.RecipientID)
			return &parley.IgnoreMessageResult{Answer: parley.OK, Message: "Message marked as read"}, nil
		}
	}

	if m.late(r.MessageID, parley.CallerFrom(ctx).ID) {
		return &parley.IgnoreMessageResult{Answer: parley.OK, Message: "Message marked as read"}, nil
	}

	return nil, parley.Errorf(parley.MessageNotFound, "there is no such message").Suggest("check_inbox shows the ids.")
}

func (m *memory) BroadcastUpdate(
	ctx context.Context,
	r parley.BroadcastUpdateRequest,
) (*parley.BroadcastUpdateResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	c := parley.CallerFrom(ctx)
	if l, err := m.repeated(c.ID, r.IdempotencyKey, r); err != nil || l != nil {
		return l.update(), err
	}

	text := "update (" + r.UpdateType + "): " + r.Content.Summary
	if r.Content.Details != "" {
		text += "\n" + r.Content.Details + "\nImpact: " + r.Content.Impact
	}

	l := &letter{
		key: r.IdempotencyKey,
		Message: parley.Message{
			Kind:     parley.KindBroadcast,
			Type:     parley.TypeInformation,
			SenderID: c.ID,
			Sender:   c.Name,
			Text:     text,
			Priority: map[string]parley.Priority{"info": parley.PriorityNormal, "critical": parley.PriorityUrgent}[r.Urgency],
		},
	}
	if l.Priority == "" {
		l.Priority = parley.PriorityHigh
	}
	if err := l.require(r.Urgency == "action_required", nil); err != nil {
		return nil, err
	}

	l, err := m.admit(l, m.others(c.ID, ""))
	if err != nil {
		return nil, err
	}

	return l.update(), nil
}

func (l *letter) update() *parley.BroadcastUpdateResult {
	if l == nil {
		return nil
	}
	return &parley.BroadcastUpdateResult{
		Answer:         parley.OK,
		BroadcastID:    l.ID,
		Recipients:     l.Recipients,
		Timestamp:      l.Timestamp,
		DeliveryStatus: parley.SumUp(l.copies()),
	}
}

// RequestAssistance knows nobody's capabilities.
func (m *memory) RequestAssistance(
	ctx context.Context,
	r parley.RequestAssistanceRequest,
) (*parley.RequestAssistanceResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := parley.CallerFrom(ctx)
	return answered(
		m,
		c.ID,
		r.IdempotencyKey,
		r,
		func() (*parley.RequestAssistanceResult, error) { return m.request(c, r) },
	)
}

func (m *memory) request(c parley.Caller, r parley.RequestAssistanceRequest) (*parley.RequestAssistanceResult, error) {
	to, everyone := m.others(c.ID, ""), len(r.TargetAgents) == 0
	if !everyone {
		var err error
		if to, err = m.recipients(c.ID, r.TargetAgents); err != nil {
			return nil, err
		}
	}

	text := "request for " + r.AssistanceType + ": " + r.RequestDetails.Description
	if r.RequestDetails.Context != "" {
		text += "\nContext: " + r.RequestDetails.Context
	}

	l := &letter{
		key: r.IdempotencyKey,
		Message: parley.Message{
			Kind:     parley.KindBroadcast,
			Type:     parley.TypeRequest,
			Priority: r.RequestDetails.Priority,
			SenderID: c.ID,
			Sender:   c.Name,
			Text:     text + "\nNeeded: " + strings.Join(r.RequiredCapabilities, ", "),
		},
	}

	if err := l.require(true, r.RequestDetails.Deadline); err != nil {
		return nil, err
	}

	l, err := m.admit(l, to)
	if err != nil {
		return nil, err
	}

	res := &parley.RequestAssistanceResult{
		Answer:           parley.OK,
		RequestID:        l.ID,
		BroadcastSent:    everyone,
		Timestamp:        l.Timestamp,
		DeliveryStatus:   parley.SumUp(l.copies()),
		ResponseDeadline: l.ResponseDeadline,
	}

	for _, a := range to {
		res.PotentialResponders = append(
			res.PotentialResponders,
			parley.PotentialHelp{AgentID: a.ID, Agent: a.Name, Availability: a.AvailabilityAt(time.Now())},
		)
	}

	return res, nil
}
