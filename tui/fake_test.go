package tui

import (
	"context"
	"fmt"
	"iter"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/op"
	"parley/plain"
)

// noon is when the tests take place.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const operatorID = "0e0e0e0e-0000-4000-8000-000000000000"

func agentID(name string) string { return fmt.Sprintf("%08x-0000-4000-8000-000000000000", name) }

// fakeService answers from memory. Only what the screen calls is there.
type fakeService struct {
	mu       sync.Mutex
	agents   []parley.AgentStatus
	counts   map[string]int
	paused   *parley.Pause
	needs    []parley.Need
	asked    int // how often for needs
	gitAsked int // how often git was
	events   []parley.Event
	messages map[string]*parley.MessageStatusResult
	threads  []parley.Thread
	planned  []parley.Schedule // nil: those of ListSchedules
	terminal []string
	err      error // of every call, when set
	more     chan struct{}
	fakeCalls
	fakePerson
}

// fakeCalls are the calls that the service got.
type fakeCalls struct {
	sent     []parley.SendMessageRequest
	casts    []parley.BroadcastMessageRequest
	read     []string
	steered  []parley.SteerAgentRequest
	retried  []string
	stopped  []string
	launched []parley.LaunchAgentRequest
	work     string // a diff; "" for the usual one, none for nothing
	merge    *parley.PreviewMergeResult
	finished []parley.FinishWorktreeRequest
}

func newFake() *fakeService {
	return &fakeService{
		messages: map[string]*parley.MessageStatusResult{},
		counts:   map[string]int{},
		more:     make(chan struct{}),
	}
}

// Do implements parley.Service.
func (f *fakeService) Do(ctx context.Context, operation string, request any) (any, error) {
	h := op.Handlers{}
	op.FindMessages.Handle(h, f.FindMessages)
	op.CheckInbox.Handle(h, f.CheckInbox)
	op.ApproveAgent.Handle(h, f.ApproveAgent)
	op.GetMessages.Handle(h, f.GetMessages)
	op.CreateThread.Handle(h, f.CreateThread)
	op.AddParticipant.Handle(h, f.AddParticipant)
	op.RemoveParticipant.Handle(h, f.RemoveParticipant)
	op.JoinThread.Handle(h, f.JoinThread)
	op.GetConversationState.Handle(h, f.GetConversationState)
	op.ControlConversation.Handle(h, f.ControlConversation)
	op.Usage.Handle(h, f.Usage)
	op.SteerAgent.Handle(h, f.SteerAgent)
	op.RetryDelivery.Handle(h, f.RetryDelivery)
	op.StopAgent.Handle(h, f.StopAgent)
	op.RestartAgent.Handle(h, f.RestartAgent)
	op.HandoffAgent.Handle(h, f.HandoffAgent)
	op.PauseCommunication.Handle(h, f.PauseCommunication)
	op.ReadTerminal.Handle(h, f.ReadTerminal)
	op.ListWorktrees.Handle(h, f.ListWorktrees)
	op.CheckProgram.Handle(h, f.CheckProgram)
	op.ExplainMessage.Handle(h, f.ExplainMessage)
	op.DiffAgent.Handle(h, f.DiffAgent)
	op.PreviewMerge.Handle(h, f.PreviewMerge)
	op.FinishWorktree.Handle(h, f.FinishWorktree)
	op.GetAgentStatus.Handle(h, f.GetAgentStatus)
	op.GetWorkspaceStatus.Handle(h, f.GetWorkspaceStatus)
	op.GetNeeds.Handle(h, f.GetNeeds)
	op.GetMessageStatus.Handle(h, f.GetMessageStatus)
	op.ReadEvents.Handle(h, f.ReadEvents)
	op.MarkMessageRead.Handle(h, f.MarkMessageRead)
	op.SendMessage.Handle(h, f.SendMessage)
	op.BroadcastMessage.Handle(h, f.BroadcastMessage)
	op.ListThreads.Handle(h, f.ListThreads)
	op.LaunchAgent.Handle(h, f.LaunchAgent)
	op.ListSessions.Handle(h, f.ListSessions)
	op.ListSchedules.Handle(h, f.ListSchedules)
	op.ChangeSchedule.Handle(h, f.ChangeSchedule)
	op.AnswerDialog.Handle(h, f.AnswerDialog)
	return h.Do(ctx, operation, request)
}

func (f *fakeService) agent(name string, state parley.AgentState, unread, queued int, held string) {
	f.agents = append(f.agents, parley.AgentStatus{Unread: unread, Queued: queued, HeldReason: held,
		Agent: parley.Agent{
			ID:    agentID(name),
			Name:  name,
			Kind:  parley.KindTerminal,
			State: state,
			Since: noon.Add(-4 * time.Minute),
		}})
}

func (f *fakeService) emit(e parley.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e.Seq = int64(len(f.events)) + 1
	f.events = append(f.events, e)
	close(f.more)
	f.more = make(chan struct{})
}

