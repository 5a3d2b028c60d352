package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/conversation"
	"parley/orchestrator/team"
	"parley/store"
)

// ControlConversation implements parley.ConversationService.
func (o *Orchestrator) ControlConversation(
	ctx context.Context,
	req parley.ControlConversationRequest,
) (*parley.ControlConversationResult, error) {
	me, err := o.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if req.MessageID != "" {
		return o.releaseMessage(ctx, req.MessageID)
	}

	s, err := o.subject(ctx, me, req.With, req.ThreadID)
	if err != nil {
		return nil, err
	}

	if s.thread.ID == "" && isHuman(s.one, s.two) {
		return nil, parley.Errorf(parley.InvalidRecipient, "what a person says is never held").
			Suggest("Name two agents, or a thread.")
	}

	if req.Action == parley.ActionSet {
		err = o.setThread(ctx, &s, &req)
	} else {
		err = o.act(ctx, &s, req.Action)
	}

	if err != nil {
		return nil, err
	}

	return o.controlled(ctx, me, &s, &req)
}

func isHuman(ms ...*team.Member) bool {
	return slices.ContainsFunc(ms, func(m *team.Member) bool { return m.Kind == parley.KindHuman })
}

// controlled looks at once at what is held, and says what was done.
func (o *Orchestrator) controlled(
	ctx context.Context,
	me *team.Member,
	s *subject,
	req *parley.ControlConversationRequest,
) (*parley.ControlConversationResult, error) {
	before, err := o.heldIn(ctx, me, s)
	if err != nil {
		return nil, err
	}
	if _, err := o.passing(ctx); err != nil {
		return nil, err
	}

	after, err := o.heldIn(ctx, me, s)
	if err != nil {
		return nil, err
	}

	res := &parley.ControlConversationResult{
		Answer:         parley.OK,
		ConversationID: s.id,
		Released:       []string{},
		Held:           len(after),
	}

	for _, h := range before {
		gone := !slices.ContainsFunc(
			after,
			func(a parley.HeldTurn) bool { return a.MessageID == h.MessageID && a.Recipient == h.Recipient },
		)
		if gone && !slices.Contains(res.Released, h.MessageID) {
			res.Released = append(res.Released, h.MessageID)
		}
	}

	whose := fmt.Sprintf(`Thread %s`, nameOf(&s.thread))
	if s.thread.ID == "" {
		whose = fmt.Sprintf("What %s and %s say to each other", s.one.Name, s.two.Name)
	}

	res.Message = whose + map[parley.ConversationAction]string{
		parley.ActionRelease: " goes on.",
		parley.ActionCool:    " is held for ten minutes, or until a person writes.",
		parley.ActionMute:    " is muted until you unmute it.",
		parley.ActionUnmute:  " is not muted any more.",
		parley.ActionSet:     " has its new settings.",
	}[req.Action]

	if req.Action == parley.ActionRelease && o.muted(s) {
		res.Message = whose + " is muted: unmute it to let it go on."
	}

	return res, nil
}

// muted reports whether the operator muted the conversation.
func (o *Orchestrator) muted(s *subject) bool {
	t := &o.talk
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.thread.ID != "" {
		return t.rooms[s.thread.ID].At(o.now()).Muted
	}
	return t.controlOf(s.one, s.two, o.now()).Reason == conversation.MutedByOperator
}

// controlOf says what the operator has done about what two agents say to each other. t
// is locked.
func (t *talk) controlOf(one, two *team.Member, at time.Time) conversation.Verdict {
	return t.budgets.Judge(conversation.Settings{Off: true}, conversation.Turn{From: one.ID, To: two.ID, At: at})
}

// act does to a conversation what the operator wants, stored first, and has what is
// held of it looked at again.
func (o *Orchestrator) act(ctx context.Context, s *subject, action parley.ConversationAction) error {
	a := store.Act{At: o.now(), Action: string(action)}
	if s.thread.ID != "" {
		a.ThreadID = s.thread.ID
	} else {
		a.One, a.Other = s.one.ID, s.two.ID
		if a.Other < a.One {
			a.One, a.Other = a.Other, a.One
		}
	}

	o.compareHolds(ctx)
	acts := []store.Act{a}
	if action == parley.ActionRelease {
		acts = append(acts, o.talk.releases(s.about, a)...)
	}
	if err := o.keepActs(ctx, acts); err != nil {
		return err
	}

	t := &o.talk
	t.mu.Lock()
	defer t.mu.Unlock()

	for i := range acts {
		t.repeat(&acts[i])
	}

	if r := t.rooms[s.thread.ID]; r != nil {
		r.repeat(action, a.At)
	}
	if action == parley.ActionMute || action == parley.ActionCool {
		return nil
	}

	for _, h := range t.holds {
		if s.about(h.Message.SenderID, h.Key.RecipientID, h.Message.ThreadID) {
			h.again, h.released = true, h.released || action == parley.ActionRelease
		}
	}

	return nil
}

