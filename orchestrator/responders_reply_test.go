package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/modelserver"
	"parley/internal/must"
	"parley/op"
	"parley/orchestrator/admission"
	"parley/orchestrator/responder"
	"parley/orchestrator/team"
	"parley/tmux/tmuxtest"
)

// withModel returns a team with a responder DM and its scripted model.
func withModel(t *testing.T, change ...func(*parley.ResponderConfig)) (*testTeam, *modelserver.Server) {
	t.Helper()
	s := modelserver.StartBare()
	t.Cleanup(s.Close)
	dm := answeredAt(s.URL)
	for _, c := range change {
		c(&dm.ResponderConfig)
	}

	return newTeam(t, asking(dm)), s
}

// asking lets a team ask models, and declares its responders.
func asking(declared ...parley.DeclaredResponder) func(*Options) {
	return func(o *Options) {
		o.Model = responder.New(responder.Options{Backoff: time.Millisecond, Getenv: func(string) string { return "" }})
		o.Settings.ModelTimeout = 20 * time.Second
		o.Responders = declared
	}
}

// answeredAt declares a responder DM whose model is at an address.
func answeredAt(url string) parley.DeclaredResponder {
	return parley.DeclaredResponder{
		Name:        "DM",
		Description: "Tells the story.",
		Responder: parley.Responder{AutoRespond: true, Origin: parley.FromFile,
			ResponderConfig: parley.ResponderConfig{
				ModelID:      "scripted",
				SystemPrompt: "You are the DM.",
				BaseURL:      url + "/v1",
			}},
	}
}

// tell sends to DM.
func (te *testTeam) tell(ctx context.Context, text string) *parley.SendMessageResult {
	te.t.Helper()
	res, err := op.SendMessage.Call(ctx, te, parley.SendMessageRequest{To: parley.Names{"DM"}, Text: text})
	if err != nil {
		te.t.Fatalf("%s: %v", text, err)
	}
	if res.Reply == nil {
		te.t.Fatalf("%s: no reply in %+v", text, res)
	}
	return res
}

// fails sends to DM, checks that no answer comes and why, and returns the message's id.
func (te *testTeam) fails(ctx context.Context, text string, reason parley.ModelReason) string {
	te.t.Helper()
	res, err := op.SendMessage.Call(ctx, te, parley.SendMessageRequest{To: parley.Names{"DM"}, Text: text})
	if parley.ErrorCode(err) != parley.ModelUnavailable || parley.ReasonOf(err) != reason {
		te.t.Fatalf("%s: got %+v, %v, want the reason %s", text, res, err, reason)
	}
	id, _ := parley.AsError(err).Details["message_id"].(string)
	return id
}

func (te *testTeam) spent() parley.Spent {
	te.t.Helper()
	res := must.Have(op.Usage.Call(te.operator(), te, parley.UsageRequest{}))(te.t)
	res.Total.LatencyMS = 0
	return res.Total
}

// messagesOf returns the messages of a model request, each as role: text.
func messagesOf(t *testing.T, r modelserver.Request) []string {
	t.Helper()
	var body struct {
		Messages []struct{ Role, Content string }
	}
	must.Do(t, json.Unmarshal(r.Body, &body))
	var all []string
	for _, m := range body.Messages {
		all = append(all, m.Role+": "+m.Content)
	}
	return all
}

