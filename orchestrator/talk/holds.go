package talk

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"parley"
	"parley/conversation"
	"parley/orchestrator/team"
	"parley/store"
)

// hold is a delivery that the protocol holds.
type hold struct {
	store.Withheld
	due      bool // it is to be looked at now
	released bool // the operator let it go: no rule decides about it any more
}

// stale is how old a thread's post is when a person's word does not bring it up again:
// the window over which the rules count. That person's post is what is answered then.
const stale = 5 * time.Minute

// compareEvery is how often what is held in memory is compared with the database: who
// reads its inbox takes something out of it.
const compareEvery = time.Minute

func (h *hold) way() direction { return direction{h.Message.SenderID, h.Key.RecipientID} }

// waits reports whether it passes by waiting.
func (h *hold) passesByTime() bool { return h.isByBudget() && !h.Until.IsZero() }

// spent reports whether a budget holds it, and no rule.
func (h *hold) isByBudget() bool {
	switch conversation.Reason(h.Why) {
	case conversation.ChainSpent, conversation.PairSpent, conversation.CycleSpent:
		return true
	}
	return false
}

// hears reports whether a person's message may let it pass.
func (h *hold) mayPassAfter(msg *parley.Message) bool {
	switch {
	case h.isByBudget(), conversation.Reason(h.Why) == conversation.CooledDown:
		return true
	case conversation.Reason(h.Why) == conversation.MutedByOperator:
		return false
	}
	return h.Message.ThreadID == msg.ThreadID && msg.Timestamp.Sub(h.Message.Timestamp) < stale
}

func (h *hold) ruling() ruling {
	return ruling{why: conversation.Reason(h.Why), until: h.Until, text: h.Reason}
}

func (t *Talk) keep(h *hold) {
	t.drop(h.Key)
	t.holds[h.Key] = h
	if h.passesByTime() {
		t.waits[h.way()]++
	}
}

func (t *Talk) drop(k store.Key) {
	h := t.holds[k]
	if h == nil {
		return
	}
	delete(t.holds, k)
	if !h.passesByTime() {
		return
	}
	if t.waits[h.way()]--; t.waits[h.way()] == 0 {
		delete(t.waits, h.way())
	}
}

// remember keeps what was stored as held.
func (t *Talk) Remember(stored *store.Appended, delegates []store.NewDelivery) {
	withheld := slices.ContainsFunc(delegates, func(d store.NewDelivery) bool { return d.Withheld != "" })
	if !withheld && !slices.ContainsFunc(stored.Deliveries, func(d parley.Delivery) bool { return d.Hold != nil }) {
		return
	}

	t.mu.Lock()
	defer t.mu.Unlock()

	t.missed = t.missed || withheld
	for _, d := range stored.Deliveries {
		if d.Hold == nil {
			continue
		}

		h := &hold{
			Withheld: store.Withheld{
				Why: d.Hold.Reason,
				Job: store.Job{Key: store.Key{MessageSeq: stored.Seq, RecipientID: d.RecipientID},
					Message: stored.Message, State: d.State, Reason: d.Reason, Code: d.ReasonCode, QueuedAt: d.Steps[0].At},
			},
		}

		if d.Hold.Until != nil {
			h.Until = *d.Hold.Until
		}

		t.keep(h)
	}
}

// loadHolds reads what is held. All of it is looked at again: a person may have
// written, and waiting may have helped, while no daemon ran.
func (t *Talk) loadHolds(ctx context.Context) error {
	list, err := t.store.Withheld(ctx, MaxHolds)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.holds, t.comparedAt = map[store.Key]*hold{}, t.now()
	for _, w := range list {
		t.keep(&hold{Withheld: w, due: (&hold{Withheld: w}).isByBudget() || !w.Until.IsZero()})
	}
	return nil
}

// compareHolds forgets what is not held any more, and learns what is held besides.
func (t *Talk) compareHolds(ctx context.Context) {
	now := t.now()
	t.mu.Lock()
	due := t.missed || len(t.holds) > 0 && now.Sub(t.comparedAt) > compareEvery
	if due {
		t.missed, t.comparedAt = false, now
	}

	t.mu.Unlock()
	if !due {
		return
	}

	list, err := t.store.Withheld(ctx, MaxHolds)
	if err != nil {
		if ctx.Err() == nil {
			t.log.Error("look for what is held", "error", err)
		}
		return
	}

	t.mu.Lock()
	defer t.mu.Unlock()

	held := map[store.Key]bool{}
	for _, w := range list {
		held[w.Key] = true
		if t.holds[w.Key] == nil {
			t.keep(&hold{Withheld: w})
		}
	}

	for k, h := range t.holds {
		if !held[k] && h.QueuedAt.Before(now.Add(-compareEvery)) { // what is newer may not have been in the list yet
			t.drop(k)
		}
	}
}

// call is a post in a thread that a responder is called upon to answer.
type Invitation struct {
	To   *team.Member
	Post parley.Message
}

// Invitations returns the posts that responders are invited to answer by what was stored.
func (t *Talk) Invitations(stored *store.Appended) []Invitation {
	var list []Invitation
	for _, d := range stored.Deliveries {
		if d.Decision != nil && d.State == parley.DeliverySubmitted {
			list = append(list, Invitation{To: t.roster.ByID(d.RecipientID), Post: stored.Message})
		}
	}
	return list
}

