package parleytest

import "parley"

var conversing = []testCase{
	{"MessagesCarryTheirChain", chains},
}

func chains(f *fixture) {
	link := func(m *parley.Message) [2]any { return [2]any{m.ChainID, m.Hop} }
	asked := f.operator.send("who looks at the parser?", "planner")
	same(f.T, "a person's message", link(asked.Object), [2]any{asked.MessageID, 0})
	passed := f.planner.send("please do", "coder")
	same(f.T, "what follows from it", link(passed.Object), [2]any{asked.MessageID, 1})
	answer := do[parley.RespondToMessageResult](f.coder, "respond_to_message", params{"message_id": passed.MessageID, "text": "done"})
	same(f.T, "the answer", link(f.coder.status(answer.ResponseMessageID).Object), [2]any{asked.MessageID, 2})
	own := f.reviewer.send("I begin by myself", "planner")
	same(f.T, "what an agent begins", link(own.Object), [2]any{own.MessageID, 1})
	reply := do[parley.SendMessageResult](f.planner, "send_message", params{"to": "reviewer", "text": "go on", "in_reply_to": own.MessageID})
	same(f.T, "a reply", link(reply.Object), [2]any{own.MessageID, 2})
}
