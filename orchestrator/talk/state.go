package talk

import (
	"context"
	"strings"

	"parley"
	"parley/orchestrator/conversation"
	"parley/orchestrator/team"
)

// subject is the conversation of a request.
type subject struct {
	id       string // of the conversation
	thread   parley.Thread
	one, two *team.Member // the agents, where there is no thread
}

// about reports whether a message belongs to the conversation.
func (s *subject) about(from, to string, threadID string) bool {
	if s.thread.ID != "" {
		return threadID == s.thread.ID
	}
	return from == s.one.ID && to == s.two.ID || from == s.two.ID && to == s.one.ID
}

// subject finds the conversation of a thread or of two agents. pair names both, or one;
// the other is the caller then.
func (t *Talk) subject(ctx context.Context, me *team.Member, pair, threadID string) (s subject, err error) {
	if threadID != "" {
		if s.id, err = t.Memory.roster.Names.ReadableThread(ctx, me, threadID); err != nil {
			return s, err
		}
		if s.thread, err = t.Memory.roster.Names.Thread(ctx, s.id); err != nil {
			return s, err
		}

		return s, t.Memory.LoadThread(ctx, s.id)
	}

	first, second, two := strings.Cut(pair, ",")
	s.one = me
	if !two {
		second = first
	} else {
		if s.one, err = t.Memory.roster.Find(first); err != nil {
			return s, err
		}
	}

	if s.two, err = t.Memory.roster.Find(second); err != nil {
		return s, err
	}

	switch {
	case s.one == s.two:
		return s, parley.Errorf(parley.InvalidRecipient, "%s has no conversation with itself", s.one.Name).
			Suggest("Name another agent; get_agent_status lists them.")
	case s.one != me && s.two != me && me.Kind != parley.KindHuman:
		return s, parley.Errorf(parley.NotAuthorized,
			"%s takes no part in what %s and %s say", me.Name, s.one.Name, s.two.Name).
			Suggest("Name one agent: the other one is you.")
	}

	s.id = parley.ConversationID(s.one.ID, s.two.ID)

	return s, nil
}

// State returns the state of a conversation and whether the caller, or for a person every
// participant, would answer its last message.
func (t *Talk) State(
	ctx context.Context, me *team.Member, req *parley.ConversationStateRequest,
) (*parley.ConversationStateResult, error) {
	s, err := t.subject(ctx, me, req.With, req.ThreadID)
	if err != nil {
		return nil, err
	}

	q := stateQuestion{t: t, me: me, subject: s, res: &parley.ConversationStateResult{
		Answer:       parley.OK,
		Conversation: parley.Conversation{ID: s.id, ThreadID: s.thread.ID, Title: s.thread.Title},
	}}

	if q.res.Held, err = s.heldFor(ctx, me, t); err != nil {
		return nil, err
	}

	if s.thread.ID != "" {
		q.res.Conversation.Participants = s.thread.ParticipantNames
		err = q.readThread(ctx)
	} else {
		q.res.Conversation.Participants = []string{s.one.Name, s.two.Name}
		err = q.readPair(ctx)
	}

	return q.res, err
}

// stateQuestion is a member's question about the state of a conversation, and the answer as far as
// it is known.
type stateQuestion struct {
	t  *Talk
	me *team.Member
	subject
	res *parley.ConversationStateResult
}

// readThread adds what is known of a thread, and what the rules say about its last post.
func (s *stateQuestion) readThread(ctx context.Context) error {
	t, res := s.t, s.res
	posts, err := t.Memory.store.Threads.Posts(ctx, s.id, 1)
	if err != nil {
		return err
	}

	var stored map[string]parley.ConversationDecision // on responders, made when the post came
	if len(posts) > 0 {
		if stored, err = t.Memory.store.Responders.Decisions(ctx, posts[0].ID); err != nil {
			return err
		}
	}

	now := t.Memory.now()
	t.Memory.mu.Lock()
	defer t.Memory.mu.Unlock()

	r := t.Memory.threads[s.id]
	copyReading(t.Memory.roster, r.At(now), res)
	settings := t.Memory.settingsOf(s.id)
	res.Conversation.Settings = publicSettings(settings)
	res.Reason = noMessage
	if len(posts) == 0 {
		return nil
	}

	from := t.Memory.roster.ByID(posts[0].SenderID)
	if from == nil {
		return nil
	}

	decide := func(m *team.Member) parley.ConversationDecision {
		if d, ok := stored[m.ID]; ok {
			return d
		}

		agent := m.Agent()

		return publicDecision(m, r.Decide(conversation.Question{
			Agent:    &agent,
			Post:     postOf(&posts[0], from),
			At:       now,
			Draw:     t.Memory.draw,
			Settings: settings,
		}))
	}

	setDecision(res, decide(s.me))
	if s.me.Kind != parley.KindHuman {
		return nil
	}

	for _, id := range s.thread.Participants {
		if m := t.Memory.roster.ByID(id); m != nil && m.Kind != parley.KindHuman && m != from {
			res.Decisions = append(res.Decisions, decide(m))
		}
	}

	return nil
}

// setDecision makes d the decision on the caller.
func setDecision(res *parley.ConversationStateResult, d parley.ConversationDecision) {
	res.ShouldRespond = d.ShouldRespond
	res.Reason = d.Reason
	res.Confidence = d.Confidence
	res.Factors = d.Factors
}

// Reasons of get_conversation_state where no rule of the protocol decides.
const (
	noMessage   = "no-message"           // there is no message yet
	addressedTo = "addressed-to-you"     // a direct message is answered unless a budget is spent
	notYours    = "addressed-to-another" // the caller is not one of the two
)
