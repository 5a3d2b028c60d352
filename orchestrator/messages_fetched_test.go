package orchestrator

import (
	"context"
	"os"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/orchestrator/team"
	"parley/tmux/tmuxtest"
)

func TestMessageThatAnAgentFetchedIsNotTyped(t *testing.T) {
	t.Parallel()
	for name, fetch := range map[string]func(te *testTeam) (got int, err error){
		"get_messages": func(te *testTeam) (int, error) {
			req := parley.GetMessagesRequest{Filters: &parley.MessageFilters{Senders: []string{"operator"}}}
			if err := req.Validate(); err != nil {
				return 0, err
			}
			res, err := op.GetMessages.Call(te.caller("coder"), te, req)
			if err != nil {
				return 0, err
			}
			return len(res.Messages), nil
		},
		"check_inbox": func(te *testTeam) (int, error) {
			res, err := op.CheckInbox.Call(te.caller("coder"), te, parley.CheckInboxRequest{})
			if err != nil {
				return 0, err
			}
			return len(res.Messages), nil
		},
		"check_new_messages": func(te *testTeam) (int, error) {
			res, err := op.CheckNewMessages.Call(te.caller("coder"), te, parley.CheckNewMessagesRequest{})
			return len(res.Messages), err
		},
		"search_messages": func(te *testTeam) (int, error) {
			res, err := op.SearchMessages.Call(te.caller("coder"), te,
				parley.SearchMessagesRequest{Query: "meanwhile", Limit: 5})
			return len(res.Messages), err
		},
		"get_conversation_history": func(te *testTeam) (int, error) {
			res, err := op.GetConversationHistory.Call(te.caller("coder"), te, parley.HistoryRequest{With: "operator"})
			return len(res.Messages), err
		},
		"get_message_status": func(te *testTeam) (int, error) {
			all, err := op.FindMessages.Call(te.caller("operator"), te, parley.FindMessagesRequest{Query: "meanwhile"})
			if err != nil {
				return 0, err
			}
			_, err = op.GetMessageStatus.Call(te.caller("coder"), te,
				parley.MessageStatusRequest{MessageID: all.Messages[0].MessageID})
			return len(all.Messages), err
		},
		"whois": func(te *testTeam) (int, error) {
			all, err := op.FindMessages.Call(te.caller("operator"), te, parley.FindMessagesRequest{Query: "meanwhile"})
			if err != nil {
				return 0, err
			}
			_, err = op.Whois.Call(te.caller("coder"), te, parley.WhoisRequest{MessageID: all.Messages[0].MessageID})
			return len(all.Messages), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, tmuxtest.Agent{})
			s.show("working")
			s.inState("coder", parley.StateBusy)
			first := s.send("coder", "fetched meanwhile")
			if got, err := fetch(s.testTeam); got != 1 || err != nil {
				t.Fatalf("the agent got %d messages, %v", got, err)
			}

			d := s.reach(first, parley.DeliverySubmitted)
			if last := d.Steps[len(d.Steps)-1]; last.Code != parley.ProofFetched ||
				!strings.Contains(last.Evidence, name) {
				t.Errorf("the proof is %+v", last)
			}
			if d.ReadAt != nil {
				t.Error("it counts as read")
			}

			s.show("")
			s.reach(s.send("coder", "typed"), parley.DeliveryRead)
			if got := tmuxtest.WaitMessages(t, s.log, 1); len(got) != 1 || !strings.Contains(got[0].Text, "typed") {
				t.Errorf("the agent was typed %+v, want the second message alone", got)
			}
		})
	}
}

