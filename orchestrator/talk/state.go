package talk

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/conversation"
	"parley/orchestrator/team"
	"parley/store"
)

// subject is the conversation that a call is about.
type subject struct {
	id       string // of the conversation
	thread   parley.Thread
	one, two *team.Member // of a conversation of two
}

// about reports whether a message is of the conversation.
func (s *subject) about(from, to string, threadID string) bool {
	if s.thread.ID != "" {
		return threadID == s.thread.ID
	}
	return from == s.one.ID && to == s.two.ID || from == s.two.ID && to == s.one.ID
}

// subject finds a conversation: of a thread, or else of one or two agents, where one is
// what it and the caller say to each other.
func (t *Talk) subject(ctx context.Context, me *team.Member, pair, threadID string) (s subject, err error) {
	if threadID != "" {
		if s.id, err = t.roster.ReadableThread(ctx, me, threadID); err != nil {
			return s, err
		}
		if s.thread, err = t.roster.Thread(ctx, s.id); err != nil {
			return s, err
		}

		return s, t.LoadThread(ctx, s.id)
	}

	first, second, two := strings.Cut(pair, ",")
	s.one = me
	if !two {
		second = first
	} else {
		if s.one, err = t.roster.Find(first); err != nil {
			return s, err
		}
	}

	if s.two, err = t.roster.Find(second); err != nil {
		return s, err
	}

	switch {
	case s.one == s.two:
		return s, parley.Errorf(parley.InvalidRecipient, "%s has no conversation with itself", s.one.Name).
			Suggest("Name another agent; get_agent_status lists them.")
	case s.one != me && s.two != me && me.Kind != parley.KindHuman:
		return s, parley.Errorf(parley.NotAuthorized, "%s takes no part in what %s and %s say", me.Name, s.one.Name, s.two.Name).
			Suggest("Name one agent: the other one is you.")
	}

	s.id = parley.ConversationID(s.one.ID, s.two.ID)

	return s, nil
}

// state tells a member how a conversation stands.
func (t *Talk) State(
	ctx context.Context,
	me *team.Member,
	req *parley.ConversationStateRequest,
) (*parley.ConversationStateResult, error) {
	s, err := t.subject(ctx, me, req.With, req.ThreadID)
	if err != nil {
		return nil, err
	}

	res := &parley.ConversationStateResult{
		Answer:       parley.OK,
		Conversation: parley.Conversation{ID: s.id, ThreadID: s.thread.ID, Title: s.thread.Title},
	}

	if res.Held, err = t.heldIn(ctx, me, &s); err != nil {
		return nil, err
	}

	if s.thread.ID != "" {
		res.Conversation.Participants = s.thread.ParticipantNames
		err = t.threadState(ctx, me, &s, res)
	} else {
		res.Conversation.Participants = []string{s.one.Name, s.two.Name}
		err = t.pairState(ctx, me, &s, res)
	}

	return res, err
}

// threadState reads a thread's room, and asks the rules about its last post.
func (t *Talk) threadState(
	ctx context.Context,
	me *team.Member,
	s *subject,
	res *parley.ConversationStateResult,
) error {
	posts, err := t.store.Posts(ctx, s.id, 1)
	if err != nil {
		return err
	}

	var decided map[string]parley.ConversationDecision // about responders, which have spoken or not by now
	if len(posts) > 0 {
		if decided, err = t.store.Decisions(ctx, posts[0].ID); err != nil {
			return err
		}
	}

	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()

	r := t.threads[s.id]
	t.copyReading(r.At(now), res)
	settings := t.settingsOf(s.id)
	res.Conversation.Settings = publicSettings(settings)
	res.Reason = noMessage
	if len(posts) == 0 {
		return nil
	}

	from := t.roster.ByID(posts[0].SenderID)
	if from == nil {
		return nil
	}

	decide := func(m *team.Member) parley.ConversationDecision {
		if d, ok := decided[m.ID]; ok {
			return d
		}

		agent := m.Agent()
		d := r.Decide(
			conversation.Question{
				Agent:    &agent,
				Post:     postOf(&posts[0], from),
				At:       now,
				Draw:     t.draw,
				Settings: settings,
			},
		)

		return publicDecision(m, d)
	}

	mine := decide(me)
	res.ShouldRespond, res.Reason, res.Confidence, res.Factors = mine.ShouldRespond, mine.Reason, mine.Confidence, mine.Factors
	if me.Kind != parley.KindHuman {
		return nil
	}

	for _, id := range s.thread.Participants {
		if m := t.roster.ByID(id); m != nil && m.Kind != parley.KindHuman && m != from {
			res.Decisions = append(res.Decisions, decide(m))
		}
	}

	return nil
}

