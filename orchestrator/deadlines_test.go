package orchestrator

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/store"
	"parley/tmux/tmuxtest"
)

// due is a team with a clock that the test moves, in which planner waits for coder's response.
type due struct {
	*testTeam
	clock   *clock
	coder   context.Context
	planner context.Context
	id      string // of the message that requires it
}

func newDue(t *testing.T) *due {
	d := &due{clock: new(clock)}
	d.testTeam = newTeam(t, d.clock.option)
	d.coder, d.planner = d.as("coder"), d.as("planner")
	res := d.sends(d.planner,
		parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "is it done?", RequiresResponse: true})
	d.id = res.MessageID
	return d
}

// notices sends the reminders that are due and returns parley's notices to an agent.
func (d *due) notices(name string) []string {
	d.t.Helper()
	d.services.operator.Reminders.Remind(context.Background())
	m := d.roster.ByName(name)

	page := must.Have(d.store.Inbox.Page(context.Background(),
		store.InboxQuery{RecipientID: m.ID, Limit: 50, OldestFirst: true}))(d.t)

	var texts []string
	for _, item := range page.Items {
		if item.Message.Kind == parley.KindNotice {
			texts = append(texts, item.Message.Text)
		}
	}

	return texts
}

// expect checks the number of notices that each agent has, and the operator's number of needs.
func (d *due) expect(when string, coder, planner, operator int) {
	d.t.Helper()
	got := [3]int{len(d.notices("coder")), len(d.notices("planner")), len(d.needs(""))}
	if want := [3]int{coder, planner, operator}; got != want {
		d.t.Errorf("%s: coder, planner and operator have heard of it %v times, want %v", when, got, want)
	}
}

func (d *due) respond(status parley.ResponseStatus) {
	d.t.Helper()
	must.Have(op.RespondToMessage.Call(d.coder, d, parley.RespondToMessageRequest{MessageID: d.id, Text: "yes",
		Status: status}))(d.t)
}

func TestDeadlinesTellTheDebtorThenTheSenderThenTheOperatorOnce(t *testing.T) {
	t.Parallel()
	d := newDue(t)
	d.clock.pass(24 * time.Minute)
	d.expect("early", 0, 0, 0)
	d.clock.pass(2 * time.Minute)
	d.expect("5 minutes before", 1, 0, 0)
	d.clock.pass(4*time.Minute + 30*time.Second)
	d.expect("just after", 1, 0, 0)
	d.clock.pass(time.Minute)
	d.expect("a minute after", 1, 1, 0)
	d.restart()
	d.clock.pass(10 * time.Minute)
	d.expect("ten minutes after", 1, 1, 1)
	d.restart()
	d.clock.pass(time.Hour)
	d.expect("long after", 1, 1, 1)

	short := parley.Short(d.id)
	if got := d.notices("coder")[0]; !strings.Contains(got, "message "+short+" from planner is due at") ||
		!strings.Contains(got, "is it done?") {
		t.Errorf("the reminder says %q", got)
	}

	if got := d.notices("planner")[0]; !strings.HasPrefix(got, "coder (idle) has not answered your message "+short) {
		t.Errorf("the sender is told %q", got)
	}

	need := d.need(parley.NeedOverdue)
	if need.Agent != "coder" || need.MessageID != d.id || !strings.Contains(need.Command, "parley steer coder") ||
		!need.Between {
		t.Errorf("the need is %+v, want one between agents", need)
	}
	// The clock goes on by itself: on a busy machine more of it has passed.
	if want := regexp.MustCompile("^owes planner a response to message " + short +
		`, asked 1\d\d min ago and due [78]\d min ago: “is it done\?”$`); !want.MatchString(need.Text) {
		t.Errorf("the need says %q, want %s", need.Text, want)
	}
	if got := d.needs(d.id); len(got) != 0 {
		t.Errorf("after dismissing it the needs are %+v", got)
	}
}

