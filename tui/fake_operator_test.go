package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"parley"
)

// What the fake service keeps for the operator.
type fakePerson struct {
	letters  []parley.InboxMessage
	posts    []parley.ContractMessage
	heat     *parley.ConversationStateResult
	usage    *parley.UsageResult
	approved []string
	searches []string
	sought   parley.FindMessagesRequest // for messages, last
	looked   []string                   // at whose terminals
	felt     []string                   // conversations whose temperature was asked for
	pleas    []string                   // what was asked of an agent's operator: dismissals
}

func (f *fakeService) CheckInbox(_ context.Context, r parley.CheckInboxRequest) (*parley.CheckInboxResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &parley.CheckInboxResult{
		Answer:      parley.OK,
		Messages:    f.letters[:min(r.Limit, len(f.letters))],
		UnreadCount: len(f.letters),
	}, f.err
}

func (f *fakeService) ApproveAgent(
	_ context.Context, r parley.ApproveAgentRequest,
) (*parley.ApproveAgentResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.approved = append(f.approved, fmt.Sprint(r.Agent, " ", r.Approve))
	return &parley.ApproveAgentResult{Answer: parley.OK, Message: "It is decided."}, f.err
}

// actions lists the calls that changed something, by kind and in their order.
func (f *fakeService) actions() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := slices.Clone(f.stopped)
	for _, id := range f.retried {
		all = append(all, "retry "+id)
	}
	all = append(append(all, f.approved...), f.pleas...)
	for _, r := range f.steered {
		all = append(all, "steer "+r.Kind+" "+r.Text)
	}
	return strings.Join(all, ", ")
}

func (f *fakeService) thread(ref string) *parley.Thread {
	for i := range f.threads {
		if f.threads[i].ID == ref {
			return &f.threads[i]
		}
	}
	return nil
}

// post puts a message into a thread, as far as it came with each recipient.
func (f *fakeService) post(n int, thread, from, text string, at time.Time, states ...parley.DeliveryState) {
	th := f.thread(thread)
	id := fmt.Sprintf("%08x-3333-4333-8333-333333333333", 0x7a000000+n)
	m := parley.ContractMessage{
		MessageID:     id,
		SenderName:    from,
		SenderAgentID: idOf(from),
		Priority:      parley.PriorityNormal,
		Timestamp:     at,
		ThreadID:      thread,
		Content:       parley.Content{Text: text},
	}

	f.posts = append(f.posts, m)
	res := &parley.MessageStatusResult{
		Answer: parley.OK,
		Object: &parley.Message{
			ID:        id,
			Kind:      parley.KindThread,
			Sender:    from,
			Text:      text,
			ThreadID:  thread,
			Timestamp: at,
		},
	}

	for i, s := range states {
		name := th.ParticipantNames[i]
		res.Deliveries = append(res.Deliveries,
			parley.Delivery{MessageID: id, Recipient: name, RecipientID: idOf(name), State: s})
	}

	f.messages[id] = res
}

// announcePost emits the event of a post to the first thread, and returns the thread.
func (f *fakeService) announcePost() parley.Thread {
	th := f.threads[0]
	f.emit(parley.Event{
		Type:           parley.EventThreadMessage,
		Time:           noon,
		ThreadID:       th.ID,
		Thread:         th.Title,
		MessageID:      f.posts[1].MessageID,
		SenderID:       idOf("coder"),
		Sender:         "coder",
		Preview:        "Which line",
		RecipientCount: 2,
	})
	return th
}

func (f *fakeService) GetMessages(_ context.Context, r parley.GetMessagesRequest) (*parley.GetMessagesResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	if r.MarkRead == nil || *r.MarkRead {
		f.pleas = append(f.pleas, "marked read unasked")
	}

	res := &parley.GetMessagesResult{Answer: parley.OK}
	for _, m := range slices.Backward(f.posts) {
		if m.ThreadID == r.ThreadID {
			res.Messages = append(res.Messages, m)
		}
	}

	res.TotalCount = len(res.Messages)
	if r.Filters != nil {
		i := slices.IndexFunc(res.Messages,
			func(m parley.ContractMessage) bool { return m.MessageID == r.Filters.Before })
		res.Messages = res.Messages[i+1:]
	}

	res.Messages = slices.Clone(res.Messages[:min(len(res.Messages), r.Limit)])

	return res, f.err
}