func TestResponderAnswersInTheSameCall(t *testing.T) {
	t.Parallel()
	te, s := withModel(t, func(c *parley.ResponderConfig) { c.Additional.PromptFormat = "PLAYER: {message}\nDM:" })
	ada := te.as("ada")
	res := te.tell(ada, "SAY  A dragon!  ")
	if got := res.Reply.Text; got != "A dragon!" {
		t.Errorf("the reply is %q", got)
	}

	if d := res.Deliveries[0]; d.State != parley.DeliveryAnswered || d.AnsweredBy != res.Reply.MessageID ||
		res.Status != "Message sent to DM!" {
		t.Errorf("the message is %s by %q, status %q", d.State, d.AnsweredBy, res.Status)
	}

	if got := te.delivery(res.Reply.MessageID); got.State != parley.DeliveryRead {
		t.Errorf("the reply is %s, want read: it came back with the call", got.State)
	}

	te.tell(ada, "SAY And gold.")
	want := []string{
		"system: You are the DM.",
		"user: SAY  A dragon!",
		"assistant: A dragon!",
		"user: PLAYER: SAY And gold.\nDM:",
	}

	got := messagesOf(t, s.Requests()[1])
	if got[1] = strings.TrimRight(got[1], " "); !slices.Equal(got, want) {
		t.Errorf("the model was told %q, want %q", got, want)
	}

	inbox, err := op.CheckInbox.Call(ada, te, parley.CheckInboxRequest{})
	if err != nil || inbox.UnreadCount != 0 || inbox.TotalCount != 2 {
		t.Errorf("the inbox of who asked has %+v, %v, want two read replies", inbox, err)
	}

	wantSpent := parley.Spent{
		Calls:        2,
		Answered:     2,
		Requests:     2,
		InputTokens:  (2 + 4) * modelserver.PromptTokens,
		OutputTokens: 2 * modelserver.AnswerTokens,
	}

	if d := cmp.Diff(wantSpent, te.spent()); d != "" {
		t.Error(d)
	}
}

func TestEachConversationIsItsOwn(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	ada, bob := te.as("ada"), te.as("bob")
	te.tell(ada, "my secret is 42")
	te.tell(bob, "what did ada say?")
	if got := messagesOf(t, s.Requests()[1]); len(got) != 2 {
		t.Errorf("the model was told of another's conversation: %q", got)
	}
}

func TestHistoryLengthAndPersistence(t *testing.T) {
	t.Parallel()
	length, no := 2, false
	for name, test := range map[string]struct {
		change func(*parley.ResponderConfig)
		turns  int
	}{
		"two messages":   {func(c *parley.ResponderConfig) { c.Additional.HistoryLength = &length }, 2},
		"no persistence": {func(c *parley.ResponderConfig) { c.Additional.Persistence = &no }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			te, s := withModel(t, test.change)
			ada := te.as("ada")
			for i := range 3 {
				te.tell(ada, fmt.Sprint("SAY ", i))
			}

			if got := messagesOf(t, s.Requests()[2]); len(got) != test.turns+2 {
				t.Errorf("the model was told %q", got)
			}
		})
	}
}

func TestCommandsAskNoModel(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	ada := te.as("ada")
	te.tell(ada, "SAY one")
	for command, says := range map[string]string{"/help": "/reset", " /Status ": "scripted", "/reset": "Forgotten"} {
		res := te.tell(ada, command)
		if !strings.Contains(res.Reply.Text, says) || res.Reply.Usage != (parley.Usage{}) {
			t.Errorf("%s: %+v, want it to say %q for nothing", command, res.Reply, says)
		}
	}

	te.tell(ada, "SAY two")
	if got := messagesOf(t, s.Requests()[1]); len(s.Requests()) != 2 || len(got) != 2 {
		t.Errorf("%d requests; after /reset the model was told %q", len(s.Requests()), got)
	}

	te.tell(ada, "/help")
	te.tell(ada, "SAY three")
	if got := messagesOf(t, s.Requests()[2]); len(got) != 4 {
		t.Errorf("the model was told of commands: %q", got)
	}
	if got := te.spent().Calls; got != 3 {
		t.Errorf("%d calls are accounted for, want 3", got)
	}
}

