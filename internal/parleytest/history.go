package parleytest

import "parley"

var historyCases = []testCase{
	{"HistoryIsOldestFirstAndPages", historyPages},
	{"HistoryIsTheCallersOwn", historyOwn},
	{"HistoryHoldsDirectMessagesOnly", historyDirect},
	{"HistoryHoldsGuidance", historyGuidance},
	{"HistoryOfUnknownIsRefused", historyUnknown},
	{"ConversationsHaveParticipantsTimesAndStatus", conversationStored},
}

func historyPages(f *fixture) {
	for _, text := range []string{"1", "3", "5"} {
		f.planner.send(text, "coder")
		if text != "5" {
			f.coder.send(string(text[0]+1), "planner")
		}
	}

	page := f.planner.history(parley.HistoryRequest{With: "coder", Limit: 2})
	same(f.T, "newest page, oldest first", inboxTexts(page.Messages), []string{"4", "5"})
	same(f.T, "senders", [2]string{page.Messages[0].Sender, page.Messages[1].Sender}, [2]string{"coder", "planner"})
	same(f.T, "has_more", page.HasMore, true)
	same(f.T, "total_messages", page.TotalMessages, 5)
	same(f.T, "with_agent", page.WithAgent, "coder")
	same(f.T, "conversation_id", page.ConversationID, parley.ConversationID(f.planner.id, f.coder.id))

	page = f.planner.history(parley.HistoryRequest{With: f.coder.id, Limit: 2, Before: page.Messages[0].MessageID})
	same(f.T, "the page before", inboxTexts(page.Messages), []string{"2", "3"})
	page = f.planner.history(parley.HistoryRequest{With: "coder", Limit: 2, Before: page.Messages[0].MessageID})
	same(f.T, "the first page", inboxTexts(page.Messages), []string{"1"})
	same(f.T, "has_more at the beginning", page.HasMore, false)

	other := f.coder.history(parley.HistoryRequest{With: "planner"})
	same(f.T, "the other side's", inboxTexts(other.Messages), []string{"1", "2", "3", "4", "5"})
	same(f.T, "the other side's conversation_id", other.ConversationID, page.ConversationID)
	same(f.T, "read, which history does not mark", len(f.coder.inbox()), 3)
}

func historyOwn(f *fixture) {
	secret := f.planner.send("between us", "coder").MessageID
	got := f.reviewer.history(parley.HistoryRequest{With: "coder"})
	same(f.T, "messages", inboxTexts(got.Messages), []string{})
	same(f.T, "total_messages", got.TotalMessages, 0)
	refused(f.reviewer, "get_conversation_history", params{"conversation_with": "coder", "before": secret},
		parley.MessageNotFound)
}

func historyDirect(f *fixture) {
	f.planner.send("direct", "coder")
	f.planner.broadcast(parley.BroadcastMessageRequest{Text: "to all"})
	got := f.coder.history(parley.HistoryRequest{With: "planner"})
	same(f.T, "messages", inboxTexts(got.Messages), []string{"direct"})
}

func historyGuidance(f *fixture) {
	f.operator.send("begin", "coder")
	do[parley.SendMessageResult](f.operator, "steer_agent", params{"agent": "coder", "text": "the parser comes first"})
	f.coder.send("as you say", "operator")
	said := []string{"begin", "the parser comes first", "as you say"}
	same(f.T, "history of the one who was guided",
		inboxTexts(f.coder.history(parley.HistoryRequest{With: "operator"}).Messages), said)

	page := f.operator.history(parley.HistoryRequest{With: "coder", Limit: 2})
	same(f.T, "the end of it", inboxTexts(page.Messages), said[1:])
	same(f.T, "total_messages", page.TotalMessages, 3)
	same(f.T, "history of another", inboxTexts(f.reviewer.history(parley.HistoryRequest{With: "coder"}).Messages),
		[]string{})
}

func historyUnknown(f *fixture) {
	refused(f.planner, "get_conversation_history", params{"conversation_with": "nobody"}, parley.AgentNotFound)
	refused(f.planner, "get_conversation_history",
		params{"conversation_with": "coder", "before": "00000000-0000-4000-8000-000000000000"}, parley.MessageNotFound)
	refused(f.planner, "get_conversation_history", nil, parley.InvalidArgument)
}

func conversationStored(f *fixture) {
	empty := f.planner.history(parley.HistoryRequest{With: "coder"})
	same(f.T, "times of an empty one", [2]bool{empty.CreatedAt == nil, empty.LastMessageAt == nil}, [2]bool{true, true})
	first := f.planner.send("hello", "coder")
	last := f.coder.send("hello to you", "planner")
	th := f.planner.createThread("the parser", "coder").Thread
	got := f.planner.history(parley.HistoryRequest{With: "coder", Limit: 1})
	same(f.T, "participants", sorted(got.Participants...), []string{"coder", "planner"})
	if got.CreatedAt == nil || !got.CreatedAt.Equal(first.Timestamp) || got.LastMessageAt == nil ||
		!got.LastMessageAt.Equal(last.Timestamp) {
		f.Errorf(
			"it is from %v to %v, want %v to %v", got.CreatedAt, got.LastMessageAt, first.Timestamp, last.Timestamp,
		)
	}

	statuses := func() [2]parley.ConversationStatus {
		return [2]parley.ConversationStatus{
			f.planner.history(parley.HistoryRequest{With: "coder"}).Status,
			f.reviewer.threadDetails(th.ID).Status,
		}
	}

	same(f.T, "status of the pair and of the thread", statuses(),
		[2]parley.ConversationStatus{parley.ConversationActive, parley.ConversationActive})

	do[parley.StopAgentResult](f.operator, "stop_agent", params{"agent": "coder"})
	same(f.T, "status without coder", statuses(),
		[2]parley.ConversationStatus{parley.ConversationArchived, parley.ConversationActive})

	do[parley.StopAgentResult](f.operator, "stop_agent", params{"agent": "planner"})
	same(f.T, "status of the thread without anybody", f.reviewer.threadDetails(th.ID).Status,
		parley.ConversationArchived)
}
