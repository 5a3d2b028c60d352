package parleytest

import (
	"time"

	"parley"
)

var deadlineCases = []testCase{
	{"RespondAfterTheDeadlineIsRefused", respondTooLate},
	{"ReplySettlesWhatIsOwed", replySettles},
	{"ReplyToAnotherAgentSettlesNothing", replyToOthers},
	{"DeadlinesMustBeInTheFuture", deadlines},
}

func respondTooLate(f *fixture) {
	var question *parley.SendMessageResult
	// A slow machine needs the longer ones.
	for _, within := range []time.Duration{time.Second, 4 * time.Second, 16 * time.Second} {
		at := time.Now().Add(within)
		got, err := invoke(f.planner, "send_message",
			parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "now?", ResponseDeadline: &at})
		if err == nil {
			question = got.(*parley.SendMessageResult)
			break
		}
	}

	if question == nil {
		f.Fatal("no deadline was accepted")
	}

	<-time.After(time.Until(*question.Object.ResponseDeadline) + time.Millisecond)
	same(f.T, "coder owes", f.owed(f.coder), [2]int{1, 1})
	refused(f.coder, "respond_to_message",
		params{"message_id": question.MessageID, "text": "sorry", "status": "completed"}, parley.DeadlinePassed)

	f.coder.respond(parley.RespondToMessageRequest{MessageID: question.MessageID, Text: "here it is"})
	same(f.T, "coder owes", f.owed(f.coder), [2]int{0, 0})
	debts := f.planner.status(question.MessageID).Responses
	if len(debts) != 1 || debts[0].State != parley.ResponseCompleted || !debts[0].Late {
		f.Errorf("the responses are %+v, want one that is completed and late", debts)
	}
}

func replySettles(f *fixture) {
	question := f.planner.ask("how long?", "coder")
	do[parley.SendMessageResult](f.coder, "send_message",
		parley.SendMessageRequest{To: parley.Names{"planner"}, Text: "two days", InReplyTo: question.MessageID})
	same(f.T, "coder owes", f.owed(f.coder), [2]int{0, 0})
	got := f.planner.status(question.MessageID)
	same(f.T, "state", got.Deliveries[0].State, parley.DeliveryAnswered)
	same(f.T, "response", got.Responses[0].State, parley.ResponseCompleted)
}

func replyToOthers(f *fixture) {
	question := f.planner.ask("how long?", "coder")
	do[parley.SendMessageResult](f.coder, "send_message",
		parley.SendMessageRequest{To: parley.Names{"reviewer"}, Text: "do you know?", InReplyTo: question.MessageID})

	do[parley.SendMessageResult](f.planner, "send_message",
		parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "hello?", InReplyTo: question.MessageID})

	same(f.T, "coder owes", f.owed(f.coder), [2]int{1, 0})
	same(f.T, "state", f.planner.status(question.MessageID).Deliveries[0].State, parley.DeliverySubmitted)
}

func deadlines(f *fixture) {
	f.unchanged(func() {
		for _, at := range []any{
			time.Now().Add(-time.Minute), time.Now().AddDate(5, 0, 0), "yesterday", "never", 1700000000,
			"2999-01-01T00:00:00Z", "2020-01-01 10:00",
		} {
			refused(f.planner, "send_message",
				params{"to": "coder", "text": "hello", "requires_response": true, "response_deadline": at},
				parley.InvalidArgument)

			refused(
				f.planner,
				"send_message",
				params{
					"to":                "coder",
					"text":              "hello",
					"requires_response": false,
					"response_deadline": time.Now().Add(time.Hour),
				},
				parley.InvalidArgument,
			)
		}
	})

	before := time.Now()
	got := f.planner.ask("hello", "coder").Object
	if got.ResponseDeadline == nil || got.ResponseDeadline.Before(before.Add(29*time.Minute)) ||
		got.ResponseDeadline.After(time.Now().Add(31*time.Minute)) {
		f.Errorf("the deadline is %v, want one in 30 minutes", got.ResponseDeadline)
	}

	at := before.Add(2 * time.Hour).Truncate(time.Second)
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("", 5*3600+1800), time.FixedZone("", -8*3600)} {
		got := do[parley.SendMessageResult](
			f.planner, "send_message", params{"to": "coder", "text": "hello", "response_deadline": at.In(zone)},
		).Object
		if !got.RequiresResponse || got.ResponseDeadline == nil || !got.ResponseDeadline.Equal(at) {
			f.Errorf("the deadline %s is taken for %v", at.In(zone), got.ResponseDeadline)
		}
	}
}
