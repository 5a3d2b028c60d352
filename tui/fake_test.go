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

	"github.com/charmbracelet/x/ansi"

	"parley"
)

// noon is when the tests take place.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const operatorID = "0e0e0e0e-0000-4000-8000-000000000000"

func agentID(name string) string { return fmt.Sprintf("%08x-0000-4000-8000-000000000000", name) }

// fakeService answers from memory. Only what the screen calls is there: anything
// else is a nil method, and a panic.
type fakeService struct {
	parley.Service

	mu       sync.Mutex
	agents   []parley.AgentStatus
	counts   map[string]int
	paused   *parley.Pause
	needs    []parley.Need
	asked    int // how often for needs
	events   []parley.Event
	messages map[string]*parley.MessageStatusResult
	sent     []parley.SendMessageRequest
	casts    []parley.BroadcastMessageRequest
	read     []string
	steered  []parley.SteerAgentRequest
	retried  []string
	stopped  []string
	threads  []parley.Thread
	terminal []string
	err      error // of every call, when set
	more     chan struct{}
	fakePerson
}

func newFake() *fakeService {
	return &fakeService{
		messages: map[string]*parley.MessageStatusResult{},
		counts:   map[string]int{},
		more:     make(chan struct{}),
	}
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

// say puts a message on the record: who to whom, and how far each delivery is.
func (f *fakeService) say(
	n int,
	from string,
	to []string,
	text string,
	priority parley.Priority,
	states ...parley.DeliveryState,
) string {
	id := fmt.Sprintf("%08x-1111-4111-8111-111111111111", 0x5f0c0000+n)
	at := noon.Add(time.Duration(n-100) * 7 * time.Second)
	m := &parley.Message{ID: id, Kind: parley.KindDirect, Type: parley.TypeInformation, Priority: priority,
		Sender: from, SenderID: idOf(from), Text: text, Timestamp: at}
	e := parley.Event{Type: parley.EventDirectMessage, Time: at, SenderID: idOf(from), Sender: from, MessageID: id,
		Preview: parley.Truncate(
			parley.CleanLine(text),
			parley.PreviewLength,
		), Priority: priority, RecipientCount: len(to)}

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
		f.emit(
			parley.Event{
				Type:      parley.EventDelivery,
				Time:      at,
				MessageID: id,
				AgentID:   idOf(name),
				Agent:     name,
				State:     string(d.State),
			},
		)
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
	context.Context,
	parley.WorkspaceStatusRequest,
) (*parley.WorkspaceStatusResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &parley.WorkspaceStatusResult{Answer: parley.OK, Deliveries: f.counts, Paused: f.paused, Needs: len(f.needs),
		Version: "1.2.3", Workspace: "/home/someone/storefront", PID: 4711, StartedAt: noon.Add(-3 * time.Hour),
		Database: "/home/someone/.parley/storefront/parley.db", TmuxVersion: "tmux 3.4", LastEvent: int64(len(f.events)),
		Agents: map[string]int{"busy": 1, "idle": 2}}, f.err
}

func (f *fakeService) GetNeeds(_ context.Context, r parley.GetNeedsRequest) (*parley.GetNeedsResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	dismissed := 0
	if r.Dismiss != "" {
		f.pleas, dismissed = append(f.pleas, "dismiss "+r.Dismiss), 1
	}
	return &parley.GetNeedsResult{
		Answer:    parley.OK,
		Dismissed: dismissed,
		Needs:     append([]parley.Need(nil), f.needs...),
	}, f.err
}

func (f *fakeService) need(kind parley.NeedKind, agent, text, command, action string, screen ...string) {
	f.needs = append(
		f.needs,
		parley.Need{Kind: kind, Agent: agent, AgentID: agentID(agent), Since: noon.Add(-4 * time.Minute),
			Text: text, Command: command, Action: action, Screen: screen},
	)
}

func (f *fakeService) GetMessageStatus(
	_ context.Context,
	r parley.MessageStatusRequest,
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
	_ context.Context,
	r parley.MarkMessageReadRequest,
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
	_ context.Context,
	r parley.BroadcastMessageRequest,
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

// busyTeam is a team at work, as the golden views show it.
func busyTeam() *fakeService {
	f := newFake()
	f.agent("coder", parley.StateBusy, 2, 1, "")
	f.agent("reviewer", parley.StateIdle, 0, 0, "")
	f.agent("tester", parley.StateIdle, 1, 1, "the pane is in copy mode")
	f.agent("docs-writer", parley.StateStarting, 0, 0, "")
	f.agent("planner", parley.StateExited, 0, 0, "")
	f.agent("scout", parley.StateUnreachable, 3, 3, "")
	f.agent("old-hand", parley.StateTerminated, 0, 0, "")
	f.agents[0].Profile, f.agents[0].Command, f.agents[0].Groups = "claude", []string{
		"claude",
		"--model",
		"opus",
	}, []string{
		"builders",
	}

	f.agents[1].Profile, f.agents[1].Owed, f.agents[1].Overdue = "codex", 2, 1
	f.agents[2].Profile, f.agents[2].Groups = "generic", []string{"builders"}
	f.agents[4].Evidence = "its process ended with status 1"
	f.agents = append(
		f.agents,
		parley.AgentStatus{
			Unread: 1,
			Agent: parley.Agent{
				ID:    operatorID,
				Name:  parley.OperatorName,
				Kind:  parley.KindHuman,
				State: parley.StateIdle,
			},
		},
	)

	for i, title := range []string{"the parser's error messages", "storage format 2, 移行計画"} {
		f.threads = append(
			f.threads,
			parley.Thread{ID: fmt.Sprintf("%08x-2222-4222-8222-222222222222", i+1), Title: title,
				ParticipantNames: []string{
					"coder",
					"reviewer",
					"tester",
				}, LastMessageAt: noon.Add(-time.Duration(i*i+2) * time.Hour)},
		)
	}

	f.terminal = []string{
		"\x1b[1;36m● Reading parser.go\x1b[0m (212 lines)",
		"  \x1b[32m+ return fmt.Errorf(\"line %d: empty body\", n)",
		"  + }\x1b[m",
		"\x1b[2J\x1b]0;title\a日本語\x1b[5Gok",
		"",
		"\x1b[38;5;208m❯\x1b[39m \x1b[7m \x1b[0m",
	}

	f.discussed()
	f.heated()
	f.answering()
	f.counts = map[string]int{"queued": 3, "typing": 1, "held": 1, "unconfirmed": 1}
	f.need(
		parley.NeedLost,
		"scout",
		"its terminal is gone: tmux or the session was ended from outside; 3 messages wait for it",
		"parley restart scout",
		"Start it again, or let it go with parley stop scout.",
	)

	f.need(
		parley.NeedExited,
		"planner",
		"its program ended with status 1",
		"parley restart planner",
		"Start it again, or let it go with parley stop planner.",
		"panic: runtime error: index out of range [3] with length 3",
		"  goroutine 1 [running]:",
		"  main.main()",
		"exit status 1",
	)

	f.need(
		parley.NeedUnconfirmed,
		"planner",
		"whether message 5f0c0006 from scout arrived is not known: typed and entered, but its program has not read it yet",
		"parley explain 5f0c0006",
		"If it arrived: parley needs --dismiss 5f0c0006. If not: parley retry 5f0c0006 --to planner.",
	)

	f.needs[len(f.needs)-1].MessageID = "5f0c0006-1111-4111-8111-111111111111"
	ok, held := parley.DeliverySubmitted, parley.DeliveryHeld
	f.say(
		1,
		"planner",
		[]string{"coder", "reviewer", "tester"},
		"Plan for today: the parser first, then the store. Ask when something is unclear.",
		"normal",
		parley.DeliveryRead,
	)

	f.say(
		2,
		"coder",
		[]string{"reviewer"},
		"parser.go is ready to be looked at; 212 lines, tests included",
		"normal",
		ok,
	)

	f.say(
		3,
		"reviewer",
		[]string{"coder"},
		"Two things:\n1. the error for an empty body hides the line number\n2. 日本語のテキストも確認してください 🎉",
		"normal",
		ok,
	)

	f.say(
		4,
		"tester",
		[]string{"coder", "reviewer", "docs-writer", "planner"},
		"build is red on main: TestSplitsLongLines",
		"urgent",
		ok,
		ok,
		parley.DeliveryTyping,
		ok,
	)

	f.say(5, "coder", []string{"tester"}, "looking into it now", "high", held)
	f.say(
		6,
		"scout",
		[]string{"planner"},
		"Found three callers of the old API; a list is in notes/callers.md",
		"normal",
		parley.DeliveryUnconfirmed,
	)

	f.say(
		7,
		"reviewer",
		[]string{parley.OperatorName},
		"Shall I approve the change to the storage format? It cannot be undone.",
		"high",
		ok,
	)

	f.letters = append(
		f.letters,
		parley.InboxMessage{MessageID: "5f0c0007-1111-4111-8111-111111111111", Sender: "reviewer", Priority: "high",
			Content: "Shall I approve the change to the storage format? It cannot be undone.", Timestamp: noon.Add(-93 * 7 * time.Second)},
	)

	f.say(8, parley.OperatorName, []string{"reviewer"}, "Yes, but write the migration first.", "normal", ok)
	f.say(
		9,
		"coder",
		[]string{"scout"},
		"please check whether \x1b[31mthe list\x1b[0m is\u202e complete",
		"low",
		parley.DeliveryQueued,
	)

	f.say(10, "tester", []string{"coder", "reviewer"}, "green again", "normal", ok, parley.DeliveryFailed)

	return f
}

func (f *fakeService) options() Options {
	n := 0
	return Options{Service: f, Workspace: "/home/someone/storefront", Follow: f.follow,
		Attach: func(name string) (*exec.Cmd, error) {
			return exec.Command("sh", "-c", "echo terminal of "+name+"; read line"), nil
		},
		Now:     func() time.Time { return noon },
		NewKey:  func() string { n++; return fmt.Sprint("key-", n) },
		Environ: []string{"TERM=xterm-256color"},
	}.withDefaults()
}

func (f *fakeService) SteerAgent(_ context.Context, r parley.SteerAgentRequest) (*parley.SendMessageResult, error) {
	f.mu.Lock()
	f.steered = append(f.steered, r)
	f.mu.Unlock()
	return f.SendMessage(context.Background(), parley.SendMessageRequest{To: parley.Names{r.Agent}, Text: r.Text})
}

func (f *fakeService) RetryDelivery(
	_ context.Context,
	r parley.RetryDeliveryRequest,
) (*parley.RetryDeliveryResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.retried = append(f.retried, strings.TrimSpace(r.MessageID+" "+r.Recipient))
	return &parley.RetryDeliveryResult{Answer: parley.OK, Message: "It is typed again to 1 agent."}, f.err
}

func (f *fakeService) StopAgent(_ context.Context, r parley.StopAgentRequest) (*parley.StopAgentResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = append(f.stopped, "stop "+r.Agent)
	return &parley.StopAgentResult{Answer: parley.OK}, f.err
}

func (f *fakeService) RestartAgent(_ context.Context, r parley.RestartAgentRequest) (*parley.LaunchAgentResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = append(f.stopped, "restart "+r.Agent)
	return &parley.LaunchAgentResult{Answer: parley.OK}, f.err
}

func (f *fakeService) PauseCommunication(
	_ context.Context,
	r parley.PauseCommunicationRequest,
) (*parley.PauseCommunicationResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.paused = nil; r.Paused {
		f.paused = &parley.Pause{By: parley.OperatorName, Since: noon}
		return &parley.PauseCommunicationResult{Answer: parley.OK, Message: "Messages are paused."}, f.err
	}
	return &parley.PauseCommunicationResult{Answer: parley.OK, Message: "Messages go on."}, f.err
}

func (f *fakeService) ListThreads(context.Context, parley.ListThreadsRequest) (*parley.ListThreadsResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &parley.ListThreadsResult{Answer: parley.OK, Threads: f.threads, TotalCount: len(f.threads)}, f.err
}

func (f *fakeService) ReadTerminal(
	_ context.Context,
	r parley.ReadTerminalRequest,
) (*parley.ReadTerminalResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	lines := append([]string(nil), f.terminal...)
	if !r.Colours {
		for i := range lines {
			lines[i] = ansi.Strip(lines[i])
		}
	}
	return &parley.ReadTerminalResult{Answer: parley.OK, AgentID: r.Agent, Lines: lines, Width: 120, Height: 40}, f.err
}

func (f *fakeService) ExplainMessage(
	_ context.Context,
	r parley.ExplainMessageRequest,
) (*parley.ExplainMessageResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &parley.ExplainMessageResult{
		Answer:    parley.OK,
		MessageID: r.MessageID,
		Story:     []string{"coder said it at noon.", "It was typed."},
	}, f.err
}