// keepActs stores what the operator did, so that it holds after a restart.
func (o *Orchestrator) keepActs(ctx context.Context, acts []store.Act) error {
	for _, a := range acts {
		var instead []string
		if a.Action == string(parley.ActionMute) || a.Action == string(parley.ActionUnmute) {
			instead = []string{string(parley.ActionMute), string(parley.ActionUnmute)}
		}
		if err := o.store.AddAct(ctx, a, instead, a.At.Add(-replaySince)); err != nil {
			return err
		}
	}
	return nil
}

// releases are the acts that give what is held its budgets anew: one for each chain
// between two agents.
func (t *talk) releases(about func(from, to, threadID string) bool, like store.Act) []store.Act {
	t.mu.Lock()
	defer t.mu.Unlock()

	var acts []store.Act
	for _, h := range t.holds {
		if !about(h.Message.SenderID, h.Key.RecipientID, h.Message.ThreadID) {
			continue
		}

		a := store.Act{
			At:      like.At,
			Action:  like.Action,
			One:     h.Message.SenderID,
			Other:   h.Key.RecipientID,
			ChainID: h.Message.ChainID,
			Hop:     h.Message.Hop,
		}

		i := slices.IndexFunc(
			acts,
			func(b store.Act) bool { return b.One == a.One && b.Other == a.Other && b.ChainID == a.ChainID },
		)

		switch {
		case i < 0:
			acts = append(acts, a)
		case acts[i].Hop < a.Hop:
			acts[i].Hop = a.Hop
		}
	}

	return acts
}

// releaseMessage lets one message go on, with its budgets anew.
func (o *Orchestrator) releaseMessage(ctx context.Context, ref string) (*parley.ControlConversationResult, error) {
	msg, deliveries, err := o.store.Message(ctx, ref)
	if err != nil {
		return nil, err
	}

	held := isHeld(deliveries)
	if len(held) == 0 {
		return nil, parley.Errorf(parley.AlreadyDelivered, "message %s is not held by the conversation protocol", parley.Short(msg.ID)).
			Suggest("parley explain %s tells where it stands.", parley.Short(msg.ID))
	}

	if err := o.letGo(ctx, &msg, held); err != nil {
		return nil, err
	}

	res := &parley.ControlConversationResult{
		Answer:         parley.OK,
		ConversationID: held[0].ConversationID,
		Released:       []string{},
	}

	if _, deliveries, err = o.store.Message(ctx, msg.ID); err != nil {
		return nil, err
	}
	if res.Held = len(isHeld(deliveries)); res.Held < len(held) {
		res.Released = append(res.Released, msg.ID)
	}

	res.Message = fmt.Sprintf("Message %s goes on to %d of %d.", parley.Short(msg.ID), len(held)-res.Held, len(held))

	return res, nil
}

// isHeld returns those of the deliveries that the conversation protocol holds.
func isHeld(deliveries []parley.Delivery) []parley.Delivery {
	return slices.DeleteFunc(slices.Clone(deliveries), func(d parley.Delivery) bool { return d.Hold == nil })
}

// letGo lets deliveries pass that the protocol holds, with their budgets anew. What the
// operator muted stays.
func (o *Orchestrator) letGo(ctx context.Context, msg *parley.Message, held []parley.Delivery) error {
	at := o.now()
	var acts []store.Act
	for _, d := range held {
		acts = append(
			acts,
			store.Act{
				At:      at,
				Action:  string(parley.ActionRelease),
				One:     msg.SenderID,
				Other:   d.RecipientID,
				ChainID: msg.ChainID,
				Hop:     msg.Hop,
			},
		)
	}

	if err := o.keepActs(ctx, acts); err != nil {
		return err
	}

	o.compareHolds(ctx)
	t := &o.talk
	t.mu.Lock()
	for i := range acts {
		t.repeat(&acts[i])
	}

	for _, h := range t.holds {
		if h.Message.ID == msg.ID &&
			slices.ContainsFunc(held, func(d parley.Delivery) bool { return d.RecipientID == h.Key.RecipientID }) {
			h.again, h.released = true, true
		}
	}

	t.mu.Unlock()
	_, err := o.passing(ctx)

	return err
}

// setThread changes a thread's own settings.
func (o *Orchestrator) setThread(ctx context.Context, s *subject, req *parley.ControlConversationRequest) error {
	own := conversation.Settings{Off: req.Off != nil && *req.Off, ChainHops: req.ChainHops, PairMinute: req.PairMinute,
		PairTenMinutes: req.PairTenMinutes, CycleRounds: req.CycleRounds}
	if err := own.Validate(); err != nil {
		return err
	}

	text, err := json.Marshal(own)
	if err != nil {
		return err
	}
	if err := o.store.SetThreadSettings(ctx, s.thread.ID, string(text)); err != nil {
		return err
	}

	t := &o.talk
	t.mu.Lock()
	defer t.mu.Unlock()

	t.rooms[s.thread.ID].settings = own
	for _, h := range t.holds {
		h.again = h.again || h.Message.ThreadID == s.thread.ID
	}

	return nil
}
