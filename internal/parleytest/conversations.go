package parleytest

import "parley"

var conversationCases = []testCase{
	{"MessagesHaveAChainAndAHop", chains},
	{"ConversationStateOfTwoTellsWhoseTurnItIs", stateOfTwo},
	{"ConversationStateOfAThreadIsForParticipants", stateOfThread},
	{"ConversationsAreControlledByTheOperator", controls},
}

func chains(f *fixture) {
	link := func(m *parley.Message) [2]any { return [2]any{m.ChainID, m.Hop} }
	asked := f.operator.send("who looks at the parser?", "planner")
	same(f.T, "a person's message", link(asked.Object), [2]any{asked.MessageID, 0})
	passed := f.planner.send("please do", "coder")
	same(f.T, "what follows from it", link(passed.Object), [2]any{asked.MessageID, 1})
	answer := do[parley.RespondToMessageResult](
		f.coder, "respond_to_message", params{"message_id": passed.MessageID, "text": "done"},
	)

	same(f.T, "the answer", link(f.coder.status(answer.ResponseMessageID).Object), [2]any{asked.MessageID, 2})
	own := f.reviewer.send("I begin by myself", "planner")
	same(f.T, "what an agent begins", link(own.Object), [2]any{own.MessageID, 1})
	reply := do[parley.SendMessageResult](
		f.planner, "send_message", params{"to": "reviewer", "text": "go on", "in_reply_to": own.MessageID},
	)

	same(f.T, "a reply", link(reply.Object), [2]any{own.MessageID, 2})
}

func stateOfTwo(f *fixture) {
	with := params{"with": "coder"}
	before := f.planner.conversation(with)
	same(f.T, "id", before.Conversation.ID, parley.ConversationID(f.planner.id, f.coder.id))
	same(f.T, "state before a word", [3]any{before.State, before.ShouldRespond, before.Reason},
		[3]any{"cold", false, "no-message"})

	f.planner.send("does the parser work?", "coder")
	got := f.planner.conversation(with)
	same(f.T, "for who spoke", [3]any{got.ShouldRespond, got.Reason, got.LastSpeaker},
		[3]any{false, "just-spoke-wait-turn", "planner"})

	same(f.T, "counts", [3]int{got.Counts.LastMinute, got.Counts.Questions, got.Counts.Participants["planner"]},
		[3]int{1, 1, 1})

	if got.Temperature <= before.Temperature || got.Temperature > 1 || got.Held == nil ||
		got.Conversation.Settings.ChainHops == 0 {
		f.Errorf("the conversation is %+v", got)
	}

	got = f.coder.conversation(params{"with": "planner"})
	same(f.T, "for who was asked", [2]any{got.ShouldRespond, got.Reason}, [2]any{true, "addressed-to-you"})
	got = f.operator.conversation(params{"with": "planner, coder"})
	same(f.T, "decisions for the operator", len(got.Decisions), 2)
	f.operator.send("who is there?", "coder")
	got = f.coder.conversation(params{"with": parley.OperatorName})
	same(f.T, "after a person's message", [2]any{got.ShouldRespond, got.Reason}, [2]any{true, "human-message"})

	refused(f.planner, "get_conversation_state", params{}, parley.InvalidArgument)
	refused(
		f.planner, "get_conversation_state", params{"with": "coder", "thread_id": "12345678"}, parley.InvalidArgument,
	)

	refused(f.planner, "get_conversation_state", params{"with": "nobody"}, parley.AgentNotFound)
	refused(f.planner, "get_conversation_state", params{"with": "planner"}, parley.InvalidRecipient)
	refused(f.planner, "get_conversation_state", params{"with": "coder, reviewer"}, parley.NotAuthorized)
}

func stateOfThread(f *fixture) {
	th := f.planner.createThread("parser", "coder").Thread.ID
	f.planner.post(th, "@coder look at line 12")
	got := f.coder.conversation(params{"thread_id": th[:8]})
	same(f.T, "for who is mentioned",
		[4]any{got.ShouldRespond, got.Reason, got.Conversation.ThreadID, got.Conversation.Title},
		[4]any{true, "mentioned-by-ai", th, "parser"})

	if got.Factors == nil || !got.Factors.MentionedByAI || got.Confidence != 0.95 {
		f.Errorf("the decision is %+v, its factors %+v", got, got.Factors)
	}

	same(f.T, "for who spoke", f.planner.conversation(params{"thread_id": th}).Reason, "just-spoke-wait-turn")
	refused(f.reviewer, "get_conversation_state", params{"thread_id": th}, parley.NotAParticipant)
	refused(f.reviewer, "get_conversation_state", params{"thread_id": "00000000-0000-4000-8000-000000000000"},
		parley.ThreadNotFound)
}

func controls(f *fixture) {
	do[parley.ControlConversationResult](
		f.operator, "control_conversation", params{"action": "mute", "with": "planner, coder"},
	)

	same(f.T, "muted", f.planner.conversation(params{"with": "coder"}).Conversation.Muted, true)
	f.planner.send("a mailbox gets it none the less", "coder")
	f.coder.expectInbox("a mailbox gets it none the less")
	do[parley.ControlConversationResult](
		f.operator, "control_conversation", params{"action": "unmute", "with": "coder, planner"},
	)

	same(f.T, "muted", f.planner.conversation(params{"with": "coder"}).Conversation.Muted, false)
	th := f.planner.createThread("parser", "coder").Thread.ID
	got := do[parley.ControlConversationResult](
		f.operator, "control_conversation", params{"action": "set", "thread_id": th, "chain_hops": 7},
	)

	same(f.T, "conversation", got.ConversationID, th)
	same(f.T, "chain_hops", f.planner.conversation(params{"thread_id": th}).Conversation.Settings.ChainHops, 7)
	refused(f.operator, "control_conversation", params{"action": "shout", "thread_id": th}, parley.InvalidArgument)
	refused(f.operator, "control_conversation", params{"action": "set", "with": "planner, coder", "chain_hops": 7},
		parley.InvalidArgument)

	refused(f.operator, "control_conversation", params{"action": "mute", "thread_id": th, "chain_hops": 7},
		parley.InvalidArgument)

	refused(f.operator, "control_conversation", params{"action": "mute"}, parley.InvalidArgument)
	refused(f.operator, "control_conversation", params{"action": "mute", "with": "coder"}, parley.InvalidRecipient)
	refused(f.operator, "control_conversation",
		params{"action": "release", "message_id": "00000000-0000-4000-8000-000000000000"}, parley.MessageNotFound)
}