// What was sent while an agent was stopped is in its inbox when it is back. Once it has fetched that, nobody
// is told that it was lost, and a retry does not type it too.
func TestAFailedMessageThatAnAgentFetchedHasArrived(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "framed", tmuxtest.Agent{})
	te.stop("coder")
	id := te.send("coder", "before you were back")
	te.reach(id, parley.DeliveryFailed)

	log := te.launch("coder", "framed", tmuxtest.Agent{})
	res := must.Have(op.CheckInbox.Call(te.caller("coder"), te, parley.CheckInboxRequest{}))(t)
	if len(res.Messages) != 1 || res.Messages[0].MessageID != id {
		t.Fatalf("its inbox has %+v", res.Messages)
	}

	d := te.reach(id, parley.DeliverySubmitted)
	if last := d.Steps[len(d.Steps)-1]; last.Code != parley.ProofFetched || d.ReadAt != nil {
		t.Errorf("the proof is %+v, read at %v", last, d.ReadAt)
	}
	_, err := op.RetryDelivery.Call(te.operator(), te, parley.RetryDeliveryRequest{MessageID: id})
	if parley.ErrorCode(err) != parley.AlreadyDelivered {
		t.Errorf("a retry gave %v", err)
	}
	te.wantMessages(log, 0)
}

// Whether there is a message, only those learn that it concerns.
func TestMessageOfOthersIsRefusedLikeNone(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.as("coder")
	others, none, stranger := te.send("coder", "between us"), team.NewID(), te.as("stranger")

	for name, ask := range map[string]func(id string) error{
		"status": func(id string) error {
			_, err := op.GetMessageStatus.Call(stranger, te, parley.MessageStatusRequest{MessageID: id})
			return err
		},
		"answer": func(id string) error {
			_, err := op.RespondToMessage.Call(stranger, te, parley.RespondToMessageRequest{MessageID: id,
				Text: "well"})
			return err
		},
		"search before it": func(id string) error {
			_, err := op.FindMessages.Call(stranger, te, parley.FindMessagesRequest{Before: id})
			return err
		},
	} {
		got, want := parley.AsError(ask(others)), parley.AsError(ask(none))
		if got == nil || want == nil || got.Code != parley.MessageNotFound ||
			got.Message != strings.ReplaceAll(want.Message, none, others) || got.Action != want.Action {
			t.Errorf("%s: got %+v, and for what was never sent %+v", name, got, want)
		}
	}
}

// member returns the context of a call by an agent that was launched.
func (te *testTeam) member(name string) context.Context {
	caller, _ := te.roster.CallerOf(te.roster.ByName(name))
	return parley.WithCaller(te.t.Context(), caller)
}

// native asks whether the program of an agent may send a message with a tool of its own.
func (te *testTeam) native(from string, req parley.NativeMessageRequest) *parley.NativeMessageResult {
	te.t.Helper()
	req.Tool = "SendMessage"
	return must.Have(op.ReportNativeMessage.Call(te.member(from), te, req))(te.t)
}

func TestNativeMessagesToMembersAreRefused(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("ann", "quick", tmuxtest.Agent{})
	te.launch("coder", "quick", tmuxtest.Agent{})
	ann, coder := te.roster.ByName("ann"), te.roster.ByName("coder")
	must.Do(t, te.roster.Records.SetSession(t.Context(), coder, parley.Session{ID: "0b0f3f1e-session"}))
	must.Do(t, te.roster.Records.SetSession(t.Context(), ann, parley.Session{ID: "own-session"}))
	pid := coder.Terminal().PID

	for _, c := range []struct {
		what    string
		req     parley.NativeMessageRequest
		refused bool
	}{
		{"by its session's name", parley.NativeMessageRequest{To: "ws-6f", Sessions: []string{"0b0f3f1e-session"}},
			true},
		{"by its process", parley.NativeMessageRequest{To: "ws-6f", Sessions: []string{"new"}, PIDs: []int{pid}}, true},
		{"by its session's id", parley.NativeMessageRequest{To: "0b0f3f1e-session"}, true},
		{"by its name", parley.NativeMessageRequest{To: "coder"}, true},
		{"by its name and a mark", parley.NativeMessageRequest{To: "coder [57c5bc]"}, true},
		{"by its id", parley.NativeMessageRequest{To: coder.ID}, true},
		{"to the operator", parley.NativeMessageRequest{To: "operator"}, true},
		{"to a sub-agent", parley.NativeMessageRequest{To: "a0b1c2d3e4f5"}, false},
		{"to its own session", parley.NativeMessageRequest{To: "ws-8d", Sessions: []string{"own-session"}}, false},
		{"to a session of nobody here", parley.NativeMessageRequest{To: "x", Sessions: []string{"y"},
			PIDs: []int{os.Getpid()}}, false},
	} {
		for _, paused := range []bool{false, true} {
			te.pause(paused)
			res := te.native("ann", c.req)
			if res.Allowed == c.refused || c.refused &&
				!strings.Contains(res.Message, "send_message of the MCP server parley") {
				t.Errorf("%s, paused %v: %+v", c.what, paused, res)
			}
		}
	}
}

