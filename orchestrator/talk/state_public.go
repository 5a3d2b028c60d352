package talk

import (
	"context"
	"slices"

	"parley"
	"parley/orchestrator/conversation"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// copyReading copies what a room shows at a time, with names instead of ids.
func copyReading(roster *team.Roster, r conversation.Reading, res *parley.ConversationStateResult) {
	name := func(id string) string {
		if m := roster.ByID(id); m != nil {
			return m.Name
		}
		return id
	}

	names := func(counts map[string]int) map[string]int {
		by := make(map[string]int, len(counts))
		for id, n := range counts {
			by[name(id)] = n
		}
		return by
	}

	res.State, res.Temperature, res.Conversation.Muted = string(r.State), r.Temperature, r.Muted
	res.Counts = parley.ConversationCounts{
		LastMinute:       r.LastMinute,
		FiveMinutes:      r.FiveMinutes,
		Participants:     names(r.Participants),
		Agents:           names(r.AIs),
		People:           names(r.Humans),
		Questions:        r.Questions,
		Acknowledgements: r.Acknowledgements,
		InARow:           r.InARow,
		Speakers:         []string{},
		Signals:          append([]string{}, r.Signals...),
	}

	for _, id := range r.Speakers {
		res.Counts.Speakers = append(res.Counts.Speakers, name(id))
	}

	res.LastMessageAt, res.Conversation.CooledUntil = optionalTime(r.LastMessage), optionalTime(r.CooledUntil)
	if r.LastSpeaker != "" {
		res.LastSpeaker = name(r.LastSpeaker)
	}
}

// heldFor lists the held messages of the conversation: all of them for the operator, for others
// those from them or to them.
func (s *subject) heldFor(ctx context.Context, me *team.Member, t *Talk) ([]parley.HeldTurn, error) {
	list, err := t.Memory.store.Holds.Withheld(ctx, MaxHolds)
	held := []parley.HeldTurn{}
	for i := range list {
		w := &list[i]
		from, to := w.Message.SenderID, w.Key.RecipientID
		if !s.about(from, to, w.Message.ThreadID) || me.Kind != parley.KindHuman && from != me.ID && to != me.ID {
			continue
		}
		held = append(held, publicHold(t.Memory.roster, w))
	}
	return held, err
}

func publicHold(roster *team.Roster, w *store.Withheld) parley.HeldTurn {
	return parley.HeldTurn{
		MessageID: w.Message.ID,
		Sender:    roster.Names.FillIn(&w.Message).Sender,
		Recipient: roster.ByID(w.Key.RecipientID).Name,
		Reason:    w.Why,
		Text:      w.Words(),
		Until:     optionalTime(w.Until),
		Since:     w.Message.Timestamp,
		Hop:       w.Message.Hop,
		Preview:   plain.Truncate(plain.CleanLine(w.Message.Text), parley.PreviewLength),
	}
}

// readPair adds what is known of the conversation of two agents, and whether the budgets
// would let the caller's answer pass.
func (s *stateQuestion) readPair(ctx context.Context) error {
	t, me, res := s.t, s.me, s.res
	r, said, err := t.pairRoom(ctx, s.one, s.two)
	if err != nil {
		return err
	}
	var last *parley.Message
	if len(said) > 0 {
		last = &said[len(said)-1]
	}

	now := t.Memory.now()
	t.Memory.mu.Lock()
	defer t.Memory.mu.Unlock()

	copyReading(t.Memory.roster, r.At(now), res)
	res.Conversation.Settings = publicSettings(t.Memory.settings)
	control := controlOf(&t.Memory.budgets, s.one, s.two, now)
	res.Conversation.Muted = control.Reason == conversation.MutedByOperator
	if !control.Until.IsZero() {
		res.Conversation.CooledUntil = optionalTime(control.Until)
	}

	if last == nil {
		res.Reason = noMessage
		return nil
	}

	decide := func(m *team.Member) parley.ConversationDecision {
		return publicDecision(m, s.decidePair(m, last))
	}

	if me != s.one && me != s.two {
		res.Reason, res.Confidence = notYours, 1
		res.Decisions = []parley.ConversationDecision{decide(s.one), decide(s.two)}
		return nil
	}

	setDecision(res, decide(me))

	return nil
}

// decidePair decides whether m, one of two agents, would answer their last message. The
// caller holds t.mu.
func (s *stateQuestion) decidePair(m *team.Member, last *parley.Message) conversation.Decision {
	t, held := s.t, s.res.Held
	other := s.one
	if m == s.one {
		other = s.two
	}

	link := conversation.Next("", m.Kind == parley.KindHuman, linkOf(last), conversation.Link{})
	verdict := t.Memory.budgets.Judge(t.Memory.settings, turnOf(m, other, link, t.Memory.now(), ""))
	isHeld := func(h parley.HeldTurn) bool { return h.MessageID == last.ID && h.Recipient == m.Name }

	d := conversation.Decision{ShouldRespond: true, Reason: addressedTo, Confidence: 1}
	switch {
	case last.SenderID == m.ID:
		d.ShouldRespond, d.Reason = false, conversation.JustSpoke
	case t.Memory.roster.ByID(last.SenderID).Kind == parley.KindHuman:
		d.Reason = conversation.FromHuman
	case verdict.Held:
		d.ShouldRespond, d.Reason = false, verdict.Reason
	default: // to ask about a held message must not begin a turn
		if i := slices.IndexFunc(held, isHeld); i >= 0 {
			d.ShouldRespond, d.Reason = false, conversation.Reason(held[i].Reason)
		}
	}

	return d
}

// pairRoom makes a room of the direct messages between two agents, and returns the messages in their order.
func (t *Talk) pairRoom(
	ctx context.Context, one, two *team.Member,
) (r *conversation.Room, said []parley.Message, err error) {
	page, err := t.Memory.store.Messages.History(ctx, store.HistoryQuery{A: one.ID, B: two.ID, Limit: replayPosts})
	if err != nil {
		return nil, nil, err
	}

	r = &conversation.Room{}
	for i := range page.Items {
		m := &page.Items[i].Message
		from, other := one, two
		if m.SenderID == two.ID {
			from, other = two, one
		}
		r.Add(postOf(m, from), []string{other.Name})
		said = append(said, *m)
	}

	return r, said, nil
}
