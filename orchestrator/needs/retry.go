package needs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/op"
	"parley/orchestrator/admission"
	"parley/orchestrator/relay"
	"parley/orchestrator/sight"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// retried is the evidence of a delivery that the operator retried.
const retried = "retried by the operator"

// RetryDelivery does op.RetryDelivery. Nothing else types a text again that may
// have been typed, or asks a model again.
func (ops *Service) RetryDelivery(
	ctx context.Context, req parley.RetryDeliveryRequest,
) (*parley.RetryDeliveryResult, error) {
	msg, all, err := ops.Store.Messages.Message(ctx, req.MessageID)
	if err != nil {
		return nil, err
	}

	chosen, err := ops.selectDeliveries(&msg, ops.Roster.Names.FillInDeliveries(all), req.Recipient)
	if err != nil {
		return nil, err
	}
	if left := ops.Responders.Unanswered(&msg, chosen); len(left) > 0 {
		return ops.Responders.Retry(ctx, &msg, left)
	}

	begin, err := ops.firstStatesOfRetry(&msg, chosen)
	if err != nil {
		return nil, err
	}

	jobs, err := ops.Store.Deliveries.Retry(ctx, msg.ID, begin)
	if err != nil {
		return nil, err
	}

	res := &parley.RetryDeliveryResult{Answer: parley.OK, MessageID: msg.ID, Retried: []string{}}
	requeued := ops.requeue(jobs, res)

	if held := talk.Held(chosen); len(held) > 0 {
		invitations, err := ops.Talk.Release(ctx, &msg, held)
		ops.Responders.Speak(invitations)
		if err != nil {
			return nil, err
		}
	}

	pending, err := ops.insist(ctx, &msg, chosen, req.Draft)
	if len(requeued)+len(pending) == 0 {
		return nil, cmp.Or(err, error(alreadyDelivered(&msg, chosen))) // proven since the first look
	}
	res.Message = retrySentence(requeued, pending)

	stored := store.Appended{Message: msg}
	if _, stored.Deliveries, err = ops.Store.Messages.Message(ctx, msg.ID); err != nil {
		return nil, err
	}
	if err := ops.Admission.Await(ctx, &stored, req.WaitSeconds); err != nil {
		return nil, err
	}

	res.DeliveryStatus = parley.SumUp(stored.Deliveries)
	res.Deliveries = ops.Roster.Names.FillInDeliveries(stored.Deliveries)

	return res, nil
}

// requeue hands retried deliveries to their recipients, lists the recipients in res, and
// returns their names.
func (ops *Service) requeue(jobs []store.Job, res *parley.RetryDeliveryResult) (names []string) {
	for _, job := range jobs {
		m := ops.Roster.ByID(job.Key.RecipientID)
		res.Retried, names = append(res.Retried, m.ID), append(names, m.Name)

		if job.State.Settled() {
			m.NotifyArrival()
		} else {
			m.Enqueue(job)
		}
	}
	return names
}

// insist makes the couriers look at once at the deliveries that are still on their way, and
// describes those. draft is a text in the recipient's composer that is none, "" if nothing is said of that. Of the
// hosts that cannot be asked, it returns the error of the first.
func (ops *Service) insist(
	ctx context.Context, msg *parley.Message, ds []parley.Delivery, draft string,
) (pending []string, failed error) {
	for _, d := range ds {
		if d.State.Settled() {
			continue
		}

		here := func(context.Context, parley.RetryDeliveryRequest) (*parley.RetryDeliveryResult, error) {
			m := ops.Roster.ByID(d.RecipientID)
			if err := standsThere(ctx, m, draft); err != nil {
				return nil, err
			}
			m.Force(msg.ID, draft)
			return nil, nil
		}
		_, err := relay.Across(ctx, ops.Elsewhere, ops.HostOf(d.RecipientID), op.RetryDelivery,
			parley.RetryDeliveryRequest{MessageID: msg.ID, Recipient: d.RecipientID, Draft: draft}, here)
		if err == nil {
			pending = append(pending, pendingText(d))
		} else if parley.ErrorCode(err) != parley.AlreadyDelivered {
			failed = cmp.Or(failed, err)
		}
	}
	return pending, failed
}

