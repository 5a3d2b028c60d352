package parleytest

import "parley"

var history = []testCase{
	{"HistoryIsOldestFirstAndPages", historyPages},
	{"HistoryIsTheCallersOwn", historyOwn},
	{"HistoryHoldsDirectMessagesOnly", historyDirect},
	{"HistoryOfUnknownIsRefused", historyUnknown},
}

func (m member) history(r parley.HistoryRequest) *parley.HistoryResult {
	m.Helper()
	return do[parley.HistoryResult](m, "get_conversation_history", r)
}

func historyPages(f *fixture) {
	for _, text := range []string{"1", "3", "5"} {
		f.planner.send(text, "coder")
		if text != "5" {
			f.coder.send(string(text[0]+1), "planner")
		}
	}
	page := f.planner.history(parley.HistoryRequest{With: "coder", Limit: 2})
	same(f.T, "newest page, oldest first", contents(page.Messages), []string{"4", "5"})
	same(f.T, "senders", [2]string{page.Messages[0].Sender, page.Messages[1].Sender}, [2]string{"coder", "planner"})
	same(f.T, "has_more", page.HasMore, true)
	same(f.T, "total_messages", page.TotalMessages, 5)
	same(f.T, "with_agent", page.WithAgent, "coder")
	same(f.T, "conversation_id", page.ConversationID, parley.ConversationID(f.planner.id, f.coder.id))

	page = f.planner.history(parley.HistoryRequest{With: f.coder.id, Limit: 2, Before: page.Messages[0].MessageID})
	same(f.T, "the page before", contents(page.Messages), []string{"2", "3"})
	page = f.planner.history(parley.HistoryRequest{With: "coder", Limit: 2, Before: page.Messages[0].MessageID})
	same(f.T, "the first page", contents(page.Messages), []string{"1"})
	same(f.T, "has_more at the beginning", page.HasMore, false)

	other := f.coder.history(parley.HistoryRequest{With: "planner"})
	same(f.T, "the other side's", contents(other.Messages), []string{"1", "2", "3", "4", "5"})
	same(f.T, "the other side's conversation_id", other.ConversationID, page.ConversationID)
	same(f.T, "read, which history does not mark", len(f.coder.inbox()), 3)
}

func historyOwn(f *fixture) {
	secret := f.planner.send("between us", "coder").MessageID
	got := f.reviewer.history(parley.HistoryRequest{With: "coder"})
	same(f.T, "messages", contents(got.Messages), []string{})
	same(f.T, "total_messages", got.TotalMessages, 0)
	refused(f.reviewer, "get_conversation_history", params{"conversation_with": "coder", "before": secret}, parley.MessageNotFound)
}

func historyDirect(f *fixture) {
	f.planner.send("direct", "coder")
	f.planner.broadcast(parley.BroadcastMessageRequest{Text: "to all"})
	got := f.coder.history(parley.HistoryRequest{With: "planner"})
	same(f.T, "messages", contents(got.Messages), []string{"direct"})
}

func historyUnknown(f *fixture) {
	refused(f.planner, "get_conversation_history", params{"conversation_with": "nobody"}, parley.AgentNotFound)
	refused(f.planner, "get_conversation_history", params{"conversation_with": "coder", "before": "00000000-0000-4000-8000-000000000000"}, parley.MessageNotFound)
	refused(f.planner, "get_conversation_history", nil, parley.InvalidArgument)
}
