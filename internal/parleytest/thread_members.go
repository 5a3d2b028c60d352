package parleytest

import (
	"strings"
	"sync"

	"parley"
)

var threadMemberCases = []testCase{
	{"JoiningAThreadNotifiesItsParticipants", threadJoin},
	{"AddingToAThreadIsForParticipants", threadAdd},
	{"RemovingFromAThread", threadRemove},
	{"OperatorReadsAndPostsInEveryThread", threadOperator},
	{"ThreadEventsAreForParticipants", threadEvents},
	{"ConcurrentAdditionsAddOnce", threadConcurrently},
}

func threadJoin(f *fixture) {
	th := f.planner.createThread("the parser").Thread
	got := do[parley.MembershipResult](f.coder, "join_thread", params{"thread_id": parley.Short(th.ID)})
	same(f.T, "status", got.Status, parley.MemberJoined)
	same(f.T, "participants", got.Thread.Participants, []string{f.planner.id, f.coder.id})
	f.planner.expectNotice("coder joined", "the parser", parley.Short(th.ID))
	f.coder.expectNotice("coder joined")
	f.reviewer.expectNotice()
	again := do[parley.MembershipResult](f.coder, "join_thread", params{"thread_id": th.ID})
	same(f.T, "status of joining twice", again.Status, parley.MemberAlready)
	same(f.T, "success of joining twice", again.Answer, parley.OK)
	same(f.T, "participants after joining twice", again.Thread.Participants, got.Thread.Participants)
	f.planner.expectNotice()
}

func threadAdd(f *fixture) {
	th := f.planner.createThread("the parser").Thread
	refused(f.coder, "add_participant_to_thread", params{"thread_id": th.ID, "agent_id_to_add": "reviewer"},
		parley.NotAParticipant)

	refused(f.coder, "add_participant_to_thread", params{"thread_id": th.ID, "agent_id_to_add": "coder"},
		parley.NotAParticipant)

	refused(f.planner, "add_participant_to_thread", params{"thread_id": th.ID, "agent_id_to_add": "nobody"},
		parley.AgentNotFound)

	got := do[parley.MembershipResult](
		f.planner, "add_participant_to_thread", params{"thread_id": th.ID, "agent_id_to_add": "coder"},
	)

	same(f.T, "status", got.Status, parley.MemberAdded)
	f.coder.expectNotice("planner added coder", "the parser")
	f.planner.expectNotice()
	do[parley.MembershipResult](
		f.coder, "add_participant_to_thread", params{"thread_id": th.ID, "agent_id_to_add": f.reviewer.id},
	)

	f.planner.expectNotice("coder added reviewer")
	f.reviewer.expectNotice("coder added reviewer")
	again := do[parley.MembershipResult](
		f.planner, "add_participant_to_thread", params{"thread_id": th.ID, "agent_id_to_add": "coder"},
	)

	same(f.T, "status of adding twice", again.Status, parley.MemberAlready)
	f.coder.expectNotice()
	words := []string{}
	page := f.planner.getMessages(parley.GetMessagesRequest{ThreadID: th.ID, SortOrder: "oldest_first"})
	for _, m := range page.Messages {
		words = append(words, m.Content.Text)
	}

	if len(words) != 3 || !strings.Contains(words[1], "added coder") || !strings.Contains(words[2], "added reviewer") {
		f.Errorf("the thread's record is %q", words)
	}
}

