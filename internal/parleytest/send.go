package parleytest

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"parley"
	"parley/op"
	"parley/plain"
)

var sendCases = []testCase{
	{"SendGivesAFullReceipt", sendReceipt},
	{"SendFindsNameIDAndPrefix", sendFinds},
	{"SendToUnknownStoresNothing", sendUnknown},
	{"SendToOneselfIsRefused", sendToOneself},
	{"SendToSeveral", sendToSeveral},
	{"SendToAllSkipsSenderAndOperator", sendToAll},
	{"SendToAndFromTheOperator", sendOperator},
	{"SendRefusesTooLongText", sendTooLong},
	{"SendRefusesEmptyText", sendEmpty},
	{"SendCleansText", sendCleans},
	{"SendUrgent", sendUrgent},
	{"SendInReplyTo", sendAnswers},
	{"SendInReplyToOthersMessagesIsRefused", sendAnswersOwn},
	{"SendKeepsDataAndReference", sendKeepsData},
	{"SendAsSomeoneElseIsRefused", sendAsOther},
	{"SendDoesNotWaitForAMailbox", sendDoesNotWait},
	{"SendMessageMethodDoesTheSame", sendDirectly},
	{"ConcurrentSendersKeepTheirOrder", sendConcurrently},
}

func sendReceipt(f *fixture) {
	got := f.planner.send("please look at main.go", "coder")
	if len(got.MessageID) != 36 || got.Timestamp.IsZero() || got.Object == nil {
		f.Fatalf("the receipt is %+v", got)
	}

	same(f.T, "answer", got.Answer, parley.OK)
	same(f.T, "status", got.Status, "Message sent to coder!")
	same(f.T, "message", got.Message, "Message sent to agent "+parley.Short(f.coder.id))
	same(f.T, "conversation", got.ConversationID, parley.ConversationID(f.planner.id, f.coder.id))
	same(f.T, "delivery status", got.DeliveryStatus, parley.DeliveryStatus{
		DeliveredTo:     []string{f.coder.id},
		FailedDelivery:  []string{},
		PendingDelivery: []string{},
	})

	want := parley.Message{
		ID:         got.MessageID,
		Kind:       parley.KindDirect,
		Type:       parley.TypeInformation,
		Priority:   parley.PriorityNormal,
		SenderID:   f.planner.id,
		Sender:     "planner",
		Recipients: []string{f.coder.id},
		Text:       "please look at main.go",
		Timestamp:  got.Object.Timestamp,
		ChainID:    got.MessageID,
		Hop:        1,
	}

	object := *got.Object
	object.SenderRole = ""
	same(f.T, "message object", object, want)
	if len(got.Deliveries) != 1 {
		f.Fatalf("deliveries: %+v", got.Deliveries)
	}

	d := got.Deliveries[0]
	same(
		f.T,
		"delivery",
		parley.Delivery{
			MessageID:      d.MessageID,
			RecipientID:    d.RecipientID,
			Recipient:      d.Recipient,
			ConversationID: d.ConversationID,
			State:          d.State,
		},
		parley.Delivery{
			MessageID:      got.MessageID,
			RecipientID:    f.coder.id,
			Recipient:      "coder",
			ConversationID: got.ConversationID,
			State:          parley.DeliverySubmitted,
		},
	)

	f.coder.expectInbox("please look at main.go")
	f.reviewer.expectInbox()
}

func sendFinds(f *fixture) {
	for _, ref := range []string{"coder", "Coder", f.coder.id, f.coder.id[:8]} {
		got := f.planner.send("to "+ref, ref)
		same(f.T, "recipient of "+ref, got.DeliveryStatus.DeliveredTo, []string{f.coder.id})
	}
	same(f.T, "messages that came", len(f.coder.inbox()), 4)
}

func sendUnknown(f *fixture) {
	f.unchanged(func() {
		for _, to := range [][]string{
			{"nobody"}, {"coder", "nobody"}, {f.coder.id[:7]}, {"ffffffff-0000-4000-8000-000000000000"},
		} {
			refused(f.planner, "send_message", params{"to": to, "text": "hello"}, parley.AgentNotFound)
		}
	})
}

func sendToOneself(f *fixture) {
	f.unchanged(func() {
		for _, to := range [][]string{
			{"planner"}, {"PLANNER"}, {f.planner.id}, {f.planner.id[:8]}, {"coder", "planner"},
		} {
			refused(f.planner, "send_message", params{"to": to, "text": "hello"}, parley.InvalidRecipient)
		}
	})
}

