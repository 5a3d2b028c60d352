package parleytest

import (
	"context"
	"slices"
	"strings"
	"time"

	"parley/internal/must"

	"parley"
)

var inboxCases = []testCase{
	{"InboxItemsAreArchivedWhenDealtWith", inboxArchived},
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
	{"IgnoreMarksRead", ignoreMarks},
	{"CheckNewMessagesShowsTheMostUrgent", newUrgent},
}

func checkDoesNotMark(f *fixture) {
	sent := f.planner.send("hello", "coder")
	for range 2 {
		got := f.coder.checkInbox(parley.CheckInboxRequest{})
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

	got := f.coder.checkInbox(parley.CheckInboxRequest{})
	same(f.T, "messages, oldest first", inboxTexts(got.Messages), []string{"one", "two", "three"})
	same(f.T, "unread and total", [2]int{got.UnreadCount, got.TotalCount}, [2]int{3, 3})
	got = f.coder.checkInbox(parley.CheckInboxRequest{Limit: 2})
	same(f.T, "messages under a limit", len(got.Messages), 2)
	same(f.T, "unread under a limit", got.UnreadCount, 3)

	do[parley.MarkMessageReadResult](f.coder, "mark_message_read", params{"message_ids": f.coder.inbox()[0].MessageID})
	f.coder.expectInbox("two", "three")
	got = f.coder.checkInbox(parley.CheckInboxRequest{IncludeRead: true})
	same(f.T, "messages with the read ones", inboxTexts(got.Messages), []string{"one", "two", "three"})
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
		got := f.coder.checkInbox(parley.CheckInboxRequest{Sender: ref})
		same(f.T, "messages of "+ref, inboxTexts(got.Messages), []string{"from reviewer"})
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
		same(f.T, "messages", inboxTexts(got.Messages), []string{"at last"})
	case err := <-failures:
		f.Fatal(err)
	case <-time.After(must.Patience):
		f.Fatalf("check_inbox still waits %v after the message was sent", must.Patience)
	}
}

func checkStopsWaiting(f *fixture) {
	f.within("check_inbox with wait_seconds 1", func() {
		same(f.T, "messages", len(f.coder.checkInbox(parley.CheckInboxRequest{WaitSeconds: 1}).Messages), 0)
	})
}

func checkWaitCancelled(f *fixture) {
	ctx, cancel := context.WithCancel(f.coder.ctx())
	timer := time.AfterFunc(50*time.Millisecond, cancel)
	defer timer.Stop()
	f.within("a check_inbox whose context has ended", func() {
		req := parley.CheckInboxRequest{WaitSeconds: 60}
		if got, err := invokeWithin(ctx, f.coder, "check_inbox", req); err == nil {
			f.Errorf("it gave %+v, want an error", got)
		}
	})
}

func getMarks(f *fixture) {
	f.planner.send("one", "coder")
	sent := f.planner.send("two", "coder")
	got := f.coder.getMessages(parley.GetMessagesRequest{})
	same(f.T, "messages, newest first", messageTexts(got.Messages), []string{"two", "one"})
	m := got.Messages[0]
	if m.Timestamp.IsZero() || m.Content.Attachments == nil {
		f.Errorf("message: %+v", m)
	}

	m.Timestamp, m.Content.Attachments, m.SenderRole = time.Time{}, nil, ""
	same(f.T, "message", m, parley.ContractMessage{
		MessageID: sent.MessageID, ConversationID: sent.ConversationID,
		SenderAgentID: f.planner.id, SenderName: "planner",
		MessageType: parley.TypeInformation, Priority: parley.PriorityNormal, Content: parley.Content{Text: "two"},
	})

	f.coder.expectInbox()
	for _, again := range f.coder.getMessages(parley.GetMessagesRequest{}).Messages {
		same(f.T, "read_status the second time", again.ReadStatus, true)
	}
}

func getMarksShown(f *fixture) {
	f.planner.send("one", "coder")
	f.planner.send("two", "coder")
	got := f.coder.getMessages(parley.GetMessagesRequest{Limit: 1})
	same(f.T, "messages", messageTexts(got.Messages), []string{"two"})
	same(f.T, "total", got.TotalCount, 2)
	f.coder.expectInbox("one")
	no := false
	f.coder.getMessages(parley.GetMessagesRequest{MarkRead: &no})
	f.coder.expectInbox("one")
}