// standsThere returns an error unless exactly this text stands in the composer of a member, or the text is "".
func standsThere(ctx context.Context, m *team.Member, draft string) error {
	if draft == "" {
		return nil
	}
	t := m.Terminal()
	if t == nil || !t.Profile.HasMarkers() {
		return parley.Errorf(parley.InvalidArgument, "parley does not see what stands in the composer of %s", m.Name).
			Suggest("See there: parley attach %s", m.Name)
	}
	screen, err := sight.ReadScreen(ctx, t)
	if err != nil {
		return err
	}

	stands, _ := t.Profile.Composer(sight.ScreenOf(screen))
	if stands == draft {
		return nil
	}
	return parley.Errorf(parley.InvalidArgument, "in the composer of %s stands %q, and not that", m.Name,
		plain.Truncate(stands, 200)).
		With("draft", stands).Suggest("Look again: it is left alone unless you name exactly what stands there.")
}

// selectDeliveries returns the delivery to the recipient, or all deliveries, at least one, if recipient is
// empty.
func (ops *Service) selectDeliveries(
	msg *parley.Message, all []parley.Delivery, recipient string,
) ([]parley.Delivery, error) {
	if len(all) == 0 { // a post in a thread without others
		return nil, parley.Errorf(parley.InvalidRecipient, "message %s has no recipient", parley.Short(msg.ID)).
			Suggest("There is nothing to retry. Send it as a new message to an agent.")
	}
	if recipient == "" {
		return all, nil
	}

	m, err := ops.Roster.Find(recipient)
	if err != nil {
		return nil, err
	}

	var names []string
	for _, d := range all {
		if d.RecipientID == m.ID {
			return []parley.Delivery{d}, nil
		}
		names = append(names, d.Recipient)
	}

	return nil, parley.Errorf(parley.InvalidRecipient, "message %s was not sent to %s", parley.Short(msg.ID), m.Name).
		Suggest("It was sent to %s.", strings.Join(names, ", "))
}

// firstStatesOfRetry returns a new first state for each delivery that ended without proof. The
// error says why no delivery can be retried.
func (ops *Service) firstStatesOfRetry(msg *parley.Message, ds []parley.Delivery) ([]store.NewDelivery, error) {
	var begin []store.NewDelivery
	var refusal error
	idle := true
	for _, d := range ds {
		m := ops.Roster.ByID(d.RecipientID)
		switch {
		case !d.State.Settled():
			idle = false
		case d.State.Delivered():
		case d.ReasonCode == parley.EndedNative:
			refusal = parley.Errorf(parley.InvalidArgument, "message %s is not parley's to deliver: %s",
				parley.Short(msg.ID), d.Reason).Suggest("Send it as a new message if %s lacks it.", m.Name)
		case m.Kind == parley.KindTerminal:
			begin = append(begin, store.NewDelivery{
				RecipientID: m.ID, State: parley.DeliveryQueued, Cause: parley.ProofRetried.With(retried),
			})
		case m.Agent().State == parley.StateTerminated:
			refusal = parley.Errorf(parley.AgentUnavailable, "the mailbox of %s is closed", m.Name).
				Suggest("Register %s again, then retry: parley register %s", m.Name, m.Name)
		default:
			begin = append(begin, store.NewDelivery{
				RecipientID: m.ID,
				State:       parley.DeliverySubmitted,
				Cause:       parley.ProofRetried.With("stored in its inbox; " + retried),
			})
		}
	}

	switch {
	case len(begin) > 0 || !idle:
		return begin, nil
	case refusal != nil:
		return nil, refusal
	}

	return nil, alreadyDelivered(msg, ds)
}