func TestFailedAnswerKeepsTheMessageForRetry(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	ada := te.as("ada")
	id := te.fails(ada, "FAIL 400 ONCE SAY sorry, here it is", parley.ModelRefused)
	if d := te.delivery(id); d.State != parley.DeliverySubmitted || d.ReasonCode != parley.EndedNoAnswer {
		t.Errorf("the message is %s (%s)", d.State, d.Reason)
	}

	if n := te.need(parley.NeedUnanswered); n.MessageID != id {
		t.Fatalf("the need is %+v", n)
	}
	if told := te.story(id); !strings.Contains(told, "parley retry "+parley.Short(id)) {
		t.Errorf("the story is %q", told)
	}

	res := te.retry(id)
	if res.Reply == nil || res.Reply.Text != "sorry, here it is" || res.Deliveries[0].State != parley.DeliveryAnswered {
		t.Fatalf("retry gave %+v", res)
	}
	if d := te.delivery(res.Reply.MessageID); d.State != parley.DeliverySubmitted {
		t.Errorf("the late reply is %s, want it unread in the sender's inbox", d.State)
	}

	if _, err := op.RetryDelivery.Call(te.operator(), te,
		parley.RetryDeliveryRequest{MessageID: id}); parley.ErrorCode(err) != parley.AlreadyDelivered {
		t.Errorf("a second retry: %v", err)
	}

	want := parley.Spent{
		Calls:        2,
		Answered:     1,
		Failed:       1,
		Requests:     2,
		InputTokens:  2 * modelserver.PromptTokens,
		OutputTokens: modelserver.AnswerTokens,
	}

	if d := cmp.Diff(want, te.spent()); d != "" || len(s.Requests()) != 2 {
		t.Errorf("%d requests; %s", len(s.Requests()), d)
	}
}

func TestRepeatedKeyGetsTheSameReplyFromOneCall(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	ada := te.as("ada")
	send := func(text string) (*parley.SendMessageResult, error) {
		return op.SendMessage.Call(ada, te, parley.SendMessageRequest{To: parley.Names{"DM"}, Text: text,
			IdempotencyKey: text})
	}

	var results [3]*parley.SendMessageResult
	var errs [3]error
	var calls sync.WaitGroup
	for i := range results {
		calls.Go(func() { results[i], errs[i] = send("PAUSE") })
	}

	tmuxtest.Poll(t, func() bool { return len(s.Requests()) > 0 }, func() string { return "no request came" })
	s.Release()
	calls.Wait()
	for i := range results {
		if errs[i] != nil || results[i].Reply == nil ||
			*results[i].Reply != *results[0].Reply && results[i].Reply.MessageID != results[0].Reply.MessageID {
			t.Fatalf("call %d: %+v, %v", i, results[i], errs[i])
		}
	}

	again, err := send("PAUSE")
	if err != nil || again.Reply == nil || again.Reply.Text != "Well, that is it." ||
		again.Reply.Usage.OutputTokens != modelserver.AnswerTokens {
		t.Errorf("later: %+v, %v", again, err)
	}

	for range 2 {
		if _, err := send("FAIL 422"); parley.ReasonOf(err) != parley.ModelRefused {
			t.Errorf("a failed one repeated: %v", err)
		}
	}

	if got := len(s.Requests()); got != 2 {
		t.Errorf("the model was asked %d times, want 2", got)
	}
}

func TestSlowModelEndsAtTheDeadlineOrWhenTheCallerLeaves(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	te.reopen(func(o *Options) { o.Settings.ModelTimeout = 2 * time.Second })
	ada := te.as("ada")
	te.fails(ada, "PAUSE slow", parley.ModelSlow)
	te.reopen(func(o *Options) { o.Settings.ModelTimeout = time.Minute })
	leaving, leave := context.WithCancel(ada)
	go func() {
		tmuxtest.Poll(t, func() bool {
			asked := s.Requests() // the slow one is not there if its deadline came first
			return len(asked) > 0 && strings.Contains(string(asked[len(asked)-1].Body), "PAUSE left")
		}, func() string { return "no request came" })
		leave()
	}()

	te.fails(leaving, "PAUSE left", parley.ModelCancelled)
	res, err := op.Usage.Call(te.operator(), te, parley.UsageRequest{Calls: 10})
	if err != nil || len(res.Calls) != 2 || res.Calls[0].Reason != parley.ModelCancelled ||
		res.Calls[1].Reason != parley.ModelSlow {
		t.Errorf("accounted for are %+v, %v", res, err)
	}
}

