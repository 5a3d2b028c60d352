package parleytest

import (
	"maps"
	"time"

	"parley"
)

var idempotencyCases = []testCase{
	{"IdempotencyKeyWithAnotherDeadlineIsRefused", keyOfDebt},
	{"IdempotencyKeyWithOtherAttachmentsIsRefused", keyOfAttachments},
	{"IdempotencyKeyWithAnotherResponseIsRefused", keyOfAnswer},
	{"IdempotencyKeyWithAnotherUpdateIsRefused", keyOfUpdate},
	{"IdempotencyKeyWithAnotherRequestForAssistanceIsRefused", keyOfAssistance},
	{"IdempotencyKeyWithOtherRecipientsIsRefused", keyOfList},
	{"IdempotencyKeyWithAnotherThreadIsRefused", keyOfThread},
	{"IdempotencyKeySendsOnce", sendAgain},
	{"IdempotencyKeyWithAnotherMessageIsRefused", sendAnother},
	{"IdempotencyKeyBelongsToItsSender", sendKeyOfSender},
	{"IdempotencyKeyPostsOnce", threadKey},
}

// callTwice makes a call with a key, again in the same way, which must change nothing, and
// in other ways, which must be refused and change nothing either.
func (f *fixture) callTwice(m member, op string, args params, others ...params) {
	f.Helper()
	call := func(change params) params {
		all := params{"idempotency_key": "once"}
		for _, part := range []params{args, change} {
			maps.Copy(all, part)
		}

		return all
	}

	if _, err := invoke(m, op, call(nil)); err != nil {
		m.Fatalf("%s: %v", op, err)
	}

	f.unchangedAfter(func() {
		if _, err := invoke(m, op, call(nil)); err != nil {
			m.Errorf("%s again: %v", op, err)
		}
		for _, change := range others {
			refused(m, op, call(change), parley.InvalidArgument)
		}
	})
}

func keyOfDebt(f *fixture) {
	due := time.Now().Add(time.Hour)
	f.callTwice(f.planner, "send_message", params{"to": "coder", "text": "when?", "response_deadline": due},
		params{"response_deadline": due.Add(time.Hour)}, params{"response_deadline": due.Add(time.Millisecond)},
		params{"response_deadline": nil}, params{"response_deadline": nil, "requires_response": true},
		params{"response_deadline": due.Add(-2 * time.Hour)})

	f.callTwice(f.coder, "send_message", params{"to": "planner", "text": "when?", "requires_response": true},
		params{"response_deadline": due.Add(time.Hour)}, params{"requires_response": false})
}

func keyOfAttachments(f *fixture) {
	f.callTwice(f.planner, "send_message",
		params{"to": "coder", "text": "look", "attachments": []params{{"name": "a", "n": 1}, {"name": "b"}}},
		params{"attachments": []params{{"name": "b"}, {"name": "a", "n": 1}}},
		params{"attachments": []params{{"name": "a", "n": 1}}},
		params{"attachments": []params{{"name": "a", "n": 2}, {"name": "b"}}}, params{"attachments": nil})

	file := do[parley.TransferFileResult](
		f.planner, "transfer_file", params{"recipient": "coder", "source_path": f.file("a.txt", "a")},
	).Data

	f.callTwice(f.coder, "send_message",
		params{"to": "reviewer", "text": "look", "attachments": []params{{"file_id": file.FileID}}},
		params{"attachments": []params{{"file_id": file.FileID, "page": 2}}}, params{"attachments": nil})
}

func keyOfAnswer(f *fixture) {
	question := f.planner.ask("how long?", "coder").MessageID
	other := f.planner.ask("how long?", "coder").MessageID
	f.callTwice(
		f.coder,
		"respond_to_message",
		params{
			"message_id":            question,
			"text":                  "ask reviewer",
			"status":                "delegated",
			"additional_recipients": "reviewer",
		},
		params{"status": "completed"},
		params{"message_id": other},
		params{"text": "hm"},
		params{"data": params{"n": 1}},
		params{"additional_recipients": []string{"reviewer", parley.OperatorName}},
	)

	f.callTwice(f.reviewer, "respond_to_message", params{"message_id": question, "text": "a day"},
		params{"additional_recipients": "coder"})
}

func keyOfUpdate(f *fixture) {
	content := params{"summary": "it works", "details": "all of it"}
	f.callTwice(f.planner, "broadcast_update",
		params{"update_type": "progress", "content": content, "urgency": "action_required"},
		params{"update_type": "completion"}, params{"urgency": "info"}, params{"urgency": "attention"},
		params{"content": params{"summary": "it works"}})

	f.callTwice(f.coder, "broadcast_message", params{"text": "done"}, params{"priority": "low"}, params{"urgent": true})
}

func keyOfAssistance(f *fixture) {
	due := time.Now().Add(time.Hour)
	args := func(details params) params { return params{"request_details": details} }
	f.callTwice(
		f.planner,
		"request_assistance",
		params{"assistance_type": "review", "target_agents": "coder",
			"request_details": params{"description": "look", "deadline": due, "priority": "high"}},
		params{"assistance_type": "expertise"},
		params{"target_agents": "reviewer"},
		params{"required_capabilities": []string{"go"}},
		args(params{"description": "look", "deadline": due, "priority": "low"}),
		args(params{"description": "look", "priority": "high"}),
		args(params{"description": "look", "deadline": due.Add(time.Hour), "priority": "high"}),
		args(params{"description": "look", "context": "at main.go", "deadline": due, "priority": "high"}),
	)
}

