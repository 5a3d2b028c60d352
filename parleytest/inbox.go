package parleytest

import (
	"time"

	"parley"
)

var reading = []testCase{
	{"CheckInboxDoesNotMarkRead", checkDoesNotMark},
	{"CheckInboxCountsAndLimits", checkCounts},
	{"CheckInboxFiltersBySender", checkFilters},
	{"CheckInboxWaitsForAMessage", checkWaits},
	{"CheckInboxStopsWaiting", checkStopsWaiting},
	{"CheckInboxWaitEndsWithItsContext", checkWaitCancelled},
	{"GetMessagesMarksRead", getMarks},
	{"GetMessagesMarksOnlyWhatItShows", getMarksShown},
	{"GetMessagesWithFiltersMarksNothing", getFilters},
	{"GetMessagesFilters", getFiltered},
	{"GetMessagesHasDefaultLimits", getDefaults},
	{"MarkMessageReadSortsIDs", markSorts},
	{"MarkMessageReadLeavesOthersMail", markOthers},
}

func checkDoesNotMark(f *fixture) {
	sent := f.planner.send("hello", "coder")
	for range 2 {
		got := f.coder.check(parley.CheckInboxRequest{})
		if len(got.Messages) != 1 || got.CheckedAt.IsZero() {
			f.Fatalf("the inbox is %+v", got)
		}
		m := got.Messages[0]
		m.Timestamp = time.Time{}
		same(f.T, "message", m, parley.InboxMessage{MessageID: sent.MessageID, Sender: "planner", Content: "hello",
			ConversationID: sent.ConversationID, Priority: parley.PriorityNormal})
	}
}

func checkCounts(f *fixture) {
	for _, text := range []string{"one", "two", "three"} {
		f.planner.send(text, "coder")
	}

	got := f.coder.check(parley.CheckInboxRequest{})
	same(f.T, "messages, oldest first", contents(got.Messages), []string{"one", "two", "three"})
	same(f.T, "unread and total", [2]int{got.UnreadCount, got.TotalCount}, [2]int{3, 3})
	got = f.coder.check(parley.CheckInboxRequest{Limit: 2})
	same(f.T, "messages under a limit", len(got.Messages), 2)
	same(f.T, "unread under a limit", got.UnreadCount, 3)

	do[parley.MarkMessageReadResult](f.coder, "mark_message_read", params{"message_ids": f.coder.inbox()[0].MessageID})
	f.coder.expectInbox("two", "three")
	got = f.coder.check(parley.CheckInboxRequest{IncludeRead: true})
	same(f.T, "messages with the read ones", contents(got.Messages), []string{"one", "two", "three"})
	same(f.T, "read", []bool{got.Messages[0].Read, got.Messages[1].Read}, []bool{true, false})
	same(f.T, "unread", got.UnreadCount, 2)
	for _, limit := range []int{-1, 0, 51} {
		refused(f.coder, "check_inbox", params{"limit": limit}, parley.InvalidArgument)
	}
}

func checkFilters(f *fixture) {
	f.planner.send("from planner", "coder")
	f.reviewer.send("from reviewer", "coder")
	for _, ref := range []string{"reviewer", f.reviewer.id, f.reviewer.id[:8]} {
		got := f.coder.check(parley.CheckInboxRequest{Sender: ref})
		same(f.T, "messages of "+ref, contents(got.Messages), []string{"from reviewer"})
	}
	refused(f.coder, "check_inbox", params{"filter_by_sender": "nobody"}, parley.AgentNotFound)
}

func checkWaits(f *fixture) {
	answers := make(chan *parley.CheckInboxResult, 1)
	failures := make(chan error, 1)
	go func() {
		got, err := invoke(f.coder, "check_inbox", parley.CheckInboxRequest{WaitSeconds: 60})
		if err != nil {
			failures <- err
			return
		}
		answers <- got.(*parley.CheckInboxResult)
	}()

	settle()
	f.planner.send("at last", "coder")
	select {
	case got := <-answers:
		same(f.T, "messages", contents(got.Messages), []string{"at last"})
	case err := <-failures:
		f.Fatal(err)
	case <-time.After(patience):
		f.Fatalf("check_inbox still waits %v after the message was sent", patience)
	}
}

func checkStopsWaiting(f *fixture) {
	f.within("check_inbox with wait_seconds 1", func() {
		same(f.T, "messages", len(f.coder.check(parley.CheckInboxRequest{WaitSeconds: 1}).Messages), 0)
	})
}

func checkWaitCancelled(f *fixture) {
	m, cancel := f.coder.cancelled()
	timer := time.AfterFunc(50*time.Millisecond, cancel)
	defer timer.Stop()
	f.within("a check_inbox whose context has ended", func() {
		if got, err := invoke(m, "check_inbox", parley.CheckInboxRequest{WaitSeconds: 60}); err == nil {
			f.Errorf("it gave %+v, want an error", got)
		}
	})
}

// settle gives a call that was just begun time to come to its wait. A case is
// right without it, and sees more with it.
func settle() { <-time.After(100 * time.Millisecond) }

// within fails unless what returns in time.
func (f *fixture) within(what string, run func()) {
	f.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		run()
	}()
	select {
	case <-done:
	case <-time.After(patience):
		f.Fatalf("%s has not returned after %v", what, patience)
	}
}