func getFilters(f *fixture) {
	f.planner.send("one", "coder")
	f.planner.send("two", "coder")
	f.coder.getMessages(parley.GetMessagesRequest{Filters: &parley.MessageFilters{UnreadOnly: true}})
	got := f.coder.getMessages(parley.GetMessagesRequest{SortOrder: "oldest_first"})
	same(f.T, "messages, oldest first", messageTexts(got.Messages), []string{"one", "two"})
	same(f.T, "unread and total", [2]int{got.UnreadCount, got.TotalCount}, [2]int{2, 2})
	f.coder.expectInbox("one", "two")
	yes := true
	f.coder.getMessages(parley.GetMessagesRequest{SortOrder: "oldest_first", MarkRead: &yes})
	f.coder.expectInbox()
}

func getFiltered(f *fixture) {
	f.planner.send("plain", "coder")
	do[parley.SendMessageResult](f.reviewer, "send_message",
		params{"to": "coder", "text": "special", "type": "request", "priority": "high", "context_reference": "t7"})

	for _, filters := range []params{
		{"senders": []string{"reviewer"}}, {"senders": []string{f.reviewer.id}}, {"priority": "high"},
		{"message_types": []string{"request", "response"}}, {"context_reference": "t7"},
		{"priority": "high", "unread_only": true},
	} {
		got := do[parley.GetMessagesResult](f.coder, "get_messages", params{"filters": filters})
		same(f.T, "messages", messageTexts(got.Messages), []string{"special"})
		same(f.T, "counts under the filters", [2]int{got.UnreadCount, got.TotalCount}, [2]int{1, 1})
	}

	for _, filters := range []params{{"since_timestamp": "2100-01-01T00:00:00Z"}, {"priority": "urgent"}} {
		got := do[parley.GetMessagesResult](f.coder, "get_messages", params{"filters": filters})
		same(f.T, "messages", messageTexts(got.Messages), []string{})
	}

	f.coder.expectInbox("plain", "special")
	refused(f.coder, "get_messages", params{"filters": params{"priority": "huge"}}, parley.InvalidArgument)
	refused(f.coder, "get_messages", params{"filters": params{"colour": "red"}}, parley.InvalidArgument)
}

func getDefaults(f *fixture) {
	for range 12 {
		f.planner.send("hello", "coder")
	}
	same(f.T, "with sort_order",
		len(f.coder.getMessages(parley.GetMessagesRequest{SortOrder: "newest_first"}).Messages), 12)
	got := f.coder.getMessages(parley.GetMessagesRequest{})
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

func ignoreMarks(f *fixture) {
	id := f.planner.send("thanks!", "coder").MessageID
	got := do[parley.IgnoreMessageResult](
		f.coder, "ignore_message", params{"message_id": id, "reason": "nothing to say"},
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

func inboxArchived(f *fixture) {
	ids := map[string]string{}
	for _, text := range []string{"answered", "ignored", "read", "new"} {
		ids[text] = f.planner.send(text, "coder").MessageID
	}

	f.coder.respond(parley.RespondToMessageRequest{MessageID: ids["answered"], Text: "yes"})
	do[parley.MarkMessageReadResult](
		f.coder, "mark_message_read", params{"message_ids": []string{ids["read"], ids["ignored"]}},
	)

	do[parley.IgnoreMessageResult](f.coder, "ignore_message", params{"message_id": ids["ignored"]})
	got := map[string]bool{}
	for _, m := range do[parley.CheckInboxResult](f.coder, "check_inbox", params{"include_read": true}).Messages {
		got[m.Content] = m.Archived
	}

	same(f.T, "archived", got, map[string]bool{"answered": true, "ignored": true, "read": false, "new": false})
}

func newUrgent(f *fixture) {
	got := do[parley.CheckNewMessagesResult](f.coder, "check_new_messages", nil)
	if got.UnreadCount != 0 || len(got.Messages) != 0 || got.Message == "" {
		f.Errorf("without messages: %+v", got)
	}

	for _, p := range []parley.Priority{
		parley.PriorityNormal, parley.PriorityUrgent, parley.PriorityLow, parley.PriorityHigh, parley.PriorityNormal,
		parley.PriorityLow,
	} {
		do[parley.SendMessageResult](f.planner, "send_message",
			parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "it is " + string(p), Priority: p})
	}

	got = do[parley.CheckNewMessagesResult](f.coder, "check_new_messages", nil)
	var shown []string
	for _, m := range got.Messages {
		same(f.T, "preview", m.Preview, "it is "+string(m.Priority))
		shown = append(shown, string(m.Priority))
	}

	same(f.T, "shown", shown, []string{"urgent", "high", "normal", "normal", "low"})
	same(f.T, "unread", got.UnreadCount, 6)
	same(f.T, "said", strings.Contains(got.Message, "6"), true)
	same(f.T, "left unread", len(f.coder.inbox()), 6)
	ids := []string{}
	for _, m := range f.coder.inbox() {
		ids = append(ids, m.MessageID)
	}

	same(f.T, "the id is the message's", slices.Contains(ids, got.Messages[0].MessageID), true)
}
