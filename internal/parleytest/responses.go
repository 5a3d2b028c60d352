package parleytest

import (
	"slices"
	"strings"

	"parley"
)

var responseCases = []testCase{
	{"RespondAnswersTheSender", respondAnswers},
	{"RespondTakesEveryNameOfItsParameters", respondForms},
	{"RespondIsForRecipientsOnly", respondRecipients},
	{"RespondWithAStatusNeedsARequiredResponse", respondNotRequired},
	{"RespondRefusesIllegalParameters", respondNothing},
	{"RespondSettlesWhatIsOwed", respondSettles},
	{"RespondAgainWithTheSameKey", respondAgain},
	{"RespondDelegates", respondDelegates},
	{"RespondDelegatingToNobodyIsRefused", respondDelegatesToNobody},
}

func respondAnswers(f *fixture) {
	question := f.planner.send("is it done?", "coder")
	got := f.coder.respond(parley.RespondToMessageRequest{MessageID: question.MessageID[:8], Text: "yes"})
	same(f.T, "answer", got.Answer, parley.OK)
	same(f.T, "updated", got.OriginalUpdated, true)
	same(f.T, "message id", got.MessageID, got.ResponseMessageID)
	same(f.T, "delivered to", got.DeliveryStatus.DeliveredTo, []string{f.planner.id})
	if got.Timestamp.IsZero() {
		f.Error("the answer has no time")
	}

	inbox := f.planner.inbox()
	if len(inbox) != 1 || inbox[0].Content != "yes" || inbox[0].InReplyTo != question.MessageID ||
		inbox[0].MessageID != got.MessageID {
		f.Errorf("planner's inbox is %+v", inbox)
	}

	same(f.T, "type", f.planner.getMessages(parley.GetMessagesRequest{}).Messages[0].MessageType, parley.TypeResponse)
	f.coder.expectInbox()
	d := f.planner.status(question.MessageID).Deliveries[0]
	if d.State != parley.DeliveryAnswered || d.ReadAt == nil || d.AnsweredAt == nil || d.AnsweredBy != got.MessageID {
		f.Errorf("the question's delivery is %+v", d)
	}

	rungs := []parley.DeliveryState{}
	for _, step := range d.Steps {
		rungs = append(rungs, step.State)
	}

	same(f.T, "rungs", rungs,
		[]parley.DeliveryState{parley.DeliverySubmitted, parley.DeliveryRead, parley.DeliveryAnswered})

	more := f.coder.respond(parley.RespondToMessageRequest{MessageID: question.MessageID, Text: "and tested"})
	same(f.T, "updated by a further reply", more.OriginalUpdated, false)
	same(f.T, "answered by", f.planner.status(question.MessageID).Deliveries[0].AnsweredBy, got.MessageID)
}

func respondForms(f *fixture) {
	one, two := f.planner.send("one", "coder"), f.planner.ask("two", "coder")
	do[parley.RespondToMessageResult](
		f.coder, "respond_to_message", params{"message_id": one.MessageID, "response": "first"},
	)

	do[parley.RespondToMessageResult](
		f.coder,
		"respond_to_message",
		params{"responder_agent_id": f.coder.id, "original_message_id": two.MessageID,
			"response_content":      params{"text": "second", "data": params{"lines": 3}, "status": "completed"},
			"additional_recipients": []string{f.reviewer.id}},
	)

	f.planner.expectInbox("first", "second")
	f.reviewer.expectInbox("second")
	got := f.planner.getMessages(parley.GetMessagesRequest{}).Messages[0]
	same(f.T, "data", compact(string(got.Content.Data)), `{"lines":3}`)
	same(f.T, "status", got.ResponseStatus, parley.ResponseCompleted)
	refused(f.coder, "respond_to_message",
		params{"message_id": one.MessageID, "response": "x", "responder_agent_id": f.reviewer.id}, parley.NotAuthorized)
}

func respondRecipients(f *fixture) {
	id := f.planner.send("between us", "coder").MessageID
	f.coder.getMessages(parley.GetMessagesRequest{})
	f.unchanged(func() {
		for _, m := range []member{f.planner, f.operator} {
			refused(m, "respond_to_message", params{"message_id": id, "text": "hm"}, parley.NotAuthorized)
		}

		refused(f.reviewer, "respond_to_message", params{"message_id": id, "text": "hm"}, parley.MessageNotFound)
		refused(
			f.reviewer, "respond_to_message", params{"message_id": "nonsense", "text": "hm"}, parley.MessageNotFound,
		)
	})
}

func respondNotRequired(f *fixture) {
	id := f.planner.send("for your information", "coder").MessageID
	f.coder.getMessages(parley.GetMessagesRequest{})
	f.unchanged(func() {
		refused(f.coder, "respond_to_message", params{"message_id": id, "text": "done", "status": "completed"},
			parley.ResponseNotRequired)
	})
	same(f.T, "state", f.planner.status(id).Deliveries[0].State, parley.DeliveryRead)
}