// What a person asked needs them a minute after the deadline, in one place: no notice tells the same.
func TestAPersonIsToldByTheNeedAlone(t *testing.T) {
	t.Parallel()
	d := newDue(t)
	d.respond(parley.ResponseCompleted)
	d.id = d.sends(d.operator(),
		parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "is it?", RequiresResponse: true}).MessageID
	d.clock.pass(30*time.Minute + 30*time.Second)
	d.expect("just after", 1, 0, 0)
	d.clock.pass(time.Minute)
	d.expect("a minute after", 1, 0, 1)
	if need := d.need(parley.NeedOverdue); need.MessageID != d.id || need.Between || len(need.Acts) == 0 {
		t.Errorf("the need is %+v, want one of the operator, with what reminds", need)
	}
	if got := d.notices(parley.OperatorName); len(got) != 0 {
		t.Errorf("notices tell it too: %q", got)
	}
}

func TestNoticeStoredBeforeACrashIsNotRepeated(t *testing.T) {
	t.Parallel()
	d := newDue(t)
	d.clock.pass(26 * time.Minute)
	owed, err := d.store.Debts.Due(t.Context(), d.now().Add(time.Hour))
	if err != nil || len(owed) != 1 {
		t.Fatalf("owed: %+v, %v", owed, err)
	}

	for range 2 { // as after a crash between sending and recording
		owed[0].Debt.RemindedAt = nil
		must.Do(t, d.services.operator.Reminders.Tell(t.Context(), owed, d.now()))
	}

	d.expect("twice", 1, 0, 0)
}

// What several owe is one message to all of them, one to the sender about all of them, and one need with one act.
func TestWhatSeveralOweIsToldOnce(t *testing.T) {
	t.Parallel()
	d := newDue(t)
	d.respond(parley.ResponseCompleted)
	names := parley.Names{"ann", "bob", "coder"}
	for _, name := range names[:2] {
		d.as(name)
	}
	for from, as := range map[string]context.Context{"planner": d.planner, parley.OperatorName: d.operator()} {
		before := len(d.notices("planner"))
		req := parley.SendMessageRequest{To: names, Text: "status?", RequiresResponse: true}
		id := d.sends(as, req).MessageID
		d.clock.pass(time.Hour)
		told := d.notices("planner")[before:]
		if from == "planner" && (len(told) != 1 || !strings.HasPrefix(told[0], "ann (idle), bob (idle), coder (idle) "+
			"have not answered your message "+parley.Short(id)+", which was due at")) {
			t.Errorf("the sender is told %q", told)
		}
		sent := must.Have(op.FindMessages.Call(d.operator(), d, parley.FindMessagesRequest{Query: parley.Short(id),
			Agents: parley.Names{"bob"}}))(t)
		if len(sent.Messages) != 1 || sent.Messages[0].RecipientCount != len(names) {
			t.Errorf("%s: the reminders are %+v, want one to three", from, sent.Messages)
		}

		debts := slices.DeleteFunc(d.needs(""), func(n parley.Need) bool { return n.MessageID != id })
		if len(debts) != 3 || strings.Join(debts[0].Also, " ") != "bob coder" || len(debts[1].Also) > 0 {
			t.Fatalf("%s: the needs are %+v", from, debts)
		}
		remind := debts[0].Acts[0]
		if want := "parley steer ann,bob,coder --kind REMINDER "; !strings.HasPrefix(remind.Command, want) {
			t.Errorf("%s: the command is %q, want %q", from, remind.Command, want)
		}
		arguments := must.Have(json.Marshal(remind.Arguments[0]))(t)
		made := must.Have(must.Have(op.Find("steer_agent").Decode(arguments))(t).Call(d.operator(), d))(t)
		if got := made.(*parley.SendMessageResult); len(got.Deliveries) != len(names) {
			t.Errorf("%s: reminded are %+v", from, got.Deliveries)
		}
	}
}

func TestAnsweredRequestsCauseNoReminders(t *testing.T) {
	t.Parallel()
	for _, status := range []parley.ResponseStatus{"", parley.ResponseCompleted, parley.ResponseUnable} {
		d := newDue(t)
		d.respond(status)
		d.clock.pass(2 * time.Hour)
		d.expect("answered: "+string(status), 0, 0, 0)
	}
}

