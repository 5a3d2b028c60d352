package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"parley"
)

// found returns a letter by its id or the beginning of it.
func (m *memory) found(ref string) (*letter, error) {
	if l := m.letter(ref); l != nil {
		return l, nil
	}
	return nil, parley.Errorf(parley.MessageNotFound, "there is no message %q", ref).
		Suggest("check_inbox shows the ids.")
}

// RetryDelivery has nothing to try again: what fails here is for a closed mailbox.
func (m *memory) RetryDelivery(_ context.Context, r parley.RetryDeliveryRequest) (*parley.RetryDeliveryResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	l, err := m.found(r.MessageID)
	if err != nil {
		return nil, err
	}

	if r.Recipient != "" {
		a, err := m.find(r.Recipient)
		if err != nil {
			return nil, err
		}
		if a.ID == l.SenderID {
			return nil, parley.Errorf(parley.InvalidRecipient, "%s is its sender", a.Name).Suggest("Name a recipient.")
		}
	}

	for _, d := range l.deliveries {
		if d.State.Failed() {
			return nil, parley.Errorf(parley.AgentUnavailable, "%s is stopped", d.Recipient).
				Suggest("Register it again.")
		}
	}

	return nil, parley.Errorf(parley.AlreadyDelivered, "it has arrived").Suggest("Send a new message.")
}

func (m *memory) ExplainMessage(
	_ context.Context,
	r parley.ExplainMessageRequest,
) (*parley.ExplainMessageResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	l, err := m.found(r.MessageID)
	if err != nil {
		return nil, err
	}

	object := l.Message
	res := &parley.ExplainMessageResult{
		Answer:     parley.OK,
		MessageID:  l.ID,
		Object:     &object,
		Deliveries: []parley.DeliveryStory{},
		Summary:    fmt.Sprintf("%s sent %s: %s", l.Sender, l.ID[:8], l.Text),
	}

	res.Story = []string{res.Summary}
	for _, d := range l.deliveries {
		s := parley.DeliveryStory{
			AgentID: d.RecipientID,
			Agent:   d.Recipient,
			State:   d.State,
			Outlook: []string{"Nothing is left to do."},
			Rungs:   []parley.RungStory{{State: d.State, At: l.Timestamp, Text: "It was stored."}},
		}

		res.Deliveries, res.Story = append(res.Deliveries, s), append(res.Story, d.Recipient)
	}

	return res, nil
}

func (m *memory) SteerAgent(ctx context.Context, r parley.SteerAgentRequest) (*parley.SendMessageResult, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}

	m.mu.Lock()
	defer m.mu.Unlock()

	c := parley.CallerFrom(ctx)
	to, err := m.find(r.Agent)
	if err != nil {
		return nil, err
	}
	if to.Kind == parley.KindHuman {
		return nil, parley.Errorf(parley.InvalidRecipient, "%s is a person", to.Name).Suggest("Name an agent.")
	}

	l, err := m.repeated(c.ID, r.IdempotencyKey, r)
	if err != nil {
		return nil, err
	}

	if l == nil {
		l = &letter{
			key: r.IdempotencyKey,
			Message: parley.Message{
				Kind:     parley.KindSteering,
				Type:     parley.TypeInformation,
				Priority: parley.PriorityHigh,
				SenderID: c.ID,
				Sender:   c.Name,
				Text:     r.Text,
				Data:     json.RawMessage(`{"guidance":"` + r.Kind + `"}`),
			},
		}

		if l, err = m.admit(l, []*parley.Agent{to}); err != nil {
			return nil, err
		}
	}

	object := l.Message

	return &parley.SendMessageResult{
		Answer:         parley.OK,
		MessageID:      l.ID,
		ConversationID: l.deliveries[0].ConversationID,
		Timestamp:      l.Timestamp,
		DeliveryStatus: parley.SumUp(l.copies()),
		Deliveries:     l.copies(),
		Object:         &object,
	}, nil
}

// GetNeeds knows of nothing but approvals: mailboxes need nobody otherwise.
func (m *memory) GetNeeds(_ context.Context, r parley.GetNeedsRequest) (*parley.GetNeedsResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.Dismiss != "" {
		if _, err := m.found(r.Dismiss); err != nil {
			return nil, err
		}
	}
	return &parley.GetNeedsResult{Answer: parley.OK, Needs: m.approvals()}, nil
}

func (m *memory) PauseCommunication(
	ctx context.Context,
	r parley.PauseCommunicationRequest,
) (*parley.PauseCommunicationResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.paused = nil
	if r.Paused {
		m.paused = &parley.Pause{By: parley.CallerFrom(ctx).Name, Since: time.Now(), Reason: r.Reason}
	}
	return &parley.PauseCommunicationResult{Answer: parley.OK, Paused: m.paused, Message: "So be it."}, nil
}