func getMarks(f *fixture) {
	f.planner.send("one", "coder")
	sent := f.planner.send("two", "coder")
	got := f.coder.get(parley.GetMessagesRequest{})
	same(f.T, "messages, newest first", texts(got.Messages), []string{"two", "one"})
	m := got.Messages[0]
	if m.Timestamp.IsZero() || m.Content.Attachments == nil {
		f.Errorf("message: %+v", m)
	}

	m.Timestamp, m.Content.Attachments, m.SenderRole = time.Time{}, nil, ""
	same(
		f.T,
		"message",
		m,
		parley.ContractMessage{MessageID: sent.MessageID, SenderAgentID: f.planner.id, SenderName: "planner",
			MessageType: parley.TypeInformation, Content: parley.Content{Text: "two"}, Priority: parley.PriorityNormal, ConversationID: sent.ConversationID},
	)

	f.coder.expectInbox()
	for _, again := range f.coder.get(parley.GetMessagesRequest{}).Messages {
		same(f.T, "read_status the second time", again.ReadStatus, true)
	}
}

func getMarksShown(f *fixture) {
	f.planner.send("one", "coder")
	f.planner.send("two", "coder")
	got := f.coder.get(parley.GetMessagesRequest{Limit: 1})
	same(f.T, "messages", texts(got.Messages), []string{"two"})
	same(f.T, "total", got.TotalCount, 2)
	f.coder.expectInbox("one")
	no := false
	f.coder.get(parley.GetMessagesRequest{MarkRead: &no})
	f.coder.expectInbox("one")
}

func getFilters(f *fixture) {
	f.planner.send("one", "coder")
	f.planner.send("two", "coder")
	f.coder.get(parley.GetMessagesRequest{Filters: &parley.MessageFilters{UnreadOnly: true}})
	got := f.coder.get(parley.GetMessagesRequest{SortOrder: "oldest_first"})
	same(f.T, "messages, oldest first", texts(got.Messages), []string{"one", "two"})
	same(f.T, "unread and total", [2]int{got.UnreadCount, got.TotalCount}, [2]int{2, 2})
	f.coder.expectInbox("one", "two")
	yes := true
	f.coder.get(parley.GetMessagesRequest{SortOrder: "oldest_first", MarkRead: &yes})
	f.coder.expectInbox()
}

func getFiltered(f *fixture) {
	f.planner.send("plain", "coder")
	do[parley.SendMessageResult](
		f.reviewer,
		"send_message",
		params{"to": "coder", "text": "special", "type": "request", "priority": "high", "context_reference": "t7"},
	)

	for _, filters := range []params{{"senders": []string{"reviewer"}}, {"senders": []string{f.reviewer.id}}, {"priority": "high"},
		{"message_types": []string{"request", "response"}}, {"context_reference": "t7"}, {"priority": "high", "unread_only": true}} {
		got := do[parley.GetMessagesResult](f.coder, "get_messages", params{"filters": filters})
		same(f.T, "messages", texts(got.Messages), []string{"special"})
		same(f.T, "counts under the filters", [2]int{got.UnreadCount, got.TotalCount}, [2]int{1, 1})
	}

	for _, filters := range []params{{"since_timestamp": "2100-01-01T00:00:00Z"}, {"priority": "urgent"}} {
		got := do[parley.GetMessagesResult](f.coder, "get_messages", params{"filters": filters})
		same(f.T, "messages", texts(got.Messages), []string{})
	}

	f.coder.expectInbox("plain", "special")
	refused(f.coder, "get_messages", params{"filters": params{"priority": "huge"}}, parley.InvalidArgument)
	refused(f.coder, "get_messages", params{"filters": params{"colour": "red"}}, parley.InvalidArgument)
}

func getDefaults(f *fixture) {
	for range 12 {
		f.planner.send("hello", "coder")
	}
	same(f.T, "with sort_order", len(f.coder.get(parley.GetMessagesRequest{SortOrder: "newest_first"}).Messages), 12)
	got := f.coder.get(parley.GetMessagesRequest{})
	same(f.T, "without", len(got.Messages), 10)
	same(f.T, "left unread", len(f.coder.inbox()), 2)
}

func markSorts(f *fixture) {
	one := f.planner.send("one", "coder").MessageID
	two := f.planner.send("two", "coder").MessageID
	mark := func(ids ...string) *parley.MarkMessageReadResult {
		return do[parley.MarkMessageReadResult](f.coder, "mark_message_read", params{"message_ids": ids})
	}

	mark(one)
	const unknown = "00000000-0000-4000-8000-000000000000"
	got := mark(one, two, unknown, two, "nonsense", one, unknown)
	same(f.T, "marked_read", got.MarkedRead, []string{two})
	same(f.T, "already_read", got.AlreadyRead, []string{one})
	same(f.T, "not_found", got.NotFound, []string{unknown, "nonsense"})
	f.coder.expectInbox()
	refused(f.coder, "mark_message_read", params{"message_ids": []string{}}, parley.InvalidArgument)
}

func markOthers(f *fixture) {
	id := f.planner.send("for coder", "coder").MessageID
	for _, m := range []member{f.reviewer, f.planner, f.operator} {
		got := do[parley.MarkMessageReadResult](m, "mark_message_read", params{"message_ids": id})
		same(f.T, "not_found for "+m.name, got.NotFound, []string{id})
	}
	f.coder.expectInbox("for coder")
}
