package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"parley"
)

// memory is a parley.Service of mailboxes that remembers nothing: what the
// client is tested against, and what the suite itself is tried on. It embeds
// the interface for what needs a terminal.
type memory struct {
	parley.Service
	boss parley.Caller

	mu       sync.Mutex
	agents   []*parley.Agent
	keys     map[string]string // key → agent id
	shown    []parley.Key
	messages []*letter
	calls    map[string]string // sender and idempotency key → the call
	made     map[string]any    // the same → its answer, of calls that make no letter
	threads  []*discussion
	events   []memoryEvent
	changed  chan struct{} // closed when something happens
	paused   *parley.Pause
	files    []*stored
	given    map[string]parley.Message // what each agent got last
	talks    map[string]*talk
}

type letter struct {
	parley.Message
	key        string
	deliveries []*parley.Delivery
	debts      []*parley.Debt
	ignored    []string     // by whom
	event      parley.Event // of a post, and who sees it
	sees       []string
}

type memoryEvent struct {
	parley.Event
	sees []string
}

func newMemory() *memory {
	m := &memory{
		keys:    map[string]string{},
		calls:   map[string]string{},
		made:    map[string]any{},
		given:   map[string]parley.Message{},
		talks:   map[string]*talk{},
		changed: make(chan struct{}),
	}
	m.add(&parley.Agent{Name: parley.OperatorName, Kind: parley.KindHuman})
	m.boss = parley.Caller{ID: m.agents[0].ID, Name: parley.OperatorName, Operator: true}
	return m
}

func (m *memory) add(a *parley.Agent) {
	now := time.Now()
	a.ID, a.State, a.Since, a.CreatedAt, a.LastActive = uuid.NewString(), parley.StateIdle, now, now, now
	m.agents = append(m.agents, a)
}

func (m *memory) authenticate(_ context.Context, key string) (parley.Caller, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.agents {
		if id, ok := m.keys[key]; ok && a.ID == id {
			return parley.Caller{ID: a.ID, Name: a.Name}, true
		}
	}
	return parley.Caller{}, false
}

func (m *memory) find(ref string) (*parley.Agent, error) {
	for _, a := range m.agents {
		if (parley.Caller{ID: a.ID, Name: a.Name}).Is(ref) {
			return a, nil
		}
	}
	return nil, parley.Errorf(parley.AgentNotFound, "there is no agent %q", ref).Suggest("get_agent_status lists them.")
}

func (m *memory) record(e parley.Event, sees ...string) {
	e.Seq, e.Time = int64(len(m.events)+1), time.Now()
	m.events = append(m.events, memoryEvent{e, sees})
	close(m.changed)
	m.changed = make(chan struct{})
}

