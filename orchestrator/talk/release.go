package talk

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"parley"
	"parley/orchestrator/team"
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

// Invitation is a post in a thread that a responder has to answer.
type Invitation struct {
	To   *team.Member
	Post parley.Message
}

// Invitations returns the responders that have to answer a post that was just stored.
func (t *Talk) Invitations(stored *store.Appended) []Invitation {
	var list []Invitation
	for _, d := range stored.Deliveries {
		if d.Decision != nil && d.State == parley.DeliverySubmitted {
			list = append(list, Invitation{To: t.Memory.roster.ByID(d.RecipientID), Post: stored.Message})
		}
	}
	return list
}

// Recheck judges again the held deliveries that are due. Those that may pass go to their couriers.
// It returns the posts for responders, also with an error.
func (t *Talk) Recheck(ctx context.Context) ([]Invitation, error) {
	t.rechecking.Lock()
	defer t.rechecking.Unlock()

	t.Compare(ctx)

	// After a start, and when other hosts have stored the posts, their threads are not known. The posts of a
	// thread that cannot be loaded stay held.
	t.Memory.mu.Lock()
	unknown := t.Memory.holds.unknownThreads(t.Memory.now(), t.Memory.threads)
	t.Memory.mu.Unlock()
	var unread error
	for id := range unknown {
		unread = cmp.Or(unread, t.Memory.LoadThread(ctx, id))
	}

	pass, changed := t.Memory.judgeAgain()
	passing := make([]store.Passing, len(pass))
	for i, h := range pass {
		passing[i] = store.Passing{Key: h.Key, State: stateAfterHold(t.Memory.roster.ByID(h.Key.RecipientID))}
	}

	passed, err := save(ctx, t.Memory.store, passing, changed)
	t.Memory.mu.Lock()
	t.Memory.holds.saved(pass, changed, err)
	t.Memory.mu.Unlock()
	if err != nil {
		return nil, err
	}

	pass = slices.DeleteFunc(pass, func(h *hold) bool { return !slices.Contains(passed, h.Key) })

	return t.handOn(pass), unread
}

// save stores what was judged, and returns which of the passing were still held.
func save(
	ctx context.Context, db *store.Store, passing []store.Passing, changed []*hold,
) (passed []store.Key, err error) {
	if len(changed) > 0 {
		list := make([]store.Withheld, len(changed))
		for i, h := range changed {
			list[i] = h.Withheld // only a Recheck writes it
		}
		err = db.Holds.Rewithhold(ctx, list)
	}
	if err == nil && len(passing) > 0 {
		passed, err = db.Holds.Unwithhold(ctx, passing, "the conversation protocol lets it pass")
	}
	return passed, err
}

// handOn gives deliveries that may pass to the couriers, and returns those that responders
// have to answer.
func (t *Talk) handOn(pass []*hold) []Invitation {
	var invitations []Invitation
	for _, h := range pass {
		to := t.Memory.roster.ByID(h.Key.RecipientID)
		if to.Kind != parley.KindTerminal {
			invitations = append(invitations, Invitation{To: to, Post: h.Message})
			continue
		}

		h.State, h.Cause = parley.DeliveryQueued, parley.Cause{}
		to.Enqueue(h.Job)
	}
	return invitations
}

// judgeAgain removes the holds that end now and returns them in the order of acceptance,
// and returns the ones that go on for another reason or until another time.
func (mem *memory) judgeAgain() (pass, changed []*hold) {
	mem.mu.Lock()
	defer mem.mu.Unlock()

	now := mem.now()
	due := slices.Collect(maps.Values(mem.holds.byKey))
	due = slices.DeleteFunc(due, func(h *hold) bool {
		return !h.isDue(now) || !h.isIn(mem.threads)
	})

	slices.SortFunc(due, func(a, b *hold) int { return cmp.Compare(a.Key.MessageSeq, b.Key.MessageSeq) })
	for _, h := range due {
		h.due = false
		from, to := mem.roster.ByID(h.Message.SenderID), mem.roster.ByID(h.Key.RecipientID)
		if from == nil || to == nil {
			continue
		}

		r := mem.rule(request{msg: &h.Message, from: from, to: to, at: now, addressed: h.isByBudget() || h.released})
		switch {
		case r.why == "":
			mem.holds.drop(h.Key)
			pass = append(pass, h)
		case h.unsaved || !r.same(h.ruling()):
			mem.holds.drop(h.Key)
			h.Why, h.Until, h.Cause = string(r.why), r.until, parley.HoldConversation.With(r.text)
			mem.holds.keep(h)
			changed = append(changed, h)
		}
	}

	return pass, changed
}

// stateAfterHold returns the state in which a held delivery goes on.
func stateAfterHold(to *team.Member) parley.DeliveryState {
	if to.Kind == parley.KindTerminal {
		return parley.DeliveryQueued
	}
	return parley.DeliverySubmitted
}
