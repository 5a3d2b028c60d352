package talk

import (
	"cmp"
	"fmt"
	"time"

	"parley"
	"parley/conversation"
	"parley/orchestrator/team"
	"parley/store"
)

// ruling is what the protocol says of one message and one recipient. The zero ruling
// lets it pass.
type ruling struct {
	why   conversation.Reason
	until time.Time
	text  string

	decision *parley.ConversationDecision // about a responder and a thread's post
	silent   bool                         // it does not answer, and nothing waits for that
}

// same reports whether something is held as it was.
func (r *ruling) same(o ruling) bool {
	return r.why == o.why && r.until.Equal(o.until) && r.text == o.text
}

// matter is what it is asked about.
type request struct {
	msg       *parley.Message
	from, to  *team.Member
	at        time.Time
	renews    string // see conversation.Turn
	addressed bool   // a post that is meant for this recipient: no rule decides about it
	fresh     bool   // it must not go before what waits already
}

// ruleOf says whether a message may start a turn of its recipient's, and takes it into
// account when it may. Only what goes to a terminal, or calls upon a responder in a
// thread, can be held: nothing else starts by itself. A responder that is written to
// answers within the call, which is no turn: however long such a session is, it spends
// nothing.
func (t *Talk) rule(q request) ruling {
	turn := turnOf(q.from, q.to, linkOf(q.msg), q.at, q.renews)
	settings := t.settingsOf(q.msg.ThreadID)
	speaks := q.to.Responder() != nil
	if speaks && q.msg.Kind != parley.KindThread {
		return ruling{}
	}

	var r ruling
	if speaks || q.to.Kind == parley.KindTerminal && !turn.FromHuman {
		if r = t.decide(q, settings); r.why != "" {
			return r
		}
	}

	if (speaks || q.to.Kind == parley.KindTerminal) && !turn.FromHuman {
		v := t.budgets.Judge(settings, turn)
		if h := t.waitingBefore(q); !v.Held && h != nil {
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

	t.budgets.Take(turn)

	return r
}

// decide asks the rules about a thread's post. For one that is addressed only the
// operator's mute and cool count.
func (t *Talk) decide(q request, settings conversation.Settings) ruling {
	r := t.threads[q.msg.ThreadID]
	if q.msg.Kind != parley.KindThread || r == nil {
		return ruling{}
	}

	settings.Off = settings.Off || q.addressed
	agent := q.to.Agent()
	d := r.Decide(
		conversation.Question{Agent: &agent, Post: postOf(q.msg, q.from), At: q.at, Draw: t.draw, Settings: settings},
	)

	if q.to.Kind != parley.KindTerminal {
		return t.responderRuling(q, d)
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

// heldText is the reason of a delivery that is held: what happened, and what would make
// it pass.
func heldText(what, next string) string {
	return what + ". " + next
}

// before returns what waits for time between the same two in the same direction, the
// latest of it: a new message must not overtake it.
func (t *Talk) waitingBefore(q request) *hold {
	w := direction{q.msg.SenderID, q.to.ID}
	if !q.fresh || t.waits[w] == 0 {
		return nil
	}
	var last *hold
	for _, h := range t.holds {
		if h.way() == w && h.passesByTime() && (last == nil || h.Key.MessageSeq > last.Key.MessageSeq) {
			last = h
		}
	}
	return last
}

// parent is the message that another replies to; zero for none.
type Parent struct {
	Link     conversation.Link
	SenderID string
}

func ParentOf(m *parley.Message) Parent { return Parent{Link: linkOf(m), SenderID: m.SenderID} }

// judge returns what the store asks about each delivery of a message, nil for parley's
// own. The goroutine that writes asks it, so messages are judged in the order in which
// they are stored. A transaction that is tried again gets the same answers.
func (t *Talk) Judge(from *team.Member, msg *parley.Message, replied Parent) store.Judge {
	if from.Kind == parley.KindSystem || msg.Kind == parley.KindNotice {
		return nil
	}

	rulings := map[string]ruling{}
	noted, renews := false, ""

	return func(ds []store.NewDelivery) {
		t.mu.Lock()
		defer t.mu.Unlock()

		if !noted {
			noted = true
			renews = t.noteMessage(from, msg, replied, ds)
		}

		for i := range ds {
			to := t.roster.ByID(ds[i].RecipientID)
			if ds[i].State == parley.DeliveryFailed || to == nil {
				continue
			}

			r, known := rulings[to.ID]
			if !known {
				addressed := msg.RequiresResponse || msg.ResponseStatus != "" && to.ID == replied.SenderID
				r = t.rule(request{
					msg: msg, from: from, to: to, at: msg.Timestamp,
					renews: renews, addressed: addressed, fresh: true,
				})
				rulings[to.ID] = r
			}

			r.apply(&ds[i])
		}
	}
}

// note lets a thread's room have its post, and what is held be looked at again when a
// person speaks. It returns the chain that a person's message renews.
func (t *Talk) noteMessage(
	from *team.Member,
	msg *parley.Message,
	replied Parent,
	ds []store.NewDelivery,
) (renews string) {
	human := from.Kind == parley.KindHuman
	renews = replied.Link.Chain
	if msg.Kind == parley.KindThread {
		r := t.threads[msg.ThreadID]
		if r == nil {
			r = &threadMemory{}
			t.threads[msg.ThreadID] = r
		}

		renews = cmp.Or(renews, r.chain)
		var names []string
		for _, d := range ds {
			if m := t.roster.ByID(d.RecipientID); m != nil {
				names = append(names, m.Name)
			}
		}

		r.add(msg, from, names)
	}

	if !human {
		return ""
	}

	for _, h := range t.holds {
		h.due = h.due || h.mayPassAfter(msg)
	}

	return renews
}

// verdictOn asks the rules whether a responder answers a thread's post.
func (t *Talk) responderRuling(q request, d conversation.Decision) ruling {
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

// apply writes a ruling to a new delivery.
func (r *ruling) apply(d *store.NewDelivery) {
	if r.decision != nil {
		d.Decision, d.Silent = r.decision, !r.decision.ShouldRespond
		d.Evidence = fmt.Sprintf("stored; its model is asked (%s)", r.decision.Reason)
	}
	switch {
	case r.silent:
		d.State, d.Evidence = parley.DeliveryRead, r.text
	case r.why != "":
		d.State, d.Reason, d.Evidence = parley.DeliveryHeld, r.text, ""
		d.Withheld, d.Until = string(r.why), r.until
	}
}

// passes is where a delivery goes on that was held.
func stateAfterHold(to *team.Member) parley.DeliveryState {
	if to.Kind == parley.KindTerminal {
		return parley.DeliveryQueued
	}
	return parley.DeliverySubmitted
}