func TestAPartialResponseIsStillOwed(t *testing.T) {
	t.Parallel()
	d := newDue(t)
	d.respond(parley.ResponsePartial)
	d.clock.pass(32 * time.Minute)
	d.expect("after the deadline", 1, 1, 0)
	if got := d.notices("planner")[0]; !strings.Contains(got, "has answered only in part") {
		t.Errorf("the sender is told %q", got)
	}
}

func TestNobodyIsRemindedWhilePaused(t *testing.T) {
	t.Parallel()
	d := newDue(t)
	d.pause(true)
	d.clock.pass(2 * time.Hour)
	d.expect("paused", 0, 0, 0)
	d.pause(false)
	d.expect("resumed", 1, 1, 1)
	if got := d.notices("coder")[0]; !strings.Contains(got, "was due at") {
		t.Errorf("the reminder says %q", got)
	}
}

func TestTheOperatorIsNotToldWhilePaused(t *testing.T) {
	t.Parallel()
	d := newDue(t)
	d.clock.pass(32 * time.Minute)
	d.expect("after the deadline", 1, 1, 0)
	d.pause(true)
	d.clock.pass(2 * time.Hour)
	d.expect("paused", 1, 1, 0)
}

func TestTerminatedAgentsAreNotReminded(t *testing.T) {
	t.Parallel()
	d := newDue(t)
	must.Have(d.terminals.StopAgent(d.operator(), parley.StopAgentRequest{Agent: "coder"}))(t)
	d.clock.pass(32 * time.Minute)
	d.expect("after the deadline", 0, 1, 0)
	if got := d.notices("planner")[0]; !strings.HasPrefix(got, "coder (terminated) has not answered") {
		t.Errorf("the sender is told %q", got)
	}

	d.clock.pass(time.Hour)
	if need, want := d.need(parley.NeedOverdue), "parley needs --dismiss "+parley.Short(d.id); need.Command != want {
		t.Errorf("the operator is told to %q, want %q", need.Command, want)
	}
}

func TestShortDeadlineIsRemindedHalfWay(t *testing.T) {
	t.Parallel()
	d := newDue(t)
	d.respond(parley.ResponseCompleted)
	at := d.now().Add(4 * time.Minute)
	d.sends(d.planner, parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "quick?", ResponseDeadline: &at})
	d.clock.pass(time.Minute)
	d.expect("after a quarter", 0, 0, 0)
	d.clock.pass(90 * time.Second)
	d.expect("after more than half", 1, 0, 0)
}

func TestFooterShowsTheDeadline(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	log := te.launch("coder", "framed", tmuxtest.Agent{})
	planner := te.as("planner")
	at := time.Now().Add(24 * time.Hour)
	for _, r := range []parley.SendMessageRequest{{Text: "soon?", RequiresResponse: true, Urgent: true},
		{Text: "tomorrow?", ResponseDeadline: &at}} {
		r.To = parley.Names{"coder"}
		res := te.sends(planner, r)

		te.reach(res.MessageID, parley.DeliveryRead)
		typed := tmuxtest.Messages(t, log)
		due, form := res.Object.ResponseDeadline.Local(), "15:04"
		if due.Day() != res.Timestamp.Local().Day() {
			form = "15:04 on 2 January"
		}

		want := " · reply by " + due.Format(form) + " with respond_to_message)"
		if got := typed[len(typed)-1].Text; !strings.HasSuffix(got, want) {
			t.Errorf("typed: %q, want at its end %q", got, want)
		}
	}
}