// wait calls ready under the lock until it is true or the time is over.
func (m *memory) wait(ctx context.Context, seconds int, ready func() bool) error {
	deadline := time.After(time.Duration(seconds) * time.Second)
	for {
		m.mu.Lock()
		if seconds == 0 || ready() {
			return nil // locked
		}

		changed := m.changed
		m.mu.Unlock()
		select {
		case <-changed:
		case <-deadline:
			seconds = 0
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (m *memory) RegisterAgent(_ context.Context, r parley.RegisterAgentRequest) (*parley.RegisterAgentResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	if _, err := m.find(r.Username); err == nil {
		return nil, parley.Errorf(parley.AgentExists, "there is an agent %q", r.Username).
			Suggest("Choose another name.")
	}

	a := &parley.Agent{
		Name:         r.Username,
		Description:  r.Description,
		Role:         r.Role,
		Capabilities: r.Capabilities,
		Groups:       r.Groups,
		Kind:         parley.KindMailbox,
	}

	m.add(a)
	key, status := m.newKey(a, parley.KeyRegistered), parley.StatusActive
	if r.Special {
		a.Approval, status = parley.ApprovalPending, parley.StatusPendingApproval
		if r.Config != nil {
			a.Responder = &parley.Responder{
				ResponderConfig: *r.Config,
				AutoRespond:     r.AutoRespond == nil || *r.AutoRespond,
				Origin:          parley.FromRegistration,
			}
		}
	}

	m.record(parley.Event{Type: parley.EventAgent, AgentID: a.ID, Agent: a.Name}, a.ID)

	return &parley.RegisterAgentResult{
		Answer:   parley.OK,
		AgentID:  a.ID,
		Username: a.Name,
		APIKey:   key,
		Status:   status,
	}, nil
}

func (m *memory) GetAgentStatus(_ context.Context, r parley.AgentStatusRequest) (*parley.AgentStatusResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	list := m.agents[1:]
	if r.Agent != "" {
		a, err := m.find(r.Agent)
		if err != nil {
			return nil, err
		}
		list = []*parley.Agent{a}
	}

	res := &parley.AgentStatusResult{Answer: parley.OK, Agents: []parley.AgentStatus{}}
	for _, a := range list {
		s := parley.AgentStatus{Agent: *a, Availability: a.AvailabilityAt(time.Now())}
		for _, d := range m.inbox(a.ID) {
			if d.State == parley.DeliverySubmitted {
				s.Unread++
			}
		}

		s.Owed, s.Overdue = m.owed(a.ID)
		res.Agents = append(res.Agents, s)
	}

	slices.SortFunc(res.Agents, func(a, b parley.AgentStatus) int { return strings.Compare(a.Name, b.Name) })

	return res, nil
}

func (m *memory) StopAgent(_ context.Context, r parley.StopAgentRequest) (*parley.StopAgentResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, err := m.find(r.Agent)
	if err != nil {
		return nil, err
	}
	a.State = parley.StateTerminated
	m.endKeys(func(k parley.Key) bool { return k.AgentID == a.ID })
	return &parley.StopAgentResult{Answer: parley.OK, AgentID: a.ID, Name: a.Name}, nil
}

func (m *memory) GetWorkspaceStatus(
	context.Context,
	parley.WorkspaceStatusRequest,
) (*parley.WorkspaceStatusResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return &parley.WorkspaceStatusResult{Answer: parley.OK, Agents: map[string]int{"idle": len(m.agents) - 1},
		Deliveries: map[string]int{}, LastEvent: int64(len(m.events)), Paused: m.paused}, nil
}

// recipients resolves names, each agent once.
func (m *memory) recipients(self string, names []string) ([]*parley.Agent, error) {
	if len(names) == 1 && names[0] == parley.Everyone {
		return m.others(self, ""), nil
	}

	var list []*parley.Agent
	for _, name := range names {
		a, err := m.find(name)
		if err != nil {
			return nil, err
		}
		if a.ID == self {
			return nil, parley.Errorf(parley.InvalidRecipient, "that is you").Suggest("Name another agent.")
		}
		if !slices.Contains(list, a) {
			list = append(list, a)
		}
	}

	return list, nil
}

func (m *memory) others(self, group string) []*parley.Agent {
	return slices.DeleteFunc(slices.Clone(m.agents[1:]), func(a *parley.Agent) bool {
		return a.ID == self || a.State == parley.StateTerminated || group != "" && !slices.Contains(a.Groups, group)
	})
}

// admit stores a letter, or finds the one that has its key.
func (m *memory) admit(l *letter, to []*parley.Agent) (*letter, error) {
	l.ID, l.Text = uuid.NewString(), parley.Clean(l.Text)
	switch {
	case m.paused != nil:
		return nil, parley.Errorf(parley.CommunicationDisabled, "%s", m.paused.Words()).Suggest("Send again later.")
	case !parley.Visible(l.Text):
		return nil, parley.Errorf(parley.InvalidArgument, "the text is empty").Suggest("Say something.")
	case utf8.RuneCountInString(l.Text) > 2000:
		return nil, parley.Errorf(parley.MessageTooLong, "the text is too long").
			Suggest("Use 2,000 characters at most.")
	}

	if l.InReplyTo != "" {
		original := m.letter(l.InReplyTo)
		if original == nil || !m.concerns(original, l.SenderID) {
			return nil, parley.Errorf(parley.MessageNotFound, "there is no such message").
				Suggest("check_inbox shows the ids.")
		}

		l.InReplyTo, l.ChainID, l.Hop = original.ID, original.ChainID, original.Hop+1
		if err := original.answeredWith(l, to); err != nil {
			return nil, err
		}
	}

	m.link(l)
	l.Timestamp = time.Now()
	for _, a := range to {
		d := &parley.Delivery{
			MessageID:      l.ID,
			RecipientID:    a.ID,
			Recipient:      a.Name,
			ConversationID: parley.ConversationID(l.SenderID, a.ID),
			State:          parley.DeliverySubmitted,
		}

		if l.ThreadID != "" {
			d.ConversationID = l.ThreadID
		}
		if a.State == parley.StateTerminated {
			d.State, d.Reason = parley.DeliveryFailed, "it is terminated"
		}

		d.Steps = []parley.Step{{State: d.State, At: l.Timestamp, Evidence: "stored"}}
		l.deliveries, l.Recipients = append(l.deliveries, d), append(l.Recipients, a.ID)
		l.owe(a)
		m.given[a.ID] = l.Message
	}

	m.messages = append(m.messages, l)
	e := parley.Event{Type: parley.EventDirectMessage, SenderID: l.SenderID, Sender: l.Sender, MessageID: l.ID,
		RecipientCount: len(to), Preview: parley.Truncate(l.Text, parley.PreviewLength), Priority: l.Priority}
	switch {
	case l.ThreadID != "":
		e.Type, e.ThreadID, e.Thread = l.event.Type, l.ThreadID, l.ThreadTitle
		e.AgentID, e.Agent, e.State = l.event.AgentID, l.event.Agent, l.event.State
	case l.Kind == parley.KindBroadcast:
		e.Type = parley.EventBroadcast
	case len(to) == 1:
		e.RecipientID, e.Recipient = to[0].ID, to[0].Name
	}

	m.record(e, slices.Concat([]string{l.SenderID}, l.Recipients, l.sees)...)

	return l, nil
}

// repeated returns what was sent by the same call before. The key of another call is
// refused.
func (m *memory) repeated(sender, key string, call any) (*letter, error) {
	text, err := sameCall(call)
	i := slices.IndexFunc(m.messages, func(l *letter) bool { return key != "" && l.SenderID == sender && l.key == key })
	switch {
	case err != nil:
		return nil, err
	case i < 0:
		m.calls[sender+key] = text
		return nil, nil
	case m.calls[sender+key] != text:
		return nil, parley.Errorf(parley.InvalidArgument, "the key stands for another message").
			Suggest("Use another key.")
	}

	return m.messages[i], nil
}

// sameCall is a text that is the same for calls that ask for the same.
func sameCall(call any) (string, error) {
	b, err := json.Marshal(call)
	return string(b), err
}

// answered makes a call that makes no letter, or gives its answer of before.
func answered[Res any](m *memory, sender, key string, call any, do func() (*Res, error)) (*Res, error) {
	text, err := sameCall(call)
	if was, found := m.made[sender+key].(*Res); found && err == nil && key != "" {
		if m.calls[sender+key] != text {
			return nil, parley.Errorf(parley.InvalidArgument, "the key stands for another call").
				Suggest("Use another key.")
		}
		return was, nil
	}

	res, err := do()
	if err == nil && key != "" {
		m.calls[sender+key], m.made[sender+key] = text, res
	}

	return res, err
}

func (m *memory) letter(ref string) *letter {
	i := slices.IndexFunc(
		m.messages,
		func(l *letter) bool { return len(ref) >= parley.ShortID && strings.HasPrefix(l.ID, ref) },
	)
	if i < 0 {
		return nil
	}
	return m.messages[i]
}

func (m *memory) concerns(l *letter, id string) bool {
	d, err := m.discussion(l.ThreadID)
	return l.SenderID == id || slices.Contains(l.Recipients, id) || err == nil && d.has(id)
}

func (l *letter) copies() []parley.Delivery {
	list := []parley.Delivery{}
	for _, d := range l.deliveries {
		list = append(list, *d)
	}
	return list
}

func (m *memory) SendMessage(ctx context.Context, r parley.SendMessageRequest) (*parley.SendMessageResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	c := parley.CallerFrom(ctx)
	l, err := m.repeated(c.ID, r.IdempotencyKey, r)
	if err != nil {
		return nil, err
	}

	if l == nil {
		if r.ThreadID != "" {
			return m.sendToThread(c, r)
		}

		to, err := m.recipients(c.ID, r.To)
		if err != nil {
			return nil, err
		}

		l = &letter{
			key: r.IdempotencyKey,
			Message: parley.Message{Kind: parley.KindDirect, Type: r.Type, Priority: r.Priority, SenderID: c.ID,
				Sender: c.Name, Text: r.Text, Data: r.Data, Attachments: r.Attachments, ContextReference: r.ContextReference, InReplyTo: r.InReplyTo},
		}

		if err := l.require(r.RequiresResponse, r.ResponseDeadline); err != nil {
			return nil, err
		}
		if r.Urgent {
			l.Priority = parley.PriorityUrgent
		}
		if l, err = m.admit(l, to); err != nil {
			return nil, err
		}
	}

	if l.ThreadID != "" {
		return l.postReceipt(), nil
	}

	object, first := l.Message, l.deliveries[0]
	res := &parley.SendMessageResult{
		Answer:         parley.OK,
		MessageID:      l.ID,
		ConversationID: first.ConversationID,
		Timestamp:      l.Timestamp,
		Status: fmt.Sprintf(
			"Message sent to %s!",
			first.Recipient,
		),
		Message:        "Message sent to agent " + parley.Short(first.RecipientID),
		DeliveryStatus: parley.SumUp(l.copies()),
		Deliveries:     l.copies(),
		Object:         &object,
	}

	if len(l.deliveries) == 1 && first.State.Failed() {
		res.Message = fmt.Sprintf(
			"Failed to send message - recipient agent %s may not exist or is terminated",
			parley.Short(first.RecipientID),
		)
		res.Answer = parley.Answer{Error: &res.Message}
		res.ErrorCode, res.Action = parley.AgentUnavailable, "Ask someone else."
	}

	return res, nil
}

func (m *memory) BroadcastMessage(
	ctx context.Context,
	r parley.BroadcastMessageRequest,
) (*parley.BroadcastMessageResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	c := parley.CallerFrom(ctx)
	l, err := m.repeated(c.ID, r.IdempotencyKey, r)
	if err != nil {
		return nil, err
	}

	if l == nil {
		to := m.others(c.ID, r.Group)
		if r.Group != "" && len(to) == 0 {
			return nil, parley.Errorf(parley.InvalidRecipient, "nobody is in that group").
				Suggest("get_agent_status shows the groups.")
		}

		if r.Recipients != nil {
			if to, err = m.recipients(c.ID, *r.Recipients); err != nil {
				return nil, err
			}
		}

		l = &letter{
			key: r.IdempotencyKey,
			Message: parley.Message{Kind: parley.KindBroadcast, Type: parley.TypeInformation,
				Priority: r.Priority, SenderID: c.ID, Sender: c.Name, Text: r.Text},
		}

		if r.Urgent {
			l.Priority = parley.PriorityUrgent
		}
		if l, err = m.admit(l, to); err != nil {
			return nil, err
		}
	}

	object, n := l.Message, len(l.deliveries)

	return &parley.BroadcastMessageResult{Answer: parley.OK, MessageID: l.ID, RecipientCount: n, Timestamp: l.Timestamp,
		Message:        fmt.Sprintf("Message broadcast to %d agent(s)", n),
		DeliveryStatus: parley.SumUp(l.copies()), Deliveries: l.copies(), Object: &object}, nil
}
