package parleytest

import (
	"strings"

	"parley"
)

var threadPostCases = []testCase{
	{"ThreadPostsReachTheOtherParticipants", threadPosts},
	{"ThreadPostsNeedExactlyOneAddress", threadAddress},
	{"ThreadsAreReadByParticipants", threadReading},
	{"ThreadPostsCanBeAnsweredByLateJoiners", threadAnswers},
	{"ThreadPostsAreAnsweredInTheThread", threadResponds},
	{"LateJoinersReadSearchAndAnswerEarlierPosts", threadLate},
}

func threadPosts(f *fixture) {
	th := f.planner.createThread("the parser", "coder", "reviewer").Thread
	f.coder.takeNotices()
	f.reviewer.takeNotices()
	got := f.coder.post(parley.Short(th.ID), "I take it")
	same(f.T, "conversation", got.ConversationID, th.ID)
	same(f.T, "recipients", recipients(got.DeliveryStatus), sorted(f.planner.id, f.reviewer.id))
	same(f.T, "kind", got.Object.Kind, parley.KindThread)
	same(f.T, "thread", [2]string{got.Object.ThreadID, got.Object.ThreadTitle}, [2]string{th.ID, "the parser"})
	for _, part := range []string{parley.Short(th.ID), "the parser"} {
		if !strings.Contains(got.Status, part) {
			f.Errorf("the status is %q, want %q in it", got.Status, part)
		}
	}

	for _, d := range got.Deliveries {
		same(f.T, "conversation of a delivery", d.ConversationID, th.ID)
	}

	f.planner.expectInbox("I take it")
	f.reviewer.expectInbox("I take it")
	f.coder.expectInbox()
	plain := f.reviewer.getMessages(parley.GetMessagesRequest{})
	if plain.Messages[0].Content.Text != "I take it" || plain.Messages[0].ThreadID != th.ID ||
		plain.Messages[0].ConversationID != th.ID {
		f.Errorf("get_messages shows %+v", plain.Messages[0])
	}

	same(f.T, "history", len(f.planner.history(parley.HistoryRequest{With: "coder"}).Messages), 0)
}

func threadAddress(f *fixture) {
	th := f.planner.createThread("t", "coder").Thread
	f.coder.takeNotices()
	f.unchanged(func() {
		refused(f.planner, "send_message", params{"thread_id": th.ID, "to": "coder", "text": "hello"},
			parley.InvalidArgument, parley.InvalidRecipient)

		refused(f.planner, "send_message", params{"text": "hello"}, parley.InvalidArgument, parley.InvalidRecipient)
		refused(f.planner, "send_message", params{"thread_id": "", "text": "hello"}, parley.InvalidArgument,
			parley.InvalidRecipient)

		refused(f.reviewer, "send_message", params{"thread_id": th.ID, "text": "hello"}, parley.NotAParticipant)
		refused(f.planner, "send_message", params{"thread_id": th.ID, "text": ""}, parley.InvalidArgument)
		refused(f.planner, "send_message", params{"thread_id": th.ID, "text": strings.Repeat("a", 2001)},
			parley.MessageTooLong)
	})

	do[parley.SendMessageResult](f.planner, "send_message", params{"thread_id": "", "to": "coder", "text": "to you"})
	do[parley.SendMessageResult](
		f.planner, "send_message", params{"thread_id": th.ID, "recipient_id": "", "text": "to the thread"},
	)

	f.coder.expectInbox("to you", "to the thread")
}

