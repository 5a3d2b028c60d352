package parleytest

import (
	"strings"

	"parley"
)

var threadCases = []testCase{
	{"CreatingAThreadNotifiesItsParticipants", threadCreated},
	{"ThreadsTakeEveryNameOfTheirParameters", threadSeedCalls},
	{"ThreadsWithUnknownAgentsAreNotCreated", threadUnknown},
	{"ThreadsAreListedByActivity", threadListing},
	{"ThreadTitlesAreOneLine", threadTitle},
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
		same(f.T, "details", f.reviewer.threadDetails(ref), th)
	}

	first := f.coder.inbox()
	if len(first) != 2 || first[1].MessageID != got.InitialMessageID || first[1].Content != "who takes it?" ||
		first[1].ThreadID != th.ID || first[1].ConversationID != th.ID || first[0].ConversationID != th.ID {
		f.Errorf("coder's inbox is %+v", first)
	}

	f.coder.expectNotice("planner opened", parley.Short(th.ID), "the parser", "coder")
	f.planner.expectInbox()
	f.reviewer.expectInbox()
	same(f.T, "what the thread holds", f.planner.threadTexts(th.ID), []string{"who takes it?"})
}

func threadSeedCalls(f *fixture) {
	th := do[parley.CreateThreadResult](f.planner, "create_thread",
		params{"creator_id": f.planner.id, "title": "t", "participants": []string{f.coder.id}}).Thread

	do[parley.MembershipResult](f.reviewer, "join_thread", params{"thread_id": th.ID, "agent_id": f.reviewer.id})
	do[parley.ThreadDetailsResult](f.coder, "get_thread_details", params{"thread_id": th.ID})
	do[parley.SendMessageResult](f.coder, "send_message",
		params{"sender_id": f.coder.id, "thread_id": th.ID, "content": "hello", "urgent": true})

	do[parley.GetMessagesResult](
		f.planner, "get_messages", params{"agent_id": f.planner.id, "thread_id": th.ID, "limit": 10},
	)

	do[parley.MembershipResult](f.planner, "remove_participant_from_thread",
		params{"thread_id": th.ID, "agent_id_to_remove": f.reviewer.id, "removing_agent_id": f.planner.id})

	do[parley.MembershipResult](f.coder, "add_participant_to_thread",
		params{"thread_id": th.ID, "agent_id_to_add": f.reviewer.id, "inviting_agent_id": f.coder.id})

	same(f.T, "participants", sorted(f.planner.threadDetails(th.ID).Participants...),
		sorted(f.planner.id, f.coder.id, f.reviewer.id))

	refused(f.planner, "create_thread", params{"creator_id": f.coder.id, "title": "t", "participants": []string{}},
		parley.NotAuthorized)

	refused(f.planner, "join_thread", params{"thread_id": th.ID, "agent_id": f.coder.id}, parley.NotAuthorized)
	alone := do[parley.CreateThreadResult](
		f.planner, "create_thread", params{"title": "alone", "participants": []string{}},
	)

	same(f.T, "participants of one alone", alone.Thread.Participants, []string{f.planner.id})
	same(f.T, "delivered by a post that nobody gets", f.planner.post(alone.Thread.ID, "hm").DeliveryStatus,
		parley.DeliveryStatus{DeliveredTo: []string{}, FailedDelivery: []string{}, PendingDelivery: []string{}})
}

func threadUnknown(f *fixture) {
	f.unchanged(func() {
		refused(f.planner, "create_thread", params{"title": "t", "participants": []string{"coder", "nobody"}},
			parley.AgentNotFound)

		refused(f.planner, "create_thread", params{"title": "t"}, parley.InvalidArgument)
		refused(f.planner, "create_thread", params{"participants": []string{"coder"}}, parley.InvalidArgument)
		refused(f.planner, "create_thread", params{"title": " \n", "participants": []string{"coder"}},
			parley.InvalidArgument)

		refused(f.planner, "create_thread",
			params{"title": strings.Repeat("a", 201), "participants": []string{"coder"}}, parley.InvalidArgument)

		refused(f.planner, "create_thread",
			params{"title": "t", "participants": []string{"coder"}, "initial_message": strings.Repeat("a", 2001)},
			parley.MessageTooLong)

		for _, id := range []string{"00000000-0000-4000-8000-000000000000", "short", ""} {
			code := parley.ThreadNotFound
			if id == "" {
				code = parley.InvalidArgument
			}

			refused(f.planner, "get_thread_details", params{"thread_id": id}, code)
			refused(f.planner, "join_thread", params{"thread_id": id}, code)
			refused(f.planner, "add_participant_to_thread", params{"thread_id": id, "agent_id_to_add": "coder"}, code)
			refused(f.planner, "remove_participant_from_thread", params{"thread_id": id, "agent_id_to_remove": "coder"},
				code)

			refused(f.planner, "send_message", params{"thread_id": id, "text": "hello"}, code)
		}

		refused(f.planner, "get_messages", params{"thread_id": "00000000-0000-4000-8000-000000000000"},
			parley.ThreadNotFound)
	})

	same(f.T, "threads", do[parley.ListThreadsResult](f.planner, "list_threads", nil).TotalCount, 0)
}

func threadListing(f *fixture) {
	one := f.planner.createThread("one", "coder").Thread
	two := f.reviewer.createThread("two").Thread
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
	f.coder.post(one.ID, "again")
	got, total = ids(f.coder, params{"limit": 1})
	same(f.T, "the last active", got, []string{one.ID})
	same(f.T, "total", total, 2)
	got, total = ids(f.coder, params{"mine": true})
	same(f.T, "coder's own", got, []string{one.ID})
	same(f.T, "total", total, 1)
	refused(f.coder, "list_threads", params{"limit": 101}, parley.InvalidArgument)
}

func threadTitle(f *fixture) {
	th := f.planner.createThread(" one\r\ntwo\x1b[2J\u202e\tthree ", "coder").Thread
	same(f.T, "title", th.Title, "one two[2J three")
}
