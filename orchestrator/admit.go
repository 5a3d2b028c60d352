package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
	"parley/orchestrator/answer"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/store"
)

// draft is a message before it is admitted.
type draft struct {
	message    parley.Message // without id, sender, text cleaned, time
	recipients []*team.Member
	whoever    bool             // the recipients are those who are there, and not named
	reach      store.Reach      // instead of recipients, for a thread
	key        string           // idempotency
	answers    *store.Answering // what it is a reply to, where that is known already
	deadline   *time.Time       // as its sender gave it; nil for the usual one
	file       *parley.File     // a new one that it announces

	description string      // of the file
	replied     talk.Parent // what it is a reply to

	asks  *team.Member  // the responder that answers it
	reply *answer.Reply // of a responder, for which no limit holds; nil for other messages
}

// SendMessage implements parley.MessageService.
func (o *Orchestrator) SendMessage(
	ctx context.Context,
	req parley.SendMessageRequest,
) (*parley.SendMessageResult, error) {
	from, err := o.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	due, err := o.due(req.RequiresResponse, req.ResponseDeadline)
	if err != nil {
		if due, err = o.dueBefore(ctx, from, req.IdempotencyKey, req.ResponseDeadline, err); err != nil {
			return nil, err
		}
	}

	d := draft{key: req.IdempotencyKey, deadline: req.ResponseDeadline, message: parley.Message{ThreadID: req.ThreadID,
		Type: cmp.Or(req.Type, parley.TypeInformation), Priority: priority(req.Priority, req.Urgent), Text: req.Text,
		Data: req.Data, Attachments: req.Attachments, RequiresResponse: due != nil, ResponseDeadline: due,
		ContextReference: parley.CleanLine(req.ContextReference), InReplyTo: req.InReplyTo}}

	stored, reply, err := o.answered(
		ctx,
		o.responderNamed(req.To),
		true,
		d,
		func(d draft) (store.Appended, error) { return o.sendTo(ctx, from, req.To, d) },
	)
	if err != nil {
		return nil, err
	}
	if err := o.await(ctx, &stored, req.WaitSeconds); err != nil {
		return nil, err
	}

	res := o.sent(stored)
	res.Reply = reply

	return res, nil
}

// sendTo admits a message for the agents that are named or, if it names one, a thread.
func (o *Orchestrator) sendTo(ctx context.Context, from *team.Member, names parley.Names, d draft) (store.Appended, error) {
	if d.message.ThreadID != "" {
		return o.postToThread(ctx, from, d)
	}
	var err error
	if d.recipients, err = o.recipients(from, names); err != nil {
		return store.Appended{}, err
	}
	d.message.Kind, d.whoever = parley.KindDirect, isEveryone(names)
	if len(d.recipients) > 1 || d.whoever {
		d.message.Kind = parley.KindBroadcast
	}
	return o.admit(ctx, from, d)
}

// sent writes the receipt. One recipient that cannot get it is a failure.
func (o *Orchestrator) sent(stored store.Appended) *parley.SendMessageResult {
	d := stored.Deliveries
	res := &parley.SendMessageResult{
		Answer:         parley.OK,
		MessageID:      stored.Message.ID,
		Timestamp:      stored.Message.Timestamp,
		DeliveryStatus: parley.SumUp(d),
		Deliveries:     o.roster.FillInDeliveries(d),
		Object:         o.roster.FillIn(&stored.Message),
	}

	if th := stored.Message.ThreadID; th != "" {
		res.ConversationID, res.Message = th, "Message sent to thread "+parley.Short(th)
		res.Status = fmt.Sprintf(
			`Message sent to thread %s "%s"!`,
			parley.Short(th),
			parley.ShownTitle(res.Object.ThreadTitle),
		)

		return res
	}

	if len(d) == 1 {
		res.ConversationID = d[0].ConversationID
		res.Status = fmt.Sprintf("Message sent to %s!", d[0].Recipient)
		res.Message = "Message sent to agent " + parley.Short(d[0].RecipientID)
		if d[0].State == parley.DeliveryFailed {
			res.Message = fmt.Sprintf(
				"Failed to send message - recipient agent %s may not exist or is terminated",
				parley.Short(d[0].RecipientID),
			)

			res.Status, res.Success, res.Error, res.ErrorCode = res.Message, false, &res.Message, parley.AgentUnavailable
			res.Action = fmt.Sprintf(
				"Ask the operator to start %s again, or send to another agent; get_agent_status lists them.",
				d[0].Recipient,
			)
		}

		return res
	}

	res.Status = fmt.Sprintf("Message sent to %d agents!", len(d))
	res.Message = fmt.Sprintf("Message sent to %d agents", len(d))

	return res
}

