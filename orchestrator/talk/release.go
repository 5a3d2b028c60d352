package talk

import (
	"context"
	"fmt"
	"slices"

	"parley"
	"parley/store"
)

// releases returns the acts that renew the budgets of held deliveries: one for each chain
// between two agents.
func (mem *memory) releases(about func(from, to, threadID string) bool, like store.Act) []store.Act {
	mem.mu.Lock()
	defer mem.mu.Unlock()

	acts := mem.excesses.acts(about, like)
	for _, h := range mem.holds.byKey {
		if !about(h.Message.SenderID, h.Key.RecipientID, h.Message.ThreadID) {
			continue
		}

		a := store.Act{
			At:      like.At,
			Action:  like.Action,
			One:     h.Message.SenderID,
			Other:   h.Key.RecipientID,
			ChainID: h.Message.ChainID,
			Hop:     h.Message.Hop,
		}

		sameChain := func(b store.Act) bool { return b.One == a.One && b.Other == a.Other && b.ChainID == a.ChainID }
		switch i := slices.IndexFunc(acts, sameChain); {
		case i < 0:
			acts = append(acts, a)
		case acts[i].Hop < a.Hop:
			acts[i].Hop = a.Hop
		}
	}

	return acts
}

// releaseMessage lets one message go on and renews its budgets.
func (t *Talk) releaseMessage(
	ctx context.Context, ref string,
) (*parley.ControlConversationResult, []Invitation, error) {
	msg, deliveries, err := t.Memory.store.Messages.Message(ctx, ref)
	if err != nil {
		return nil, nil, err
	}

	held := Held(deliveries)
	if over := beyondBudget(deliveries); len(held) == 0 && len(over) > 0 {
		return t.releaseExcess(ctx, &msg, over)
	}
	if len(held) == 0 {
		short := parley.Short(msg.ID)
		return nil, nil, parley.Errorf(parley.AlreadyDelivered,
			"the conversation protocol does not hold message %s", short).
			Suggest("parley explain %s tells where it stands.", short)
	}

	invitations, err := t.Release(ctx, &msg, held)
	if err != nil {
		return nil, nil, err
	}

	res := &parley.ControlConversationResult{
		Answer:         parley.OK,
		ConversationID: held[0].ConversationID,
		Released:       []string{},
	}

	if _, deliveries, err = t.Memory.store.Messages.Message(ctx, msg.ID); err != nil {
		return nil, invitations, err
	}
	if res.Held = len(Held(deliveries)); res.Held < len(held) {
		res.Released = append(res.Released, msg.ID)
	}

	res.Message = fmt.Sprintf("Message %s goes on to %d of %d.", parley.Short(msg.ID), len(held)-res.Held, len(held))

	return res, invitations, nil
}

// releaseExcess renews the budgets of a message that went to mailboxes beyond them.
func (t *Talk) releaseExcess(
	ctx context.Context, msg *parley.Message, over []parley.Delivery,
) (*parley.ControlConversationResult, []Invitation, error) {
	invitations, err := t.Release(ctx, msg, over)
	if err != nil {
		return nil, nil, err
	}
	return &parley.ControlConversationResult{
		Answer:         parley.OK,
		ConversationID: over[0].ConversationID,
		Released:       []string{},
		Message:        "Nothing was held; the budgets are as new.",
	}, invitations, nil
}

// Held returns the deliveries that the conversation protocol holds.
func Held(deliveries []parley.Delivery) []parley.Delivery {
	return slices.DeleteFunc(slices.Clone(deliveries), func(d parley.Delivery) bool { return d.Hold == nil })
}

// Release lets held deliveries of a message pass and renews their budgets. Those that the
// operator muted stay. It returns the posts that responders have to answer now.
func (t *Talk) Release(ctx context.Context, msg *parley.Message, held []parley.Delivery) ([]Invitation, error) {
	at := t.Memory.now()
	var acts []store.Act
	for _, d := range held {
		acts = append(acts, store.Act{
			At:      at,
			Action:  string(parley.ActionRelease),
			One:     msg.SenderID,
			Other:   d.RecipientID,
			ChainID: msg.ChainID,
			Hop:     msg.Hop,
		})
	}

	if err := t.keepActs(ctx, acts); err != nil {
		return nil, err
	}

	t.Compare(ctx)
	t.Memory.mu.Lock()
	for i := range acts {
		replay(&t.Memory.budgets, &acts[i])
	}

	for _, h := range t.Memory.holds.byKey {
		toSame := func(d parley.Delivery) bool { return d.RecipientID == h.Key.RecipientID }
		if h.Message.ID == msg.ID && slices.ContainsFunc(held, toSame) {
			h.due, h.released = true, true
		}
	}

	t.Memory.mu.Unlock()

	return t.Recheck(ctx)
}
