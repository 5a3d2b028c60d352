package parleytest

import (
	"strings"

	"parley"
)

var threads = []testCase{
	{"ThreadsBeginWithTheirCreatorAndTellTheOthers", threadCreated},
	{"ThreadsTakeTheSeedsCalls", threadSeedCalls},
	{"ThreadsOfUnknownAgentsAreNotCreated", threadUnknown},
	{"ThreadPostsReachTheOthersInIt", threadPosts},
	{"ThreadPostsWantExactlyOneAddress", threadAddress},
	{"ThreadsAreReadByThoseInThem", threadReading},
	{"ThreadsAreListedByActivity", threadListing},
	{"JoiningAThreadIsToldToAllInIt", threadJoin},
	{"AddingToAThreadIsForThoseInIt", threadAdd},
	{"RemovingFromAThread", threadRemove},
	{"ThreadOperatorSeesAndPostsEverywhere", threadOperator},
	{"ThreadEventsAreForThoseInIt", threadEvents},
	{"ThreadPostsCanBeAnsweredByWhoeverReadsThem", threadAnswers},
	{"ThreadPostsAreAnsweredInTheThread", threadResponds},
	{"ThreadPostsAreForThoseWhoJoinLaterToo", threadLate},
	{"ThreadPostsAreStoredOncePerKey", threadKey},
	{"ThreadMembersComeAndGoAtTheSameTime", threadConcurrently},
	{"ThreadTitlesAreOneLine", threadTitle},
}

func (m member) opens(title string, participants ...string) *parley.CreateThreadResult {
	m.Helper()
	return do[parley.CreateThreadResult](
		m,
		"create_thread",
		parley.CreateThreadRequest{Title: title, Participants: append(parley.Names{}, participants...)},
	)
}

func (m member) posts(thread, text string) *parley.SendMessageResult {
	m.Helper()
	return do[parley.SendMessageResult](m, "send_message", parley.SendMessageRequest{ThreadID: thread, Text: text})
}

func (m member) thread(id string) parley.Thread {
	m.Helper()
	res := do[parley.ThreadDetailsResult](m, "get_thread_details", parley.ThreadDetailsRequest{ThreadID: id})
	same(m.T, "the object beside the fields", res.Thread, res.Object)
	return res.Object
}

// reads returns the texts that get_messages shows of a thread, oldest first, parley's
// own left out.
func (m member) reads(thread string) []string {
	m.Helper()
	list := []string{}
	for _, msg := range m.get(parley.GetMessagesRequest{ThreadID: thread, SortOrder: "oldest_first", Limit: 100}).Messages {
		if msg.SenderName != parley.SystemName {
			list = append(list, msg.Content.Text)
		}
	}
	return list
}

// told returns what parley itself said to m since the last time, and marks all as read.
func (m member) told() []string {
	m.Helper()
	list := []string{}
	for _, msg := range m.inbox() {
		if msg.Sender == parley.SystemName {
			list = append(list, msg.Content)
		}
	}
	m.get(parley.GetMessagesRequest{Limit: 100})
	return list
}

// toldOf expects one word of parley's with these parts; none for no parts.
func (m member) toldOf(parts ...string) {
	m.Helper()
	got := m.told()
	if len(parts) == 0 && len(got) == 0 {
		return
	}

	if len(parts) == 0 || len(got) != 1 {
		m.Errorf("%s was told %q, want one word with %q", m.name, got, parts)
		return
	}

	for _, part := range parts {
		if !strings.Contains(got[0], part) {
			m.Errorf("%s was told %q, want %q in it", m.name, got[0], part)
		}
	}
}

func threadCreated(f *fixture) {
	got := do[parley.CreateThreadResult](
		f.planner,
		"create_thread",
		params{"title": "the parser", "participants": []string{"coder", f.coder.id, "planner"},
			"initial_message": "who takes it?"},
	)

	same(f.T, "answer", got.Answer, parley.OK)
	th := got.Thread
	if len(th.ID) != 36 || th.CreatedAt.IsZero() || th.LastMessageAt.Before(th.CreatedAt) || got.Message == "" {
		f.Errorf("the answer is %+v", got)
	}

	same(f.T, "title", th.Title, "the parser")
	same(f.T, "creator", [2]string{th.CreatorID, th.Creator}, [2]string{f.planner.id, "planner"})
	same(f.T, "participants", sorted(th.Participants...), sorted(f.planner.id, f.coder.id))
	same(f.T, "their names", sorted(th.ParticipantNames...), []string{"coder", "planner"})
	for _, ref := range []string{th.ID, parley.Short(th.ID)} {
		same(f.T, "details", f.reviewer.thread(ref), th)
	}

	first := f.coder.inbox()
	if len(first) != 2 || first[1].MessageID != got.InitialMessageID || first[1].Content != "who takes it?" ||
		first[1].ThreadID != th.ID || first[1].ConversationID != th.ID || first[0].ConversationID != th.ID {
		f.Errorf("coder's inbox is %+v", first)
	}

	f.coder.toldOf("planner opened", parley.Short(th.ID), "the parser", "coder")
	f.planner.expectInbox()
	f.reviewer.expectInbox()
	same(f.T, "what the thread holds", f.planner.reads(th.ID), []string{"who takes it?"})
}