// Reasons of get_conversation_state for what no rule of the protocol decides.
const (
	noMessage   = "no-message"           // nothing was said yet
	addressedTo = "addressed-to-you"     // a message to one is answered unless a budget is spent
	notYours    = "addressed-to-another" // the caller only looks on
)

// pairState makes a room of what two said to each other, and asks the budgets whether
// the caller's answer would pass.
func (t *Talk) pairState(
	ctx context.Context,
	me *team.Member,
	s *subject,
	res *parley.ConversationStateResult,
) error {
	r, last, err := t.pairRoom(ctx, s.one, s.two)
	if err != nil {
		return err
	}

	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()

	t.copyReading(r.At(now), res)
	res.Conversation.Settings = publicSettings(t.settings)
	control := t.controlOf(s.one, s.two, now)
	res.Conversation.Muted = control.Reason == conversation.MutedByOperator
	if !control.Until.IsZero() {
		until := control.Until.UTC()
		res.Conversation.CooledUntil = &until
	}

	if last == nil {
		res.Reason = noMessage
		return nil
	}

	decide := func(m *team.Member) parley.ConversationDecision {
		other := s.one
		if m == s.one {
			other = s.two
		}

		d := conversation.Decision{ShouldRespond: true, Reason: addressedTo, Confidence: 1}
		turn := turnOf(
			m,
			other,
			conversation.Next("", m.Kind == parley.KindHuman, linkOf(last), conversation.Link{}),
			now,
			"",
		)

		v := t.budgets.Judge(t.settings, turn)
		switch {
		case last.SenderID == m.ID:
			d.ShouldRespond, d.Reason = false, conversation.JustSpoke
		case t.roster.ByID(last.SenderID).Kind == parley.KindHuman:
			d.Reason = conversation.FromHuman
		case v.Held:
			d.ShouldRespond, d.Reason = false, v.Reason
		default: // what is held is not to begin a turn by being asked about
			if i := slices.IndexFunc(res.Held, func(h parley.HeldTurn) bool { return h.MessageID == last.ID && h.Recipient == m.Name }); i >= 0 {
				d.ShouldRespond, d.Reason = false, conversation.Reason(res.Held[i].Reason)
			}
		}

		return publicDecision(m, d)
	}

	if me != s.one && me != s.two {
		res.Reason, res.Confidence = notYours, 1
		res.Decisions = []parley.ConversationDecision{decide(s.one), decide(s.two)}
		return nil
	}

	mine := decide(me)
	res.ShouldRespond, res.Reason, res.Confidence = mine.ShouldRespond, mine.Reason, mine.Confidence

	return nil
}

// pairRoom makes a room of what two agents said to each other directly, and returns the
// last of it, nil for nothing.
func (t *Talk) pairRoom(
	ctx context.Context,
	one, two *team.Member,
) (r *conversation.Room, last *parley.Message, err error) {
	page, err := t.store.History(ctx, store.HistoryQuery{A: one.ID, B: two.ID, Limit: replayPosts})
	if err != nil {
		return nil, nil, err
	}

	r = &conversation.Room{}
	for i := range page.Items {
		last = &page.Items[i].Message
		from, other := one, two
		if last.SenderID == two.ID {
			from, other = two, one
		}
		r.Add(postOf(last, from), []string{other.Name})
	}

	return r, last, nil
}