func keyOfList(f *fixture) {
	f.callTwice(f.planner, "send_message",
		params{"to": []string{"coder", "reviewer", parley.OperatorName}, "text": "hello"},
		params{"to": []string{"coder", "reviewer"}}, params{"to": []string{"coder", parley.OperatorName}},
		params{"to": "coder"})
}

func keyOfThread(f *fixture) {
	args := params{
		"title":           "the parser",
		"participants":    []string{"coder"},
		"initial_message": "who takes it?",
		"idempotency_key": "once",
	}

	first := do[parley.CreateThreadResult](f.planner, "create_thread", args)
	f.callTwice(f.planner, "create_thread", args, params{"title": "the lexer"},
		params{"participants": []string{"coder", "reviewer"}}, params{"participants": []string{}},
		params{"initial_message": "you?"}, params{"initial_message": nil})

	f.callTwice(f.coder, "create_thread", args)
	do[parley.MembershipResult](f.reviewer, "join_thread", params{"thread_id": first.Thread.ID})
	second := do[parley.CreateThreadResult](
		f.planner,
		"create_thread",
		params{"title": " the parser", "participants": []string{f.planner.id, f.coder.id},
			"initial_message": "who takes it?", "idempotency_key": "once"},
	)

	same(f.T, "second thread and post", [2]string{second.Thread.ID, second.InitialMessageID},
		[2]string{first.Thread.ID, first.InitialMessageID})

	same(f.T, "those in it now", sorted(second.Thread.ParticipantNames...), []string{"coder", "planner", "reviewer"})
	same(f.T, "threads", do[parley.ListThreadsResult](f.planner, "list_threads", nil).TotalCount, 2)
}

func sendAgain(f *fixture) {
	r := parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "once", IdempotencyKey: "k1"}
	first := do[parley.SendMessageResult](f.planner, "send_message", r)
	second := do[parley.SendMessageResult](f.planner, "send_message", r)
	same(f.T, "second message id", second.MessageID, first.MessageID)
	same(f.T, "recipients", second.DeliveryStatus, first.DeliveryStatus)
	f.coder.expectInbox("once")

	all := parley.BroadcastMessageRequest{Text: "to all, once", IdempotencyKey: "k2"}
	one := do[parley.BroadcastMessageResult](f.planner, "broadcast_message", all)
	two := do[parley.BroadcastMessageResult](f.planner, "broadcast_message", all)
	same(f.T, "second broadcast's id", two.MessageID, one.MessageID)
	same(f.T, "second broadcast's count", two.RecipientCount, one.RecipientCount)
	f.reviewer.expectInbox("to all, once")
}

// sendAnother: a key that stands for one message must not say that another was sent.
func sendAnother(f *fixture) {
	question := f.coder.ask("when?", "planner").MessageID
	do[parley.SendMessageResult](
		f.planner, "send_message", params{"to": "coder", "text": "once", "idempotency_key": "k"},
	)

	f.unchangedAfter(func() {
		for _, other := range []struct {
			op   string
			args params
		}{
			{"send_message", params{"to": "coder", "text": "other words"}},
			{"send_message", params{"to": "reviewer", "text": "once"}},
			{"send_message", params{"to": []string{"coder", "reviewer"}, "text": "once"}},
			{"send_message", params{"to": "coder", "text": "once", "data": params{"n": 1}}},
			{"broadcast_message", params{"recipients": []string{"reviewer"}, "text": "once"}},
			{"broadcast_message", params{"text": "once"}},
			{"broadcast_update", params{"update_type": "progress", "content": params{"summary": "once"}}},
			{"respond_to_message", params{"message_id": question, "text": "once"}},
			{"send_message", params{"to": "coder", "text": "once", "type": "request"}},
			{"send_message", params{"to": "coder", "text": "once", "priority": "high"}},
			{"send_message", params{"to": "coder", "text": "once", "urgent": true}},
			{"send_message", params{"to": "coder", "text": "once", "requires_response": true}},
			{"send_message", params{"to": "coder", "text": "once", "response_deadline": time.Now().Add(time.Hour)}},
			{"send_message", params{"to": "coder", "text": "once", "attachments": []params{{"name": "a"}}}},
			{"send_message", params{"to": "coder", "text": "once", "context_reference": "ticket 7"}},
			{"send_message", params{"to": "coder", "text": "once", "in_reply_to": question}},
		} {
			other.args["idempotency_key"] = "k"
			refused(f.planner, other.op, other.args, parley.InvalidArgument)
		}
	})
}

func sendKeyOfSender(f *fixture) {
	r := parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "from planner", IdempotencyKey: "same"}
	first := do[parley.SendMessageResult](f.planner, "send_message", r)
	r.Text = "from reviewer"
	second := do[parley.SendMessageResult](f.reviewer, "send_message", r)
	if first.MessageID == second.MessageID {
		f.Errorf("two senders' messages with the same key have the same id")
	}
	f.coder.expectInbox("from planner", "from reviewer")
}

func threadKey(f *fixture) {
	th := f.planner.createThread("the parser", "coder").Thread
	f.coder.takeNotices()
	r := parley.SendMessageRequest{ThreadID: th.ID, Text: "once", IdempotencyKey: "k"}
	first := do[parley.SendMessageResult](f.planner, "send_message", r)
	second := do[parley.SendMessageResult](f.planner, "send_message", r)
	same(f.T, "second message id", second.MessageID, first.MessageID)
	same(f.T, "second conversation", second.ConversationID, th.ID)
	f.coder.expectInbox("once")
}
