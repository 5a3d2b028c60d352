package talk

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/orchestrator/conversation"
	"parley/store"
)

// hold is a delivery that the protocol holds.
type hold struct {
	store.Withheld
	due      bool // the next Recheck judges it again
	released bool // the operator let it go: no rule decides about it any more
	unsaved  bool // the database has an earlier ruling
}

// stale is the age at which a held post stays held although a person posts in its thread: the
// window over which the rules count. The person's post is answered instead.
const stale = 5 * time.Minute

// compareEvery is how often the holds in memory are compared with the database, where an
// agent ends some when it reads its inbox.
const compareEvery = time.Minute

func (h *hold) direction() direction {
	return direction{from: h.Message.SenderID, to: h.Key.RecipientID}
}

// passesByTime reports whether waiting is enough for the delivery to pass.
func (h *hold) passesByTime() bool { return h.isByBudget() && !h.Until.IsZero() }

// isDue reports whether the delivery is judged again now.
func (h *hold) isDue(now time.Time) bool { return h.due || !h.Until.IsZero() && !h.Until.After(now) }

// mayHaveEnded reports whether what holds the delivery may have ended unseen, before it was read from the
// database: a person has written, time has passed, or the operator has unmuted the conversation.
func (h *hold) mayHaveEnded() bool {
	return h.isByBudget() || !h.Until.IsZero() || conversation.Reason(h.Why) == conversation.MutedByOperator
}

// isIn reports whether the thread of a held post is known, or the message is no post.
func (h *hold) isIn(threads map[string]*threadMemory) bool {
	return h.Message.ThreadID == "" || threads[h.Message.ThreadID] != nil
}

// isByBudget reports whether a spent budget, and not a rule, holds the delivery.
func (h *hold) isByBudget() bool { return isBudget(conversation.Reason(h.Why)) }

func isBudget(why conversation.Reason) bool {
	switch why {
	case conversation.ChainSpent, conversation.PairSpent, conversation.CycleSpent:
		return true
	}
	return false
}

// mayPassAfter reports whether the delivery may pass because a person sent msg.
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
	return ruling{why: conversation.Reason(h.Why), until: h.Until, text: h.Words()}
}

// holds are the held deliveries.
type holds struct {
	byKey map[store.Key]*hold
	waits map[direction]int // how many pass by waiting
}

func newHolds() holds { return holds{byKey: map[store.Key]*hold{}, waits: map[direction]int{}} }

// keep adds a hold, or replaces the one of the same delivery.
func (hs *holds) keep(h *hold) {
	hs.drop(h.Key)
	hs.byKey[h.Key] = h
	if h.passesByTime() {
		hs.waits[h.direction()]++
	}
}

// unknownThreads returns the threads of posts that are judged again now, without those that are known.
func (hs *holds) unknownThreads(now time.Time, known map[string]*threadMemory) map[string]bool {
	unknown := map[string]bool{}
	for _, h := range hs.byKey {
		if h.isDue(now) && !h.isIn(known) {
			unknown[h.Message.ThreadID] = true
		}
	}
	return unknown
}

// keepStored adds a hold of the database. It is judged again if it may have ended.
func (hs *holds) keepStored(w store.Withheld) {
	h := &hold{Withheld: w}
	h.due = h.mayHaveEnded()
	hs.keep(h)
}

// saved notes whether what was judged is stored. What is not is judged again.
func (hs *holds) saved(pass, changed []*hold, err error) {
	for _, h := range changed {
		h.unsaved, h.due = err != nil, h.due || err != nil
	}
	if err == nil {
		return
	}
	for _, h := range pass {
		h.due = true
		hs.keep(h)
	}
}

// drop removes the hold of a delivery, if there is one.
func (hs *holds) drop(k store.Key) {
	h := hs.byKey[k]
	if h == nil {
		return
	}

	delete(hs.byKey, k)
	if !h.passesByTime() {
		return
	}

	if hs.waits[h.direction()]--; hs.waits[h.direction()] == 0 {
		delete(hs.waits, h.direction())
	}
}

// waitingBefore returns the latest hold that passes with time in the direction of a
// request, nil for none: a new message must not overtake it.
func (hs *holds) waitingBefore(q request) *hold {
	way := direction{from: q.msg.SenderID, to: q.to.ID}
	if !q.fresh || hs.waits[way] == 0 {
		return nil
	}

	var last *hold
	for _, h := range hs.byKey {
		if h.direction() == way && h.passesByTime() && (last == nil || h.Key.MessageSeq > last.Key.MessageSeq) {
			last = h
		}
	}

	return last
}

// Remember adds the deliveries that were stored as held. delegates are those to the agents
// to which a message was delegated.
func (mem *memory) Remember(stored *store.Appended, delegates []store.NewDelivery) {
	withheld := slices.ContainsFunc(delegates, func(d store.NewDelivery) bool { return d.Withheld != "" })
	if !withheld && !slices.ContainsFunc(stored.Deliveries, func(d parley.Delivery) bool { return d.Hold != nil }) {
		return
	}

	mem.mu.Lock()
	defer mem.mu.Unlock()

	mem.missed = mem.missed || withheld
	for _, d := range stored.Deliveries {
		if d.Hold == nil {
			continue
		}

		h := &hold{Withheld: store.Withheld{Why: d.Hold.Reason, Job: store.Job{
			Key:      store.Key{MessageSeq: stored.Seq, RecipientID: d.RecipientID},
			Message:  stored.Message,
			State:    d.State,
			Cause:    d.ReasonCode.In(d.Reason),
			QueuedAt: d.Steps[0].At,
		}}}

		if d.Hold.Until != nil {
			h.Until = *d.Hold.Until
		}

		mem.holds.keep(h)
	}
}

// loadHolds reads the held deliveries.
func (mem *memory) loadHolds(ctx context.Context) error {
	list, err := mem.store.Holds.Withheld(ctx, MaxHolds)
	if err != nil {
		return err
	}

	mem.mu.Lock()
	defer mem.mu.Unlock()

	mem.holds, mem.comparedAt = newHolds(), mem.now()
	for _, w := range list {
		mem.holds.keepStored(w)
	}

	return nil
}

// Compare drops holds that have ended in the database, and adds those that it missed.
func (t *Talk) Compare(ctx context.Context) {
	now := t.Memory.now()
	t.Memory.mu.Lock()
	due := t.Memory.missed || len(t.Memory.holds.byKey) > 0 && now.Sub(t.Memory.comparedAt) > compareEvery
	if due {
		t.Memory.missed, t.Memory.comparedAt = false, now
	}

	t.Memory.mu.Unlock()
	if !due {
		return
	}

	list, err := t.Memory.store.Holds.Withheld(ctx, MaxHolds)
	if err != nil {
		if ctx.Err() == nil {
			t.Memory.log.Error("read the held deliveries", "error", err)
		}
		return
	}

	t.Memory.mu.Lock()
	defer t.Memory.mu.Unlock()

	held := map[store.Key]bool{}
	for _, w := range list {
		held[w.Key] = true
		if t.Memory.holds.byKey[w.Key] == nil {
			t.Memory.holds.keepStored(w)
		}
	}

	for k, h := range t.Memory.holds.byKey {
		if !held[k] && h.QueuedAt.Before(now.Add(-compareEvery)) { // newer ones may be missing from the list
			t.Memory.holds.drop(k)
		}
	}
}