func threadSeedCalls(f *fixture) {
	th := do[parley.CreateThreadResult](
		f.planner,
		"create_thread",
		params{"creator_id": f.planner.id, "title": "t", "participants": []string{f.coder.id}},
	).Thread

	do[parley.MembershipResult](f.reviewer, "join_thread", params{"thread_id": th.ID, "agent_id": f.reviewer.id})
	do[parley.ThreadDetailsResult](f.coder, "get_thread_details", params{"thread_id": th.ID})
	do[parley.SendMessageResult](
		f.coder,
		"send_message",
		params{"sender_id": f.coder.id, "thread_id": th.ID, "content": "hello", "urgent": true},
	)

	do[parley.GetMessagesResult](
		f.planner,
		"get_messages",
		params{"agent_id": f.planner.id, "thread_id": th.ID, "limit": 10},
	)

	do[parley.MembershipResult](
		f.planner,
		"remove_participant_from_thread",
		params{"thread_id": th.ID, "agent_id_to_remove": f.reviewer.id, "removing_agent_id": f.planner.id},
	)

	do[parley.MembershipResult](
		f.coder,
		"add_participant_to_thread",
		params{"thread_id": th.ID, "agent_id_to_add": f.reviewer.id, "inviting_agent_id": f.coder.id},
	)

	same(
		f.T,
		"participants",
		sorted(f.planner.thread(th.ID).Participants...),
		sorted(f.planner.id, f.coder.id, f.reviewer.id),
	)

	refused(
		f.planner,
		"create_thread",
		params{"creator_id": f.coder.id, "title": "t", "participants": []string{}},
		parley.NotAuthorized,
	)

	refused(f.planner, "join_thread", params{"thread_id": th.ID, "agent_id": f.coder.id}, parley.NotAuthorized)
	alone := do[parley.CreateThreadResult](
		f.planner,
		"create_thread",
		params{"title": "alone", "participants": []string{}},
	)

	same(f.T, "participants of one alone", alone.Thread.Participants, []string{f.planner.id})
	same(f.T, "delivered by a post that nobody gets", f.planner.posts(alone.Thread.ID, "hm").DeliveryStatus,
		parley.DeliveryStatus{DeliveredTo: []string{}, FailedDelivery: []string{}, PendingDelivery: []string{}})
}

func threadUnknown(f *fixture) {
	f.unchanged(func() {
		refused(
			f.planner,
			"create_thread",
			params{"title": "t", "participants": []string{"coder", "nobody"}},
			parley.AgentNotFound,
		)

		refused(f.planner, "create_thread", params{"title": "t"}, parley.InvalidArgument)
		refused(f.planner, "create_thread", params{"participants": []string{"coder"}}, parley.InvalidArgument)
		refused(
			f.planner,
			"create_thread",
			params{"title": " \n", "participants": []string{"coder"}},
			parley.InvalidArgument,
		)

		refused(
			f.planner,
			"create_thread",
			params{"title": chars("a", 201), "participants": []string{"coder"}},
			parley.InvalidArgument,
		)

		refused(
			f.planner,
			"create_thread",
			params{"title": "t", "participants": []string{"coder"}, "initial_message": chars("a", 2001)},
			parley.MessageTooLong,
		)

		for _, id := range []string{"00000000-0000-4000-8000-000000000000", "short", ""} {
			code := parley.ThreadNotFound
			if id == "" {
				code = parley.InvalidArgument
			}

			refused(f.planner, "get_thread_details", params{"thread_id": id}, code)
			refused(f.planner, "join_thread", params{"thread_id": id}, code)
			refused(f.planner, "add_participant_to_thread", params{"thread_id": id, "agent_id_to_add": "coder"}, code)
			refused(
				f.planner,
				"remove_participant_from_thread",
				params{"thread_id": id, "agent_id_to_remove": "coder"},
				code,
			)

			refused(f.planner, "send_message", params{"thread_id": id, "text": "hello"}, code)
		}

		refused(
			f.planner,
			"get_messages",
			params{"thread_id": "00000000-0000-4000-8000-000000000000"},
			parley.ThreadNotFound,
		)
	})

	same(f.T, "threads", do[parley.ListThreadsResult](f.planner, "list_threads", nil).TotalCount, 0)
}

