package parleytest

import (
	"slices"
	"time"

	"parley"
)

var answering = []testCase{
	{"RespondAnswersTheSender", respondAnswers},
	{"RespondTakesTheFormsOfBothSeeds", respondForms},
	{"RespondIsForRecipientsAlone", respondRecipients},
	{"RespondFormallyNeedsADebt", respondNotRequired},
	{"RespondToNothing", respondNothing},
	{"RespondSettlesWhatIsOwed", respondSettles},
	{"RespondAgainWithTheSameKey", respondAgain},
	{"RespondDelegates", respondDelegates},
	{"RespondDelegatesToNobody", respondDelegatesToNobody},
	{"RespondTooLate", respondTooLate},
	{"ReplySettlesWhatIsOwed", replySettles},
	{"ReplyToOthersAnswersNothing", replyToOthers},
	{"DeadlinesAreTimesToCome", deadlines},
	{"ContractMessagesAreShownWhole", contractMessages},
	{"AttachmentsAreObjects", attachments},
	{"IgnoreMarksRead", ignoreMarks},
	{"BroadcastUpdateReachesEveryone", updateReaches},
	{"BroadcastUpdateUrgency", updateUrgency},
	{"RequestAssistanceAsksTheTargets", assistanceTargets},
	{"RequestAssistanceAsksEveryone", assistanceEveryone},
}

// ask sends a message that must be answered.
func (m member) ask(text string, to ...string) *parley.SendMessageResult {
	m.Helper()
	return do[parley.SendMessageResult](
		m,
		"send_message",
		parley.SendMessageRequest{To: to, Text: text, RequiresResponse: true},
	)
}

func (m member) respond(r parley.RespondToMessageRequest) *parley.RespondToMessageResult {
	m.Helper()
	return do[parley.RespondToMessageResult](m, "respond_to_message", r)
}

// owes returns how many responses an agent owes, and how many of them are overdue.
func (f *fixture) owes(m member) [2]int {
	f.Helper()
	a := do[parley.AgentStatusResult](f.planner, "get_agent_status", params{"agent": m.name}).Agents[0]
	return [2]int{a.Owed, a.Overdue}
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

	same(f.T, "type", f.planner.get(parley.GetMessagesRequest{}).Messages[0].MessageType, parley.TypeResponse)
	f.coder.expectInbox()
	d := f.planner.status(question.MessageID).Deliveries[0]
	if d.State != parley.DeliveryAnswered || d.ReadAt == nil || d.AnsweredAt == nil || d.AnsweredBy != got.MessageID {
		f.Errorf("the question's delivery is %+v", d)
	}

	rungs := []parley.DeliveryState{}
	for _, step := range d.Steps {
		rungs = append(rungs, step.State)
	}

	same(
		f.T,
		"rungs",
		rungs,
		[]parley.DeliveryState{parley.DeliverySubmitted, parley.DeliveryRead, parley.DeliveryAnswered},
	)

	more := f.coder.respond(parley.RespondToMessageRequest{MessageID: question.MessageID, Text: "and tested"})
	same(f.T, "updated by a further reply", more.OriginalUpdated, false)
	same(f.T, "answered by", f.planner.status(question.MessageID).Deliveries[0].AnsweredBy, got.MessageID)
}

