package talk

import (
	"time"

	"parley"
	"parley/orchestrator/conversation"
	"parley/orchestrator/team"
	"parley/store"
)

// JudgeNotice returns the function that the store calls for the deliveries of a notice of what an agent does in a
// thread, "" for a new one. Such a notice begins turns like a message, so the function returns CONVERSATION_HELD if a
// message of the agent to one of the terminals would be held, and otherwise counts the turns. What a person does is
// always told. Called again, the function answers the same.
func (mem *memory) JudgeNotice(by *team.Member, threadID string) func([]store.NewDelivery) error {
	if by.Kind == parley.KindHuman || by.Kind == parley.KindSystem {
		return func([]store.NewDelivery) error { return nil }
	}

	n := &notice{t: mem, by: by, threadID: threadID, link: mem.NextLink(team.NewID(), by, conversation.Link{})}
	return func(ds []store.NewDelivery) error {
		if !n.judged {
			n.judged, n.refusal = true, n.judge(ds)
		}
		return n.refusal
	}
}

// notice is a notice of what an agent does in a thread.
type notice struct {
	t        *memory
	by       *team.Member
	threadID string
	link     conversation.Link

	judged  bool
	refusal error
}

func (n *notice) judge(ds []store.NewDelivery) error {
	t, now := n.t, n.t.now()
	t.mu.Lock()
	defer t.mu.Unlock()

	settings := t.settingsOf(n.threadID)
	var turns []conversation.Turn
	for i := range ds {
		to := t.roster.ByID(ds[i].RecipientID)
		if to == nil || to == n.by || to.Kind != parley.KindTerminal {
			continue
		}

		turn := turnOf(n.by, to, n.link, now, "")
		if v := t.budgets.Judge(settings, turn); v.Held {
			return cannotTell(to, v)
		}
		turns = append(turns, turn)
	}

	for _, turn := range turns {
		t.budgets.Take(turn)
	}

	return nil
}

// cannotTell is the error of a call that did nothing because of a verdict. Unlike a held message, it does not go
// on by itself.
func cannotTell(to *team.Member, v conversation.Verdict) error {
	until := local(v.Until)
	v.Until = time.Time{}
	what, next := v.Explain()
	if !until.IsZero() {
		next += " Call again after " + until.Format(time.TimeOnly) + "."
	}
	return parley.Errorf(parley.ConversationHeld, "%s cannot be told of this now: %s", to.Name, what).
		With("agent", to.Name).
		Suggest("%s", next)
}
