package parleytest

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/op"
)

// params are the parameters of a call that no request type can hold, such as wrong ones.
type params = map[string]any

// member is a caller: its name, its id, and the service as it uses it.
type member struct {
	*testing.T
	name, id string
	service  parley.Service
	caller   parley.Caller
}

// ctx returns a context that carries the caller, for the length of the test.
func (m member) ctx() context.Context { return parley.WithCaller(m.Context(), m.caller) }

// invoke calls an operation as every face does: through the table.
func invoke(m member, op string, args any) (any, error) {
	m.Helper()
	return invokeWithin(m.ctx(), m, op, args)
}

// invokeWithin is invoke with a context of the caller's.
func invokeWithin(ctx context.Context, m member, o string, args any) (any, error) {
	m.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		m.Fatalf("%s: %v", o, err)
	}
	inv, err := op.Find(o).Decode(b)
	if err != nil {
		return nil, err
	}
	return inv.Call(ctx, m.service)
}

// do calls an operation that must succeed, and checks the result against its schema.
func do[Res any](m member, op string, args any) *Res {
	m.Helper()
	result, err := invoke(m, op, args)
	if err != nil {
		m.Fatalf("%s by %s with %+v: %v", op, m.name, args, err)
	}
	res, ok := result.(*Res)
	if !ok || res == nil {
		m.Fatalf("%s gave a %T: %v", op, result, result)
	}
	conforms(m, op, res)
	return res
}

// refused calls an operation that must fail with one of the codes, with a suggested
// action.
func refused(m member, op string, args any, codes ...parley.Code) {
	m.Helper()
	res, err := invoke(m, op, args)
	if err == nil {
		m.Errorf("%s by %s with %+v went well (%+v), want %v", op, m.name, args, res, codes)
		return
	}

	got := parley.AsError(err)
	if !slices.Contains(codes, got.Code) {
		m.Errorf("%s by %s with %+v failed with %s (%v), want %v", op, m.name, args, got.Code, got, codes)
	}
	if got.Action == "" {
		m.Errorf("%s: %v says nothing of what to do next", op, got)
	}
}

// conforms checks a result against the schema that is published for it: no null where
// the schema has a list, no field missing.
func conforms(m member, op string, result any) {
	m.Helper()
	schema, err := outputSchema(op)
	if err != nil {
		m.Fatalf("the output schema of %s: %v", op, err)
	}

	b, err := json.Marshal(result)
	if err != nil {
		m.Fatalf("%s: %v", op, err)
	}

	var value any
	if err := json.Unmarshal(b, &value); err != nil {
		m.Fatalf("%s: %v", op, err)
	}
	if err := schema.Validate(value); err != nil {
		m.Errorf("the result of %s is not what its schema promises: %v\n%s", op, err, b)
	}
}

// outputSchema resolves the published schema of an operation's result, once.
func outputSchema(o string) (validator, error) {
	if known, ok := outputSchemas.Load(o); ok {
		return known.(validator), nil
	}
	schema, err := op.Find(o).Output().Resolve(nil)
	if err == nil {
		outputSchemas.Store(o, schema)
	}
	return schema, err
}

var outputSchemas sync.Map // of validators, by operation

type validator interface{ Validate(value any) error }

func (m member) send(text string, to ...string) *parley.SendMessageResult {
	m.Helper()
	return do[parley.SendMessageResult](m, "send_message", parley.SendMessageRequest{To: to, Text: text})
}

// ask sends a message that requires a response.
func (m member) ask(text string, to ...string) *parley.SendMessageResult {
	m.Helper()
	return do[parley.SendMessageResult](
		m, "send_message", parley.SendMessageRequest{To: to, Text: text, RequiresResponse: true},
	)
}

func (m member) respond(r parley.RespondToMessageRequest) *parley.RespondToMessageResult {
	m.Helper()
	return do[parley.RespondToMessageResult](m, "respond_to_message", r)
}

func (m member) broadcast(r parley.BroadcastMessageRequest) *parley.BroadcastMessageResult {
	m.Helper()
	return do[parley.BroadcastMessageResult](m, "broadcast_message", r)
}

// inbox returns what check_inbox shows: the unread messages, oldest first.
func (m member) inbox() []parley.InboxMessage {
	m.Helper()
	return m.checkInbox(parley.CheckInboxRequest{Limit: 50}).Messages
}

func (m member) checkInbox(r parley.CheckInboxRequest) *parley.CheckInboxResult {
	m.Helper()
	return do[parley.CheckInboxResult](m, "check_inbox", r)
}

func (m member) getMessages(r parley.GetMessagesRequest) *parley.GetMessagesResult {
	m.Helper()
	return do[parley.GetMessagesResult](m, "get_messages", r)
}

func (m member) status(id string) *parley.MessageStatusResult {
	m.Helper()
	return do[parley.MessageStatusResult](m, "get_message_status", parley.MessageStatusRequest{MessageID: id})
}

func (m member) history(r parley.HistoryRequest) *parley.HistoryResult {
	m.Helper()
	return do[parley.HistoryResult](m, "get_conversation_history", r)
}