func respondForms(f *fixture) {
	one, two := f.planner.send("one", "coder"), f.planner.ask("two", "coder")
	do[parley.RespondToMessageResult](
		f.coder,
		"respond_to_message",
		params{"message_id": one.MessageID, "response": "first"},
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
	got := f.planner.get(parley.GetMessagesRequest{}).Messages[0]
	same(f.T, "data", compact(string(got.Content.Data)), `{"lines":3}`)
	same(f.T, "status", got.ResponseStatus, parley.ResponseCompleted)
	refused(
		f.coder,
		"respond_to_message",
		params{"message_id": one.MessageID, "response": "x", "responder_agent_id": f.reviewer.id},
		parley.NotAuthorized,
	)
}

func respondRecipients(f *fixture) {
	id := f.planner.send("between us", "coder").MessageID
	f.coder.get(parley.GetMessagesRequest{})
	f.unchanged(func() {
		for _, m := range []member{f.planner, f.operator} {
			refused(m, "respond_to_message", params{"message_id": id, "text": "hm"}, parley.NotAuthorized)
		}

		refused(f.reviewer, "respond_to_message", params{"message_id": id, "text": "hm"}, parley.MessageNotFound)
		refused(
			f.reviewer,
			"respond_to_message",
			params{"message_id": "nonsense", "text": "hm"},
			parley.MessageNotFound,
		)
	})
}

func respondNotRequired(f *fixture) {
	id := f.planner.send("for your information", "coder").MessageID
	f.coder.get(parley.GetMessagesRequest{})
	f.unchanged(func() {
		refused(
			f.coder,
			"respond_to_message",
			params{"message_id": id, "text": "done", "status": "completed"},
			parley.ResponseNotRequired,
		)
	})
	same(f.T, "state", f.planner.status(id).Deliveries[0].State, parley.DeliveryRead)
}

func respondNothing(f *fixture) {
	id := f.planner.ask("well?", "coder").MessageID
	f.coder.get(parley.GetMessagesRequest{})
	f.unchanged(func() {
		refused(f.coder, "respond_to_message", params{"message_id": id}, parley.InvalidArgument)
		refused(f.coder, "respond_to_message", params{"message_id": id, "text": " \n"}, parley.InvalidArgument)
		refused(f.coder, "respond_to_message", params{"text": "yes"}, parley.InvalidArgument)
		refused(
			f.coder,
			"respond_to_message",
			params{"message_id": id, "text": "yes", "status": "done"},
			parley.InvalidArgument,
		)

		refused(
			f.coder,
			"respond_to_message",
			params{"message_id": id, "text": chars("é", 2001)},
			parley.MessageTooLong,
		)

		refused(
			f.coder,
			"respond_to_message",
			params{"message_id": id, "text": "yes", "additional_recipients": []string{"nobody"}},
			parley.AgentNotFound,
		)

		refused(
			f.coder,
			"respond_to_message",
			params{"message_id": id, "text": "yes", "cc": "reviewer"},
			parley.InvalidArgument,
		)
	})

	same(f.T, "coder owes", f.owes(f.coder), [2]int{1, 0})
}

func respondSettles(f *fixture) {
	question := f.planner.ask("how long?", "coder", "reviewer")
	same(f.T, "coder owes", f.owes(f.coder), [2]int{1, 0})
	f.coder.respond(
		parley.RespondToMessageRequest{MessageID: question.MessageID, Text: "so far", Status: parley.ResponsePartial},
	)

	same(f.T, "coder owes after a part", f.owes(f.coder), [2]int{1, 0})
	last := f.coder.respond(
		parley.RespondToMessageRequest{
			MessageID: question.MessageID,
			Text:      "two days",
			Status:    parley.ResponseCompleted,
		},
	)

	same(f.T, "updated", last.OriginalUpdated, true)
	f.reviewer.respond(
		parley.RespondToMessageRequest{MessageID: question.MessageID, Text: "no idea", Status: parley.ResponseUnable},
	)

	same(f.T, "they owe", [][2]int{f.owes(f.coder), f.owes(f.reviewer)}, [][2]int{{0, 0}, {0, 0}})
	debts := f.planner.status(question.MessageID).Responses
	if len(debts) != 2 || debts[0].Debtor != "coder" || debts[0].State != parley.ResponseCompleted || debts[0].AnsweredBy != last.MessageID ||
		debts[0].AnsweredAt == nil ||
		debts[0].Late ||
		debts[1].State != parley.ResponseUnable {
		f.Errorf("the responses are %+v", debts)
	}

	refused(
		f.coder,
		"respond_to_message",
		params{"message_id": question.MessageID, "text": "three", "status": "completed"},
		parley.ResponseNotRequired,
	)

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
	got := f.coder.respond(
		parley.RespondToMessageRequest{
			MessageID:            question.MessageID,
			Text:                 "reviewer knows",
			Status:               parley.ResponseDelegated,
			AdditionalRecipients: parley.Names{"reviewer"},
		},
	)

	same(f.T, "delivered to", recipients(got.DeliveryStatus), sorted(f.planner.id, f.reviewer.id))
	same(f.T, "they owe", [][2]int{f.owes(f.coder), f.owes(f.reviewer)}, [][2]int{{0, 0}, {1, 0}})
	texts := contents(f.reviewer.inbox())
	slices.Sort(texts)
	same(f.T, "reviewer's inbox", texts, []string{"how long?", "reviewer knows"})
	f.reviewer.respond(
		parley.RespondToMessageRequest{
			MessageID: question.MessageID,
			Text:      "two days",
			Status:    parley.ResponseCompleted,
		},
	)

	same(f.T, "reviewer owes", f.owes(f.reviewer), [2]int{0, 0})
	f.planner.expectInbox("reviewer knows", "two days")

}

// A debt that is passed on to nobody would be nobody's.
func respondDelegatesToNobody(f *fixture) {
	question := f.planner.ask("and who?", "coder").MessageID
	f.coder.get(parley.GetMessagesRequest{})
	f.unchanged(func() {
		for _, to := range []any{nil, []string{}, "planner", []string{f.planner.id, "planner"}, "coder", []string{"coder", "planner"}} {
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

	same(f.T, "coder owes", f.owes(f.coder), [2]int{1, 0})
	f.coder.respond(
		parley.RespondToMessageRequest{MessageID: question, Text: "reviewer", Status: parley.ResponseDelegated,
			AdditionalRecipients: parley.Names{"planner", "reviewer"}},
	)

	same(
		f.T,
		"they owe",
		[][2]int{f.owes(f.coder), f.owes(f.reviewer), f.owes(f.planner)},
		[][2]int{{0, 0}, {1, 0}, {0, 0}},
	)
}

func respondTooLate(f *fixture) {
	var question *parley.SendMessageResult
	for _, within := range []time.Duration{time.Second, 4 * time.Second, 16 * time.Second} { // a slow machine needs the longer ones
		at := time.Now().Add(within)
		got, err := invoke(
			f.planner,
			"send_message",
			parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "now?", ResponseDeadline: &at},
		)
		if err == nil {
			question = got.(*parley.SendMessageResult)
			break
		}
	}

	if question == nil {
		f.Fatal("no deadline was accepted")
	}

	<-time.After(time.Until(*question.Object.ResponseDeadline) + time.Millisecond)
	same(f.T, "coder owes", f.owes(f.coder), [2]int{1, 1})
	refused(
		f.coder,
		"respond_to_message",
		params{"message_id": question.MessageID, "text": "sorry", "status": "completed"},
		parley.DeadlinePassed,
	)

	f.coder.respond(parley.RespondToMessageRequest{MessageID: question.MessageID, Text: "here it is"})
	same(f.T, "coder owes", f.owes(f.coder), [2]int{0, 0})
	debts := f.planner.status(question.MessageID).Responses
	if len(debts) != 1 || debts[0].State != parley.ResponseCompleted || !debts[0].Late {
		f.Errorf("the responses are %+v, want one that is completed and late", debts)
	}
}

func replySettles(f *fixture) {
	question := f.planner.ask("how long?", "coder")
	do[parley.SendMessageResult](
		f.coder,
		"send_message",
		parley.SendMessageRequest{To: parley.Names{"planner"}, Text: "two days", InReplyTo: question.MessageID},
	)
	same(f.T, "coder owes", f.owes(f.coder), [2]int{0, 0})
	got := f.planner.status(question.MessageID)
	same(f.T, "state", got.Deliveries[0].State, parley.DeliveryAnswered)
	same(f.T, "response", got.Responses[0].State, parley.ResponseCompleted)
}

func replyToOthers(f *fixture) {
	question := f.planner.ask("how long?", "coder")
	do[parley.SendMessageResult](
		f.coder,
		"send_message",
		parley.SendMessageRequest{To: parley.Names{"reviewer"}, Text: "do you know?", InReplyTo: question.MessageID},
	)

	do[parley.SendMessageResult](
		f.planner,
		"send_message",
		parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "hello?", InReplyTo: question.MessageID},
	)

	same(f.T, "coder owes", f.owes(f.coder), [2]int{1, 0})
	same(f.T, "state", f.planner.status(question.MessageID).Deliveries[0].State, parley.DeliverySubmitted)
}

func deadlines(f *fixture) {
	f.unchanged(func() {
		for _, at := range []any{time.Now().Add(-time.Minute), time.Now().AddDate(5, 0, 0), "14:05", "tomorrow", 1700000000, "2999-01-01T00:00:00Z"} {
			refused(
				f.planner,
				"send_message",
				params{"to": "coder", "text": "hello", "requires_response": true, "response_deadline": at},
				parley.InvalidArgument,
			)

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
			f.planner,
			"send_message",
			params{"to": "coder", "text": "hello", "response_deadline": at.In(zone)},
		).Object
		if !got.RequiresResponse || got.ResponseDeadline == nil || !got.ResponseDeadline.Equal(at) {
			f.Errorf("the deadline %s is taken for %v", at.In(zone), got.ResponseDeadline)
		}
	}
}

func contractMessages(f *fixture) {
	sent := do[parley.SendMessageResult](
		f.planner,
		"send_message",
		params{"sender_agent_id": f.planner.id, "recipient_agent_ids": []string{"ALL"},
			"message_type": "request", "content": params{"text": "please review", "data": params{"pr": 7},
				"attachments": []params{{"name": "diff", "url": "file:///tmp/x,y"}, {}}},
			"priority": "high", "requires_response": true, "context_reference": "pr 7"},
	)

	got := f.coder.get(parley.GetMessagesRequest{}).Messages[0]
	same(f.T, "text", got.Content.Text, "please review")
	same(f.T, "attachments", len(got.Content.Attachments), 2)
	same(f.T, "attachment", compact(string(got.Content.Attachments[0])), `{"name":"diff","url":"file:///tmp/x,y"}`)
	same(f.T, "requires_response", got.RequiresResponse, true)
	if got.ResponseDeadline == nil || !got.ResponseDeadline.Equal(*sent.Object.ResponseDeadline) {
		f.Errorf("the deadline is %v, want %v", got.ResponseDeadline, sent.Object.ResponseDeadline)
	}

	same(f.T, "object", len(sent.Object.Attachments), 2)
	same(f.T, "they owe", [][2]int{f.owes(f.coder), f.owes(f.reviewer)}, [][2]int{{1, 0}, {1, 0}})
	plain := f.planner.send("no answer needed", "coder").Object
	same(f.T, "plain", [2]bool{plain.RequiresResponse, plain.ResponseDeadline != nil}, [2]bool{})
}

func attachments(f *fixture) {
	many := make([]params, 51)
	f.unchanged(func() {
		for _, wrong := range []any{"file.txt", []string{"file.txt"}, []any{nil}, []any{params{"a": 1}, 2}, params{"name": "x"}, many} {
			refused(
				f.planner,
				"send_message",
				params{"to": "coder", "text": "hello", "attachments": wrong},
				parley.InvalidArgument,
			)
		}

		refused(f.planner, "send_message", params{"to": "coder", "text": "hello",
			"attachments": []params{{"x": chars("a", 200_000)}, {"y": chars("a", 200_000)}}}, parley.MessageTooLong)
	})
}

func ignoreMarks(f *fixture) {
	id := f.planner.send("thanks!", "coder").MessageID
	got := do[parley.IgnoreMessageResult](
		f.coder,
		"ignore_message",
		params{"message_id": id, "reason": "nothing to say"},
	)

	same(f.T, "message", got.Message, "Message marked as read")
	f.coder.expectInbox()
	f.planner.expectInbox()
	same(f.T, "state", f.planner.status(id).Deliveries[0].State, parley.DeliveryRead)
	do[parley.IgnoreMessageResult](f.coder, "ignore_message", params{"message_id": id})
	for _, m := range []member{f.planner, f.reviewer} {
		refused(m, "ignore_message", params{"message_id": id}, parley.MessageNotFound)
	}

	refused(f.coder, "ignore_message", params{}, parley.InvalidArgument)
}

func updateReaches(f *fixture) {
	got := do[parley.BroadcastUpdateResult](
		f.planner,
		"broadcast_update",
		params{"sender_agent_id": f.planner.id, "update_type": "discovery",
			"content": params{
				"summary":         "the cache is cold",
				"details":         "since noon",
				"impact":          "slow tests",
				"action_required": false,
			}, "urgency": "info"},
	)

	same(f.T, "recipients", sorted(got.Recipients...), sorted(f.coder.id, f.reviewer.id))
	if got.BroadcastID == "" || got.Timestamp.IsZero() {
		f.Errorf("the receipt is %+v", got)
	}

	f.coder.expectInbox("update (discovery): the cache is cold\nsince noon\nImpact: slow tests")
	f.unchangedAfter(func() {
		for _, wrong := range []params{
			{"update_type": "rumour", "content": params{"summary": "x"}},
			{"update_type": "issue", "content": params{"details": "x"}},
			{"update_type": "issue", "content": params{"summary": "x", "sumary": "x"}},
			{"update_type": "issue", "content": "x"},
			{"update_type": "issue", "content": params{"summary": "x"}, "urgency": "huge"},
			{"update_type": "issue"},
		} {
			refused(f.planner, "broadcast_update", wrong, parley.InvalidArgument)
		}
	})
}

// unchangedAfter is unchanged where something was said before.
func (f *fixture) unchangedAfter(what func()) {
	f.Helper()
	for _, m := range []member{f.planner, f.coder, f.reviewer} {
		m.get(parley.GetMessagesRequest{Limit: 100})
	}
	f.unchanged(what)
}

func updateUrgency(f *fixture) {
	for urgency, want := range map[string]parley.Priority{"info": parley.PriorityNormal, "attention": parley.PriorityHigh,
		"action_required": parley.PriorityHigh, "critical": parley.PriorityUrgent} {
		got := do[parley.BroadcastUpdateResult](
			f.planner,
			"broadcast_update",
			params{"update_type": "issue", "content": params{"summary": urgency}, "urgency": urgency},
		)
		m := f.planner.status(got.BroadcastID).Object
		same(f.T, "priority of "+urgency, m.Priority, want)
		same(f.T, "response to "+urgency, m.RequiresResponse, urgency == "action_required")
	}
}

func assistanceTargets(f *fixture) {
	deadline := time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	got := do[parley.RequestAssistanceResult](
		f.planner,
		"request_assistance",
		params{"requester_agent_id": f.planner.id, "assistance_type": "review",
			"target_agents": []string{"reviewer"}, "required_capabilities": []string{"go"},
			"request_details": params{
				"description": "look at the store",
				"context":     "it grew",
				"deadline":    deadline,
				"priority":    "high",
			}},
	)
	if len(got.PotentialResponders) != 1 || got.PotentialResponders[0].AgentID != f.reviewer.id || got.BroadcastSent ||
		got.RequestID == "" {
		f.Errorf("the answer is %+v", got)
	}

	f.reviewer.expectInbox("request for review: look at the store\nContext: it grew\nNeeded: go")
	f.coder.expectInbox()
	m := f.planner.status(got.RequestID).Object
	same(f.T, "type and priority", []string{string(m.Type), string(m.Priority)}, []string{"request", "high"})
	if m.ResponseDeadline == nil || !m.ResponseDeadline.Equal(deadline) {
		f.Errorf("the deadline is %v, want %v", m.ResponseDeadline, deadline)
	}

	same(f.T, "reviewer owes", f.owes(f.reviewer), [2]int{1, 0})
	f.unchangedAfter(func() {
		details := params{"description": "x"}
		for _, wrong := range []params{
			{"assistance_type": "magic", "request_details": details},
			{"assistance_type": "review", "request_details": params{"context": "x"}},
			{"assistance_type": "review", "request_details": params{"description": "x", "deadline": "2001-01-01T00:00:00Z"}},
			{"assistance_type": "review", "request_details": params{"description": "x", "priority": "top"}},
			{"assistance_type": "review"},
		} {
			refused(f.planner, "request_assistance", wrong, parley.InvalidArgument)
		}

		refused(
			f.planner,
			"request_assistance",
			params{"assistance_type": "review", "target_agents": []string{"planner"}, "request_details": details},
			parley.InvalidRecipient,
		)
	})
}

func assistanceEveryone(f *fixture) {
	got := do[parley.RequestAssistanceResult](f.planner, "request_assistance", params{"assistance_type": "expertise",
		"required_capabilities": []string{"cobol"}, "request_details": params{"description": "who knows cobol?"}})
	ids := []string{}
	for _, p := range got.PotentialResponders {
		ids = append(ids, p.AgentID)
		same(f.T, "match", p.CapabilityMatch, 0.0)
	}
	same(f.T, "potential responders", sorted(ids...), sorted(f.coder.id, f.reviewer.id))
	same(f.T, "broadcast", got.BroadcastSent, true)
	f.coder.expectInbox("request for expertise: who knows cobol?\nNeeded: cobol")
}