// Recheck judges again what is held and due for it. What may pass goes on: to its
// terminal, or, for a responder, to the caller.
func (t *Talk) Recheck(ctx context.Context) ([]Invitation, error) {
	t.rechecking.Lock()
	defer t.rechecking.Unlock()

	t.compareHolds(ctx)
	pass, changed := t.judgeAgain()
	if len(changed) > 0 {
		if err := t.store.Rewithhold(ctx, changed); err != nil {
			return nil, err
		}
	}

	if len(pass) == 0 {
		return nil, nil
	}

	list := make([]store.Passing, len(pass))
	for i, h := range pass {
		list[i] = store.Passing{Key: h.Key, State: stateAfterHold(t.roster.ByID(h.Key.RecipientID))}
	}

	passed, err := t.store.Unwithhold(ctx, list, "the conversation protocol lets it pass")
	if err != nil {
		t.mu.Lock()
		defer t.mu.Unlock()

		for _, h := range pass {
			h.due = true
			t.keep(h)
		}

		return nil, err
	}

	pass = slices.DeleteFunc(pass, func(h *hold) bool { return !slices.Contains(passed, h.Key) })

	return t.handOn(pass), nil
}

// handOn gives what may pass to the couriers, and returns what responders are to answer.
func (t *Talk) handOn(pass []*hold) []Invitation {
	var invitations []Invitation
	for _, h := range pass {
		to := t.roster.ByID(h.Key.RecipientID)
		if to.Kind != parley.KindTerminal {
			invitations = append(invitations, Invitation{To: to, Post: h.Message})
			continue
		}

		h.State, h.Reason, h.Code = parley.DeliveryQueued, "", ""
		to.Enqueue(h.Job)
	}
	return invitations
}

// lookAgain takes what may pass now out of what is held, in the order of acceptance;
// changed is what is held for another reason, or until another time.
func (t *Talk) judgeAgain() (pass []*hold, changed []store.Withheld) {
	t.mu.Lock()
	defer t.mu.Unlock()

	now := t.now()
	due := slices.Collect(maps.Values(t.holds))
	due = slices.DeleteFunc(due, func(h *hold) bool {
		return !h.due && (h.Until.IsZero() || h.Until.After(now))
	})

	slices.SortFunc(due, func(a, b *hold) int { return cmp.Compare(a.Key.MessageSeq, b.Key.MessageSeq) })
	for _, h := range due {
		h.due = false
		from, to := t.roster.ByID(h.Message.SenderID), t.roster.ByID(h.Key.RecipientID)
		if from == nil || to == nil {
			continue
		}

		r := t.rule(request{msg: &h.Message, from: from, to: to, at: now, addressed: h.isByBudget() || h.released})
		switch {
		case r.why == "":
			t.drop(h.Key)
			pass = append(pass, h)
		case !r.same(h.ruling()):
			t.drop(h.Key)
			h.Why, h.Until, h.Reason = string(r.why), r.until, r.text
			t.keep(h)
			changed = append(changed, h.Withheld)
		}
	}

	return pass, changed
}

// heldNeeds tells the operator of the conversations that came to the end of a budget,
// each once. What a rule decides, and what the operator did, is no news.
func (t *Talk) Needs(list []store.Withheld) []parley.Need {
	var needs []parley.Need
	more := map[string]int{} // of each conversation, where its need stands
	counts := []int{}
	for i := range list {
		w := &list[i]
		if !(&hold{Withheld: *w}).isByBudget() {
			continue
		}

		id := cmp.Or(w.Message.ThreadID, parley.ConversationID(w.Message.SenderID, w.Key.RecipientID))
		at, known := more[id]
		if !known {
			at = len(needs)
			more[id] = at
			needs, counts = append(needs, t.heldNeed(w)), append(counts, 0)
		}

		counts[at]++
	}

	for i := range needs {
		what := "a message is"
		if counts[i] > 1 {
			what = fmt.Sprintf("%d messages are", counts[i])
		}
		needs[i].Text = what + needs[i].Text
	}

	return needs
}

func (t *Talk) heldNeed(w *store.Withheld) parley.Need {
	from, to := t.roster.ByID(w.Message.SenderID).Name, t.roster.ByID(w.Key.RecipientID).Name
	conversation, what := from+" "+to, fmt.Sprintf(" held between %s and %s", from, to)
	if id := w.Message.ThreadID; id != "" {
		conversation, what = parley.Short(id), " held in thread "+parley.Short(id)
	}

	next := "Let it go on with parley conversation release " + conversation
	if !w.Until.IsZero() { // a chain's budgets are renewed by nothing that begins another chain
		next += ", or write to one of them"
	}

	return parley.Need{
		Kind:      parley.NeedHeld,
		AgentID:   w.Key.RecipientID,
		Agent:     to,
		MessageID: w.Message.ID,
		Since:     w.QueuedAt,
		Text:      what + ": " + w.Reason,
		Command:   "parley conversation show " + conversation,
		Action:    "See what they talk about. " + next + ".",
	}
}