func TestADelegateGetsTheMessageInItsTerminal(t *testing.T) {
	t.Parallel()
	d := newDue(t)
	log := d.launch("worker", "framed", tmuxtest.Agent{})
	must.Have(op.RespondToMessage.Call(d.coder, d, parley.RespondToMessageRequest{MessageID: d.id, Text: "worker knows",
		Status: parley.ResponseDelegated, AdditionalRecipients: parley.Names{"worker"}}))(t)

	var all string
	for _, m := range tmuxtest.WaitMessages(t, log, 2) {
		all += m.Text + "\n"
	}

	planner, coder, worker := d.roster.ByName("planner").ID, d.roster.ByName("coder").ID, d.roster.ByName("worker").ID
	for _, want := range []string{"[AGENT " + parley.Short(planner) + " TO AGENT " + parley.Short(worker) +
		"]: is it done?\n",
		"[AGENT " + parley.Short(coder) + " BROADCAST]: worker knows\n", "re " + parley.Short(d.id) + " · delegated)",
		"with respond_to_message)"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q was not typed:\n%s", want, all)
		}
	}
}

func TestDebtThatComesBackIsRemindedOfAgain(t *testing.T) {
	t.Parallel()
	d := newDue(t)
	worker := d.as("worker")
	d.clock.pass(26 * time.Minute)
	d.expect("at first", 1, 0, 0)

	delegate := func(as context.Context, to string) {
		t.Helper()
		must.Have(op.RespondToMessage.Call(as, d, parley.RespondToMessageRequest{MessageID: d.id, Text: "ask " + to,
			Status: parley.ResponseDelegated, AdditionalRecipients: parley.Names{to}}))(t)
	}
	delegate(d.coder, "worker")
	delegate(worker, "coder")

	d.expect("when it is back", 2, 0, 0)
	debts := must.Have(d.store.Debts.List(t.Context(), d.id))(t)
	if debts[0].State != parley.ResponseOpen || debts[0].AnsweredAt != nil {
		t.Errorf("coder's is %+v, want it open and not answered", debts[0])
	}
}

func TestNothingIsDelegatedToAResponder(t *testing.T) {
	t.Parallel()
	te, _ := withModel(t)
	coder := te.as("coder")
	id := te.sends(te.as("planner"),
		parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "is it done?", RequiresResponse: true}).MessageID

	_, err := op.RespondToMessage.Call(coder, te, parley.RespondToMessageRequest{MessageID: id, Text: "ask DM",
		Status: parley.ResponseDelegated, AdditionalRecipients: parley.Names{"DM"}})

	if parley.ErrorCode(err) != parley.InvalidRecipient {
		t.Errorf("got %v, want %s", err, parley.InvalidRecipient)
	}
	debts := must.Have(te.store.Debts.List(t.Context(), id))(t)
	if len(debts) != 1 || debts[0].Debtor != "coder" || debts[0].State != parley.ResponseOpen {
		t.Errorf("owed are %+v, want coder's response", debts)
	}
}

func TestAssistanceAsksTheCapableTheBestFirst(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	planner := te.as("planner")
	for name, can := range map[string][]string{"half": {"go"}, "whole": {"go", "sql"}, "none": {"art"}} {
		must.Have(op.RegisterAgent.Call(t.Context(), te, parley.RegisterAgentRequest{Username: name, Capabilities: can,
			Role: name}))(t)
	}

	res := must.Have(op.RequestAssistance.Call(
		planner, te,
		parley.RequestAssistanceRequest{AssistanceType: "review", RequiredCapabilities: []string{"Go", "SQL"},
			RequestDetails: parley.RequestDetails{Description: "look at the store"}},
	))(t)

	var got []string
	for _, p := range res.PotentialResponders {
		got = append(got, p.Agent)
	}

	if strings.Join(got, " ") != "whole half" || res.BroadcastSent ||
		res.PotentialResponders[1].CapabilityMatch != 0.5 ||
		res.PotentialResponders[0].Availability != parley.Available {
		t.Errorf("the answer is %+v", res)
	}
}

