package client_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"parley"
)

// discussion is a thread with the letters posted to it.
type discussion struct {
	parley.Thread
	posts []*letter
}

func (m *memory) discussion(ref string) (*discussion, error) {
	i := slices.IndexFunc(
		m.threads,
		func(d *discussion) bool { return len(ref) >= parley.ShortID && strings.HasPrefix(d.ID, ref) },
	)
	if i < 0 {
		return nil, parley.Errorf(parley.ThreadNotFound, "there is no thread %q", ref).
			Suggest("list_threads shows the ids.")
	}
	return m.threads[i], nil
}

func (d *discussion) has(id string) bool { return slices.Contains(d.Participants, id) }

func (m *memory) statusOf(thread bool, ids ...string) parley.ConversationStatus {
	there := 0
	for _, id := range ids {
		if a, err := m.find(id); err == nil && a.State != parley.StateTerminated {
			there++
		}
	}
	return parley.StatusOfConversation(thread, len(ids), there)
}

func (d *discussion) admits(c parley.Caller) error {
	if c.Operator || d.has(c.ID) {
		return nil
	}
	return parley.Errorf(parley.NotAParticipant, "you are not in it").Suggest("Call join_thread.")
}

// named is the thread as it is now, with names.
func (m *memory) named(d *discussion) parley.Thread {
	th := d.Thread
	th.Participants, th.ParticipantNames = slices.Clone(d.Participants), []string{}
	for _, id := range th.Participants {
		a, _ := m.find(id)
		th.ParticipantNames = append(th.ParticipantNames, a.Name)
	}
	th.Status = m.statusOf(true, th.Participants...)
	return th
}

// post admits a letter to those in the thread but one, and to others.
func (m *memory) post(d *discussion, l *letter, e parley.Event, but string, others ...string) (*letter, error) {
	var to []*parley.Agent
	for _, id := range append(slices.Clone(d.Participants), others...) {
		if a, err := m.find(id); err == nil && id != but {
			to = append(to, a)
		}
	}

	l.ThreadID, l.ThreadTitle = d.ID, d.Title
	l.event, l.sees = e, slices.Concat(d.Participants, others)

	l, err := m.admit(l, to)
	if err == nil {
		d.posts, d.LastMessageAt = append(d.posts, l), time.Now()
	}

	return l, err
}

// say posts a word of parley's own.
func (m *memory) say(
	d *discussion,
	text string,
	about *parley.Agent,
	status parley.MembershipStatus,
	but string,
	others ...string,
) (*letter, error) {
	e := parley.Event{Type: parley.EventThreadUpdated, AgentID: about.ID, Agent: about.Name, State: string(status)}
	if status == parley.MemberCreated {
		e.Type = parley.EventThreadCreated
	}

	return m.post(
		d,
		&letter{
			Message: parley.Message{
				Kind:     parley.KindNotice,
				Type:     parley.TypeInformation,
				Priority: parley.PriorityNormal,
				SenderID: "parley",
				Sender:   parley.SystemName,
				Text:     text,
			},
		},
		e,
		but,
		others...)
}

func (m *memory) postByCaller(c parley.Caller, r parley.SendMessageRequest) (*letter, error) {
	d, err := m.discussion(r.ThreadID)
	if err != nil {
		return nil, err
	}
	if err := d.admits(c); err != nil {
		return nil, err
	}

	l := &letter{
		key: r.IdempotencyKey,
		Message: parley.Message{Kind: parley.KindThread, Type: r.Type, Priority: r.Priority,
			SenderID: c.ID, Sender: c.Name, Text: r.Text, InReplyTo: r.InReplyTo},
	}

	if err := l.require(r.RequiresResponse, r.ResponseDeadline); err != nil {
		return nil, err
	}

	return m.post(d, l, parley.Event{Type: parley.EventThreadMessage}, c.ID)
}

func (m *memory) CreateThread(ctx context.Context, r parley.CreateThreadRequest) (*parley.CreateThreadResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	c := parley.CallerFrom(ctx)
	call := struct{ Title, First, With string }{
		parley.CleanLine(r.Title),
		r.InitialMessage,
		strings.Join(m.ids(c.ID, r.Participants), " "),
	}

	res, err := answered(
		m,
		c.ID,
		r.IdempotencyKey,
		call,
		func() (*parley.CreateThreadResult, error) { return m.open(c, r) },
	)
	if err == nil {
		d, _ := m.discussion(res.Thread.ID)
		res.Thread = m.named(d)
	}

	return res, err
}