func TestNativeMessagesAreRecordedAndCounted(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) {
		o.Settings.Native = parley.NativeRecord
		o.Settings.Conversation.PairMinute = 3
	})
	te.launch("ann", "quick", tmuxtest.Agent{})
	log := te.launch("coder", "quick", tmuxtest.Agent{})
	hello := parley.NativeMessageRequest{To: "coder", Text: "hello\x1b[31m"}

	res := te.native("ann", hello)
	status := must.Have(op.GetMessageStatus.Call(te.operator(), te,
		parley.MessageStatusRequest{MessageID: res.MessageID}))(t)
	d := status.Deliveries[0]
	if !res.Allowed || status.Object.Type != parley.TypeNative || status.Object.Text != "hello[31m" ||
		d.State != parley.DeliveryUnconfirmed || d.ReasonCode != parley.EndedNative {
		t.Errorf("recorded as %+v, %+v", status.Object, d)
	}

	all := must.Have(op.GetWorkspaceStatus.Call(te.operator(), te, parley.WorkspaceStatusRequest{}))(t)
	if len(all.Deliveries) > 0 {
		t.Errorf("the status counts %v", all.Deliveries)
	}
	_, err := op.RetryDelivery.Call(te.operator(), te, parley.RetryDeliveryRequest{MessageID: res.MessageID})
	if parley.ErrorCode(err) != parley.InvalidArgument {
		t.Errorf("it was tried again: %v", err)
	}
	story := must.Have(op.ExplainMessage.Call(te.operator(), te,
		parley.ExplainMessageRequest{MessageID: res.MessageID}))(t)
	if got := strings.Join(story.Story, " "); strings.Contains(got, "parley retry") {
		t.Errorf("its story is %s", got)
	}

	te.pause(true)
	if res := te.native("ann", hello); res.Allowed || res.MessageID != "" || !strings.Contains(res.Message, "paused") {
		t.Errorf("in a pause: %+v", res)
	}
	te.pause(false)

	for n := 1; ; n++ {
		if res = te.native("ann", hello); !res.Allowed || n > 3 {
			break
		}
	}
	if res.Allowed || !strings.Contains(res.Message, "coder") {
		t.Errorf("beyond the budget: %+v", res)
	}

	inbox := must.Have(op.CheckInbox.Call(te.member("coder"), te, parley.CheckInboxRequest{}))(t)
	if got := tmuxtest.Messages(t, log); len(got) != 0 || inbox.UnreadCount != 3 {
		t.Errorf("typed %v, %d unread", got, inbox.UnreadCount)
	}
	if needs := must.Have(op.GetNeeds.Call(te.operator(), te, parley.GetNeedsRequest{}))(t); len(needs.Needs) != 0 {
		t.Errorf("it needs the operator: %+v", needs.Needs)
	}
	status = must.Have(op.GetMessageStatus.Call(te.operator(), te,
		parley.MessageStatusRequest{MessageID: status.Object.ID}))(t)
	if got := status.Deliveries[0].State; got != parley.DeliverySubmitted {
		t.Errorf("its recipient has fetched it, and it is %s", got)
	}
}

func TestNativeMessagesAreLeftAloneIfAllowed(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) { o.Settings.Native = parley.NativeAllow })
	te.launch("ann", "quick", tmuxtest.Agent{})
	te.launch("coder", "quick", tmuxtest.Agent{})
	if res := te.native("ann", parley.NativeMessageRequest{To: "coder"}); !res.Allowed || res.MessageID != "" {
		t.Errorf("got %+v", res)
	}
	_, err := op.ReportNativeMessage.Call(te.operator(), te, parley.NativeMessageRequest{Tool: "x", To: "coder"})
	if parley.ErrorCode(err) != parley.NotAuthorized {
		t.Errorf("the operator asked: %v", err)
	}
}