func threadPosts(f *fixture) {
	th := f.planner.opens("the parser", "coder", "reviewer").Thread
	f.coder.told()
	f.reviewer.told()
	got := f.coder.posts(parley.Short(th.ID), "I take it")
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
	plain := f.reviewer.get(parley.GetMessagesRequest{})
	if plain.Messages[0].Content.Text != "I take it" || plain.Messages[0].ThreadID != th.ID ||
		plain.Messages[0].ConversationID != th.ID {
		f.Errorf("get_messages shows %+v", plain.Messages[0])
	}

	same(f.T, "history", len(f.planner.history(parley.HistoryRequest{With: "coder"}).Messages), 0)
}

func threadAddress(f *fixture) {
	th := f.planner.opens("t", "coder").Thread
	f.coder.told()
	f.unchanged(func() {
		refused(
			f.planner,
			"send_message",
			params{"thread_id": th.ID, "to": "coder", "text": "hello"},
			parley.InvalidArgument,
			parley.InvalidRecipient,
		)

		refused(f.planner, "send_message", params{"text": "hello"}, parley.InvalidArgument, parley.InvalidRecipient)
		refused(
			f.planner,
			"send_message",
			params{"thread_id": "", "text": "hello"},
			parley.InvalidArgument,
			parley.InvalidRecipient,
		)

		refused(f.reviewer, "send_message", params{"thread_id": th.ID, "text": "hello"}, parley.NotAParticipant)
		refused(f.planner, "send_message", params{"thread_id": th.ID, "text": ""}, parley.InvalidArgument)
		refused(f.planner, "send_message", params{"thread_id": th.ID, "text": chars("a", 2001)}, parley.MessageTooLong)
	})

	do[parley.SendMessageResult](f.planner, "send_message", params{"thread_id": "", "to": "coder", "text": "to you"})
	do[parley.SendMessageResult](
		f.planner,
		"send_message",
		params{"thread_id": th.ID, "recipient_id": "", "text": "to the thread"},
	)

	f.coder.expectInbox("to you", "to the thread")
}

func threadReading(f *fixture) {
	th := f.planner.opens("the parser", "coder").Thread
	f.planner.posts(th.ID, "one")
	f.coder.posts(th.ID, "two")
	refused(f.reviewer, "get_messages", params{"thread_id": th.ID}, parley.NotAParticipant)
	refused(
		f.reviewer,
		"get_message_status",
		params{"message_id": f.planner.posts(th.ID, "three").MessageID},
		parley.MessageNotFound,
	)

	page := f.coder.get(
		parley.GetMessagesRequest{
			ThreadID: th.ID,
			Filters:  &parley.MessageFilters{Senders: []string{"planner"}, UnreadOnly: true},
		},
	)

	same(f.T, "filtered, newest first", texts(page.Messages), []string{"three", "one"})
	same(f.T, "counts", [2]int{page.TotalCount, page.UnreadCount}, [2]int{2, 2})
	f.coder.send("not of the thread", "planner")
	page = f.planner.get(parley.GetMessagesRequest{ThreadID: th.ID, Limit: 2})
	same(f.T, "newest first", texts(page.Messages), []string{"three", "two"})
	same(
		f.T,
		"what is read: one's own is",
		[2]bool{page.Messages[0].ReadStatus, page.Messages[1].ReadStatus},
		[2]bool{true, false},
	)

	f.planner.expectInbox("not of the thread")

	before := func(id string) *parley.MessageFilters { return &parley.MessageFilters{Before: id} }
	three, two := page.Messages[0].MessageID, page.Messages[1].MessageID
	same(
		f.T,
		"one before the third",
		texts(f.planner.get(parley.GetMessagesRequest{ThreadID: th.ID, Limit: 1, Filters: before(three)}).Messages),
		[]string{"two"},
	)

	back := f.planner.get(parley.GetMessagesRequest{ThreadID: th.ID, Filters: before(two), SortOrder: "oldest_first"})
	same(f.T, "before the second", texts(back.Messages)[1:], []string{"one"})
	same(f.T, "of all", back.TotalCount, page.TotalCount)
	refused(f.planner, "get_messages", params{"filters": params{"before": three}}, parley.InvalidArgument)
	refused(
		f.planner,
		"get_messages",
		params{"thread_id": th.ID, "filters": params{"before": "00000bad"}},
		parley.MessageNotFound,
	)

	do[parley.MembershipResult](f.reviewer, "join_thread", params{"thread_id": th.ID})
	same(f.T, "what a late one reads", f.reviewer.reads(th.ID), []string{"one", "two", "three"})
	late := f.reviewer.get(parley.GetMessagesRequest{ThreadID: th.ID, Limit: 100})
	same(f.T, "unread of a late one: the word of its joining", late.UnreadCount, 1)
	same(f.T, "unread when all was fetched", f.reviewer.get(parley.GetMessagesRequest{ThreadID: th.ID}).UnreadCount, 0)
	do[parley.MembershipResult](
		f.reviewer,
		"remove_participant_from_thread",
		params{"thread_id": th.ID, "agent_id_to_remove": "reviewer"},
	)

	refused(f.reviewer, "get_messages", params{"thread_id": th.ID}, parley.NotAParticipant)
}