func TestWhatTheModelWritesIsOnItsScreen(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	ada := te.as("ada")
	done := make(chan *parley.SendMessageResult)
	go func() {
		res, _ := op.SendMessage.Call(ada, te, parley.SendMessageRequest{To: parley.Names{"DM"}, Text: "PAUSE"})
		done <- res
	}()

	screen := func() string {
		res := must.Have(op.ReadTerminal.Call(te.operator(), te, parley.ReadTerminalRequest{Agent: "DM"}))(t)
		return strings.Join(res.Lines, "\n")
	}

	tmuxtest.Poll(t, func() bool { return strings.Contains(screen(), "Well,") }, screen)
	te.inState("DM", parley.StateBusy)
	s.Release()
	if res := <-done; res == nil || res.Reply.Text != "Well, that is it." {
		t.Fatalf("got %+v", res)
	}

	te.inState("DM", parley.StateIdle)
	if got := screen(); !strings.HasPrefix(got, "ada (") || !strings.HasSuffix(got, "Well, that is it.") {
		t.Errorf("the screen shows %q", got)
	}
}

func TestRestartAnswersNothingTwice(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	ada := te.as("ada")

	// A crash leaves a message that is stored and not answered.
	m := te.roster.ByName("DM")
	stored := must.Have(te.admission.Admit(
		ada,
		te.roster.ByName("ada"),
		admission.Draft{Recipients: []*team.Member{m}, Asks: m, Message: parley.Message{
			Kind: parley.KindDirect, Type: parley.TypeInformation, Priority: parley.PriorityNormal, Text: "SAY here"}},
	))(t)

	must.Do(t, te.roster.Records.SetState(t.Context(), m, parley.StateBusy, "it answers ada", nil))
	te.restart()
	te.inState("DM", parley.StateIdle)
	te.need(parley.NeedUnanswered)
	if n := len(s.Requests()); n != 0 {
		t.Fatalf("the model was asked %d times by itself", n)
	}

	if text := te.story(stored.Message.ID); !strings.Contains(text, "parley retry "+parley.Short(stored.Message.ID)) {
		t.Errorf("the story is\n%s", text)
	}
	if res := te.retry(stored.Message.ID); res.Reply.Text != "here" {
		t.Fatalf("retry: %+v", res)
	}
}

func TestReplyToAnAnswerAndAFormalDebt(t *testing.T) {
	t.Parallel()
	te, _ := withModel(t)
	ada := te.as("ada")
	first := te.tell(ada, "SAY which door?")
	res, err := op.RespondToMessage.Call(ada, te,
		parley.RespondToMessageRequest{MessageID: first.Reply.MessageID, Text: "SAY left it is"})
	if err != nil || res.Reply == nil || res.Reply.Text != "left it is" {
		t.Fatalf("respond gave %+v, %v", res, err)
	}

	owed := te.sends(ada, parley.SendMessageRequest{To: parley.Names{"DM"}, Text: "SAY yes", RequiresResponse: true})

	st, err := op.GetMessageStatus.Call(ada, te, parley.MessageStatusRequest{MessageID: owed.MessageID})
	if err != nil || len(st.Responses) != 1 || st.Responses[0].State != parley.ResponseCompleted {
		t.Errorf("what was owed: %+v, %v", st, err)
	}
}

func TestBroadcastsAskNoModel(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	must.Have(op.BroadcastMessage.Call(te.as("ada"), te, parley.BroadcastMessageRequest{Text: "SAY hi all"}))(t)
	te.quiet()
	if n := len(s.Requests()); n != 0 || te.spent().Calls != 0 {
		t.Errorf("the model was asked %d times", n)
	}
}