func threadReading(f *fixture) {
	th := f.planner.createThread("the parser", "coder").Thread
	f.planner.post(th.ID, "one")
	f.coder.post(th.ID, "two")
	refused(f.reviewer, "get_messages", params{"thread_id": th.ID}, parley.NotAParticipant)
	refused(f.reviewer, "get_message_status", params{"message_id": f.planner.post(th.ID, "three").MessageID},
		parley.MessageNotFound)

	page := f.coder.getMessages(parley.GetMessagesRequest{
		ThreadID: th.ID,
		Filters:  &parley.MessageFilters{Senders: []string{"planner"}, UnreadOnly: true},
	})

	same(f.T, "filtered, newest first", messageTexts(page.Messages), []string{"three", "one"})
	same(f.T, "counts", [2]int{page.TotalCount, page.UnreadCount}, [2]int{2, 2})
	f.coder.send("not of the thread", "planner")
	page = f.planner.getMessages(parley.GetMessagesRequest{ThreadID: th.ID, Limit: 2})
	same(f.T, "newest first", messageTexts(page.Messages), []string{"three", "two"})
	same(f.T, "what is read: one's own is", [2]bool{page.Messages[0].ReadStatus, page.Messages[1].ReadStatus},
		[2]bool{true, false})

	f.planner.expectInbox("not of the thread")

	before := func(id string) *parley.MessageFilters { return &parley.MessageFilters{Before: id} }
	three, two := page.Messages[0].MessageID, page.Messages[1].MessageID
	same(
		f.T,
		"one before the third",
		messageTexts(
			f.planner.getMessages(parley.GetMessagesRequest{ThreadID: th.ID, Limit: 1, Filters: before(three)}).
				Messages,
		),
		[]string{"two"},
	)

	back := f.planner.getMessages(
		parley.GetMessagesRequest{ThreadID: th.ID, Filters: before(two), SortOrder: "oldest_first"},
	)
	same(f.T, "before the second", messageTexts(back.Messages)[1:], []string{"one"})
	same(f.T, "of all", back.TotalCount, page.TotalCount)
	refused(f.planner, "get_messages", params{"filters": params{"before": three}}, parley.InvalidArgument)
	refused(f.planner, "get_messages", params{"thread_id": th.ID, "filters": params{"before": "00000bad"}},
		parley.MessageNotFound)

	do[parley.MembershipResult](f.reviewer, "join_thread", params{"thread_id": th.ID})
	same(f.T, "what a late one reads", f.reviewer.threadTexts(th.ID), []string{"one", "two", "three"})
	late := f.reviewer.getMessages(parley.GetMessagesRequest{ThreadID: th.ID, Limit: 100})
	same(f.T, "unread of a late one: the word of its joining", late.UnreadCount, 1)
	same(f.T, "unread when all was fetched",
		f.reviewer.getMessages(parley.GetMessagesRequest{ThreadID: th.ID}).UnreadCount, 0)
	do[parley.MembershipResult](
		f.reviewer, "remove_participant_from_thread", params{"thread_id": th.ID, "agent_id_to_remove": "reviewer"},
	)

	refused(f.reviewer, "get_messages", params{"thread_id": th.ID}, parley.NotAParticipant)
}

func threadAnswers(f *fixture) {
	th := f.planner.createThread("the parser", "coder").Thread
	question := f.planner.post(th.ID, "who takes it?").MessageID
	answer := params{"thread_id": th.ID, "text": "I do", "in_reply_to": question}
	refused(f.reviewer, "send_message", params{"to": "planner", "text": "I do", "in_reply_to": question},
		parley.MessageNotFound)

	do[parley.MembershipResult](f.reviewer, "join_thread", params{"thread_id": th.ID})
	got := do[parley.SendMessageResult](f.reviewer, "send_message", answer)
	same(f.T, "in_reply_to", got.Object.InReplyTo, question)
	same(f.T, "status seen by a late one", f.reviewer.status(question).Object.Text, "who takes it?")
}