// say puts a message on the record, with the state of each delivery.
func (f *fakeService) say(
	n int, from string, to []string, text string, priority parley.Priority, states ...parley.DeliveryState,
) string {
	id := fmt.Sprintf("%08x-1111-4111-8111-111111111111", 0x5f0c0000+n)
	at := noon.Add(time.Duration(n-100) * 7 * time.Second)
	m := &parley.Message{ID: id, Kind: parley.KindDirect, Type: parley.TypeInformation, Priority: priority,
		Sender: from, SenderID: idOf(from), Text: text, Timestamp: at}
	e := parley.Event{Type: parley.EventDirectMessage, Time: at, SenderID: idOf(from), Sender: from, MessageID: id,
		Preview: plain.Truncate(plain.CleanLine(text),
			parley.PreviewLength), Priority: priority, RecipientCount: len(to)}

	if len(to) > 1 {
		m.Kind, e.Type = parley.KindBroadcast, parley.EventBroadcast
	} else {
		e.Recipient, e.RecipientID = to[0], idOf(to[0])
	}

	f.emit(e)
	res := &parley.MessageStatusResult{Answer: parley.OK, Object: m}
	for i, name := range to {
		d := parley.Delivery{
			MessageID:   id,
			Recipient:   name,
			RecipientID: idOf(name),
			State:       states[i%len(states)],
			Steps:       climb(states[i%len(states)], at),
		}
		if d.State == parley.DeliveryHeld {
			d.Reason = "the pane is in copy mode"
		}

		res.Deliveries = append(res.Deliveries, d)
		f.emit(parley.Event{
			Type:        parley.EventDelivery,
			Time:        at,
			MessageID:   id,
			RecipientID: idOf(name),
			Agent:       name,
			State:       string(d.State),
		})
	}

	f.messages[id] = res

	return id
}

func idOf(name string) string {
	if name == parley.OperatorName {
		return operatorID
	}
	return agentID(name)
}

func climb(to parley.DeliveryState, at time.Time) []parley.Step {
	steps := []parley.Step{{State: parley.DeliveryQueued, At: at, Evidence: "stored"}}
	add := func(s parley.DeliveryState, after time.Duration, how string) {
		steps = append(steps, parley.Step{State: s, At: at.Add(after), Evidence: how})
	}

	switch to {
	case parley.DeliveryQueued:
	case parley.DeliveryHeld:
		add(to, 120*time.Millisecond, "pane_in_mode is 1")
	case parley.DeliveryTyping:
		add(to, 120*time.Millisecond, "sequence 7 on the pane")
	default:
		add(parley.DeliveryTyping, 120*time.Millisecond, "sequence 7 on the pane")
		add(to, 1420*time.Millisecond, "the composer was emptied of our text after Enter")
	}

	return steps
}

func (f *fakeService) GetAgentStatus(context.Context, parley.AgentStatusRequest) (*parley.AgentStatusResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &parley.AgentStatusResult{Answer: parley.OK, Agents: append([]parley.AgentStatus(nil), f.agents...)}, f.err
}

func (f *fakeService) GetWorkspaceStatus(
	context.Context, parley.WorkspaceStatusRequest,
) (*parley.WorkspaceStatusResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &parley.WorkspaceStatusResult{Answer: parley.OK, Deliveries: f.counts, Paused: f.paused,
		Needs:   parley.Matters(f.needs),
		Version: "1.2.3", Workspace: "/home/someone/storefront", PID: 4711, StartedAt: noon.Add(-3 * time.Hour),
		Database: "/home/someone/.parley/storefront/parley.db", TmuxVersion: "tmux 3.4",
		LastEvent: int64(len(f.events)),
		Agents:    map[string]int{"busy": 1, "idle": 2}}, f.err
}

// heldBehind returns the first message that waits for an agent.
func (f *fakeService) heldBehind(agent string) string {
	for _, a := range f.agents {
		if a.ID == agent {
			return a.HeldMessage
		}
	}
	return ""
}

func (f *fakeService) GetNeeds(_ context.Context, r parley.GetNeedsRequest) (*parley.GetNeedsResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	dismissed := 0
	if r.Dismiss != "" {
		f.pleas, dismissed = append(f.pleas, "dismiss "+r.Dismiss), 1
	}
	needs := append([]parley.Need(nil), f.needs...)
	parley.Gather(needs)
	for i := range needs {
		if n := &needs[i]; n.Kind == parley.NeedDraft {
			n.Held = f.heldBehind(n.AgentID)
		}
		needs[i].Acts = slices.Clone(needs[i].Acts)
		needs[i].Offer()
	}
	return &parley.GetNeedsResult{Answer: parley.OK, Dismissed: dismissed, Needs: needs}, f.err
}