func TestModelSeesOnlyWhatTheResponderMay(t *testing.T) {
	t.Parallel()
	te, s := withModel(t, func(c *parley.ResponderConfig) { c.Additional.Tools = true })
	ada, bob := te.as("ada"), te.as("bob")
	te.sends(ada, parley.SendMessageRequest{To: parley.Names{"bob"}, Text: "the password is swordfish"})

	te.tell(bob, `CALL search_messages {"query":"swordfish"}`)
	te.tell(bob, `CALL get_agent_status {"agent":"ada"}`)
	results := s.Results()
	if len(results) != 2 || strings.Contains(results[0], "password") || !strings.Contains(results[1], `"name":"ada"`) {
		t.Errorf("the tools said %q", results)
	}

	_, tools := s.Offered()
	slices.Sort(tools)
	if want := []string{"get_agent_status", "get_conversation_history", "search_messages"}; len(tools) != 0 &&
		!slices.Equal(tools, want) {
		t.Errorf("offered were %q, want %q", tools, want)
	}
}

func TestRegisteredResponderAnswersOnceApproved(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	off := false
	for name, auto := range map[string]*bool{"sage": nil, "clerk": &off} {
		res, err := op.RegisterAgent.Call(
			context.Background(), te,
			parley.RegisterAgentRequest{Username: name, Special: true, AutoRespond: auto,
				Config: &parley.ResponderConfig{ModelID: "scripted", BaseURL: s.URL + "/v1"}},
		)
		if err != nil || res.Status != parley.StatusPendingApproval {
			t.Fatalf("%s: %+v, %v", name, res, err)
		}
	}

	ask := func(name string) *parley.Reply {
		t.Helper()
		res := te.sends(te.operator(), parley.SendMessageRequest{To: parley.Names{name}, Text: "SAY wise"})
		return res.Reply
	}
	if ask("sage") != nil {
		t.Error("it answered before it was approved")
	}

	if needs := te.needs(""); !strings.Contains(needs[0].Text, s.URL) {
		t.Errorf("who approves is not told where messages would go: %+v", needs)
	}

	for _, name := range []string{"sage", "clerk"} {
		must.Have(op.ApproveAgent.Call(te.operator(), te, parley.ApproveAgentRequest{Agent: name, Approve: true}))(t)
	}

	te.restart()
	if r := ask("sage"); r == nil || r.Text != "wise" {
		t.Errorf("approved, it answered %+v", r)
	}
	if r := ask("clerk"); r != nil {
		t.Errorf("a mailbox answered %+v", r)
	}
}

func TestLateReplyIsTypedAndOneInTheCallIsNot(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	log := te.launch("coder", "framed", tmuxtest.Agent{})
	m := te.roster.ByName("coder")
	coder := parley.WithCaller(context.Background(), parley.Caller{ID: m.ID, Name: m.Name, Kind: m.Kind})
	te.tell(coder, "SAY at once")
	id := te.fails(coder, "FAIL 400 ONCE SAY "+strings.Repeat("long ", 300), parley.ModelRefused)

	res := te.retry(id)

	te.reach(res.Reply.MessageID, parley.DeliverySubmitted) // by an announcement: it is too long to be typed
	typed := tmuxtest.Messages(t, log)
	if len(typed) != 1 || strings.Contains(typed[0].Text, "at once") ||
		!strings.Contains(typed[0].Text, parley.Short(res.Reply.MessageID)) {
		t.Errorf("typed were %+v, want the announcement alone; %d requests", typed, len(s.Requests()))
	}
}

func TestFileDecidesWhoAnswers(t *testing.T) {
	t.Parallel()
	te, _ := withModel(t)
	answering := te.roster.Records.SetState(t.Context(), te.roster.ByName("DM"), parley.StateBusy,
		"as a crash leaves it", nil)
	must.Do(t, answering)
	te.close()
	dm := te.opts.Responders[0]
	te.opts.Responders = nil
	te.open()
	te.inState("DM", parley.StateTerminated)
	dm.Description = "Back again."
	te.opts.Responders = []parley.DeclaredResponder{dm}
	te.restart()
	if a := te.inState("DM", parley.StateIdle); a.Description != "Back again." || a.Kind != parley.KindResponder ||
		!a.IsSpecial {
		t.Errorf("it came back as %+v", a.Agent)
	}

	te.tell(te.operator(), "SAY hello again")
}
