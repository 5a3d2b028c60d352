package parleytest

import "parley"

var broadcastCases = []testCase{
	{"BroadcastSkipsSender", broadcastSkipsSender},
	{"BroadcastToAList", broadcastList},
	{"BroadcastToAGroup", broadcastGroup},
	{"BroadcastRefusesAnEmptyList", broadcastEmptyList},
	{"BroadcastToUnknownStoresNothing", broadcastUnknown},
	{"BroadcastOfTheOperator", broadcastOperator},
	{"BroadcastUrgent", broadcastUrgent},
	{"BroadcastUpdateReachesEveryone", updateReaches},
	{"BroadcastUpdateUrgency", updateUrgency},
}

func broadcastSkipsSender(f *fixture) {
	got := f.planner.broadcast(parley.BroadcastMessageRequest{Text: "build is red"})
	same(f.T, "answer", got.Answer, parley.OK)
	same(f.T, "recipient_count", got.RecipientCount, 2)
	same(f.T, "message", got.Message, "Message broadcast to 2 agent(s)")
	same(f.T, "recipients", recipients(got.DeliveryStatus), sorted(f.coder.id, f.reviewer.id))
	same(f.T, "deliveries", len(got.Deliveries), 2)
	if got.Object == nil || got.Object.Kind != parley.KindBroadcast || got.Object.Text != "build is red" ||
		got.Object.ID != got.MessageID {
		f.Errorf("the message object is %+v", got.Object)
	}

	f.planner.expectInbox()
	f.operator.expectInbox()
	f.coder.expectInbox("build is red")
	f.reviewer.expectInbox("build is red")
}

func broadcastList(f *fixture) {
	got := f.planner.broadcast(
		parley.BroadcastMessageRequest{Text: "for one", Recipients: &parley.Names{"coder", f.coder.id}},
	)
	same(f.T, "recipient_count", got.RecipientCount, 1)
	f.coder.expectInbox("for one")
	f.reviewer.expectInbox()
}

func broadcastGroup(f *fixture) {
	for _, name := range []string{"tester", "auditor"} {
		do[parley.RegisterAgentResult](
			f.operator, "register_agent", parley.RegisterAgentRequest{Username: name, Groups: []string{"quality"}},
		)
	}

	got := f.planner.broadcast(parley.BroadcastMessageRequest{Text: "for quality", Group: "quality"})
	same(f.T, "recipient_count", got.RecipientCount, 2)
	f.coder.expectInbox()
	for _, d := range got.Deliveries {
		if d.Recipient != "tester" && d.Recipient != "auditor" {
			f.Errorf("it went to %s", d.Recipient)
		}
	}

	refused(f.planner, "broadcast_message", params{"text": "hello", "group": "nosuchgroup"}, parley.AgentNotFound,
		parley.InvalidRecipient)
}

func broadcastEmptyList(f *fixture) {
	f.unchanged(func() {
		refused(
			f.planner, "broadcast_message", params{"text": "hello", "recipients": []string{}}, parley.InvalidArgument,
		)

		refused(f.planner, "broadcast_message", params{"text": "hello", "recipient_ids": []string{}},
			parley.InvalidArgument)

		refused(f.planner, "broadcast_message",
			params{"text": "hello", "recipients": []string{"coder"}, "group": "quality"}, parley.InvalidArgument)
	})
}

func broadcastUnknown(f *fixture) {
	f.unchanged(func() {
		refused(f.planner, "broadcast_message", params{"text": "hello", "recipients": []string{"coder", "nobody"}},
			parley.AgentNotFound)
	})
}

func broadcastOperator(f *fixture) {
	got := f.operator.broadcast(parley.BroadcastMessageRequest{Text: "good morning"})
	same(f.T, "recipient_count", got.RecipientCount, 3)
	same(f.T, "sender", f.coder.inbox()[0].Sender, parley.OperatorName)
}

func broadcastUrgent(f *fixture) {
	got := f.planner.broadcast(parley.BroadcastMessageRequest{Text: "stop", Urgent: true})
	same(f.T, "priority", got.Object.Priority, parley.PriorityUrgent)
	same(f.T, "priority in the inbox", f.coder.inbox()[0].Priority, parley.PriorityUrgent)
}

func updateReaches(f *fixture) {
	got := do[parley.BroadcastUpdateResult](
		f.planner,
		"broadcast_update",
		params{"sender_agent_id": f.planner.id, "update_type": "discovery",
			"content": params{
				"summary":         "the cache is cold",
				"details":         "since noon",
				"impact":          "slow tests",
				"action_required": false,
			}, "urgency": "info"},
	)

	same(f.T, "recipients", sorted(got.Recipients...), sorted(f.coder.id, f.reviewer.id))
	if got.BroadcastID == "" || got.Timestamp.IsZero() {
		f.Errorf("the receipt is %+v", got)
	}

	f.coder.expectInbox("update (discovery): the cache is cold\nsince noon\nImpact: slow tests")
	f.unchangedAfter(func() {
		for _, wrong := range []params{
			{"update_type": "rumour", "content": params{"summary": "x"}},
			{"update_type": "issue", "content": params{"details": "x"}},
			{"update_type": "issue", "content": params{"summary": "x", "sumary": "x"}},
			{"update_type": "issue", "content": "x"},
			{"update_type": "issue", "content": params{"summary": "x"}, "urgency": "huge"},
			{"update_type": "issue"},
		} {
			refused(f.planner, "broadcast_update", wrong, parley.InvalidArgument)
		}
	})
}

func updateUrgency(f *fixture) {
	for urgency, want := range map[string]parley.Priority{
		"info":            parley.PriorityNormal,
		"attention":       parley.PriorityHigh,
		"action_required": parley.PriorityHigh,
		"critical":        parley.PriorityUrgent,
	} {
		got := do[parley.BroadcastUpdateResult](f.planner, "broadcast_update",
			params{"update_type": "issue", "content": params{"summary": urgency}, "urgency": urgency})
		m := f.planner.status(got.BroadcastID).Object
		same(f.T, "priority of "+urgency, m.Priority, want)
		same(f.T, "response to "+urgency, m.RequiresResponse, urgency == "action_required")
	}
}