func (f *fakeService) need(kind parley.NeedKind, agent, text, command, action string, screen ...string) {
	f.needs = append(
		f.needs,
		parley.Need{Kind: kind, Agent: agent, AgentID: agentID(agent), Since: noon.Add(-4 * time.Minute),
			Text: text, Command: command, Action: action, Screen: screen},
	)
}

func (f *fakeService) GetMessageStatus(
	_ context.Context, r parley.MessageStatusRequest,
) (*parley.MessageStatusResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return nil, f.err
	}
	if m := f.messages[r.MessageID]; m != nil {
		return m, nil
	}
	return nil, parley.Errorf(parley.MessageNotFound, "no message %s", parley.Short(r.MessageID)).
		Suggest("Look at the list again.")
}

func (f *fakeService) ReadEvents(_ context.Context, r parley.ReadEventsRequest) (*parley.ReadEventsResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return nil, f.err
	}
	from, to := min(int(r.After), len(f.events)), len(f.events)
	if r.Last > 0 {
		from = max(0, to-r.Last)
	} else if r.Limit > 0 {
		to = min(to, from+r.Limit)
	}
	return &parley.ReadEventsResult{Answer: parley.OK, Next: int64(to), Events: slices.Clone(f.events[from:to])}, nil
}

func (f *fakeService) MarkMessageRead(
	_ context.Context, r parley.MarkMessageReadRequest,
) (*parley.MarkMessageReadResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read = append(f.read, r.MessageIDs...)
	return &parley.MarkMessageReadResult{Answer: parley.OK, MarkedRead: r.MessageIDs}, f.err
}

func (f *fakeService) SendMessage(_ context.Context, r parley.SendMessageRequest) (*parley.SendMessageResult, error) {
	f.mu.Lock()
	f.sent = append(f.sent, r)
	err, n := f.err, len(f.sent)
	if err == nil {
		err = r.Validate()
	}

	name := strings.Join(append(slices.Clone(r.To), r.ThreadID), "")
	for _, a := range f.agents {
		if a.ID == name {
			name = a.Name
		}
	}

	f.mu.Unlock()
	if err != nil {
		return nil, err
	}

	id := f.say(100+n, parley.OperatorName, []string{name}, r.Text, parley.PriorityNormal, parley.DeliverySubmitted)

	return &parley.SendMessageResult{Answer: parley.OK, MessageID: id, Deliveries: f.messages[id].Deliveries}, nil
}

func (f *fakeService) BroadcastMessage(
	_ context.Context, r parley.BroadcastMessageRequest,
) (*parley.BroadcastMessageResult, error) {
	f.mu.Lock()
	f.casts = append(f.casts, r)
	err, n := f.err, len(f.casts)
	var names []string
	for _, a := range f.agents {
		if a.Kind != parley.KindHuman {
			names = append(names, a.Name)
		}
	}

	f.mu.Unlock()
	if err != nil {
		return nil, err
	}

	id := f.say(200+n, parley.OperatorName, names, r.Text, parley.PriorityNormal, parley.DeliveryQueued)

	return &parley.BroadcastMessageResult{
		Answer:         parley.OK,
		MessageID:      id,
		RecipientCount: len(names),
		Deliveries:     f.messages[id].Deliveries,
	}, nil
}

func (f *fakeService) follow(ctx context.Context, after int64) iter.Seq2[parley.Event, error] {
	return func(yield func(parley.Event, error) bool) {
		for ctx.Err() == nil {
			f.mu.Lock()
			events, more, err := f.events[min(int(after), len(f.events)):], f.more, f.err
			f.mu.Unlock()
			if err != nil {
				yield(parley.Event{}, err)
				return
			}

			for _, e := range events {
				if !yield(e, nil) {
					return
				}
				after = e.Seq
			}

			select {
			case <-more:
			case <-ctx.Done():
			}
		}
	}
}

func (f *fakeService) options() Options {
	n := 0
	return Options{Service: f, Workspace: "/home/someone/storefront", Follow: f.follow,
		Now:     func() time.Time { return noon },
		NewKey:  func() string { n++; return fmt.Sprint("key-", n) },
		Environ: []string{"TERM=xterm-256color"},
		Surroundings: Surroundings{
			Attach: func(name string) (*exec.Cmd, error) {
				return exec.Command("sh", "-c", "echo terminal of "+name+"; read line"), nil
			},
			Workspaces: func(context.Context) ([]Workspace, error) {
				return []Workspace{{Name: "/home/someone/blog", Shown: "~/blog"},
					{Name: "/home/someone/shop", Shown: "~/shop"},
					{Name: "/home/someone/storefront", Shown: "~/storefront", Opened: true}}, nil
			},
		},
	}.withDefaults()
}

func (f *fakeService) ListThreads(context.Context, parley.ListThreadsRequest) (*parley.ListThreadsResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &parley.ListThreadsResult{Answer: parley.OK, Threads: f.threads, TotalCount: len(f.threads)}, f.err
}
