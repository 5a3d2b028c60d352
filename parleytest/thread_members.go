package parleytest

import (
	"strings"
	"sync"

	"parley"
)

func threadJoin(f *fixture) {
	th := f.planner.opens("the parser").Thread
	got := do[parley.MembershipResult](f.coder, "join_thread", params{"thread_id": parley.Short(th.ID)})
	same(f.T, "status", got.Status, parley.MemberJoined)
	same(f.T, "participants", got.Thread.Participants, []string{f.planner.id, f.coder.id})
	f.planner.toldOf("coder joined", "the parser", parley.Short(th.ID))
	f.coder.toldOf("coder joined")
	f.reviewer.toldOf()
	again := do[parley.MembershipResult](f.coder, "join_thread", params{"thread_id": th.ID})
	same(f.T, "status of joining twice", again.Status, parley.MemberAlready)
	same(f.T, "success of joining twice", again.Answer, parley.OK)
	same(f.T, "participants after joining twice", again.Thread.Participants, got.Thread.Participants)
	f.planner.toldOf()
}

func threadAdd(f *fixture) {
	th := f.planner.opens("the parser").Thread
	refused(
		f.coder,
		"add_participant_to_thread",
		params{"thread_id": th.ID, "agent_id_to_add": "reviewer"},
		parley.NotAParticipant,
	)

	refused(
		f.coder,
		"add_participant_to_thread",
		params{"thread_id": th.ID, "agent_id_to_add": "coder"},
		parley.NotAParticipant,
	)

	refused(
		f.planner,
		"add_participant_to_thread",
		params{"thread_id": th.ID, "agent_id_to_add": "nobody"},
		parley.AgentNotFound,
	)

	got := do[parley.MembershipResult](
		f.planner,
		"add_participant_to_thread",
		params{"thread_id": th.ID, "agent_id_to_add": "coder"},
	)

	same(f.T, "status", got.Status, parley.MemberAdded)
	f.coder.toldOf("planner added coder", "the parser")
	f.planner.toldOf()
	do[parley.MembershipResult](
		f.coder,
		"add_participant_to_thread",
		params{"thread_id": th.ID, "agent_id_to_add": f.reviewer.id},
	)

	f.planner.toldOf("coder added reviewer")
	f.reviewer.toldOf("coder added reviewer")
	again := do[parley.MembershipResult](
		f.planner,
		"add_participant_to_thread",
		params{"thread_id": th.ID, "agent_id_to_add": "coder"},
	)

	same(f.T, "status of adding twice", again.Status, parley.MemberAlready)
	f.coder.toldOf()
	words := []string{}
	for _, m := range f.planner.get(parley.GetMessagesRequest{ThreadID: th.ID, SortOrder: "oldest_first"}).Messages {
		words = append(words, m.Content.Text)
	}

	if len(words) != 3 || !strings.Contains(words[1], "added coder") || !strings.Contains(words[2], "added reviewer") {
		f.Errorf("the thread's record is %q", words)
	}
}

func threadRemove(f *fixture) {
	th := f.planner.opens("the parser", "coder", "reviewer").Thread
	for _, m := range []member{f.coder, f.reviewer} {
		m.told()
	}

	remove := func(who string) params { return params{"thread_id": th.ID, "agent_id_to_remove": who} }
	refused(f.coder, "remove_participant_from_thread", remove("reviewer"), parley.NotAuthorized)
	refused(f.coder, "remove_participant_from_thread", remove("planner"), parley.NotAuthorized)
	refused(f.planner, "remove_participant_from_thread", remove("planner"), parley.InvalidArgument)
	refused(f.operator, "remove_participant_from_thread", remove("planner"), parley.InvalidArgument)
	refused(f.planner, "remove_participant_from_thread", remove("nobody"), parley.AgentNotFound)

	got := do[parley.MembershipResult](f.planner, "remove_participant_from_thread", remove("reviewer"))
	same(f.T, "status", got.Status, parley.MemberRemoved)
	same(f.T, "participants", sorted(got.Thread.Participants...), sorted(f.planner.id, f.coder.id))
	f.reviewer.toldOf("planner removed reviewer")
	f.coder.toldOf("planner removed reviewer")
	f.planner.toldOf()
	refused(f.planner, "remove_participant_from_thread", remove("reviewer"), parley.NotAParticipant)
	same(f.T, "recipients", recipients(f.planner.posts(th.ID, "without reviewer").DeliveryStatus), []string{f.coder.id})
	f.reviewer.expectInbox()
	refused(f.reviewer, "send_message", params{"thread_id": th.ID, "text": "still here?"}, parley.NotAParticipant)

	left := do[parley.MembershipResult](f.coder, "remove_participant_from_thread", remove(f.coder.id))
	same(f.T, "status of leaving", left.Status, parley.MemberLeft)
	f.planner.toldOf("coder left")
	same(f.T, "participants", f.planner.thread(th.ID).Participants, []string{f.planner.id})
	back := do[parley.MembershipResult](f.reviewer, "join_thread", params{"thread_id": th.ID})
	same(f.T, "status of coming back", back.Status, parley.MemberJoined)
	same(f.T, "what was said meanwhile", f.reviewer.reads(th.ID), []string{"without reviewer"})
}

