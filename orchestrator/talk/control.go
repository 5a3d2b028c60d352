package talk

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/orchestrator/conversation"
	"parley/orchestrator/team"
	"parley/store"
)

// Control changes a conversation as the operator asks, or releases one held message. It
// returns the posts that responders have to answer now.
func (t *Talk) Control(
	ctx context.Context, me *team.Member, req *parley.ControlConversationRequest,
) (*parley.ControlConversationResult, []Invitation, error) {
	if req.MessageID != "" {
		return t.releaseMessage(ctx, req.MessageID)
	}

	s, err := t.subject(ctx, me, req.With, req.ThreadID)
	if err != nil {
		return nil, nil, err
	}

	if s.thread.ID == "" && isHuman(s.one, s.two) {
		return nil, nil, parley.Errorf(parley.InvalidRecipient, "what a person says is never held").
			Suggest("Name two agents, or a thread.")
	}

	before, err := s.heldFor(ctx, me, t)
	if err != nil {
		return nil, nil, err
	}

	if req.Action == parley.ActionSet {
		err = t.setThread(ctx, &s, req)
	} else {
		err = t.apply(ctx, &s, req.Action)
	}

	if err != nil {
		return nil, nil, err
	}

	return t.controlled(ctx, me, &s, req, before)
}

func isHuman(ms ...*team.Member) bool {
	return slices.ContainsFunc(ms, func(m *team.Member) bool { return m.Kind == parley.KindHuman })
}

// controlled judges the held deliveries at once, and returns the result of a control. before is what was
// held until it: anyone may have judged since.
func (t *Talk) controlled(
	ctx context.Context, me *team.Member, s *subject, req *parley.ControlConversationRequest, before []parley.HeldTurn,
) (*parley.ControlConversationResult, []Invitation, error) {
	invitations, err := t.Recheck(ctx)
	if err != nil {
		return nil, invitations, err
	}

	after, err := s.heldFor(ctx, me, t)
	if err != nil {
		return nil, invitations, err
	}

	res := &parley.ControlConversationResult{
		Answer:         parley.OK,
		ConversationID: s.id,
		Released:       []string{},
		Held:           len(after),
	}

	for _, h := range before {
		same := func(a parley.HeldTurn) bool { return a.MessageID == h.MessageID && a.Recipient == h.Recipient }
		if !slices.ContainsFunc(after, same) && !slices.Contains(res.Released, h.MessageID) {
			res.Released = append(res.Released, h.MessageID)
		}
	}

	whose := "Thread " + team.ThreadLabel(&s.thread)
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

	if req.Action == parley.ActionRelease && t.muted(s) {
		res.Message = whose + " is muted: unmute it to let it go on."
	}

	return res, invitations, nil
}

// muted reports whether the operator muted the conversation.
func (t *Talk) muted(s *subject) bool {
	t.Memory.mu.Lock()
	defer t.Memory.mu.Unlock()
	if s.thread.ID != "" {
		return t.Memory.threads[s.thread.ID].At(t.Memory.now()).Muted
	}
	return controlOf(&t.Memory.budgets, s.one, s.two, t.Memory.now()).Reason == conversation.MutedByOperator
}

// controlOf returns how the operator has muted or cooled two agents.
func controlOf(budgets *conversation.Budgets, one, two *team.Member, at time.Time) conversation.Verdict {
	return budgets.Judge(conversation.Settings{Off: true}, conversation.Turn{From: one.ID, To: two.ID, At: at})
}

// apply stores an act of the operator on a conversation and carries it out. Its holds are
// judged again unless the act adds to them.
func (t *Talk) apply(ctx context.Context, s *subject, action parley.ConversationAction) error {
	a := store.Act{At: t.Memory.now(), Action: string(action)}
	if s.thread.ID != "" {
		a.ThreadID = s.thread.ID
	} else {
		a.One, a.Other = s.one.ID, s.two.ID
		if a.Other < a.One {
			a.One, a.Other = a.Other, a.One
		}
	}

	t.Compare(ctx)
	acts := []store.Act{a}
	if action == parley.ActionRelease {
		acts = append(acts, t.Memory.releases(s.about, a)...)
	}
	if err := t.keepActs(ctx, acts); err != nil {
		return err
	}

	t.Memory.mu.Lock()
	defer t.Memory.mu.Unlock()

	for i := range acts {
		replay(&t.Memory.budgets, &acts[i])
	}

	if r := t.Memory.threads[s.thread.ID]; r != nil {
		r.replay(action, a.At)
	}
	if action == parley.ActionMute || action == parley.ActionCool {
		return nil
	}

	for _, h := range t.Memory.holds.byKey {
		if s.about(h.Message.SenderID, h.Key.RecipientID, h.Message.ThreadID) {
			h.due, h.released = true, h.released || action == parley.ActionRelease
		}
	}

	return nil
}

// keepActs stores acts of the operator, so that they hold after a restart.
func (t *Talk) keepActs(ctx context.Context, acts []store.Act) error {
	for _, a := range acts {
		var instead []string
		if a.Action == string(parley.ActionMute) || a.Action == string(parley.ActionUnmute) {
			instead = []string{string(parley.ActionMute), string(parley.ActionUnmute)}
		}
		if err := t.Memory.store.Conversations.AddAct(ctx, a, instead, a.At.Add(-replaySince)); err != nil {
			return err
		}
	}
	return nil
}

// setThread changes the settings of a thread.
func (t *Talk) setThread(ctx context.Context, s *subject, req *parley.ControlConversationRequest) error {
	own := conversation.Settings{
		Off:            req.Off != nil && *req.Off,
		ChainHops:      req.ChainHops,
		PairMinute:     req.PairMinute,
		PairTenMinutes: req.PairTenMinutes,
		CycleRounds:    req.CycleRounds,
	}

	text, err := json.Marshal(own)
	if err != nil {
		return err
	}
	if err := t.Memory.store.Conversations.SetThreadSettings(ctx, s.thread.ID, string(text)); err != nil {
		return err
	}

	t.Memory.mu.Lock()
	defer t.Memory.mu.Unlock()

	t.Memory.threads[s.thread.ID].settings = own
	for _, h := range t.Memory.holds.byKey {
		h.due = h.due || h.Message.ThreadID == s.thread.ID
	}

	return nil
}
