package answer

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"parley"
	"parley/orchestrator/team"
)

// IsAnswering reports whether a responder's answer to a message is being written.
func (rs *Responders) IsAnswering(msg *parley.Message, to *team.Member) bool {
	return rs.inflight.find(callKey(msg, to)) != nil
}

// Unanswered returns the responders among the recipients of a message whose models have to answer
// it and have not.
func (rs *Responders) Unanswered(msg *parley.Message, ds []parley.Delivery) []*team.Member {
	var left []*team.Member
	for _, d := range ds {
		isAsked := d.Decision != nil || msg.Kind == parley.KindDirect && len(ds) == 1
		if !isAsked || d.State != parley.DeliverySubmitted || d.AnsweredBy != "" {
			continue
		}
		if m := rs.roster.ByID(d.RecipientID); m != nil && m.Responder() != nil {
			left = append(left, m)
		}
	}
	return left
}

// Retry asks the models again that have not answered a message. Their replies are delivered as
// usual, unless the caller is the sender.
func (rs *Responders) Retry(
	ctx context.Context, msg *parley.Message, left []*team.Member,
) (*parley.RetryDeliveryResult, error) {
	if err := rs.opts.Pause.RefusePaused(); err != nil {
		return nil, err
	}

	res := &parley.RetryDeliveryResult{Answer: parley.OK, MessageID: msg.ID}
	replies := make([]*parley.Reply, len(left))
	var names []string
	var asking errgroup.Group
	for i, m := range left {
		res.Retried, names = append(res.Retried, m.ID), append(names, m.Name)
		asking.Go(func() (err error) {
			replies[i], err = rs.retry(ctx, msg, m)
			return err
		})
	}

	if err := asking.Wait(); err != nil {
		return nil, err
	}
	if len(replies) == 1 {
		res.Reply = replies[0]
	}

	_, ds, err := rs.store.Messages.Message(ctx, msg.ID)
	if err != nil {
		return nil, err
	}

	res.Message = strings.Join(names, ", ") + " answered."
	res.DeliveryStatus, res.Deliveries = parley.SumUp(ds), rs.roster.Names.FillInDeliveries(ds)

	return res, nil
}

// retry asks a model again, or waits for the answer that is being written.
func (rs *Responders) retry(ctx context.Context, msg *parley.Message, to *team.Member) (*parley.Reply, error) {
	key := callKey(msg, to)
	c, first, err := rs.inflight.begin(key)
	if err != nil {
		return nil, err
	}
	if !first {
		return c.wait(ctx)
	}
	defer rs.inflight.end(key, c)

	_, ds, err := rs.store.Messages.Message(ctx, msg.ID)
	switch {
	case err != nil:
		c.err = err
	case !slices.Contains(rs.Unanswered(msg, ds), to):
		c.err = answeredMeanwhile(msg, to)
	case slices.ContainsFunc(ds, func(d parley.Delivery) bool {
		return d.RecipientID == to.ID && rs.mayBeAsked(msg, &d)
	}):
		c.err = rs.askedElsewhere(msg, to)
	default:
		c.reply, c.err = rs.reply(ctx, to, msg, parley.CallerFrom(ctx).ID == msg.SenderID)
	}

	return c.reply, c.err
}

func answeredMeanwhile(msg *parley.Message, to *team.Member) error {
	short := parley.Short(msg.ID)
	return parley.Errorf(parley.AlreadyDelivered, "%s has answered message %s meanwhile", to.Name, short).
		Suggest("parley explain %s shows its answer. Send a new message to ask again.", short)
}

// mayBeAsked reports whether another host may be asking the model about a message now. No host knows what the others
// ask, so this is so until a call is recorded, or has no time left.
func (rs *Responders) mayBeAsked(msg *parley.Message, d *parley.Delivery) bool {
	return rs.store.Hosts.Team().Own != "" && d.Reason == "" && rs.now().Before(rs.askedUntil(msg))
}

func (rs *Responders) askedUntil(msg *parley.Message) time.Time {
	return msg.Timestamp.Add(rs.opts.Timeout)
}

func (rs *Responders) askedElsewhere(msg *parley.Message, to *team.Member) error {
	now, until := rs.now(), rs.askedUntil(msg)
	return parley.NoModelAnswer(parley.ModelNotAnswering, "another host may be asking the model of %s about message %s",
		to.Name, parley.Short(msg.ID)).
		With("retry_after_seconds", int(math.Ceil(until.Sub(now).Seconds()))).
		Suggest("Try again after %s, if no answer has come.", parley.LocalTime(until, now))
}

// Needs returns the needs of messages to responders that got no answer.
func (rs *Responders) Needs(ctx context.Context) ([]parley.Need, error) {
	items, err := rs.store.Responders.NotAnswered(ctx)
	var needs []parley.Need
	for _, item := range items {
		m := rs.roster.ByID(item.Delivery.RecipientID)
		if m.Responder() == nil || rs.IsAnswering(&item.Message, m) || rs.mayBeAsked(&item.Message, &item.Delivery) {
			continue
		}

		msg, short := rs.roster.Names.FillIn(&item.Message), parley.Short(item.Message.ID)
		needs = append(needs, parley.Need{
			Kind:      parley.NeedUnanswered,
			AgentID:   m.ID,
			Agent:     m.Name,
			MessageID: msg.ID,
			Since:     msg.Timestamp,
			Text: fmt.Sprintf("gave no answer to message %s from %s: %s",
				short, msg.Sender, cmp.Or(item.Delivery.Reason, NotAsked)),
			Action: "Ask it again, or let it be.",
		})
	}

	return needs, err
}