func threadOperator(f *fixture) {
	th := f.planner.opens("the parser", "coder").Thread
	f.coder.told()
	f.planner.posts(th.ID, "one")
	same(f.T, "what the operator reads", f.operator.reads(th.ID), []string{"one"})
	got := f.operator.posts(th.ID, "two")
	same(f.T, "recipients", recipients(got.DeliveryStatus), sorted(f.planner.id, f.coder.id))
	f.operator.expectInbox()
	same(f.T, "participants", sorted(f.operator.thread(th.ID).Participants...), sorted(f.planner.id, f.coder.id))
	do[parley.MembershipResult](
		f.operator,
		"add_participant_to_thread",
		params{"thread_id": th.ID, "agent_id_to_add": "reviewer"},
	)

	do[parley.MembershipResult](
		f.operator,
		"remove_participant_from_thread",
		params{"thread_id": th.ID, "agent_id_to_remove": "coder"},
	)

	same(f.T, "participants", sorted(f.operator.thread(th.ID).Participants...), sorted(f.planner.id, f.reviewer.id))
	do[parley.MembershipResult](f.operator, "join_thread", params{"thread_id": th.ID})
	f.planner.posts(th.ID, "three")
	if inbox := f.operator.inbox(); len(inbox) != 2 || inbox[1].Content != "three" {
		f.Errorf("the operator who joined has %+v", inbox)
	}
}

func threadEvents(f *fixture) {
	th := f.planner.opens("the parser", "coder").Thread
	post := f.planner.posts(th.ID, "between us")
	change := do[parley.MembershipResult](
		f.planner,
		"add_participant_to_thread",
		params{"thread_id": th.ID, "agent_id_to_add": parley.OperatorName},
	)

	for _, m := range []member{f.planner, f.coder, f.operator} {
		list := m.events(0).Events
		e := about(list, parley.EventThreadMessage, post.MessageID)
		if e == nil || e.ThreadID != th.ID || e.Thread != "the parser" || e.Preview != "between us" ||
			e.SenderID != f.planner.id ||
			e.RecipientCount != 1 {
			f.Errorf("%s sees %+v of the post", m.name, e)
		}

		e = about(list, parley.EventThreadUpdated, change.MessageID)
		if e == nil || e.ThreadID != th.ID || e.Agent != parley.OperatorName || e.State != string(parley.MemberAdded) ||
			e.Preview == "" {
			f.Errorf("%s sees %+v of the change", m.name, e)
		}

		if n := ofThread(list, parley.EventThreadCreated, th.ID); n != 1 {
			f.Errorf("%s sees %d events of the thread's creation, want 1", m.name, n)
		}
	}

	for _, e := range f.reviewer.events(0).Events {
		if e.ThreadID != "" {
			f.Errorf("reviewer sees %+v", e)
		}
	}

	do[parley.MembershipResult](
		f.planner,
		"remove_participant_from_thread",
		params{"thread_id": th.ID, "agent_id_to_remove": "coder"},
	)

	secret := f.planner.posts(th.ID, "without coder").MessageID
	list := f.coder.events(0).Events
	if about(list, parley.EventThreadMessage, secret) != nil {
		f.Errorf("coder sees a post from after its removal")
	}
	if about(list, parley.EventThreadMessage, post.MessageID) == nil {
		f.Errorf("coder does not see any more what it got")
	}

	same(f.T, "changes that coder sees: the other's and its own", ofThread(list, parley.EventThreadUpdated, th.ID), 2)
}

func ofThread(list []parley.Event, typ parley.EventType, id string) (n int) {
	for _, e := range list {
		if e.Type == typ && e.ThreadID == id {
			n++
		}
	}
	return n
}