// alreadyDelivered is the error for a retry of a message that has provably arrived.
func alreadyDelivered(msg *parley.Message, ds []parley.Delivery) error {
	var names []string
	for _, d := range ds {
		names = append(names, d.Recipient)
	}
	slices.Sort(names)
	short := parley.Short(msg.ID)
	return parley.Errorf(parley.AlreadyDelivered, "message %s has reached %s", short, strings.Join(names, ", ")).
		Suggest("parley explain %s tells how that is known. Send it as a new message if it is needed twice.", short)
}

// pendingText names the recipient and state of a delivery that is still on its way.
func pendingText(d parley.Delivery) string {
	words := d.Recipient + " (" + string(d.State)
	if d.Reason != "" {
		words += ": " + d.Reason
	}
	return words + ")"
}

func retrySentence(requeued, pending []string) string {
	var parts []string
	if len(requeued) > 0 {
		parts = append(parts, "Queued again for "+strings.Join(requeued, ", "))
	}
	if len(pending) > 0 {
		parts = append(parts, "Looking again at "+strings.Join(pending, ", "))
	}
	return strings.Join(parts, ". ") + "."
}

// SteerAgent does op.SteerAgent. Guidance is delivered like
// every message; only its header differs.
func (ops *Service) SteerAgent(
	ctx context.Context, req parley.SteerAgentRequest,
) (*parley.SendMessageResult, error) {
	from, err := ops.Roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	var to []*team.Member
	for _, name := range req.Agent {
		m, err := ops.Roster.Find(name)
		if err != nil {
			return nil, err
		}
		if m == from || m.Kind == parley.KindHuman {
			return nil, parley.Errorf(parley.InvalidRecipient, "%s cannot be steered by %s", m.Name, from.Name).
				Suggest("Name another agent; get_agent_status lists them.")
		}
		if !slices.Contains(to, m) {
			to = append(to, m)
		}
	}

	d, err := guidance(to, req.Kind, req.Text, req.IdempotencyKey)
	if err != nil {
		return nil, err
	}

	stored, err := ops.Admission.Admit(ctx, from, d)
	if err != nil {
		return nil, err
	}
	if err := ops.Admission.Await(ctx, &stored, req.WaitSeconds); err != nil {
		return nil, err
	}

	return ops.Admission.Receipt(stored), nil
}

// guidance returns the draft of a steering message. The kind is one of the kinds of
// parley.Guidance.
func guidance(to []*team.Member, kind, text, key string) (admission.Draft, error) {
	data, err := json.Marshal(parley.Guidance{Kind: kind})
	if err != nil {
		return admission.Draft{}, fmt.Errorf("encode the guidance: %w", err)
	}
	return admission.Draft{Recipients: to, Key: key, Message: parley.Message{Kind: parley.KindSteering,
		Type: parley.TypeInformation, Priority: parley.PriorityHigh, Text: text, Data: data}}, nil
}

// PauseCommunication does op.PauseCommunication. A message that is being typed is finished.
func (ops *Service) PauseCommunication(
	ctx context.Context, req parley.PauseCommunicationRequest,
) (*parley.PauseCommunicationResult, error) {
	by, err := ops.Roster.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := ops.Pause.Change(ctx, ops.Store, by, req, ops.Now()); err != nil {
		return nil, err
	}

	for _, m := range ops.Roster.All() {
		m.Wake() // the reason that its messages wait has changed
	}

	counts, err := ops.Store.Workspace.DeliveryCounts(ctx)
	if err != nil {
		return nil, err
	}

	res := &parley.PauseCommunicationResult{Answer: parley.OK, Paused: ops.Pause.Is(), Message: "Messages go on."}
	for _, state := range []parley.DeliveryState{parley.DeliveryQueued, parley.DeliveryHeld, parley.DeliveryTyping} {
		res.Waiting += counts[string(state)]
	}

	if res.Paused != nil {
		res.Message = "Communication is paused: messages are refused, deliveries wait."
	}

	return res, nil
}