func (m member) search(query string, rest ...params) *parley.SearchMessagesResult {
	m.Helper()
	args := params{"query": query}
	for _, more := range rest {
		maps.Copy(args, more)
	}
	return do[parley.SearchMessagesResult](m, "search_messages", args)
}

func (m member) events(after int64) *parley.ReadEventsResult {
	m.Helper()
	return do[parley.ReadEventsResult](m, "read_events", parley.ReadEventsRequest{After: after, Limit: 1000})
}

func (m member) export(r parley.ExportMessagesRequest) *parley.ExportMessagesResult {
	m.Helper()
	return do[parley.ExportMessagesResult](m, "export_messages", r)
}

func (m member) conversation(call params) *parley.ConversationStateResult {
	m.Helper()
	return do[parley.ConversationStateResult](m, "get_conversation_state", call)
}

func (m member) createThread(title string, participants ...string) *parley.CreateThreadResult {
	m.Helper()
	return do[parley.CreateThreadResult](m, "create_thread",
		parley.CreateThreadRequest{Title: title, Participants: append(parley.Names{}, participants...)})
}

func (m member) post(thread, text string) *parley.SendMessageResult {
	m.Helper()
	return do[parley.SendMessageResult](m, "send_message", parley.SendMessageRequest{ThreadID: thread, Text: text})
}

func (m member) threadDetails(id string) parley.Thread {
	m.Helper()
	res := do[parley.ThreadDetailsResult](m, "get_thread_details", parley.ThreadDetailsRequest{ThreadID: id})
	same(m.T, "the object beside the fields", res.Thread, res.Object)
	return res.Object
}

// threadTexts returns the texts of a thread that get_messages shows, oldest first,
// without those of parley itself.
func (m member) threadTexts(thread string) []string {
	m.Helper()
	list := []string{}
	r := parley.GetMessagesRequest{ThreadID: thread, SortOrder: "oldest_first", Limit: 100}
	for _, msg := range m.getMessages(r).Messages {
		if msg.SenderName != parley.SystemName {
			list = append(list, msg.Content.Text)
		}
	}
	return list
}

// takeNotices returns the unread messages of parley itself and marks the whole inbox read.
func (m member) takeNotices() []string {
	m.Helper()
	list := []string{}
	for _, msg := range m.inbox() {
		if msg.Sender == parley.SystemName {
			list = append(list, msg.Content)
		}
	}
	m.getMessages(parley.GetMessagesRequest{Limit: 100})
	return list
}

// expectNotice expects one unread message of parley itself that contains the parts, or,
// without parts, no such message. It marks the whole inbox read.
func (m member) expectNotice(parts ...string) {
	m.Helper()
	got := m.takeNotices()
	if len(parts) == 0 && len(got) == 0 {
		return
	}

	if len(parts) == 0 || len(got) != 1 {
		m.Errorf("%s got the notices %q, want one with %q", m.name, got, parts)
		return
	}

	for _, part := range parts {
		if !strings.Contains(got[0], part) {
			m.Errorf("%s got the notice %q, want %q in it", m.name, got[0], part)
		}
	}
}

// agent returns the status of the agent with the given name or id.
func (m member) agent(ref string) parley.AgentStatus {
	m.Helper()
	return do[parley.AgentStatusResult](m, "get_agent_status", parley.AgentStatusRequest{Agent: ref}).Agents[0]
}

// owed returns how many responses an agent owes, and how many of them are overdue.
func (f *fixture) owed(m member) [2]int {
	f.Helper()
	a := f.planner.agent(m.name)
	return [2]int{a.Owed, a.Overdue}
}

func (f *fixture) pause(paused bool) *parley.PauseCommunicationResult {
	f.Helper()
	return do[parley.PauseCommunicationResult](
		f.operator, "pause_communication", parley.PauseCommunicationRequest{Paused: paused, Reason: "lunch"},
	)
}

func (f *fixture) stop(m member) {
	f.Helper()
	got := do[parley.StopAgentResult](
		f.operator, "stop_agent", parley.StopAgentRequest{Agent: m.name, Reason: "the day is over"},
	)
	same(f.T, "who was stopped", got.AgentID, m.id)
}

// keyIDs returns the ids of an agent's valid keys.
func (f *fixture) keyIDs(agent string) []string {
	f.Helper()
	ids := []string{}
	for _, k := range do[parley.ListKeysResult](f.operator, "list_keys", params{"agent": agent}).Keys {
		if k.Agent != agent || k.CreatedAt.IsZero() {
			f.Errorf("a key of %s is shown as %+v", agent, k)
		}
		ids = append(ids, k.KeyID)
	}
	return ids
}

// file writes a file that the planner may send, and returns its path.
func (f *fixture) file(name, content string) string {
	f.Helper()
	dir := do[parley.WorkspaceStatusResult](f.operator, "get_workspace_status", params{}).Workspace
	if dir == "" {
		dir = f.TempDir()
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		f.Fatal(err)
	}
	return path
}