func TestRequestRepeatedAfterItsDeadlineIsTheSameCall(t *testing.T) {
	t.Parallel()
	d := newDue(t)
	deadline := time.Now().Add(time.Minute)
	req := parley.SendMessageRequest{
		To:               parley.Names{"coder"},
		Text:             "soon?",
		ResponseDeadline: &deadline,
		IdempotencyKey:   "k",
	}

	first := d.sends(d.planner, req)

	d.clock.pass(time.Hour)
	if again, err := op.SendMessage.Call(d.planner, d, req); err != nil || again.MessageID != first.MessageID {
		t.Errorf("repeated after the deadline: %+v, %v, want message %s", again, err, first.MessageID)
	}

	req.Text = "sooner?"
	if _, err := op.SendMessage.Call(d.planner, d, req); parley.AsError(err).Code != parley.InvalidArgument {
		t.Errorf("another message with the key: %v, want %s", err, parley.InvalidArgument)
	}

	req.IdempotencyKey = ""
	if _, err := op.SendMessage.Call(d.planner, d, req); parley.AsError(err).Code != parley.InvalidArgument {
		t.Errorf("a deadline in the past: %v, want %s", err, parley.InvalidArgument)
	}
}

func TestEndedConversationCausesNoReminders(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*due){
		"concluded": func(d *due) {
			d.says("coder", "planner", "got it, thanks")
			d.says("planner", "coder", "sounds good")
		},
		"muted": func(d *due) {
			d.control(parley.ControlConversationRequest{Action: parley.ActionMute, With: "coder,planner"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDue(t)
			end(d)
			d.clock.pass(26 * time.Minute)
			d.expect("before the deadline", 0, 0, 0)
			d.clock.pass(time.Hour)
			d.expect("after it", 0, 0, 1)
		})
	}
}

// Neither what was said before the request nor what only one of the two says ends the conversation.
func TestPolitenessOfOneOrBeforeTheRequestStopsNoReminder(t *testing.T) {
	t.Parallel()
	d := &due{clock: new(clock)}
	d.testTeam = newTeam(t, d.clock.option)
	d.coder, d.planner = d.as("coder"), d.as("planner")
	d.says("coder", "planner", "got it, thanks")
	d.says("planner", "coder", "sounds good")
	d.clock.pass(48 * time.Hour)

	d.id = d.sends(d.planner,
		parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "is it done?", RequiresResponse: true}).MessageID
	d.says("coder", "planner", "sounds good, that makes sense")
	d.clock.pass(26 * time.Minute)
	d.expect("before the deadline", 1, 0, 0)
	d.clock.pass(6 * time.Minute)
	d.expect("after it", 1, 1, 0)
}

func TestReminderIsSentWhenTheConversationGoesOn(t *testing.T) {
	t.Parallel()
	d := newDue(t)
	d.control(parley.ControlConversationRequest{Action: parley.ActionMute, With: "coder,planner"})
	d.clock.pass(26 * time.Minute)
	d.expect("muted", 0, 0, 0)
	debts := must.Have(d.store.Debts.List(t.Context(), d.id))(t)
	if debts[0].RemindedAt != nil {
		t.Error("a reminder is shown that was not sent")
	}

	d.control(parley.ControlConversationRequest{Action: parley.ActionUnmute, With: "coder,planner"})
	d.clock.pass(time.Minute)
	d.expect("not muted any more", 1, 0, 0)
}

// The screen shows a reminder of the operator's with what is to be answered, so it names the message.
func TestReminderOfTheOperatorNamesItsMessage(t *testing.T) {
	t.Parallel()
	d := newDue(t)
	operator := d.operator()
	id := d.sends(d.coder, parley.SendMessageRequest{
		To: parley.Names{parley.OperatorName}, Text: "and this?", RequiresResponse: true}).MessageID
	d.clock.pass(26 * time.Minute)

	if got := d.notices(parley.OperatorName); len(got) != 1 {
		t.Fatalf("the operator has the notices %q, want one", got)
	}

	box := must.Have(op.CheckInbox.Call(operator, d, parley.CheckInboxRequest{}))(t)
	if got := box.Messages[len(box.Messages)-1].InReplyTo; got != id {
		t.Errorf("the notice is about %q, want %q", got, id)
	}
}
