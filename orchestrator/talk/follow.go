package talk

import (
	"cmp"
	"encoding/json"

	"parley"
	"parley/conversation"
	"parley/store"
)

// Follow takes over what other hosts have written: the turns that they counted, what they held and
// released, and what the operator did there. The store calls it before it judges a message of this host.
func (t *Talk) Follow(n *store.News) {
	t.mu.Lock()
	defer t.mu.Unlock()

	for i := range n.Messages {
		t.followMessage(&n.Messages[i])
	}
	for i := range n.Deliveries {
		t.followRung(&n.Deliveries[i])
	}
	for i := range n.Acts {
		t.followAct(&n.Acts[i])
	}
	for id, text := range n.Settings {
		t.followSettings(id, text)
	}
}

// followMessage counts the turns that a message began, as Judge does. The caller holds mu.
func (t *Talk) followMessage(m *store.NewMessage) {
	from := t.roster.ByID(m.SenderID)
	if from == nil || from.Kind == parley.KindSystem || m.Kind == parley.KindNotice {
		return
	}

	renews := m.RepliedChain
	if r := t.threads[m.ThreadID]; r != nil && m.Kind == parley.KindThread { // another is loaded when it is needed
		renews = cmp.Or(renews, r.chain)
		var names []string
		for _, d := range m.Deliveries {
			if to := t.roster.ByID(d.RecipientID); to != nil {
				names = append(names, to.Name)
			}
		}
		r.add(&m.Message, from, names)
	}

	if from.Kind != parley.KindHuman {
		renews = ""
	} else {
		for _, h := range t.holds.byKey {
			h.due = h.due || h.mayPassAfter(&m.Message)
		}
	}

	for i := range m.Deliveries {
		d := &m.Deliveries[i]
		to := t.roster.ByID(d.RecipientID)
		direct := m.Kind != parley.KindThread
		switch {
		case d.Withheld != "":
			t.missed = true
		case to == nil, d.State == parley.DeliveryFailed, d.AtOnce, direct && to.Responder() != nil:
		default:
			t.budgets.Take(turnOf(from, to, linkOf(&m.Message), m.Timestamp, renews))
		}
	}
}

// followRung takes over what became of a held delivery. The caller holds mu.
func (t *Talk) followRung(d *store.NewRung) {
	h := t.holds.byKey[d.Key]
	switch {
	case d.Code == parley.HoldConversation:
		t.missed = true // it is held for another reason
		t.holds.drop(d.Key)
	case h == nil, d.State == parley.DeliveryHeld:
	default:
		t.holds.drop(d.Key)
		from, to := t.roster.ByID(h.Message.SenderID), t.roster.ByID(d.RecipientID)
		if d.Code == parley.ProofReleased && from != nil && to != nil {
			t.budgets.Take(turnOf(from, to, linkOf(&h.Message), t.now(), ""))
		}
	}
}

// followAct repeats what the operator did to a conversation. The caller holds mu.
func (t *Talk) followAct(a *store.Act) {
	replay(&t.budgets, a)
	if r := t.threads[a.ThreadID]; r != nil && a.One == "" {
		r.replay(parley.ConversationAction(a.Action), a.At)
	}

	for _, h := range t.holds.byKey {
		from, to := h.Message.SenderID, h.Key.RecipientID
		same := a.One == "" && h.Message.ThreadID == a.ThreadID || a.One == from && a.Other == to ||
			a.One == to && a.Other == from
		h.due = h.due || same
	}
}

// followSettings takes over the settings of a thread, if it is known. The caller holds mu.
func (t *Talk) followSettings(id, text string) {
	r := t.threads[id]
	if r == nil {
		return
	}
	r.settings = conversation.Settings{}
	if text != "" && json.Unmarshal([]byte(text), &r.settings) != nil {
		t.log.Error("read the settings of a thread", "thread", id)
	}
	for _, h := range t.holds.byKey {
		h.due = h.due || h.Message.ThreadID == id
	}
}
