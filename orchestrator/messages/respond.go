package messages

import (
	"context"
	"slices"

	"parley"
	"parley/orchestrator/admission"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// responses are the answers to messages.
type responses struct {
	admission *admission.Admission
	store     *store.Store
	roster    *team.Roster
}

func (rs *responses) RespondToMessage(
	ctx context.Context, req parley.RespondToMessageRequest,
) (*parley.RespondToMessageResult, error) {
	from, err := rs.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	original, err := rs.answerable(ctx, from, req.MessageID)
	if err != nil {
		return nil, err
	}

	author := rs.roster.ByID(original.SenderID)
	others, err := rs.otherRecipients(from, author, req.AdditionalRecipients)
	if err != nil {
		return nil, err
	}

	answers := &store.Answering{MessageID: original.ID, Status: req.Status}
	if req.Status == parley.ResponseDelegated {
		if answers.Delegates, err = admission.Delegates(others, author); err != nil {
			return nil, err
		}
	}

	d := admission.Draft{
		Recipients: append([]*team.Member{author}, others...),
		Key:        req.IdempotencyKey,
		Answers:    answers,
		Replied:    talk.ParentOf(&original),
		Message: parley.Message{
			Type:             parley.TypeResponse,
			Priority:         parley.PriorityNormal,
			Text:             req.Text,
			Data:             req.Data,
			ContextReference: original.ContextReference,
			InReplyTo:        original.ID,
			ResponseStatus:   req.Status,
		},
	}

	send := func(d admission.Draft) (store.Appended, error) { return rs.answer(ctx, from, &original, others, d) }
	stored, reply, err := rs.admission.Answered(ctx, admission.OnlyResponder(author), true, d, send)
	if err != nil {
		return nil, err
	}

	if stored.Repeated {
		if stored.Updated, err = rs.answeredBy(ctx, original.ID, stored.Message.ID); err != nil {
			return nil, err
		}
	}

	res := rs.receipt(stored)
	res.Reply = reply

	return res, nil
}

// otherRecipients resolves the recipients of an answer besides the author of the message.
func (rs *responses) otherRecipients(from, author *team.Member, names parley.Names) ([]*team.Member, error) {
	if len(names) == 0 {
		return nil, nil
	}

	to, err := rs.admission.Addressees.Recipients(from, names)
	if err != nil {
		return nil, err
	}

	return slices.DeleteFunc(to, func(m *team.Member) bool { return m == author }), nil
}

// answer admits an answer. An answer to a thread post goes to the thread, unless it names other
// recipients or the sender no longer takes part.
func (rs *responses) answer(
	ctx context.Context, from *team.Member, original *parley.Message, others []*team.Member, d admission.Draft,
) (store.Appended, error) {
	if original.Kind == parley.KindThread && len(others) == 0 {
		if id, err := rs.roster.Names.ReadableThread(ctx, from, original.ThreadID); err == nil {
			d.Recipients, d.Message.ThreadID = nil, id
			return rs.admission.PostToThread(ctx, from, d)
		}
	}
	d.Message.Kind = parley.KindDirect
	if len(others) > 0 {
		d.Message.Kind = parley.KindBroadcast
	}
	return rs.admission.Admit(ctx, from, d)
}

// answerable returns the message that the caller wants to answer. The caller must have got it or
// read it in a thread, and its sender must be able to receive messages.
func (rs *responses) answerable(ctx context.Context, from *team.Member, ref string) (parley.Message, error) {
	original, deliveries, err := rs.admission.Access.Visible(ctx, parley.CallerFrom(ctx), ref)
	if err != nil {
		return original, err
	}

	short := parley.Short(original.ID)
	if !admission.IsRecipient(deliveries, from) && !rs.joinedAfter(ctx, from, &original) {
		return original, parley.Errorf(parley.NotAuthorized, "message %s was not sent to %s", short, from.Name).
			Suggest("Only a recipient answers a message. Use send_message to say something else about it.")
	}

	if author := rs.roster.ByID(original.SenderID); author == nil || author.Kind == parley.KindSystem {
		return original, parley.
			Errorf(parley.InvalidRecipient, "message %s is from parley itself, which reads no answers", short).
			Suggest("Do what it says; write to %s if you need a person.", parley.OperatorName)
	}

	return original, nil
}

// joinedAfter reports whether the message is somebody else's post in a thread that the member
// takes part in. A member that joined later reads such posts without having got them.
func (rs *responses) joinedAfter(ctx context.Context, m *team.Member, post *parley.Message) bool {
	if post.Kind != parley.KindThread || post.SenderID == m.ID {
		return false
	}
	th, err := rs.store.Threads.Thread(ctx, post.ThreadID)
	return err == nil && slices.Contains(th.Participants, m.ID)
}

// answeredBy reports whether a delivery or a debt of message id was settled by the answer with
// id by.
func (rs *responses) answeredBy(ctx context.Context, id, by string) (bool, error) {
	_, deliveries, err := rs.store.Messages.Message(ctx, id)
	if err != nil {
		return false, err
	}
	debts, err := rs.store.Debts.List(ctx, id)
	return slices.ContainsFunc(deliveries, func(d parley.Delivery) bool { return d.AnsweredBy == by }) ||
		slices.ContainsFunc(debts, func(d parley.Debt) bool { return d.AnsweredBy == by }), err
}

// receipt builds the receipt of an answer. It is a failure if nobody can get the answer.
func (rs *responses) receipt(stored store.Appended) *parley.RespondToMessageResult {
	receipt := rs.admission.Receipt(stored)
	res := &parley.RespondToMessageResult{
		Answer:            parley.OK,
		ResponseMessageID: stored.Message.ID,
		MessageID:         stored.Message.ID,
		OriginalUpdated:   stored.Updated,
		Timestamp:         stored.Message.Timestamp,
		DeliveryStatus:    receipt.DeliveryStatus,
		Message:           receipt.Status,
	}

	if len(stored.Deliveries) == 1 && stored.Deliveries[0].State == parley.DeliveryFailed {
		res.Answer, res.ErrorCode, res.Action = receipt.Answer, receipt.ErrorCode, receipt.Action
	}

	return res
}

func (rs *responses) IgnoreMessage(
	ctx context.Context, req parley.IgnoreMessageRequest,
) (*parley.IgnoreMessageResult, error) {
	me, err := rs.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}
	settled, err := rs.store.Inbox.Ignore(ctx, me.ID, req.MessageID, plain.CleanLabel(req.Reason))
	if err != nil {
		return nil, err
	}

	rs.admission.Talk.Memory.Settle(settled)

	return &parley.IgnoreMessageResult{Answer: parley.OK, Message: "Message marked as read"}, nil
}