func threadAnswers(f *fixture) {
	th := f.planner.opens("the parser", "coder").Thread
	question := f.planner.posts(th.ID, "who takes it?").MessageID
	answer := params{"thread_id": th.ID, "text": "I do", "in_reply_to": question}
	refused(
		f.reviewer,
		"send_message",
		params{"to": "planner", "text": "I do", "in_reply_to": question},
		parley.MessageNotFound,
	)

	do[parley.MembershipResult](f.reviewer, "join_thread", params{"thread_id": th.ID})
	got := do[parley.SendMessageResult](f.reviewer, "send_message", answer)
	same(f.T, "in_reply_to", got.Object.InReplyTo, question)
	same(f.T, "status seen by a late one", f.reviewer.status(question).Object.Text, "who takes it?")
}

// What came before one joined is read, and may be found, marked and answered.
func threadLate(f *fixture) {
	th := f.planner.opens("the parser", "coder").Thread
	old := f.planner.posts(th.ID, "who takes the grammar?").MessageID
	find := func(m member) (ids []string) {
		for _, found := range do[parley.SearchMessagesResult](m, "search_messages", params{"query": "grammar"}).Messages {
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
	refused(
		f.reviewer,
		"respond_to_message",
		params{"message_id": old, "text": "I do", "status": "completed"},
		parley.ResponseNotRequired,
	)

	answer := f.reviewer.respond(parley.RespondToMessageRequest{MessageID: old, Text: "I do"})
	same(f.T, "it goes to", recipients(answer.DeliveryStatus), sorted(f.planner.id, f.coder.id))
	same(f.T, "the thread", f.coder.reads(th.ID), []string{"who takes the grammar?", "I do"})
	same(f.T, "updated", answer.OriginalUpdated, false)
	do[parley.SendMessageResult](
		f.reviewer,
		"send_message",
		params{"to": "planner", "text": "do you agree?", "in_reply_to": old},
	)

	refused(f.planner, "respond_to_message", params{"message_id": old, "text": "to myself"}, parley.NotAuthorized)

	do[parley.MembershipResult](
		f.reviewer,
		"remove_participant_from_thread",
		params{"thread_id": th.ID, "agent_id_to_remove": "reviewer"},
	)

	same(f.T, "found by one who left", find(f.reviewer), nil)
	same(f.T, "marked by one who left", mark(f.reviewer, old), [3][]string{{}, {}, {old}})
}

func threadKey(f *fixture) {
	th := f.planner.opens("the parser", "coder").Thread
	f.coder.told()
	r := parley.SendMessageRequest{ThreadID: th.ID, Text: "once", IdempotencyKey: "k"}
	first := do[parley.SendMessageResult](f.planner, "send_message", r)
	second := do[parley.SendMessageResult](f.planner, "send_message", r)
	same(f.T, "second message id", second.MessageID, first.MessageID)
	same(f.T, "second conversation", second.ConversationID, th.ID)
	f.coder.expectInbox("once")
}

// Whatever the order is, each is added once, and nobody gets a post after its removal.
func threadConcurrently(f *fixture) {
	th := f.planner.opens("the parser", "coder").Thread
	var group sync.WaitGroup
	added := make(chan parley.MembershipStatus, 8)
	for range cap(added) {
		group.Go(func() {
			res, err := invoke(
				f.planner,
				"add_participant_to_thread",
				params{"thread_id": th.ID, "agent_id_to_add": "reviewer"},
			)
			if err != nil {
				f.Error(err)
				added <- ""
				return
			}

			added <- res.(*parley.MembershipResult).Status
		})
	}

	group.Wait()
	close(added)
	count := map[parley.MembershipStatus]int{}
	for s := range added {
		count[s]++
	}

	same(
		f.T,
		"what became of eight additions",
		count,
		map[parley.MembershipStatus]int{parley.MemberAdded: 1, parley.MemberAlready: 7},
	)

	f.reviewer.toldOf("added reviewer")

	for range 8 {
		group.Go(func() {
			if _, err := invoke(f.planner, "send_message", params{"thread_id": th.ID, "text": "post"}); err != nil {
				f.Error(err)
			}
		})
	}

	group.Go(func() {
		if _, err := invoke(f.planner, "remove_participant_from_thread", params{"thread_id": th.ID, "agent_id_to_remove": "reviewer"}); err != nil {
			f.Error(err)
		}
	})

	group.Wait()
	inbox := f.reviewer.inbox()
	for i, m := range inbox {
		if strings.Contains(m.Content, "removed reviewer") && i != len(inbox)-1 {
			f.Errorf("reviewer got %d posts after its removal", len(inbox)-1-i)
		}
	}

	same(f.T, "posts that coder got", len(f.coder.reads(th.ID)), 8)
}