// read copies a reading, with names for ids.
func (t *Talk) copyReading(r conversation.Reading, res *parley.ConversationStateResult) {
	name := func(id string) string {
		if m := t.roster.ByID(id); m != nil {
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
		LastMinute:   r.LastMinute,
		FiveMinutes:  r.FiveMinutes,
		Participants: names(r.Participants),
		Agents: names(
			r.AIs,
		),
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

// someTime is nil for no time.
func optionalTime(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	at = at.UTC()
	return &at
}

func publicDecision(m *team.Member, d conversation.Decision) parley.ConversationDecision {
	f := parley.ConversationFactors(d.Factors)
	shown := parley.ConversationDecision{
		AgentID:       m.ID,
		Agent:         m.Name,
		ShouldRespond: d.ShouldRespond,
		Reason:        string(d.Reason),
		Confidence:    d.Confidence,
	}
	if f != (parley.ConversationFactors{}) {
		shown.Factors = &f
	}
	return shown
}

func publicSettings(s conversation.Settings) parley.ConversationSettings {
	d := conversation.Defaults()
	return parley.ConversationSettings{
		Off:            s.Off,
		ChainHops:      cmp.Or(s.ChainHops, d.ChainHops),
		PairMinute:     cmp.Or(s.PairMinute, d.PairMinute),
		PairTenMinutes: cmp.Or(s.PairTenMinutes, d.PairTenMinutes),
		CycleRounds:    cmp.Or(s.CycleRounds, d.CycleRounds),
	}
}

// heldIn lists what the protocol holds of a conversation: all of it for the operator,
// for others what is from them or for them.
func (t *Talk) heldIn(ctx context.Context, me *team.Member, s *subject) ([]parley.HeldTurn, error) {
	list, err := t.store.Withheld(ctx, MaxHolds)
	held := []parley.HeldTurn{}
	for i := range list {
		w := &list[i]
		from, to := w.Message.SenderID, w.Key.RecipientID
		if !s.about(from, to, w.Message.ThreadID) || me.Kind != parley.KindHuman && from != me.ID && to != me.ID {
			continue
		}
		held = append(held, t.publicHold(w))
	}
	return held, err
}

func (t *Talk) publicHold(w *store.Withheld) parley.HeldTurn {
	return parley.HeldTurn{
		MessageID: w.Message.ID,
		Sender:    t.roster.FillIn(&w.Message).Sender,
		Recipient: t.roster.ByID(w.Key.RecipientID).Name,
		Reason:    w.Why,
		Text:      w.Reason,
		Until:     optionalTime(w.Until),
		Since:     w.Message.Timestamp,
		Hop:       w.Message.Hop,
		Preview:   parley.Truncate(parley.CleanLine(w.Message.Text), parley.PreviewLength),
	}
}

// over reports whether the conversation of a response that is due has come to its end,
// or is muted: nobody is reminded of it any more. The operator still sees what is owed.
func (t *Talk) IsOver(ctx context.Context, w *store.Owing) (bool, error) {
	now := t.now()
	if id := w.Message.ThreadID; id != "" {
		if err := t.LoadThread(ctx, id); err != nil {
			return false, err
		}

		t.mu.Lock()
		defer t.mu.Unlock()

		r := t.threads[id].At(now)

		return r.Muted || r.State == conversation.Concluded, nil
	}

	one, two := t.roster.ByID(w.Message.SenderID), t.roster.ByID(w.Debt.DebtorID)
	if one == nil || two == nil || isHuman(one, two) {
		return false, nil
	}

	r, _, err := t.pairRoom(ctx, one, two)
	if err != nil || r.At(now).State == conversation.Concluded {
		return err == nil, err
	}

	t.mu.Lock()
	defer t.mu.Unlock()

	v := t.budgets.Judge(conversation.Settings{Off: true}, conversation.Turn{From: one.ID, To: two.ID, At: now})

	return v.Reason == conversation.MutedByOperator, nil
}
