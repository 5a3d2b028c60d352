package talk

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"parley"
	"parley/orchestrator/conversation"
	"parley/orchestrator/team"
	"parley/store"
)

// Needs lists the conversations that have spent a budget, each once. The holds of a rule, and those of the operator,
// are not among them.
func (t *Talk) Needs(ctx context.Context, list []store.Withheld) ([]parley.Need, error) {
	var needs []parley.Need
	index := map[string]int{} // of a conversation's need in needs
	var counts []int
	for n := range list {
		w := &list[n]
		if !(&hold{Withheld: *w}).isByBudget() {
			continue
		}

		id := cmp.Or(w.Message.ThreadID, parley.ConversationID(w.Message.SenderID, w.Key.RecipientID))
		i, known := index[id]
		if !known {
			i = len(needs)
			index[id] = i
			needs, counts = append(needs, t.heldNeed(w)), append(counts, 0)
		}

		counts[i]++
	}

	for i := range needs {
		what := "a message is"
		if counts[i] > 1 {
			what = fmt.Sprintf("%d messages are", counts[i])
		}
		needs[i].Text = what + needs[i].Text
	}

	for _, n := range t.Memory.excessNeeds() {
		if n.MessageID == "" { // all that went beyond the budget was refused: name the last message before it
			page, err := t.Memory.store.Messages.History(ctx, store.HistoryQuery{A: n.from, B: n.AgentID, Limit: 1})
			if err != nil {
				return nil, err
			}
			for _, last := range page.Items {
				n.MessageID = last.Message.ID
			}
		}
		needs = append(needs, n.Need)
	}

	return needs, nil
}

func (t *Talk) heldNeed(w *store.Withheld) parley.Need {
	from, to := t.Memory.roster.ByID(w.Message.SenderID), t.Memory.roster.ByID(w.Key.RecipientID)
	conversation, what := from.Name+" "+to.Name, fmt.Sprintf(" held between %s and %s", from.Name, to.Name)
	if id := w.Message.ThreadID; id != "" {
		conversation, what = parley.Short(id), " held in thread "+parley.Short(id)
	}

	next := "Let it go on with parley conversation release " + conversation
	if !w.Until.IsZero() { // otherwise a new message begins another chain, which renews nothing
		next += ", or write to one of them"
	}

	return parley.Need{
		Kind:      parley.NeedHeld,
		Between:   true,
		AgentID:   w.Key.RecipientID,
		Agent:     to.Name,
		MessageID: w.Message.ID,
		Since:     w.QueuedAt,
		Text:      what + ": " + w.Words(),
		Command:   "parley conversation show " + conversation,
		Action:    "See what they talk about. " + next + ".",
		Acts:      []parley.Act{muting(w.Message.ThreadID, from, to)},
	}
}

// IsOver reports whether the conversation of a required response is muted or has ended: then nobody is
// reminded of the response. The operator still sees that it is owed. Two agents have ended it if both have said so
// since the request: the one that owes the response cannot do it alone.
func (t *Talk) IsOver(ctx context.Context, w *store.Owing) (bool, error) {
	now := t.Memory.now()
	if id := w.Message.ThreadID; id != "" {
		if err := t.Memory.LoadThread(ctx, id); err != nil {
			return false, err
		}

		t.Memory.mu.Lock()
		defer t.Memory.mu.Unlock()

		r := t.Memory.threads[id].At(now)

		return r.Muted || r.State == conversation.Concluded, nil
	}

	one, two := t.Memory.roster.ByID(w.Message.SenderID), t.Memory.roster.ByID(w.Debt.DebtorID)
	if one == nil || two == nil || isHuman(one, two) {
		return false, nil
	}

	r, said, err := t.pairRoom(ctx, one, two)
	if err != nil {
		return false, err
	}
	if r.At(now).State == conversation.Concluded && bothConclude(said, w.Message.Timestamp) {
		return true, nil
	}

	t.Memory.mu.Lock()
	defer t.Memory.mu.Unlock()

	v := t.Memory.budgets.Judge(conversation.Settings{Off: true}, conversation.Turn{From: one.ID, To: two.ID, At: now})

	return v.Reason == conversation.MutedByOperator, nil
}

// bothConclude reports whether each of two agents has used a conclusion phrase after a time.
func bothConclude(said []parley.Message, after time.Time) bool {
	who := map[string]bool{}
	for i := range said {
		if said[i].Timestamp.After(after) && conversation.Concludes(said[i].Text) {
			who[said[i].SenderID] = true
		}
	}
	return len(who) == 2
}

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