// BroadcastMessage implements parley.MessageService.
func (o *Orchestrator) BroadcastMessage(
	ctx context.Context,
	req parley.BroadcastMessageRequest,
) (*parley.BroadcastMessageResult, error) {
	from, err := o.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	to := o.everyone(from)
	switch {
	case req.Recipients != nil:
		if to, err = o.recipients(from, *req.Recipients); err != nil {
			return nil, err
		}
	case req.Group != "":
		if to, err = o.groupMembers(to, req.Group); err != nil {
			return nil, err
		}
	}

	stored, err := o.admit(
		ctx,
		from,
		draft{
			recipients: to,
			whoever:    req.Recipients == nil || isEveryone(*req.Recipients),
			key:        req.IdempotencyKey,
			message: parley.Message{
				Kind: parley.KindBroadcast, Type: parley.TypeInformation, Priority: priority(req.Priority, req.Urgent), Text: req.Text},
		},
	)
	if err != nil {
		return nil, err
	}
	if err := o.await(ctx, &stored, req.WaitSeconds); err != nil {
		return nil, err
	}

	return &parley.BroadcastMessageResult{
		Answer:         parley.OK,
		MessageID:      stored.Message.ID,
		RecipientCount: len(stored.Deliveries),
		Timestamp:      stored.Message.Timestamp,
		Message:        fmt.Sprintf("Message broadcast to %d agent(s)", len(stored.Deliveries)),
		DeliveryStatus: parley.SumUp(
			stored.Deliveries,
		),
		Deliveries: o.roster.FillInDeliveries(stored.Deliveries),
		Object:     o.roster.FillIn(&stored.Message),
	}, nil
}

// admit is the one door for messages: it cleans the text, stores message and
// deliveries durably in one transaction, and wakes the couriers.
func (o *Orchestrator) admit(ctx context.Context, from *team.Member, d draft) (store.Appended, error) {
	post, err := o.prepare(ctx, from, d)
	if err != nil {
		return store.Appended{}, err
	}

	back, err := o.charge(from, &d)
	if err != nil {
		return o.sentBefore(ctx, from, &d, &post, err)
	}

	stored, err := o.store.Append(ctx, post)
	if err != nil {
		back()
		return stored, err
	}

	if stored.Repeated {
		back()
		err = o.again(&d, from, &post, &stored)
	} else {
		o.passOn(stored.Passed, post.Answers)
		o.talk.Remember(&stored, delegatesOf(post.Answers))
	}

	o.handOut(&stored)

	return stored, err
}

// prepare makes of a draft what can be stored.
func (o *Orchestrator) prepare(ctx context.Context, from *team.Member, d draft) (store.Post, error) {
	msg := d.message
	var err error
	if d.reply == nil { // what is spent on one is spent
		if err = o.refusePaused(); err != nil {
			return store.Post{}, err
		}
		if msg.Text, err = o.cleanText(msg.Text); err != nil {
			return store.Post{}, err
		}
	}

	answers := d.answers
	if msg.InReplyTo != "" && answers == nil {
		if msg.InReplyTo, answers, err = o.repliesTo(ctx, from, &d); err != nil {
			return store.Post{}, err
		}
	}

	msg.ID, msg.SenderID, msg.Sender, msg.SenderRole, msg.Timestamp = cmp.Or(
		msg.ID,
		team.NewID(),
	), from.ID, from.Name, from.Agent().Role, o.now()

	link := d.replied.Link
	if !d.withinCalls(from) {
		link = o.talk.NextLink(msg.ID, from, link)
	}

	msg.ChainID, msg.Hop = link.Chain, link.Hop
	post := store.Post{Message: msg, IdempotencyKey: d.key, Event: parley.EventDirectMessage,
		Reach: d.reach, Answers: answers}
	if d.reply != nil {
		post.Call, post.Forgets = d.reply.Call, d.reply.Forgets
	}
	if !d.inCall() { // the answer of a call begins no turn
		post.Judge = o.talk.Judge(from, &msg, d.replied)
	}
	switch msg.Kind {
	case parley.KindBroadcast:
		post.Event = parley.EventBroadcast
	case parley.KindThread:
		post.Event = parley.EventThreadMessage
	}

	if post.NewFile = d.file; d.file == nil && len(msg.Attachments) > 0 {
		if post.Message.Attachments, post.FileIDs, err = o.checkAttachments(ctx, from, msg.Attachments, d.readers()); err != nil {
			return store.Post{}, err
		}
	}

	for _, to := range d.recipients {
		post.Deliveries = append(post.Deliveries, d.firstRung(to))
	}

	return post, nil
}

// handOut gives what is stored to the couriers, and wakes those who wait for a message.
func (o *Orchestrator) handOut(stored *store.Appended) {
	o.roster.FillInDeliveries(stored.Deliveries)
	if stored.Repeated {
		return
	}

	for _, job := range stored.Jobs() {
		o.roster.ByID(job.Key.RecipientID).Enqueue(job)
	}

	for _, d := range stored.Deliveries {
		o.roster.ByID(d.RecipientID).Announce()
	}

	if stored.Message.Kind == parley.KindThread {
		o.responders.Speak(o.talk.Invitations(stored))
	}
}

// firstRung is where a delivery begins: a mailbox has it when it is stored.
func firstRung(to *team.Member) store.NewDelivery {
	d := store.NewDelivery{RecipientID: to.ID, Silent: to.Responder() != nil}
	switch {
	case to.Agent().State == parley.StateTerminated:
		d.State, d.Reason = parley.DeliveryFailed, "the agent is terminated"
	case to.Kind == parley.KindTerminal:
		d.State, d.Evidence = parley.DeliveryQueued, "stored"
	default:
		d.State, d.Evidence = parley.DeliverySubmitted, "stored in its inbox"
	}
	return d
}

