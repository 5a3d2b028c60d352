// Package messages sends, reads, searches and answers messages.
package messages

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"parley"
	"parley/orchestrator/admission"
	"parley/orchestrator/answer"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// Service does the operations on messages: sending, answering, reading and searching
// messages. Every message it sends passes admission.
type Service struct {
	Search     *search
	Responses  *responses
	Assistance *assistance
	Admission  *admission.Admission
	Store      *store.Store
	Roster     *team.Roster
	Responders *answer.Responders
	Talk       *talk.Talk
	Now        func() time.Time
	Log        *slog.Logger
	Closing    <-chan struct{} // closed when the daemon shuts down
}

// New returns a service of its parts.
func New(s Service) *Service {
	s.Search = &search{s.Admission.Access, s.Store, s.Roster, s.Now}
	s.Responses = &responses{s.Admission, s.Store, s.Roster}
	s.Assistance = &assistance{s.Admission, s.Roster, s.Now}
	return &s
}

func (ms *Service) SendMessage(
	ctx context.Context, req parley.SendMessageRequest,
) (*parley.SendMessageResult, error) {
	from, err := ms.Roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	d, err := ms.draft(ctx, from, req)
	if err != nil {
		return nil, err
	}
	send := func(d admission.Draft) (store.Appended, error) { return ms.sendTo(ctx, from, req.To, d) }
	stored, reply, err := ms.Admission.Answered(ctx, ms.Admission.Addressees.ResponderNamed(req.To), true, d, send)
	if err != nil {
		return nil, err
	}
	if err := ms.Admission.Await(ctx, &stored, req.WaitSeconds); err != nil {
		return nil, err
	}

	res := ms.Admission.Receipt(stored)
	res.Reply = reply

	return res, nil
}

// draft returns a message as it is admitted, but for its recipients.
func (ms *Service) draft(
	ctx context.Context, from *team.Member, req parley.SendMessageRequest,
) (admission.Draft, error) {
	due, err := ms.Admission.Due(req.RequiresResponse, req.ResponseDeadline)
	if err != nil {
		if due, err = ms.Admission.DueBefore(ctx, from, req.IdempotencyKey, req.ResponseDeadline, err); err != nil {
			return admission.Draft{}, err
		}
	}

	return admission.Draft{
		Key:      req.IdempotencyKey,
		Deadline: req.ResponseDeadline,
		Message: parley.Message{
			ThreadID:         req.ThreadID,
			Type:             cmp.Or(req.Type, parley.TypeInformation),
			Priority:         admission.Priority(req.Priority, req.Urgent),
			Text:             req.Text,
			Data:             req.Data,
			Attachments:      req.Attachments,
			RequiresResponse: due != nil,
			ResponseDeadline: due,
			ContextReference: plain.CleanLabel(req.ContextReference),
			InReplyTo:        req.InReplyTo,
		},
	}, nil
}

// sendTo admits a message to a thread if the draft names one, else to the named agents.
func (ms *Service) sendTo(
	ctx context.Context, from *team.Member, names parley.Names, d admission.Draft,
) (store.Appended, error) {
	if d.Message.ThreadID != "" {
		return ms.Admission.PostToThread(ctx, from, d)
	}

	var err error
	if d.Recipients, err = ms.Admission.Addressees.Recipients(from, names); err != nil {
		return store.Appended{}, err
	}

	d.Message.Kind, d.Implicit = parley.KindDirect, admission.IsEveryone(names)
	if len(d.Recipients) > 1 || d.Implicit {
		d.Message.Kind = parley.KindBroadcast
	}
	return ms.Admission.Admit(ctx, from, d)
}

func (ms *Service) BroadcastMessage(
	ctx context.Context, req parley.BroadcastMessageRequest,
) (*parley.BroadcastMessageResult, error) {
	from, err := ms.Roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	to := ms.Admission.Addressees.Everyone(from)
	switch {
	case req.Recipients != nil:
		if to, err = ms.Admission.Addressees.Recipients(from, *req.Recipients); err != nil {
			return nil, err
		}
	case req.Group != "":
		if to, err = ms.Admission.Addressees.GroupMembers(to, req.Group); err != nil {
			return nil, err
		}
	}

	stored, err := ms.Admission.Admit(ctx, from, admission.Draft{
		Recipients: to,
		Implicit:   req.Recipients == nil || admission.IsEveryone(*req.Recipients),
		Key:        req.IdempotencyKey,
		Message: parley.Message{
			Kind:     parley.KindBroadcast,
			Type:     parley.TypeInformation,
			Priority: admission.Priority(req.Priority, req.Urgent),
			Text:     req.Text,
		},
	})
	if err != nil {
		return nil, err
	}
	if err := ms.Admission.Await(ctx, &stored, req.WaitSeconds); err != nil {
		return nil, err
	}

	return &parley.BroadcastMessageResult{
		Answer:         parley.OK,
		MessageID:      stored.Message.ID,
		RecipientCount: len(stored.Deliveries),
		Timestamp:      stored.Message.Timestamp,
		Message:        fmt.Sprintf("Message broadcast to %d agent(s)", len(stored.Deliveries)),
		DeliveryStatus: parley.SumUp(stored.Deliveries),
		Deliveries:     ms.Roster.Names.FillInDeliveries(stored.Deliveries),
		Object:         ms.Roster.Names.FillIn(&stored.Message),
	}, nil
}