func (f *fakeService) CreateThread(
	_ context.Context, r parley.CreateThreadRequest,
) (*parley.CreateThreadResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	th := parley.Thread{
		ID:               fmt.Sprintf("%08x-2222-4222-8222-222222222222", len(f.threads)+1),
		Title:            r.Title,
		LastMessageAt:    noon,
		ParticipantNames: append([]string{parley.OperatorName}, r.Participants...),
	}

	if f.err == nil {
		f.threads = append([]parley.Thread{th}, f.threads...)
	}

	f.pleas = append(f.pleas, "create "+r.Title)

	return &parley.CreateThreadResult{Answer: parley.OK, Message: "It is open", Thread: th}, f.err
}

func (f *fakeService) member(what, thread, who string) (*parley.MembershipResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	if known := func(a parley.AgentStatus) bool { return a.Name == who || a.ID == who }; who != parley.OperatorName &&
		!slices.ContainsFunc(f.agents, known) {
		return nil, parley.Errorf(parley.AgentNotFound, "there is no agent %s", who).
			Suggest("list_agents shows who is there.")
	}

	f.pleas = append(f.pleas, what+" "+parley.Short(thread)+" "+who)
	status := map[string]parley.MembershipStatus{
		"add": parley.MemberAdded, "remove": parley.MemberRemoved, "join": parley.MemberJoined,
	}[what]
	res := &parley.MembershipResult{
		Answer: parley.OK, Message: what + " " + who, Thread: parley.Thread{ID: thread}, Status: status,
	}
	if th := f.thread(thread); th != nil && what == "add" && slices.Contains(th.ParticipantNames, who) {
		res.Status = parley.MemberAlready
		return res, f.err
	}

	if th := f.thread(thread); th != nil && f.err == nil {
		th.ParticipantNames = slices.DeleteFunc(slices.Clone(th.ParticipantNames),
			func(name string) bool { return name == who })

		if what != "remove" {
			th.ParticipantNames = append(th.ParticipantNames, who)
		}
	}

	return res, f.err
}

func (f *fakeService) AddParticipant(
	_ context.Context, r parley.AddParticipantRequest,
) (*parley.MembershipResult, error) {
	return f.member("add", r.ThreadID, r.Agent)
}

func (f *fakeService) RemoveParticipant(
	_ context.Context, r parley.RemoveParticipantRequest,
) (*parley.MembershipResult, error) {
	return f.member("remove", r.ThreadID, r.Agent)
}

func (f *fakeService) JoinThread(_ context.Context, r parley.JoinThreadRequest) (*parley.MembershipResult, error) {
	return f.member("join", r.ThreadID, parley.OperatorName)
}

func (f *fakeService) GetConversationState(
	_ context.Context, r parley.ConversationStateRequest,
) (*parley.ConversationStateResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.felt = append(f.felt, r.ThreadID+r.With)
	coder, reviewer := idOf("coder"), idOf("reviewer")
	pair := min(coder, reviewer) + "," + max(coder, reviewer)
	if f.heat != nil && (r.ThreadID == f.heat.Conversation.ThreadID || r.With == pair) {
		return f.heat, f.err
	}
	return &parley.ConversationStateResult{
		Answer:       parley.OK,
		State:        "cold",
		Conversation: parley.Conversation{ThreadID: r.ThreadID},
	}, f.err
}

func (f *fakeService) ControlConversation(
	_ context.Context, r parley.ControlConversationRequest,
) (*parley.ControlConversationResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pleas = append(f.pleas, fmt.Sprint(r.Action, " ", parley.Short(r.ThreadID), r.With, r.MessageID))
	if f.heat != nil {
		f.heat.Conversation.Muted = r.Action == parley.ActionMute
	}
	return &parley.ControlConversationResult{Answer: parley.OK, Message: "It is done."}, f.err
}

