package parleytest

import "parley"

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