func sendToSeveral(f *fixture) {
	got := f.planner.send("to both", "coder", "reviewer", f.coder.id)
	same(f.T, "recipients", recipients(got.DeliveryStatus), sorted(f.coder.id, f.reviewer.id))
	f.coder.expectInbox("to both")
	f.reviewer.expectInbox("to both")
	same(f.T, "message id", f.coder.inbox()[0].MessageID, f.reviewer.inbox()[0].MessageID)
	refused(f.planner, "send_message", params{"to": []string{}, "text": "hello"}, parley.InvalidArgument)
}

func sendToAll(f *fixture) {
	got := f.planner.send("to everyone", parley.Everyone)
	same(f.T, "recipients", recipients(got.DeliveryStatus), sorted(f.coder.id, f.reviewer.id))
	f.planner.expectInbox()
	f.operator.expectInbox()
}

func sendOperator(f *fixture) {
	got := f.planner.send("may I?", parley.OperatorName)
	same(f.T, "delivered", len(got.DeliveryStatus.DeliveredTo), 1)
	f.operator.expectInbox("may I?")
	f.operator.send("you may", "planner")
	inbox := f.planner.inbox()
	if len(inbox) != 1 || inbox[0].Sender != parley.OperatorName || inbox[0].Content != "you may" {
		f.Errorf("planner's inbox is %+v", inbox)
	}
}

func sendTooLong(f *fixture) {
	f.unchanged(func() {
		for _, c := range []string{"a", "語", "é"} {
			refused(f.planner, "send_message", params{"to": "coder", "text": strings.Repeat(c, 2001)},
				parley.MessageTooLong)
			refused(f.planner, "broadcast_message", params{"text": strings.Repeat(c, 2001)}, parley.MessageTooLong)
		}
	})
	long := []string{strings.Repeat("a", 2000), strings.Repeat("語", 2000), strings.Repeat("😀", 2000)}
	for _, text := range long {
		f.planner.send(text, "coder")
	}
	f.coder.expectInbox(long...)
}

func sendEmpty(f *fixture) {
	f.unchanged(func() {
		for _, text := range []string{"", " ", "\n\n\t ", "\x1b", "\x00\x07\x7f", "\u202e\u2066", "\u200b\ufeff"} {
			refused(f.planner, "send_message", params{"to": "coder", "text": text}, parley.InvalidArgument)
			refused(f.planner, "broadcast_message", params{"text": text}, parley.InvalidArgument)
		}
		refused(f.planner, "send_message", params{"to": "coder"}, parley.InvalidArgument)
	})
}

func sendCleans(f *fixture) {
	const raw = "one\x1b[201~two\r\nthree\rfour\x00\x9b31m\u202efive \n\n"
	got := f.planner.send(raw, "coder")
	same(f.T, "text of the receipt", got.Object.Text, plain.Clean(raw))
	f.coder.expectInbox(plain.Clean(raw))
	if text := f.coder.inbox()[0].Content; strings.ContainsAny(text, "\x1b\r\x00\u009b\u202e") {
		f.Errorf("the text still holds control characters: %q", text)
	}
}

func sendUrgent(f *fixture) {
	for _, r := range []params{{"urgent": true}, {"priority": "urgent"}, {"urgent": true, "priority": "low"}} {
		r["to"], r["text"] = "coder", "now"
		got := do[parley.SendMessageResult](f.planner, "send_message", r)
		same(f.T, "priority", got.Object.Priority, parley.PriorityUrgent)
	}

	for _, m := range f.coder.inbox() {
		same(f.T, "priority in the inbox", m.Priority, parley.PriorityUrgent)
	}

	got := do[parley.SendMessageResult](
		f.planner, "send_message", params{"to": "coder", "text": "later", "priority": "low", "type": "request"},
	)

	same(f.T, "priority", got.Object.Priority, parley.PriorityLow)
	same(f.T, "type", got.Object.Type, parley.TypeRequest)
}

func sendAnswers(f *fixture) {
	question := f.planner.send("is it done?", "coder")
	for _, ref := range []string{question.MessageID, question.MessageID[:8]} {
		answer := do[parley.SendMessageResult](f.coder, "send_message",
			parley.SendMessageRequest{To: parley.Names{"planner"}, Text: "yes", InReplyTo: ref})
		same(f.T, "in_reply_to", answer.Object.InReplyTo, question.MessageID)
	}
	same(f.T, "in_reply_to in the inbox", f.planner.inbox()[0].InReplyTo, question.MessageID)
}