func (f *fakeService) Usage(context.Context, parley.UsageRequest) (*parley.UsageResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.usage == nil {
		return &parley.UsageResult{Answer: parley.OK}, f.err
	}
	return f.usage, f.err
}

func (f *fakeService) SteerAgent(_ context.Context, r parley.SteerAgentRequest) (*parley.SendMessageResult, error) {
	f.mu.Lock()
	f.steered = append(f.steered, r)
	f.mu.Unlock()
	return f.SendMessage(context.Background(), parley.SendMessageRequest{To: r.Agent, Text: r.Text})
}

func (f *fakeService) RetryDelivery(
	_ context.Context, r parley.RetryDeliveryRequest,
) (*parley.RetryDeliveryResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.retried = append(f.retried, strings.TrimSpace(r.MessageID+" "+r.Recipient+" "+r.Draft))
	return &parley.RetryDeliveryResult{Answer: parley.OK, Message: "It is typed again to 1 agent."}, f.err
}

func (f *fakeService) StopAgent(_ context.Context, r parley.StopAgentRequest) (*parley.StopAgentResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = append(f.stopped, "stop "+r.Agent)
	return &parley.StopAgentResult{Answer: parley.OK}, f.err
}

func (f *fakeService) HandoffAgent(
	_ context.Context, r parley.HandoffAgentRequest,
) (*parley.HandoffAgentResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = append(f.stopped, "hand "+r.Agent+" to "+r.To)
	return &parley.HandoffAgentResult{}, f.err
}

func (f *fakeService) RestartAgent(_ context.Context, r parley.RestartAgentRequest) (*parley.LaunchAgentResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = append(f.stopped, "restart "+r.Agent)
	return &parley.LaunchAgentResult{Answer: parley.OK}, f.err
}

func (f *fakeService) PauseCommunication(
	_ context.Context, r parley.PauseCommunicationRequest,
) (*parley.PauseCommunicationResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.paused = nil; r.Paused {
		f.paused = &parley.Pause{By: parley.OperatorName, Since: noon}
		return &parley.PauseCommunicationResult{Answer: parley.OK, Message: "Messages are paused."}, f.err
	}
	return &parley.PauseCommunicationResult{Answer: parley.OK, Message: "Messages go on."}, f.err
}

func (f *fakeService) ReadTerminal(
	_ context.Context, r parley.ReadTerminalRequest,
) (*parley.ReadTerminalResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looked = append(f.looked, r.Agent)
	lines := append([]string(nil), f.terminal...)
	if !r.Colours {
		for i := range lines {
			lines[i] = ansi.Strip(lines[i])
		}
	}
	return &parley.ReadTerminalResult{Answer: parley.OK, AgentID: r.Agent, Lines: lines, Width: 120, Height: 40}, f.err
}

func (f *fakeService) ListWorktrees(
	_ context.Context, r parley.WorktreesRequest,
) (*parley.WorktreesResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	res := &parley.WorktreesResult{Answer: parley.OK}
	for _, a := range f.agents {
		if a.Worktree != nil && a.ID == r.Agent {
			res.Worktrees = append(res.Worktrees,
				parley.WorktreeStatus{Worktree: *a.Worktree, AgentID: a.ID, Name: a.Name,
					Ahead: 2, Behind: 1, Dirty: 3})
		}
	}
	return res, f.err
}

func (f *fakeService) CheckProgram(
	_ context.Context, r parley.CheckProgramRequest,
) (*parley.CheckProgramResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = append(f.stopped, "check "+r.Agent)
	return &parley.CheckProgramResult{Answer: parley.OK, Message: "claude 2.1.400 is being checked."}, f.err
}

func (f *fakeService) ExplainMessage(
	_ context.Context, r parley.ExplainMessageRequest,
) (*parley.ExplainMessageResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &parley.ExplainMessageResult{
		Answer:    parley.OK,
		MessageID: r.MessageID,
		Story:     []string{"coder said it at noon.", "It was typed."},
	}, f.err
}
