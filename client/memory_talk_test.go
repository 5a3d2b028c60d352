package client_test

import (
	"context"
	"slices"
	"strings"

	"parley"
)

// talk is what was done to a conversation.
type talk struct {
	muted    bool
	settings parley.ConversationSettings
}

// link gives a letter its place in a chain.
func (m *memory) link(l *letter) {
	given, was := m.given[l.SenderID]
	switch {
	case l.SenderID == m.boss.ID:
		l.ChainID, l.Hop = l.ID, 0
	case l.ChainID != "": // a reply
	case was && given.ChainID != "":
		l.ChainID, l.Hop = given.ChainID, given.Hop+1
	default:
		l.ChainID, l.Hop = l.ID, 1
	}
}

// conversation finds what a call is about, and its letters.
func (m *memory) conversation(c parley.Caller, with, threadID string) (parley.Conversation, []*letter, error) {
	if threadID != "" {
		d, err := m.discussion(threadID)
		switch {
		case err != nil:
			return parley.Conversation{}, nil, err
		case !d.has(c.ID) && !c.Operator:
			return parley.Conversation{}, nil, parley.Errorf(parley.NotAParticipant, "you take no part in it").
				Suggest("Join it first.")
		}

		letters := slices.DeleteFunc(
			slices.Clone(m.messages),
			func(l *letter) bool { return l.ThreadID != d.ID || l.Kind != parley.KindThread },
		)

		return parley.Conversation{ID: d.ID, ThreadID: d.ID, Title: d.Title, Participants: []string{}}, letters, nil
	}

	first, second, two := strings.Cut(with, ",")
	if !two {
		first, second = c.Name, first
	}

	one, err := m.find(strings.TrimSpace(first))
	if err != nil {
		return parley.Conversation{}, nil, err
	}

	other, err := m.find(strings.TrimSpace(second))
	switch {
	case err != nil:
		return parley.Conversation{}, nil, err
	case one == other:
		return parley.Conversation{}, nil, parley.Errorf(parley.InvalidRecipient, "that is one agent").
			Suggest("Name another one.")
	case two && !c.Operator:
		return parley.Conversation{}, nil, parley.Errorf(parley.NotAuthorized, "you take no part in it").
			Suggest("Name one agent.")
	}

	id := parley.ConversationID(one.ID, other.ID)
	letters := slices.DeleteFunc(
		slices.Clone(m.messages),
		func(l *letter) bool { return l.Kind != parley.KindDirect || l.deliveries[0].ConversationID != id },
	)

	return parley.Conversation{ID: id, Participants: []string{one.Name, other.Name}}, letters, nil
}

func (m *memory) talk(id string) *talk {
	if m.talks[id] == nil {
		m.talks[id] = &talk{settings: parley.ConversationSettings{ChainHops: 20}}
	}
	return m.talks[id]
}

func (m *memory) GetConversationState(
	ctx context.Context,
	r parley.ConversationStateRequest,
) (*parley.ConversationStateResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}

	m.mu.Lock()
	defer m.mu.Unlock()

	c := parley.CallerFrom(ctx)
	about, letters, err := m.conversation(c, r.With, r.ThreadID)
	if err != nil {
		return nil, err
	}

	about.Muted, about.Settings = m.talk(about.ID).muted, m.talk(about.ID).settings
	res := &parley.ConversationStateResult{
		Answer:       parley.OK,
		Conversation: about,
		State:        "cold",
		Held:         []parley.HeldTurn{},
		Reason:       "no-message",
	}

	res.Counts = parley.ConversationCounts{
		Participants: map[string]int{},
		Agents:       map[string]int{},
		People:       map[string]int{},
		Speakers:     []string{},
		Signals:      []string{},
	}

	for _, l := range letters {
		res.Counts.LastMinute++
		res.Counts.Participants[l.Sender]++
		if strings.Contains(l.Text, "?") {
			res.Counts.Questions++
		}
	}

	if len(letters) == 0 {
		return res, nil
	}

	last := letters[len(letters)-1]
	res.State, res.Temperature, res.LastSpeaker, res.LastMessageAt = "warming", 0.5, last.Sender, &last.Timestamp
	res.ShouldRespond, res.Confidence = last.SenderID != c.ID, 1
	switch {
	case last.SenderID == c.ID:
		res.Reason = "just-spoke-wait-turn"
	case last.SenderID == m.boss.ID:
		res.Reason = "human-message"
	case strings.Contains(last.Text, "@"+c.Name):
		res.Reason, res.Confidence, res.Factors = "mentioned-by-ai", 0.95, &parley.ConversationFactors{
			MentionedByAI: true,
		}
	default:
		res.Reason = "addressed-to-you"
	}

	if c.Operator {
		res.Decisions = make([]parley.ConversationDecision, len(about.Participants))
	}

	return res, nil
}

func (m *memory) ControlConversation(
	ctx context.Context,
	r parley.ControlConversationRequest,
) (*parley.ControlConversationResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}

	m.mu.Lock()
	defer m.mu.Unlock()

	if r.MessageID != "" {
		_, err := m.found(r.MessageID)
		return &parley.ControlConversationResult{Answer: parley.OK, Released: []string{}}, err
	}

	about, _, err := m.conversation(parley.CallerFrom(ctx), r.With, r.ThreadID)
	switch {
	case err != nil:
		return nil, err
	case slices.Contains(about.Participants, parley.OperatorName):
		return nil, parley.Errorf(parley.InvalidRecipient, "a person is never held").Suggest("Name two agents.")
	}

	t := m.talk(about.ID)
	switch r.Action {
	case parley.ActionMute:
		t.muted = true
	case parley.ActionUnmute:
		t.muted = false
	case parley.ActionSet:
		t.settings.ChainHops = r.ChainHops
	}

	return &parley.ControlConversationResult{Answer: parley.OK, ConversationID: about.ID, Released: []string{}}, nil
}