func threadResponds(f *fixture) {
	th := f.planner.createThread("the parser", "coder", "reviewer").Thread
	f.coder.takeNotices()
	f.reviewer.takeNotices()
	ask := func(text string) string {
		return do[parley.SendMessageResult](
			f.planner, "send_message", params{"thread_id": th.ID, "text": text, "requires_response": true},
		).MessageID
	}

	first := ask("who takes it?")
	same(f.T, "what coder owes", f.owed(f.coder), [2]int{1, 0})
	got := f.coder.respond(
		parley.RespondToMessageRequest{MessageID: first, Text: "I do", Status: parley.ResponseCompleted},
	)

	same(f.T, "delivered to", recipients(got.DeliveryStatus), sorted(f.planner.id, f.reviewer.id))
	same(f.T, "updated", got.OriginalUpdated, true)
	same(f.T, "what coder owes", f.owed(f.coder), [2]int{})
	same(f.T, "what reviewer owes", f.owed(f.reviewer), [2]int{1, 0})
	do[parley.SendMessageResult](
		f.reviewer, "send_message", params{"thread_id": th.ID, "text": "not I", "in_reply_to": first},
	)

	same(f.T, "what reviewer owes after a plain post", f.owed(f.reviewer), [2]int{})
	same(f.T, "the thread", f.planner.threadTexts(th.ID), []string{"who takes it?", "I do", "not I"})

	second := ask("until when?")
	do[parley.MembershipResult](
		f.coder, "remove_participant_from_thread", params{"thread_id": th.ID, "agent_id_to_remove": "coder"},
	)

	got = f.coder.respond(
		parley.RespondToMessageRequest{MessageID: second, Text: "I am out", Status: parley.ResponseUnable},
	)

	same(f.T, "delivered to, by one who left", recipients(got.DeliveryStatus), []string{f.planner.id})
	same(f.T, "what coder owes", f.owed(f.coder), [2]int{})
}

// What came before one joined is read, and may be found, marked and answered.
func threadLate(f *fixture) {
	th := f.planner.createThread("the parser", "coder").Thread
	old := f.planner.post(th.ID, "who takes the grammar?").MessageID
	find := func(m member) (ids []string) {
		page := do[parley.SearchMessagesResult](m, "search_messages", params{"query": "grammar"})
		for _, found := range page.Messages {
			ids = append(ids, found.MessageID)
			same(f.T, "conversation of what is found", found.ConversationID, th.ID)
		}
		return ids
	}

	mark := func(m member, ids ...string) [3][]string {
		res := do[parley.MarkMessageReadResult](m, "mark_message_read", params{"message_ids": ids})
		return [3][]string{res.MarkedRead, res.AlreadyRead, res.NotFound}
	}

	same(f.T, "found by a stranger", find(f.reviewer), nil)
	same(f.T, "marked by a stranger", mark(f.reviewer, old), [3][]string{{}, {}, {old}})
	refused(f.reviewer, "respond_to_message", params{"message_id": old, "text": "I do"}, parley.MessageNotFound)
	refused(f.reviewer, "ignore_message", params{"message_id": old}, parley.MessageNotFound)

	do[parley.MembershipResult](f.reviewer, "join_thread", params{"thread_id": th.ID})
	same(f.T, "found by a late one", find(f.reviewer), []string{old})
	same(f.T, "marked by a late one", mark(f.reviewer, old, old), [3][]string{{}, {old}, {}})
	same(f.T, "marked by its sender", mark(f.planner, old), [3][]string{{}, {}, {old}})
	do[parley.IgnoreMessageResult](f.reviewer, "ignore_message", params{"message_id": old})
	refused(f.reviewer, "respond_to_message", params{"message_id": old, "text": "I do", "status": "completed"},
		parley.ResponseNotRequired)

	answer := f.reviewer.respond(parley.RespondToMessageRequest{MessageID: old, Text: "I do"})
	same(f.T, "it goes to", recipients(answer.DeliveryStatus), sorted(f.planner.id, f.coder.id))
	same(f.T, "the thread", f.coder.threadTexts(th.ID), []string{"who takes the grammar?", "I do"})
	same(f.T, "updated", answer.OriginalUpdated, false)
	do[parley.SendMessageResult](
		f.reviewer, "send_message", params{"to": "planner", "text": "do you agree?", "in_reply_to": old},
	)

	refused(f.planner, "respond_to_message", params{"message_id": old, "text": "to myself"}, parley.NotAuthorized)

	do[parley.MembershipResult](
		f.reviewer, "remove_participant_from_thread", params{"thread_id": th.ID, "agent_id_to_remove": "reviewer"},
	)

	same(f.T, "found by one who left", find(f.reviewer), nil)
	same(f.T, "marked by one who left", mark(f.reviewer, old), [3][]string{{}, {}, {old}})
}