func (o *Orchestrator) cleanText(text string) (string, error) {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "")
	}

	text = parley.Clean(text)
	if !parley.Visible(text) {
		return "", parley.Errorf(parley.InvalidArgument, "the text is empty").
			Suggest("Say something: 1 to %d characters, at least one of them visible.", o.opts.Settings.MaxText)
	}

	if n := utf8.RuneCountInString(text); n > o.opts.Settings.MaxText {
		return "", parley.Errorf(parley.MessageTooLong, "the text has %d characters, %d are allowed", n, o.opts.Settings.MaxText).
			With("length", n).
			With("limit", o.opts.Settings.MaxText).
			Suggest("Write the long part to a file, send that with transfer_file, and say in a short message what it is.")
	}

	return text, nil
}

// repliesTo returns the full id of the message that a reply names; it must be one
// that the sender wrote, got, or reads in a thread. The reply answers it if it got it
// and writes back to who wrote it, or to the same thread.
func (o *Orchestrator) repliesTo(ctx context.Context, from *team.Member, d *draft) (string, *store.Answering, error) {
	msg, deliveries, err := o.visible(ctx, parley.Caller{ID: from.ID}, d.message.InReplyTo)
	d.replied = talk.ParentOf(&msg)
	back := slices.ContainsFunc(d.recipients, func(m *team.Member) bool { return m.ID == msg.SenderID }) ||
		msg.ThreadID != "" && msg.ThreadID == d.message.ThreadID
	if err != nil || !back || !isRecipient(deliveries, from) {
		return msg.ID, nil, err
	}
	return msg.ID, &store.Answering{MessageID: msg.ID}, nil
}

func isRecipient(deliveries []parley.Delivery, m *team.Member) bool {
	return slices.ContainsFunc(deliveries, func(d parley.Delivery) bool { return d.RecipientID == m.ID })
}

// recipients resolves names; one unknown name refuses the whole call.
func (o *Orchestrator) recipients(from *team.Member, names parley.Names) ([]*team.Member, error) {
	if isEveryone(names) {
		return o.everyone(from), nil
	}

	var to []*team.Member
	for _, name := range names {
		m, err := o.roster.Find(name)
		if err != nil {
			return nil, err
		}

		if m == from {
			return nil, parley.Errorf(parley.InvalidRecipient, "%s would be sending to itself", from.Name).
				Suggest("Name another agent; get_agent_status lists them.")
		}

		if !slices.Contains(to, m) {
			to = append(to, m)
		}
	}

	if len(to) == 0 {
		return nil, parley.Errorf(parley.InvalidRecipient, "no recipient was named").
			Suggest("Name at least one agent in to; get_agent_status lists them.")
	}

	return to, nil
}

func isEveryone(names parley.Names) bool {
	return len(names) == 1 && strings.EqualFold(names[0], parley.Everyone)
}

// everyone is all that are not terminated, but the sender and the operator, who
// sees all traffic.
func (o *Orchestrator) everyone(from *team.Member) []*team.Member {
	return slices.DeleteFunc(o.roster.All(), func(m *team.Member) bool {
		return m == from || m.Kind == parley.KindHuman || m.Agent().State == parley.StateTerminated
	})
}

func (o *Orchestrator) groupMembers(members []*team.Member, group string) ([]*team.Member, error) {
	var in []*team.Member
	groups := []string{}
	for _, m := range members {
		own := m.Agent().Groups
		if slices.ContainsFunc(own, func(g string) bool { return strings.EqualFold(g, group) }) {
			in = append(in, m)
		}
		groups = append(groups, own...)
	}

	if len(in) == 0 {
		slices.Sort(groups)
		groups = slices.Compact(groups)
		return nil, parley.Errorf(parley.InvalidRecipient, "nobody else is in group %q", parley.CleanLine(group)).
			With("groups", groups).Suggest("Groups with other members: %s.", cmp.Or(strings.Join(groups, ", "), "none"))
	}

	return in, nil
}

// await waits until every delivery is settled, at most seconds.
func (o *Orchestrator) await(ctx context.Context, stored *store.Appended, seconds int) error {
	if seconds <= 0 || settled(stored.Deliveries) {
		return nil
	}

	wait, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second)
	defer cancel()

	for {
		seen := o.store.LastEvent()
		_, deliveries, err := o.store.Message(ctx, stored.Message.ID)
		if err != nil {
			return err
		}

		stored.Deliveries = deliveries
		if settled(deliveries) || o.store.WaitEvent(wait, seen) != nil {
			return ctx.Err()
		}
	}
}

func settled(deliveries []parley.Delivery) bool {
	return !slices.ContainsFunc(deliveries, func(d parley.Delivery) bool { return !d.State.Settled() })
}

func priority(p parley.Priority, urgent bool) parley.Priority {
	if urgent {
		return parley.PriorityUrgent
	}
	return cmp.Or(p, parley.PriorityNormal)
}