func threadRemove(f *fixture) {
	th := f.planner.createThread("the parser", "coder", "reviewer").Thread
	for _, m := range []member{f.coder, f.reviewer} {
		m.takeNotices()
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
	f.reviewer.expectNotice("planner removed reviewer")
	f.coder.expectNotice("planner removed reviewer")
	f.planner.expectNotice()
	refused(f.planner, "remove_participant_from_thread", remove("reviewer"), parley.NotAParticipant)
	same(f.T, "recipients", recipients(f.planner.post(th.ID, "without reviewer").DeliveryStatus), []string{f.coder.id})
	f.reviewer.expectInbox()
	refused(f.reviewer, "send_message", params{"thread_id": th.ID, "text": "still here?"}, parley.NotAParticipant)

	left := do[parley.MembershipResult](f.coder, "remove_participant_from_thread", remove(f.coder.id))
	same(f.T, "status of leaving", left.Status, parley.MemberLeft)
	f.planner.expectNotice("coder left")
	same(f.T, "participants", f.planner.threadDetails(th.ID).Participants, []string{f.planner.id})
	back := do[parley.MembershipResult](f.reviewer, "join_thread", params{"thread_id": th.ID})
	same(f.T, "status of coming back", back.Status, parley.MemberJoined)
	same(f.T, "what was said meanwhile", f.reviewer.threadTexts(th.ID), []string{"without reviewer"})
}

func threadOperator(f *fixture) {
	th := f.planner.createThread("the parser", "coder").Thread
	f.coder.takeNotices()
	f.planner.post(th.ID, "one")
	same(f.T, "what the operator reads", f.operator.threadTexts(th.ID), []string{"one"})
	got := f.operator.post(th.ID, "two")
	same(f.T, "recipients", recipients(got.DeliveryStatus), sorted(f.planner.id, f.coder.id))
	f.operator.expectInbox()
	same(f.T, "participants", sorted(f.operator.threadDetails(th.ID).Participants...), sorted(f.planner.id, f.coder.id))
	do[parley.MembershipResult](
		f.operator, "add_participant_to_thread", params{"thread_id": th.ID, "agent_id_to_add": "reviewer"},
	)

	do[parley.MembershipResult](
		f.operator, "remove_participant_from_thread", params{"thread_id": th.ID, "agent_id_to_remove": "coder"},
	)

	same(f.T, "participants", sorted(f.operator.threadDetails(th.ID).Participants...),
		sorted(f.planner.id, f.reviewer.id))
	do[parley.MembershipResult](f.operator, "join_thread", params{"thread_id": th.ID})
	f.planner.post(th.ID, "three")
	if inbox := f.operator.inbox(); len(inbox) != 2 || inbox[1].Content != "three" {
		f.Errorf("the operator who joined has %+v", inbox)
	}
}

func threadEvents(f *fixture) {
	th := f.planner.createThread("the parser", "coder").Thread
	post := f.planner.post(th.ID, "between us")
	change := do[parley.MembershipResult](
		f.planner, "add_participant_to_thread", params{"thread_id": th.ID, "agent_id_to_add": parley.OperatorName},
	)

	for _, m := range []member{f.planner, f.coder, f.operator} {
		list := m.events(0).Events
		e := findEvent(list, parley.EventThreadMessage, post.MessageID)
		if e == nil || e.ThreadID != th.ID || e.Thread != "the parser" || e.Preview != "between us" ||
			e.SenderID != f.planner.id ||
			e.RecipientCount != 1 {
			f.Errorf("%s sees %+v of the post", m.name, e)
		}

		e = findEvent(list, parley.EventThreadUpdated, change.MessageID)
		if e == nil || e.ThreadID != th.ID || e.Agent != parley.OperatorName || e.State != string(parley.MemberAdded) ||
			e.Preview == "" {
			f.Errorf("%s sees %+v of the change", m.name, e)
		}

		if n := countThreadEvents(list, parley.EventThreadCreated, th.ID); n != 1 {
			f.Errorf("%s sees %d events of the thread's creation, want 1", m.name, n)
		}
	}

	for _, e := range f.reviewer.events(0).Events {
		if e.ThreadID != "" {
			f.Errorf("reviewer sees %+v", e)
		}
	}

	do[parley.MembershipResult](
		f.planner, "remove_participant_from_thread", params{"thread_id": th.ID, "agent_id_to_remove": "coder"},
	)

	secret := f.planner.post(th.ID, "without coder").MessageID
	list := f.coder.events(0).Events
	if findEvent(list, parley.EventThreadMessage, secret) != nil {
		f.Errorf("coder sees a post from after its removal")
	}
	if findEvent(list, parley.EventThreadMessage, post.MessageID) == nil {
		f.Errorf("coder no longer sees a post that it received")
	}

	same(f.T, "changes that coder sees: the other's and its own",
		countThreadEvents(list, parley.EventThreadUpdated, th.ID), 2)
}

// Whatever the order is, each is added once, and nobody gets a post after its removal.
func threadConcurrently(f *fixture) {
	th := f.planner.createThread("the parser", "coder").Thread
	var group sync.WaitGroup
	added := make(chan parley.MembershipStatus, 8)
	for range cap(added) {
		group.Go(func() {
			res, err := invoke(
				f.planner, "add_participant_to_thread", params{"thread_id": th.ID, "agent_id_to_add": "reviewer"},
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

	same(f.T, "what became of eight additions", count,
		map[parley.MembershipStatus]int{parley.MemberAdded: 1, parley.MemberAlready: 7})

	f.reviewer.expectNotice("added reviewer")

	for range 8 {
		group.Go(func() {
			if _, err := invoke(f.planner, "send_message", params{"thread_id": th.ID, "text": "post"}); err != nil {
				f.Error(err)
			}
		})
	}

	group.Go(func() {
		removal := params{"thread_id": th.ID, "agent_id_to_remove": "reviewer"}
		if _, err := invoke(f.planner, "remove_participant_from_thread", removal); err != nil {
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

	same(f.T, "posts that coder got", len(f.coder.threadTexts(th.ID)), 8)
}