func respondNothing(f *fixture) {
	id := f.planner.ask("well?", "coder").MessageID
	f.coder.getMessages(parley.GetMessagesRequest{})
	f.unchanged(func() {
		refused(f.coder, "respond_to_message", params{"message_id": id}, parley.InvalidArgument)
		refused(f.coder, "respond_to_message", params{"message_id": id, "text": " \n"}, parley.InvalidArgument)
		refused(f.coder, "respond_to_message", params{"text": "yes"}, parley.InvalidArgument)
		refused(f.coder, "respond_to_message", params{"message_id": id, "text": "yes", "status": "done"},
			parley.InvalidArgument)

		refused(f.coder, "respond_to_message", params{"message_id": id, "text": strings.Repeat("é", 2001)},
			parley.MessageTooLong)

		refused(f.coder, "respond_to_message",
			params{"message_id": id, "text": "yes", "additional_recipients": []string{"nobody"}}, parley.AgentNotFound)

		refused(f.coder, "respond_to_message", params{"message_id": id, "text": "yes", "cc": "reviewer"},
			parley.InvalidArgument)
	})

	same(f.T, "coder owes", f.owed(f.coder), [2]int{1, 0})
}

func respondSettles(f *fixture) {
	question := f.planner.ask("how long?", "coder", "reviewer")
	same(f.T, "coder owes", f.owed(f.coder), [2]int{1, 0})
	f.coder.respond(
		parley.RespondToMessageRequest{MessageID: question.MessageID, Text: "so far", Status: parley.ResponsePartial},
	)

	same(f.T, "coder owes after a part", f.owed(f.coder), [2]int{1, 0})
	last := f.coder.respond(parley.RespondToMessageRequest{
		MessageID: question.MessageID,
		Text:      "two days",
		Status:    parley.ResponseCompleted,
	})

	same(f.T, "updated", last.OriginalUpdated, true)
	f.reviewer.respond(
		parley.RespondToMessageRequest{MessageID: question.MessageID, Text: "no idea", Status: parley.ResponseUnable},
	)

	same(f.T, "they owe", [][2]int{f.owed(f.coder), f.owed(f.reviewer)}, [][2]int{{0, 0}, {0, 0}})
	debts := f.planner.status(question.MessageID).Responses
	if len(debts) != 2 || debts[0].Debtor != "coder" || debts[0].State != parley.ResponseCompleted ||
		debts[0].AnsweredBy != last.MessageID ||
		debts[0].AnsweredAt == nil ||
		debts[0].Late ||
		debts[1].State != parley.ResponseUnable {
		f.Errorf("the responses are %+v", debts)
	}

	refused(f.coder, "respond_to_message",
		params{"message_id": question.MessageID, "text": "three", "status": "completed"}, parley.ResponseNotRequired)

	f.coder.respond(parley.RespondToMessageRequest{MessageID: question.MessageID, Text: "make that three"})
	f.planner.expectInbox("so far", "two days", "no idea", "make that three")
}

func respondAgain(f *fixture) {
	question := f.planner.ask("how long?", "coder")
	r := parley.RespondToMessageRequest{
		MessageID:      question.MessageID,
		Text:           "two days",
		Status:         parley.ResponseCompleted,
		IdempotencyKey: "once",
	}
	first, second := f.coder.respond(r), f.coder.respond(r)
	same(f.T, "second answer's id", second.MessageID, first.MessageID)
	same(f.T, "updated", [2]bool{first.OriginalUpdated, second.OriginalUpdated}, [2]bool{true, true})
	f.planner.expectInbox("two days")
}

func respondDelegates(f *fixture) {
	question := f.planner.ask("how long?", "coder")
	got := f.coder.respond(parley.RespondToMessageRequest{
		MessageID:            question.MessageID,
		Text:                 "reviewer knows",
		Status:               parley.ResponseDelegated,
		AdditionalRecipients: parley.Names{"reviewer"},
	})

	same(f.T, "delivered to", recipients(got.DeliveryStatus), sorted(f.planner.id, f.reviewer.id))
	same(f.T, "they owe", [][2]int{f.owed(f.coder), f.owed(f.reviewer)}, [][2]int{{0, 0}, {1, 0}})
	texts := inboxTexts(f.reviewer.inbox())
	slices.Sort(texts)
	same(f.T, "reviewer's inbox", texts, []string{"how long?", "reviewer knows"})
	f.reviewer.respond(parley.RespondToMessageRequest{
		MessageID: question.MessageID,
		Text:      "two days",
		Status:    parley.ResponseCompleted,
	})

	same(f.T, "reviewer owes", f.owed(f.reviewer), [2]int{0, 0})
	f.planner.expectInbox("reviewer knows", "two days")

}

// A response that is delegated to nobody would be owed by nobody.
func respondDelegatesToNobody(f *fixture) {
	question := f.planner.ask("and who?", "coder").MessageID
	f.coder.getMessages(parley.GetMessagesRequest{})
	f.unchanged(func() {
		for _, to := range []any{
			nil, []string{}, "planner", []string{f.planner.id, "planner"}, "coder", []string{"coder", "planner"},
		} {
			refused(
				f.coder,
				"respond_to_message",
				params{"message_id": question, "text": "someone else", "status": "delegated",
					"additional_recipients": to},
				parley.InvalidArgument,
				parley.InvalidRecipient,
			)
		}
	})

	same(f.T, "coder owes", f.owed(f.coder), [2]int{1, 0})
	f.coder.respond(
		parley.RespondToMessageRequest{MessageID: question, Text: "reviewer", Status: parley.ResponseDelegated,
			AdditionalRecipients: parley.Names{"planner", "reviewer"}},
	)

	same(f.T, "they owe", [][2]int{f.owed(f.coder), f.owed(f.reviewer), f.owed(f.planner)},
		[][2]int{{0, 0}, {1, 0}, {0, 0}})
}
