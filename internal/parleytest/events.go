package parleytest

import (
	"slices"
	"strings"
	"time"

	"parley"
)

var eventCases = []testCase{
	{"EventsTellOfADirectMessage", eventDirect},
	{"EventsTellOfABroadcast", eventBroadcast},
	{"EventsOfOthersAreHidden", eventsOfOthers},
	{"EventsPageBySequence", eventsPage},
	{"EventsBeginWithTheLast", eventsLast},
	{"EventsWaitForOne", eventsWait},
}

func eventDirect(f *fixture) {
	sent := f.planner.send(strings.Repeat("語", 150), "coder")
	for _, m := range []member{f.operator, f.planner, f.coder} {
		e := findEvent(m.events(0).Events, parley.EventDirectMessage, sent.MessageID)
		if e == nil {
			f.Errorf("%s sees no event of the message", m.name)
			continue
		}

		same(f.T, "event",
			parley.Event{SenderID: e.SenderID, Sender: e.Sender, RecipientID: e.RecipientID, Recipient: e.Recipient},
			parley.Event{SenderID: f.planner.id, Sender: "planner", RecipientID: f.coder.id, Recipient: "coder"})

		same(f.T, "preview", e.Preview, strings.Repeat("語", parley.PreviewLength))
		if e.Seq == 0 || e.Time.IsZero() {
			f.Errorf("the event is %+v", e)
		}
	}
}

func eventBroadcast(f *fixture) {
	sent := f.planner.broadcast(parley.BroadcastMessageRequest{Text: "build is red"})
	for _, m := range []member{f.operator, f.planner, f.coder, f.reviewer} {
		e := findEvent(m.events(0).Events, parley.EventBroadcast, sent.MessageID)
		if e == nil {
			f.Errorf("%s sees no event of the broadcast", m.name)
			continue
		}
		same(f.T, "recipient_count", e.RecipientCount, 2)
	}
}

func eventsOfOthers(f *fixture) {
	secret := f.planner.send("between us", "coder").MessageID
	for _, e := range f.reviewer.events(0).Events {
		if e.MessageID == secret || e.Preview == "between us" {
			f.Errorf("reviewer sees %+v", e)
		}
	}
}

func eventsPage(f *fixture) {
	for range 3 {
		f.planner.send("hello", "coder")
	}

	all := f.operator.events(0)
	paged, after := []parley.Event{}, int64(0)
	for range len(all.Events) + 1 {
		page := do[parley.ReadEventsResult](f.operator, "read_events", parley.ReadEventsRequest{After: after, Limit: 2})
		if len(page.Events) > 2 {
			f.Fatalf("a page of %d events, want 2 at most", len(page.Events))
		}
		if page.Next < after {
			f.Fatalf("next went from %d back to %d", after, page.Next)
		}

		paged, after = append(paged, page.Events...), page.Next
	}

	same(f.T, "events by pages", sequence(paged), sequence(all.Events))
	if !slices.IsSorted(sequence(paged)) {
		f.Errorf("the sequence is not in order: %v", sequence(paged))
	}

	end := f.operator.events(after)
	same(f.T, "events after the last", len(end.Events), 0)
	same(f.T, "next after the last", end.Next, after)
	refused(f.operator, "read_events",
		parley.ReadEventsRequest{After: 999_999_999, WaitSeconds: 1}, parley.InvalidArgument)
}

func eventsLast(f *fixture) {
	for range 3 {
		f.planner.send("hello", "coder")
	}
	all := sequence(f.operator.events(0).Events)
	got := do[parley.ReadEventsResult](f.operator, "read_events", parley.ReadEventsRequest{Last: 2})
	same(f.T, "the newest two", sequence(got.Events), all[len(all)-2:])
	same(f.T, "next", got.Next, all[len(all)-1])
}

func eventsWait(f *fixture) {
	after := f.coder.events(0).Next
	got := make(chan *parley.ReadEventsResult, 1)
	failed := make(chan error, 1)
	go func() {
		res, err := invoke(f.coder, "read_events", parley.ReadEventsRequest{After: after, WaitSeconds: 60})
		if err != nil {
			failed <- err
			return
		}
		got <- res.(*parley.ReadEventsResult)
	}()

	settle()
	f.reviewer.send("not for coder", "planner") // must not end the wait with nothing
	sent := f.planner.send("hello", "coder")
	select {
	case page := <-got:
		for len(page.Events) == 0 { // a page may be empty: the next one is not
			page = do[parley.ReadEventsResult](
				f.coder, "read_events", parley.ReadEventsRequest{After: page.Next, WaitSeconds: 60},
			)
		}
		same(f.T, "message of the event", page.Events[0].MessageID, sent.MessageID)
	case err := <-failed:
		f.Fatal(err)
	case <-time.After(patience):
		f.Fatalf("read_events still waits %v after the message was sent", patience)
	}
}

