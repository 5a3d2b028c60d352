package parleytest

import (
	"strings"
	"time"

	"parley"
)

var searchCases = []testCase{
	{"SearchFindsNewestFirst", searchFinds},
	{"SearchShowsTheCallersOwn", searchOwn},
	{"SearchNarrows", searchNarrows},
	{"SearchTakesAnyText", searchTyped},
	{"FindTellsWhatMessagesAre", findTells},
}

func searchFinds(f *fixture) {
	sent := f.planner.send("please Rebase the branch", "coder")
	f.planner.send("the build is red", "coder")
	f.coder.send("rebase done, branch is green", "planner")
	got := f.coder.search("rebase BRANCH")
	same(f.T, "found", foundTexts(got), []string{"rebase done, branch is green", "please Rebase the branch"})
	same(f.T, "has_more and truncated", [2]bool{got.HasMore, got.Truncated}, [2]bool{false, false})
	m := got.Messages[1]
	same(f.T, "message_id", m.MessageID, sent.MessageID)
	same(f.T, "conversation_id", m.ConversationID, sent.ConversationID)
	same(f.T, "recipients", m.RecipientIDs, []string{f.coder.id})
	same(f.T, "recipient_count", m.RecipientCount, 1)
	same(f.T, "snippet", m.Snippet, "please Rebase the branch")
	same(f.T, "sender", [2]string{m.SenderAgentID, m.SenderName}, [2]string{f.planner.id, "planner"})
	same(f.T, "read_status of what came, and of what was sent", [2]bool{m.ReadStatus, got.Messages[0].ReadStatus},
		[2]bool{false, true})

	got = f.coder.search("rebase", params{"limit": 1})
	same(f.T, "found under a limit", foundTexts(got), []string{"rebase done, branch is green"})
	same(f.T, "has_more", got.HasMore, true)
	same(f.T, "unread, which search does not mark", len(f.coder.inbox()), 2)
}

func findTells(f *fixture) {
	f.planner.send("please rebase", "coder")
	f.planner.broadcast(parley.BroadcastMessageRequest{Text: "a word to all"})
	find := func(r parley.FindMessagesRequest) []parley.FoundMessage {
		return do[parley.SearchMessagesResult](f.operator, "find_messages", r).Messages
	}

	got := find(parley.FindMessagesRequest{Query: "plea", Begun: true, Agents: parley.Names{"coder"}})
	same(f.T, "found", len(got), 1)
	same(f.T, "recipients", got[0].Recipients, []string{"coder"})
	same(f.T, "kind", got[0].Kind, parley.KindDirect)
	deliveries := 0
	for _, n := range got[0].States {
		deliveries += n
	}
	same(f.T, "deliveries", deliveries, 1)

	same(f.T, "broadcasts", len(find(parley.FindMessagesRequest{Types: []string{"broadcast"}})), 1)
	same(f.T, "failed ones", len(find(parley.FindMessagesRequest{States: []string{"failed"}})), 0)
	refused(f.operator, "find_messages", params{"states": "lost"}, parley.InvalidArgument)
	refused(f.operator, "find_messages", params{}, parley.InvalidArgument)
	refused(f.operator, "find_messages", params{"from": "nobody"}, parley.AgentNotFound)
}

func searchOwn(f *fixture) {
	f.planner.send("secret word for coder", "coder")
	f.planner.broadcast(parley.BroadcastMessageRequest{Text: "no secret at all"})
	for _, c := range []struct {
		who  member
		want int
	}{{f.planner, 2}, {f.coder, 2}, {f.reviewer, 1}, {f.operator, 2}} {
		same(f.T, "what "+c.who.name+" finds", len(c.who.search("secret").Messages), c.want)
	}

	// A text cannot make itself visible with the id of somebody.
	for _, mark := range []string{"", "r", "s"} {
		f.planner.send("spelled "+mark+strings.ReplaceAll(f.reviewer.id, "-", ""), "coder")
	}

	same(f.T, "what the reviewer finds", len(f.reviewer.search("spelled").Messages), 0)
}

func searchNarrows(f *fixture) {
	f.planner.send("topic one", "coder")
	f.planner.send("topic two", "reviewer")
	f.coder.send("topic three", "planner", "reviewer")
	all := f.operator.search("topic").Messages
	same(f.T, "all", len(all), 3)
	for _, c := range []struct {
		args params
		want []string
	}{
		{params{"from": "planner"}, []string{"topic two", "topic one"}},
		{params{"to": "reviewer"}, []string{"topic three", "topic two"}},
		{params{"from": f.planner.id[:8], "to": "reviewer"}, []string{"topic two"}},
		{params{"since": all[1].Timestamp}, []string{"topic three"}},
		{params{"until": all[1].Timestamp}, []string{"topic two", "topic one"}},
		{params{"since": time.Now().Add(time.Hour)}, []string{}},
		{params{"until": time.Now().Add(-time.Hour)}, []string{}},
	} {
		same(f.T, "found", foundTexts(f.operator.search("topic", c.args)), c.want)
	}

	refused(f.planner, "search_messages", params{"query": "topic", "from": "nobody"}, parley.AgentNotFound)
	refused(f.planner, "search_messages",
		params{"query": "topic", "since": time.Now(), "until": time.Now().Add(-time.Hour)}, parley.InvalidArgument)

	for _, limit := range []int{0, 101} {
		refused(f.planner, "search_messages", params{"query": "topic", "limit": limit}, parley.InvalidArgument)
	}
}

