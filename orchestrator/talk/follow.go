package talk

import (
	"cmp"
	"encoding/json"

	"parley"
	"parley/orchestrator/conversation"
	"parley/store"
)

// Follow takes over what other hosts have written: the turns that they counted, what they held and
// released, and what the operator did there. The store calls it before it judges a message of this host.
func (mem *memory) Follow(n *store.News) {
	mem.mu.Lock()
	defer mem.mu.Unlock()

	for i := range n.Messages {
		mem.followMessage(&n.Messages[i])
	}
	for i := range n.Deliveries {
		mem.followRung(&n.Deliveries[i])
	}
	for i := range n.Acts {
		mem.followAct(&n.Acts[i])
	}
	for id, text := range n.Settings {
		mem.followSettings(id, text)
	}
}

// followMessage counts the turns that a message began, as Judge does. The caller holds mu.
func (mem *memory) followMessage(m *store.NewMessage) {
	from := mem.roster.ByID(m.SenderID)
	if from == nil || from.Kind == parley.KindSystem || m.Kind == parley.KindNotice {
		return
	}

	renews := m.RepliedChain
	if r := mem.threads[m.ThreadID]; r != nil && m.Kind == parley.KindThread { // another is loaded when it is needed
		renews = cmp.Or(renews, r.chain)
		var names []string
		for _, d := range m.Deliveries {
			if to := mem.roster.ByID(d.RecipientID); to != nil {
				names = append(names, to.Name)
			}
		}
		r.add(&m.Message, from, names)
	}

	if from.Kind != parley.KindHuman {
		renews = ""
	} else {
		for _, h := range mem.holds.byKey {
			h.due = h.due || h.mayPassAfter(&m.Message)
		}
	}

	for i := range m.Deliveries {
		d := &m.Deliveries[i]
		to := mem.roster.ByID(d.RecipientID)
		direct := m.Kind != parley.KindThread
		switch {
		case d.Withheld != "":
			mem.missed = true
		case to == nil, d.State == parley.DeliveryFailed, d.AtOnce, direct && to.Responder() != nil:
		default:
			mem.budgets.Take(turnOf(from, to, linkOf(&m.Message), m.Timestamp, renews))
		}
	}
}

// followRung takes over what became of a held delivery. The caller holds mu.
func (mem *memory) followRung(d *store.NewRung) {
	h := mem.holds.byKey[d.Key]
	switch {
	case d.Code == parley.HoldConversation:
		mem.missed = true // it is held for another reason
		mem.holds.drop(d.Key)
	case h == nil, d.State == parley.DeliveryHeld:
	default:
		mem.holds.drop(d.Key)
		from, to := mem.roster.ByID(h.Message.SenderID), mem.roster.ByID(d.RecipientID)
		if d.Code == parley.ProofReleased && from != nil && to != nil {
			mem.budgets.Take(turnOf(from, to, linkOf(&h.Message), mem.now(), ""))
		}
	}
}

// followAct repeats what the operator did to a conversation. The caller holds mu.
func (mem *memory) followAct(a *store.Act) {
	replay(&mem.budgets, a)
	if r := mem.threads[a.ThreadID]; r != nil && a.One == "" {
		r.replay(parley.ConversationAction(a.Action), a.At)
	}

	for _, h := range mem.holds.byKey {
		from, to := h.Message.SenderID, h.Key.RecipientID
		same := a.One == "" && h.Message.ThreadID == a.ThreadID || a.One == from && a.Other == to ||
			a.One == to && a.Other == from
		h.due = h.due || same
	}
}

// followSettings takes over the settings of a thread, if it is known. The caller holds mu.
func (mem *memory) followSettings(id, text string) {
	r := mem.threads[id]
	if r == nil {
		return
	}
	r.settings = conversation.Settings{}
	if text != "" && json.Unmarshal([]byte(text), &r.settings) != nil {
		mem.log.Error("read the settings of a thread", "thread", id)
	}
	for _, h := range mem.holds.byKey {
		h.due = h.due || h.Message.ThreadID == id
	}
}
