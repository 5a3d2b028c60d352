package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"parley"
	"parley/orchestrator/answer"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// messageService does the operations on messages: sending, answering, reading and searching
// messages. Every message it sends passes admission.
type messageService struct {
	*search
	*responses
	*assistance
	admission  *admission
	store      *store.Store
	roster     *team.Roster
	responders *answer.Responders
	talk       *talk.Talk
	now        func() time.Time
	log        *slog.Logger
	closing    <-chan struct{} // closed when the daemon shuts down
}

// SendMessage does op.SendMessage.
func (ms *messageService) SendMessage(
	ctx context.Context, req parley.SendMessageRequest,
) (*parley.SendMessageResult, error) {
	from, err := ms.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	due, err := ms.admission.due(req.RequiresResponse, req.ResponseDeadline)
	if err != nil {
		if due, err = ms.admission.dueBefore(ctx, from, req.IdempotencyKey, req.ResponseDeadline, err); err != nil {
			return nil, err
		}
	}

	d := draft{
		key:      req.IdempotencyKey,
		deadline: req.ResponseDeadline,
		message: parley.Message{
			ThreadID:         req.ThreadID,
			Type:             cmp.Or(req.Type, parley.TypeInformation),
			Priority:         priority(req.Priority, req.Urgent),
			Text:             req.Text,
			Data:             req.Data,
			Attachments:      req.Attachments,
			RequiresResponse: due != nil,
			ResponseDeadline: due,
			ContextReference: plain.CleanLabel(req.ContextReference),
			InReplyTo:        req.InReplyTo,
		},
	}

	send := func(d draft) (store.Appended, error) { return ms.sendTo(ctx, from, req.To, d) }
	stored, reply, err := ms.admission.answered(ctx, ms.admission.responderNamed(req.To), true, d, send)
	if err != nil {
		return nil, err
	}
	if err := ms.admission.await(ctx, &stored, req.WaitSeconds); err != nil {
		return nil, err
	}

	res := ms.admission.receipt(stored)
	res.Reply = reply

	return res, nil
}

// sendTo admits a message to a thread if the draft names one, else to the named agents.
func (ms *messageService) sendTo(
	ctx context.Context, from *team.Member, names parley.Names, d draft,
) (store.Appended, error) {
	if d.message.ThreadID != "" {
		return ms.admission.postToThread(ctx, from, d)
	}

	var err error
	if d.recipients, err = ms.admission.recipients(from, names); err != nil {
		return store.Appended{}, err
	}

	d.message.Kind, d.implicit = parley.KindDirect, isEveryone(names)
	if len(d.recipients) > 1 || d.implicit {
		d.message.Kind = parley.KindBroadcast
	}
	return ms.admission.admit(ctx, from, d)
}

// BroadcastMessage does op.BroadcastMessage.
func (ms *messageService) BroadcastMessage(
	ctx context.Context, req parley.BroadcastMessageRequest,
) (*parley.BroadcastMessageResult, error) {
	from, err := ms.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	to := ms.admission.everyone(from)
	switch {
	case req.Recipients != nil:
		if to, err = ms.admission.recipients(from, *req.Recipients); err != nil {
			return nil, err
		}
	case req.Group != "":
		if to, err = ms.admission.groupMembers(to, req.Group); err != nil {
			return nil, err
		}
	}

	stored, err := ms.admission.admit(ctx, from, draft{
		recipients: to,
		implicit:   req.Recipients == nil || isEveryone(*req.Recipients),
		key:        req.IdempotencyKey,
		message: parley.Message{
			Kind:     parley.KindBroadcast,
			Type:     parley.TypeInformation,
			Priority: priority(req.Priority, req.Urgent),
			Text:     req.Text,
		},
	})
	if err != nil {
		return nil, err
	}
	if err := ms.admission.await(ctx, &stored, req.WaitSeconds); err != nil {
		return nil, err
	}

	return &parley.BroadcastMessageResult{
		Answer:         parley.OK,
		MessageID:      stored.Message.ID,
		RecipientCount: len(stored.Deliveries),
		Timestamp:      stored.Message.Timestamp,
		Message:        fmt.Sprintf("Message broadcast to %d agent(s)", len(stored.Deliveries)),
		DeliveryStatus: parley.SumUp(stored.Deliveries),
		Deliveries:     ms.roster.FillInDeliveries(stored.Deliveries),
		Object:         ms.roster.FillIn(&stored.Message),
	}, nil
}