func sendAnswersOwn(f *fixture) {
	secret := f.planner.send("between us", "coder")
	for _, ref := range []string{"00000000-0000-4000-8000-000000000000", "nonsense", secret.MessageID} {
		refused(f.reviewer, "send_message", params{"to": "planner", "text": "what?", "in_reply_to": ref},
			parley.MessageNotFound)
	}
	f.planner.expectInbox()
}

func sendKeepsData(f *fixture) {
	do[parley.SendMessageResult](f.planner, "send_message", params{"recipient": "coder",
		"content": params{
			"text":        "see data",
			"data":        params{"big": json.Number("12345678901234567890"), "list": []int{1}},
			"attachments": []string{},
		},
		"context_reference": "ticket 7", "message_type": "coordination"})

	got := f.coder.getMessages(parley.GetMessagesRequest{}).Messages
	if len(got) != 1 {
		f.Fatalf("messages: %+v", got)
	}

	same(f.T, "text", got[0].Content.Text, "see data")
	same(f.T, "data", compact(string(got[0].Content.Data)), `{"big":12345678901234567890,"list":[1]}`)
	same(f.T, "context_reference", got[0].ContextReference, "ticket 7")
	same(f.T, "type", got[0].MessageType, parley.TypeCoordination)
}

func sendAsOther(f *fixture) {
	f.unchanged(func() {
		refused(f.planner, "send_message", params{"to": "coder", "text": "hello", "sender_agent_id": f.reviewer.id},
			parley.NotAuthorized)

		refused(f.planner, "broadcast_message", params{"text": "hello", "sender_id": "reviewer"}, parley.NotAuthorized)
		refused(f.planner, "check_inbox", params{"agent_id": f.coder.id}, parley.NotAuthorized)
	})

	do[parley.SendMessageResult](
		f.planner, "send_message", params{"to": "coder", "text": "it is me", "sender_agent_id": f.planner.id},
	)

	f.coder.expectInbox("it is me")
}

func sendDoesNotWait(f *fixture) {
	f.within("send_message with wait_seconds to a mailbox", func() {
		got := do[parley.SendMessageResult](f.planner, "send_message",
			parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "hello", WaitSeconds: 60})
		same(f.T, "delivered", got.DeliveryStatus.DeliveredTo, []string{f.coder.id})
	})
}

func sendDirectly(f *fixture) {
	r := parley.SendMessageRequest{
		To:       parley.Names{"coder"},
		Text:     "a complete request",
		Type:     parley.TypeRequest,
		Priority: parley.PriorityHigh,
	}

	got, err := op.SendMessage.Call(f.planner.ctx(), f.planner.service, r)
	if err != nil {
		f.Fatal(err)
	}

	conforms(f.planner, "send_message", got)
	f.coder.expectInbox("a complete request")
	r.To = parley.Names{"nobody"}
	_, err = op.SendMessage.Call(f.planner.ctx(), f.planner.service, r)
	same(f.T, "code", parley.ErrorCode(err), parley.AgentNotFound)
}

func sendConcurrently(f *fixture) {
	const senders, each = 4, 10
	from := []member{f.planner, f.reviewer, f.operator, f.planner}
	var ids sync.Map
	var all sync.WaitGroup
	for s := range senders {
		all.Go(func() {
			for n := range each {
				got, err := invoke(from[s], "send_message", params{"to": "coder", "text": fmt.Sprintf("%d/%d", s, n)})
				if err != nil {
					f.Errorf("sender %d: %v", s, err)
					return
				}
				ids.Store(got.(*parley.SendMessageResult).MessageID, true)
			}
		})
	}

	all.Wait()
	different := 0
	ids.Range(func(any, any) bool { different++; return true })
	same(f.T, "different message ids", different, senders*each)
	next := make([]int, senders)
	for _, text := range inboxTexts(f.coder.inbox()) {
		var s, n int
		if _, err := fmt.Sscanf(text, "%d/%d", &s, &n); err != nil {
			f.Fatalf("the inbox holds %q", text)
		}
		same(f.T, fmt.Sprintf("next message of sender %d", s), n, next[s])
		next[s] = n + 1
	}

	same(f.T, "messages per sender", next, []int{each, each, each, each})
}
