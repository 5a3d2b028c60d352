package talk

import (
	"cmp"
	"fmt"
	"time"

	"parley"
	"parley/orchestrator/conversation"
	"parley/orchestrator/team"
	"parley/store"
)

// ruling is the decision on one message for one recipient. The zero ruling lets it pass.
type ruling struct {
	why   conversation.Reason
	until time.Time
	text  string

	decision *parley.ConversationDecision // on whether a responder answers a thread's post
	silent   bool                         // the responder does not answer, and the delivery ends

	over string // the message goes to a mailbox beyond this budget, in words
}

// same reports whether both hold a delivery for the same reason until the same time.
func (r *ruling) same(o ruling) bool {
	return r.why == o.why && r.until.Equal(o.until) && r.text == o.text
}

// request is one message to be judged for one recipient.
type request struct {
	msg       *parley.Message
	from, to  *team.Member
	at        time.Time
	renews    string // see conversation.Turn
	addressed bool   // the post is meant for this recipient: no rule decides about it
	fresh     bool   // the message must not overtake one that waits already
}

// rule decides whether a message may start a turn of its recipient, and counts the turn if it may.
// Only a message to a terminal, or one that calls on a responder in a thread, can be held: no other
// starts a turn by itself. A responder answers a direct message within the call, which is no turn.
// So a session with it spends no budget, however long it is. The caller holds mu.
func (mem *memory) rule(q request) ruling {
	turn := turnOf(q.from, q.to, linkOf(q.msg), q.at, q.renews)
	settings := mem.settingsOf(q.msg.ThreadID)
	speaks := q.to.Responder() != nil
	if speaks && q.msg.Kind != parley.KindThread {
		return ruling{}
	}

	var r ruling
	if speaks || q.to.Kind == parley.KindTerminal && !turn.FromHuman {
		if r = mem.decide(q, settings); r.why != "" {
			return r
		}
	}

	if (speaks || q.to.Kind == parley.KindTerminal) && !turn.FromHuman {
		v := mem.budgets.Judge(settings, turn)
		if h := mem.holds.waitingBefore(q); !v.Held && h != nil {
			waits := h.ruling()
			waits.decision = r.decision
			return waits
		}

		if v.Held {
			v.Until = local(v.Until)
			what, next := v.Explain()
			return ruling{why: v.Reason, until: v.Until, text: heldText(what, next), decision: r.decision}
		}
	}

	if isMailbox(q.to) {
		r.over = mem.overBudget(q, settings, turn)
	}

	mem.budgets.Take(turn)

	return r
}

// decide asks the rules about a thread's post. For an addressed post, only the operator's
// mute and cool count.
func (mem *memory) decide(q request, settings conversation.Settings) ruling {
	r := mem.threads[q.msg.ThreadID]
	if q.msg.Kind != parley.KindThread || r == nil {
		return ruling{}
	}

	settings.Off = settings.Off || q.addressed
	agent := q.to.Agent()
	d := r.Decide(conversation.Question{
		Agent:    &agent,
		Post:     postOf(q.msg, q.from),
		At:       q.at,
		Draw:     mem.draw,
		Settings: settings,
	})

	if q.to.Kind != parley.KindTerminal {
		return responderRuling(q, d)
	}
	if d.ShouldRespond {
		return ruling{}
	}

	what, next := d.Explain()
	held := ruling{why: d.Reason, text: heldText(what, next)}
	if d.Reason == conversation.CooledDown {
		held.until = local(r.At(q.at).CooledUntil)
	}

	return held
}

func local(at time.Time) time.Time {
	if at.IsZero() {
		return at
	}
	return at.In(time.Local)
}

// heldText returns the reason of a held delivery: what happened, and what lets it pass.
func heldText(what, next string) string {
	return what + ". " + next
}

// Parent is the message that another one replies to; zero for none.
type Parent struct {
	Link     conversation.Link
	SenderID string
}

// ParentOf returns a message as the parent of its replies. A notice of parley's begins no turn, so a reply to
// it continues the turn of its sender.
func ParentOf(m *parley.Message) Parent {
	p := Parent{Link: linkOf(m), SenderID: m.SenderID}
	if m.Kind == parley.KindNotice {
		p.Link = conversation.Link{}
	}
	return p
}

// Judge returns the function that the store calls for the deliveries of a message, nil for
// parley's own messages. The store calls it while it writes, so messages are judged in the
// order in which they are stored. A transaction that is tried again gets the same answers.
func (mem *memory) Judge(from *team.Member, msg *parley.Message, replied Parent) store.Judge {
	if from.Kind == parley.KindSystem || msg.Kind == parley.KindNotice {
		return nil
	}

	rulings := map[string]ruling{}
	noted, renews := false, ""

	return func(ds []store.NewDelivery) {
		mem.mu.Lock()
		defer mem.mu.Unlock()

		if !noted {
			noted = true
			renews = mem.noteMessage(from, msg, replied, ds)
		}

		for i := range ds {
			to := mem.roster.ByID(ds[i].RecipientID)
			if ds[i].State == parley.DeliveryFailed || to == nil {
				continue
			}

			r, known := rulings[to.ID]
			if !known {
				addressed := msg.RequiresResponse || msg.ResponseStatus != "" && to.ID == replied.SenderID
				r = mem.rule(request{
					msg: msg, from: from, to: to, at: msg.Timestamp,
					renews: renews, addressed: addressed, fresh: true,
				})
				rulings[to.ID] = r
			}

			r.apply(&ds[i])
		}
	}
}

// noteMessage adds a post to its thread, and has holds judged again when a person speaks.
// It returns the chain that a person's message renews. The caller holds mu.
func (mem *memory) noteMessage(
	from *team.Member, msg *parley.Message, replied Parent, ds []store.NewDelivery,
) (renews string) {
	human := from.Kind == parley.KindHuman
	renews = replied.Link.Chain
	if msg.Kind == parley.KindThread {
		r := mem.threads[msg.ThreadID]
		if r == nil {
			r = &threadMemory{}
			mem.threads[msg.ThreadID] = r
		}

		renews = cmp.Or(renews, r.chain)
		var names []string
		for _, d := range ds {
			if m := mem.roster.ByID(d.RecipientID); m != nil {
				names = append(names, m.Name)
			}
		}

		r.add(msg, from, names)
	}

	if !human {
		return ""
	}

	for _, h := range mem.holds.byKey {
		h.due = h.due || h.mayPassAfter(msg)
	}

	return renews
}

// responderRuling makes the ruling of a decision on whether a responder answers a post.
func responderRuling(q request, d conversation.Decision) ruling {
	shown := publicDecision(q.to, d)
	r := ruling{decision: &shown}
	if d.ShouldRespond {
		return r
	}
	what, _ := d.Explain()
	r.why, r.silent = d.Reason, true
	r.text = fmt.Sprintf("%s stays silent (%s): %s", q.to.Name, d.Reason, what)
	return r
}

func (r *ruling) apply(d *store.NewDelivery) {
	if r.decision != nil {
		d.Decision, d.Silent = r.decision, !r.decision.ShouldRespond
		d.Cause = parley.ProofStored.In(fmt.Sprintf("stored; its model is asked (%s)", r.decision.Reason))
	}
	switch {
	case r.silent:
		d.State, d.Cause = parley.DeliveryRead, parley.ProofSilence.With(r.text)
	case r.over != "":
		d.Cause = parley.ProofOverBudget.With(r.over)
	case r.why != "":
		d.State, d.Cause = parley.DeliveryHeld, parley.HoldConversation.With(r.text)
		d.Withheld, d.Until = string(r.why), r.until
	}
}