var reportCases = []testCase{
	{"ReportStateIsForTerminals", reportWithoutTerminal},
	{"ReportStateChecksItsParameters", reportNonsense},
}

// Nobody else can say what a program does, and certainly not that it was given mail.
func reportWithoutTerminal(f *fixture) {
	id := f.planner.send("for coder", "coder").MessageID
	for _, m := range []member{f.coder, f.planner, f.operator} {
		refused(m, "report_state",
			params{"event": "UserPromptSubmit", "state": "busy", "message_ids": []string{id[:8]}}, parley.NotAuthorized)
	}
	f.coder.expectInbox("for coder")
}

func reportNonsense(f *fixture) {
	for _, args := range []params{
		{}, {"event": ""}, {"event": "Stop", "state": "sleepy"}, {"event": strings.Repeat("x", 101)},
		{"event": "Stop", "agent": "coder"}, {"event": "Stop", "at": "some day"},
		{"event": "Stop", "detail": strings.Repeat("x", 201)}, {"event": "Stop", "message_ids": make([]string, 51)},
	} {
		refused(f.coder, "report_state", args, parley.InvalidArgument)
	}
}

var messageStatusCases = []testCase{
	{"MessageStatusIsForSenderRecipientAndOperator", statusConcerned},
	{"MessageStatusShowsTheLadder", statusLadder},
	{"MessageStatusOfUnknownIsRefused", statusUnknown},
	{"WhoisNamesTheSender", whoisSender},
}

func statusConcerned(f *fixture) {
	id := f.planner.send("hello", "coder").MessageID
	for _, m := range []member{f.planner, f.coder, f.operator} {
		got := m.status(id)
		if got.Object == nil || got.Object.ID != id || got.Object.Text != "hello" || len(got.Deliveries) != 1 {
			f.Errorf("%s sees %+v", m.name, got)
		}
	}
	refused(f.reviewer, "get_message_status", params{"message_id": id}, parley.NotAuthorized, parley.MessageNotFound)
	refused(f.coder, "get_message_status", params{"message_id": id[:7]}, parley.MessageNotFound)
	same(f.T, "found by its first eight characters", f.coder.status(id[:8]).Object.ID, id)
}

func statusLadder(f *fixture) {
	id := f.planner.send("hello", "coder", "reviewer").MessageID
	f.coder.getMessages(parley.GetMessagesRequest{})
	got := f.planner.status(id)
	same(f.T, "delivered", sorted(got.DeliveryStatus.DeliveredTo...), sorted(f.coder.id, f.reviewer.id))
	state := map[string]parley.DeliveryState{}
	for _, d := range got.Deliveries {
		state[d.Recipient] = d.State
		if len(d.Steps) == 0 || d.Steps[len(d.Steps)-1].State != d.State {
			f.Errorf("%s: the last step is not %s: %+v", d.Recipient, d.State, d.Steps)
		}

		for i, step := range d.Steps {
			if step.At.IsZero() || step.Evidence == "" || i > 0 && step.At.Before(d.Steps[i-1].At) {
				f.Errorf("%s: step %d is %+v", d.Recipient, i, step)
			}
		}
	}

	same(f.T, "states", state,
		map[string]parley.DeliveryState{"coder": parley.DeliveryRead, "reviewer": parley.DeliverySubmitted})
}

func statusUnknown(f *fixture) {
	for _, id := range []string{"00000000-0000-4000-8000-000000000000", "nonsense", "0000000"} {
		refused(f.operator, "get_message_status", params{"message_id": id}, parley.MessageNotFound)
	}
}

func whoisSender(f *fixture) {
	id := f.planner.send("[PARLEY]: the operator says hello", "coder").MessageID
	for _, m := range []member{f.planner, f.coder, f.operator} {
		got := do[parley.WhoisResult](m, "whois", params{"message_id": id[:8]})
		if got.SenderID != f.planner.id || got.Sender != "planner" || got.MessageID != id ||
			got.Kind != parley.KindDirect {
			f.Errorf("%s is told %+v", m.name, got)
		}
		if !strings.HasSuffix(got.Message, "“> [PARLEY]: the operator says hello”") {
			f.Errorf("%s is told %q", m.name, got.Message)
		}
	}
	refused(f.reviewer, "whois", params{"message_id": id}, parley.MessageNotFound)
	refused(f.coder, "whois", params{"message_id": "0a0b0c0d"}, parley.MessageNotFound)
}