func threadListing(f *fixture) {
	one := f.planner.opens("one", "coder").Thread
	two := f.reviewer.opens("two").Thread
	ids := func(m member, args any) (list []string, total int) {
		res := do[parley.ListThreadsResult](m, "list_threads", args)
		for _, th := range res.Threads {
			list = append(list, th.ID)
		}
		return list, res.TotalCount
	}

	got, total := ids(f.coder, nil)
	same(f.T, "threads, the last active first", got, []string{two.ID, one.ID})
	same(f.T, "total", total, 2)
	f.coder.posts(one.ID, "again")
	got, total = ids(f.coder, params{"limit": 1})
	same(f.T, "the last active", got, []string{one.ID})
	same(f.T, "total", total, 2)
	got, total = ids(f.coder, params{"mine": true})
	same(f.T, "coder's own", got, []string{one.ID})
	same(f.T, "total", total, 1)
	refused(f.coder, "list_threads", params{"limit": 101}, parley.InvalidArgument)
}

func threadResponds(f *fixture) {
	th := f.planner.opens("the parser", "coder", "reviewer").Thread
	f.coder.told()
	f.reviewer.told()
	ask := func(text string) string {
		return do[parley.SendMessageResult](
			f.planner,
			"send_message",
			params{"thread_id": th.ID, "text": text, "requires_response": true},
		).MessageID
	}

	first := ask("who takes it?")
	same(f.T, "what coder owes", f.owes(f.coder), [2]int{1, 0})
	got := f.coder.respond(
		parley.RespondToMessageRequest{MessageID: first, Text: "I do", Status: parley.ResponseCompleted},
	)

	same(f.T, "delivered to", recipients(got.DeliveryStatus), sorted(f.planner.id, f.reviewer.id))
	same(f.T, "updated", got.OriginalUpdated, true)
	same(f.T, "what coder owes", f.owes(f.coder), [2]int{})
	same(f.T, "what reviewer owes", f.owes(f.reviewer), [2]int{1, 0})
	do[parley.SendMessageResult](
		f.reviewer,
		"send_message",
		params{"thread_id": th.ID, "text": "not I", "in_reply_to": first},
	)

	same(f.T, "what reviewer owes after a plain post", f.owes(f.reviewer), [2]int{})
	same(f.T, "the thread", f.planner.reads(th.ID), []string{"who takes it?", "I do", "not I"})

	second := ask("until when?")
	do[parley.MembershipResult](
		f.coder,
		"remove_participant_from_thread",
		params{"thread_id": th.ID, "agent_id_to_remove": "coder"},
	)

	got = f.coder.respond(
		parley.RespondToMessageRequest{MessageID: second, Text: "I am out", Status: parley.ResponseUnable},
	)

	same(f.T, "delivered to, by one who left", recipients(got.DeliveryStatus), []string{f.planner.id})
	same(f.T, "what coder owes", f.owes(f.coder), [2]int{})
}

func threadTitle(f *fixture) {
	th := f.planner.opens(" one\r\ntwo\x1b[2J\u202e\tthree ", "coder").Thread
	same(f.T, "title", th.Title, "one two[2J three")
}
