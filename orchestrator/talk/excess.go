package talk

import (
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/orchestrator/conversation"
	"parley/orchestrator/team"
	"parley/store"
)

// A mailbox reads its inbox when it wants, so nothing can be held from it. A message to a mailbox
// beyond a budget is refused. Without the setting refuse_mailboxes it is stored, and its sender and the
// operator are told.

// excess describes the messages of one agent that went to a mailbox beyond a budget.
type excess struct {
	messageID, threadID string // of the last message that was not refused
	link                conversation.Link
	since, last         time.Time
	count, refused      int
	what                string // of the verdict
}

// excessKept is how long an excess is shown after its last message.
const excessKept = 10 * time.Minute

// overBudget says which budget a message to a mailbox exceeds, "" for none. The
// caller holds mu.
func (mem *memory) overBudget(q request, settings conversation.Settings, turn conversation.Turn) string {
	v := mem.budgets.Judge(settings, turn)
	if !isBudget(v.Reason) {
		return ""
	}
	what, _ := v.Explain()
	x := mem.excesses.note(q.from, q.to, turn, what)
	x.messageID, x.threadID = q.msg.ID, q.msg.ThreadID
	return heldText(what, "Ask a person, or let it rest: nothing holds what goes to a mailbox.")
}

// Refuse returns CONVERSATION_HELD if a message goes beyond a budget to where nothing can be held: to a mailbox,
// if the settings refuse that, or by a tool of its sender's program. Posts to a thread and formal responses pass.
func (mem *memory) Refuse(from *team.Member, msg *parley.Message, replied Parent, to []*team.Member) error {
	if from.Kind == parley.KindSystem || msg.ResponseStatus != "" {
		return nil
	}

	mem.mu.Lock()
	defer mem.mu.Unlock()

	settings := mem.settingsOf("")
	for _, m := range to {
		native, mailbox := msg.Type == parley.TypeNative, isMailbox(m) && settings.RefuseMailboxes
		if !native && !mailbox {
			continue
		}
		turn := turnOf(from, m, linkOf(msg), msg.Timestamp, replied.Link.Chain)
		if v := mem.budgets.Judge(settings, turn); isBudget(v.Reason) || native && v.Held {
			what, next := v.Explain()
			if mailbox {
				mem.excesses.note(from, m, turn, what).refused++
				next += fmt.Sprintf(" A settled request (completed, unable, ignored) or an hour's rest ends a chain. "+
					"A person lets them go on with parley conversation release %s %s, "+
					"and for good with refuse_mailboxes: false in parley.yaml.", from.Name, m.Name)
			}
			return parley.Errorf(parley.ConversationHeld, "%s takes no more messages: %s", m.Name, what).
				With("agent", m.Name).
				Suggest("%s", next)
		}
	}

	return nil
}

// excesses holds what went to mailboxes beyond a budget. Not safe for concurrent use.
type excesses map[direction]*excess

// note remembers that something went to a mailbox beyond a budget, or was refused.
func (xs excesses) note(from, to *team.Member, turn conversation.Turn, what string) *excess {
	way := direction{from: from.ID, to: to.ID}
	x := xs[way]
	if x == nil || turn.At.Sub(x.last) > excessKept {
		x = &excess{since: turn.At}
		xs[way] = x
	}
	x.count++
	x.link, x.last, x.what = turn.Link, turn.At, what
	return x
}

// isMailbox reports whether a member reads its messages when it wants, and no model answers for it.
func isMailbox(m *team.Member) bool { return m.Kind == parley.KindMailbox && m.Responder() == nil }

// excessNeed is a need and the id of the agent that writes to the mailbox.
type excessNeed struct {
	parley.Need
	from string
}

// excessNeeds tells the operator which agents keep writing to a mailbox beyond a budget.
func (mem *memory) excessNeeds() (needs []excessNeed) {
	now := mem.now()
	mem.mu.Lock()
	defer mem.mu.Unlock()

	beyond := func(x *excess, from, to *team.Member) bool {
		return isBudget(mem.budgets.Judge(mem.settingsOf(x.threadID), turnOf(from, to, x.link, now, "")).Reason)
	}

	for way, x := range mem.excesses {
		from, to := mem.roster.ByID(way.from), mem.roster.ByID(way.to)
		// Of the two, only the one whose turn it is can go beyond.
		if now.Sub(x.last) > excessKept || !beyond(x, from, to) && !beyond(x, to, from) {
			delete(mem.excesses, way)
			continue
		}
		needs = append(needs, excessNeed{x.need(from, to), from.ID})
	}

	slices.SortFunc(needs, func(a, b excessNeed) int { return a.Since.Compare(b.Since) })

	return needs
}

func (x *excess) need(from, to *team.Member) parley.Need {
	messages := "a message"
	if x.count > 1 {
		messages = fmt.Sprintf("%d messages", x.count)
	}

	n := parley.Need{
		Kind:      parley.NeedHeld,
		Between:   true,
		AgentID:   to.ID,
		Agent:     to.Name,
		MessageID: x.messageID,
		Since:     x.since,
		Text: fmt.Sprintf("%s from %s to the mailbox %s went beyond a budget and cannot be held: %s",
			messages, from.Name, to.Name, x.what),
		Command: fmt.Sprintf("parley conversation show %s %s", from.Name, to.Name),
		Action: fmt.Sprintf("See what they talk about. Write to %s, "+
			"or let it be with parley conversation release %s %s. "+
			"The setting refuse_mailboxes refuses such messages.", from.Name, from.Name, to.Name),
		Acts: []parley.Act{muting("", from, to)},
	}

	if x.refused > 0 {
		n.Text = fmt.Sprintf("%s from %s to the mailbox %s went beyond a budget (%d refused): %s",
			messages, from.Name, to.Name, x.refused, x.what)
		n.Action = fmt.Sprintf("See what they talk about. Let it go on with parley conversation release %s %s.",
			from.Name, to.Name)
	}

	return n
}

// beyondBudget returns the deliveries of a message that went to mailboxes beyond a budget.
func beyondBudget(deliveries []parley.Delivery) []parley.Delivery {
	return slices.DeleteFunc(slices.Clone(deliveries), func(d parley.Delivery) bool { return d.Warning() == "" })
}

// acts returns the acts that renew the budgets of messages to mailboxes, as releases does for
// held ones.
func (xs excesses) acts(about func(from, to, threadID string) bool, like store.Act) (acts []store.Act) {
	for way, x := range xs {
		if about(way.from, way.to, x.threadID) {
			acts = append(acts, store.Act{
				At: like.At, Action: like.Action,
				One: way.from, Other: way.to, ChainID: x.link.Chain, Hop: x.link.Hop,
			})
		}
	}
	return acts
}

// muting returns the act that mutes a thread, or else two agents.
func muting(thread string, one, two *team.Member) parley.Act {
	call := func(words string, action parley.ConversationAction) parley.ActCalls {
		arguments := map[string]any{"action": action, "thread_id": thread}
		if thread == "" {
			arguments = map[string]any{"action": action, "with": one.ID + "," + two.ID}
		}
		return parley.Calls(words, "control_conversation", arguments, "")
	}
	undo := call("undoes it", parley.ActionUnmute)
	between := one.Name + " " + two.Name
	if thread != "" {
		between = parley.Short(thread)
	}
	return parley.Act{Key: parley.ActDismiss, ActCalls: call("mute them", parley.ActionMute), Undo: &undo,
		Command: "parley conversation mute " + between}
}