// ids are those of agents, and of one more, in order, each once.
func (m *memory) ids(one string, refs []string) []string {
	list := []string{one}
	for _, ref := range refs {
		if a, err := m.find(ref); err == nil {
			list = append(list, a.ID)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (m *memory) open(c parley.Caller, r parley.CreateThreadRequest) (*parley.CreateThreadResult, error) {
	now := time.Now()
	d := &discussion{
		Thread: parley.Thread{ID: uuid.NewString(), Title: parley.CleanLine(r.Title), CreatorID: c.ID, Creator: c.Name,
			Participants: []string{c.ID}, CreatedAt: now, LastMessageAt: now},
	}

	for _, ref := range r.Participants {
		a, err := m.find(ref)
		if err != nil {
			return nil, err
		}
		if !d.has(a.ID) {
			d.Participants = append(d.Participants, a.ID)
		}
	}

	if len(r.InitialMessage) > 2000 {
		return nil, parley.Errorf(parley.MessageTooLong, "the first post is too long").
			Suggest("Use 2,000 characters at most.")
	}

	me, _ := m.find(c.ID)
	text := fmt.Sprintf("%s opened thread %s %q with %s", c.Name, d.ID[:8], d.Title, m.named(d).ParticipantNames)
	if _, err := m.say(d, text, me, parley.MemberCreated, c.ID); err != nil {
		return nil, err
	}

	m.threads = append(m.threads, d)
	res := &parley.CreateThreadResult{Answer: parley.OK, Message: "It is open."}
	if r.InitialMessage != "" {
		l, err := m.postByCaller(c, parley.SendMessageRequest{ThreadID: d.ID, Text: r.InitialMessage})
		if err != nil {
			return nil, err
		}
		res.InitialMessageID = l.ID
	}

	res.Thread = m.named(d)

	return res, nil
}

func (m *memory) ListThreads(ctx context.Context, r parley.ListThreadsRequest) (*parley.ListThreadsResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	list := []parley.Thread{}
	for _, d := range m.threads {
		if !r.Mine || d.has(parley.CallerFrom(ctx).ID) {
			list = append(list, m.named(d))
		}
	}

	slices.SortFunc(list, func(a, b parley.Thread) int { return b.LastMessageAt.Compare(a.LastMessageAt) })

	return &parley.ListThreadsResult{
		Answer:     parley.OK,
		Threads:    list[:min(len(list), r.Limit)],
		TotalCount: len(list),
	}, nil
}

func (m *memory) GetThreadDetails(
	_ context.Context,
	r parley.ThreadDetailsRequest,
) (*parley.ThreadDetailsResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, err := m.discussion(r.ThreadID)
	if err != nil {
		return nil, err
	}
	return &parley.ThreadDetailsResult{Answer: parley.OK, Thread: m.named(d), Object: m.named(d)}, nil
}

// member finds a thread and an agent for a change, and says so if the agent is in it.
func (m *memory) member(thread, agent string) (*discussion, *parley.Agent, *parley.MembershipResult, error) {
	d, err := m.discussion(thread)
	if err != nil {
		return nil, nil, nil, err
	}

	a, err := m.find(agent)
	if err != nil {
		return nil, nil, nil, err
	}

	if d.has(a.ID) {
		return d, a, &parley.MembershipResult{
			Answer:  parley.OK,
			Status:  parley.MemberAlready,
			Message: "It is in it.",
			Thread:  m.named(d),
		}, nil
	}

	return d, a, nil, nil
}

func (m *memory) result(d *discussion, l *letter, status parley.MembershipStatus) *parley.MembershipResult {
	return &parley.MembershipResult{
		Answer:    parley.OK,
		Status:    status,
		Message:   l.Text,
		MessageID: l.ID,
		Thread:    m.named(d),
	}
}

func (m *memory) JoinThread(ctx context.Context, r parley.JoinThreadRequest) (*parley.MembershipResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, a, already, err := m.member(r.ThreadID, parley.CallerFrom(ctx).ID)
	if err != nil || already != nil {
		return already, err
	}
	d.Participants = append(d.Participants, a.ID)
	l, err := m.say(d, fmt.Sprintf("%s joined thread %s %q", a.Name, d.ID[:8], d.Title), a, parley.MemberJoined, "")
	return m.result(d, l, parley.MemberJoined), err
}

func (m *memory) AddParticipant(ctx context.Context, r parley.AddParticipantRequest) (*parley.MembershipResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	c := parley.CallerFrom(ctx)
	d, a, already, err := m.member(r.ThreadID, r.Agent)
	if err != nil {
		return nil, err
	}
	if err := d.admits(c); err != nil || already != nil {
		return already, err
	}

	d.Participants = append(d.Participants, a.ID)
	l, err := m.say(
		d,
		fmt.Sprintf("%s added %s to thread %s %q", c.Name, a.Name, d.ID[:8], d.Title),
		a,
		parley.MemberAdded,
		c.ID,
	)

	return m.result(d, l, parley.MemberAdded), err
}

func (m *memory) RemoveParticipant(
	ctx context.Context,
	r parley.RemoveParticipantRequest,
) (*parley.MembershipResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	c := parley.CallerFrom(ctx)
	d, a, in, err := m.member(r.ThreadID, r.Agent)
	switch {
	case err != nil:
		return nil, err
	case a.ID != c.ID && d.CreatorID != c.ID && !c.Operator:
		return nil, parley.Errorf(parley.NotAuthorized, "it is not yours").Suggest("Ask its creator.")
	case a.ID == d.CreatorID:
		return nil, parley.Errorf(parley.InvalidArgument, "%s created it", a.Name).Suggest("Let it be.")
	case in == nil:
		return nil, parley.Errorf(parley.NotAParticipant, "%s is not in it", a.Name).Suggest("There is nothing to do.")
	}

	d.Participants = slices.DeleteFunc(slices.Clone(d.Participants), func(id string) bool { return id == a.ID })
	if a.ID == c.ID {
		l, err := m.say(d, a.Name+" left", a, parley.MemberLeft, c.ID)
		return m.result(d, l, parley.MemberLeft), err
	}

	l, err := m.say(d, c.Name+" removed "+a.Name, a, parley.MemberRemoved, c.ID, a.ID)

	return m.result(d, l, parley.MemberRemoved), err
}

// thread is a thread as one of those in it reads it: what was not delivered is read.
func (m *memory) thread(ctx context.Context, ref string) ([]item, error) {
	d, err := m.discussion(ref)
	c := parley.CallerFrom(ctx)
	if err == nil {
		err = d.admits(c)
	}
	if err != nil {
		return nil, err
	}

	list := []item{}
	for _, l := range d.posts {
		i := slices.IndexFunc(l.deliveries, func(x *parley.Delivery) bool { return x.RecipientID == c.ID })
		if i < 0 {
			list = append(
				list,
				item{l, &parley.Delivery{MessageID: l.ID, ConversationID: d.ID, State: parley.DeliveryRead}},
			)
			continue
		}

		list = append(list, item{l, l.deliveries[i]})
	}

	return list, nil
}

func (m *memory) sendToThread(c parley.Caller, r parley.SendMessageRequest) (*parley.SendMessageResult, error) {
	l, err := m.postByCaller(c, r)
	if err != nil {
		return nil, err
	}
	return l.postReceipt(), nil
}

func (l *letter) postReceipt() *parley.SendMessageResult {
	object := l.Message
	return &parley.SendMessageResult{
		Answer:         parley.OK,
		MessageID:      l.ID,
		ConversationID: l.ThreadID,
		Timestamp:      l.Timestamp,
		Status: fmt.Sprintf(
			"Message sent to thread %s %q!",
			l.ThreadID[:8],
			l.ThreadTitle,
		),
		Message:        "Message sent to thread " + l.ThreadID[:8],
		DeliveryStatus: parley.SumUp(l.copies()),
		Deliveries:     l.copies(),
		Object:         &object,
	}
}