func searchTyped(f *fixture) {
	f.planner.send("the build is red", "coder")
	same(f.T, "the phrase", len(f.coder.search(`"build is red"`).Messages), 1)
	same(f.T, "no phrase", len(f.coder.search(`"build red"`).Messages), 0)
	for _, query := range []string{
		`"`, `build"`, `build AND`, `NOT build`, `text:build`, `build*`, `^build`, `NEAR(build red)`,
		`{words}: build`, `-build`, `(build`, `build)`, `'; DROP TABLE messages`, "build\x00red", `\build`,
		`"" build`, "build OR OR", "+",
	} {
		if _, err := invoke(f.coder, "search_messages", params{"query": query}); err != nil &&
			parley.ErrorCode(err) != parley.InvalidArgument {
			f.Errorf("%q: got %v", query, err)
		}
	}

	for _, query := range []string{"", "  ", `"`, "+", strings.Repeat("x", 201)} {
		refused(f.coder, "search_messages", params{"query": query}, parley.InvalidArgument)
	}
}

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

var exportCases = []testCase{
	{"ExportHasEveryMessageWithItsDeliveries", exportWhole},
	{"ExportOfTwoAgentsHasTheirDirectMessages", exportBetween},
	{"ExportOfAThreadHasItsPosts", exportThread},
	{"ExportIsForTheOperator", exportRefused},
}

func exportWhole(f *fixture) {
	id := f.planner.send("one", "coder").MessageID
	f.planner.broadcast(parley.BroadcastMessageRequest{Text: "two"})
	f.coder.send("three", "planner", "reviewer")
	page := f.operator.export(parley.ExportMessagesRequest{Limit: 2})
	same(f.T, "the first page", exportedTexts(page.Messages), []string{"one", "two"})
	same(f.T, "more, of how many", [2]any{page.HasMore, page.TotalCount}, [2]any{true, 3})
	status := f.operator.status(id)
	same(f.T, "deliveries", page.Messages[0].Deliveries, status.Deliveries)
	same(f.T, "message", page.Messages[0].Message, *status.Object)
	rest := f.operator.export(parley.ExportMessagesRequest{Limit: 2, After: page.Next})
	same(f.T, "the rest", exportedTexts(rest.Messages), []string{"three"})
	same(f.T, "recipients of it", len(rest.Messages[0].Deliveries), 2)
	same(f.T, "more after it", rest.HasMore, false)
	none := f.operator.export(parley.ExportMessagesRequest{After: rest.Next})
	same(f.T, "what comes after it", [2]any{len(none.Messages), none.Next}, [2]any{0, rest.Next})
	since := f.operator.export(parley.ExportMessagesRequest{Since: &page.Messages[1].Timestamp})
	same(f.T, "since the second", exportedTexts(since.Messages), []string{"three"})
}

func exportBetween(f *fixture) {
	f.planner.send("one", "coder")
	f.coder.send("two", "planner")
	f.planner.send("to another", "reviewer")
	f.planner.broadcast(parley.BroadcastMessageRequest{Text: "to all"})
	do[parley.SendMessageResult](f.operator, "steer_agent", params{"agent": "coder", "text": "guidance"})
	got := f.operator.export(parley.ExportMessagesRequest{Between: parley.Names{"coder", f.planner.id}})
	same(f.T, "what they said", exportedTexts(got.Messages), []string{"one", "two"})
	same(f.T, "who", got.Between, []string{"coder", "planner"})
	same(f.T, "total_count", got.TotalCount, 2)
	got = f.operator.export(parley.ExportMessagesRequest{Between: parley.Names{"operator", "coder"}})
	same(f.T, "what the operator said", exportedTexts(got.Messages), []string{"guidance"})
}

func exportThread(f *fixture) {
	th := do[parley.CreateThreadResult](f.planner, "create_thread",
		params{"title": "the parser", "participants": []string{"coder"}, "initial_message": "who takes it?"}).Thread
	f.planner.send("elsewhere", "coder")
	do[parley.SendMessageResult](f.coder, "send_message", params{"thread_id": th.ID, "text": "I do"})
	got := f.operator.export(parley.ExportMessagesRequest{ThreadID: th.ID[:8]})
	said := exportedTexts(got.Messages)
	same(f.T, "the end of the thread", said[len(said)-2:], []string{"who takes it?", "I do"})
	same(f.T, "its title", got.Thread.Title, "the parser")
}

func exportRefused(f *fixture) {
	refused(f.operator, "export_messages", params{"between": []string{"coder"}}, parley.InvalidArgument)
	refused(f.operator, "export_messages", params{"between": []string{"coder", "planner"}, "thread_id": "x"},
		parley.InvalidArgument)

	refused(f.operator, "export_messages", params{"between": []string{"coder", "coder"}}, parley.InvalidRecipient)
	refused(f.operator, "export_messages", params{"between": []string{"coder", "nobody"}}, parley.AgentNotFound)
	refused(f.operator, "export_messages", params{"thread_id": "00000000-0000-4000-8000-000000000000"},
		parley.ThreadNotFound)

	same(f.T, "nothing yet", len(f.operator.export(parley.ExportMessagesRequest{}).Messages), 0)
}
