package parleytest

import (
	"encoding/json"
	"strings"

	"parley"
)

var operatorCases = []testCase{
	{"RetryOfADeliveredMessageIsRefused", retryDelivered},
	{"RetryForAStoppedMailboxIsRefused", retryFailed},
	{"RetryOfUnknownIsRefused", retryUnknown},
	{"ExplainNamesSenderTextAndRecipients", explainStory},
	{"PauseRefusesMessagesButNotReading", pauseRefuses},
	{"SteeringIsAMessageWithItsKind", steerMailbox},
	{"SteeringIsRefusedForTheOperatorAndIllegalKinds", steerRefused},
	{"NothingNeedsTheOperatorAtFirst", needsNothing},
}

func retryDelivered(f *fixture) {
	id := f.planner.send("hello", "coder", "reviewer").MessageID
	refused(f.operator, "retry_delivery", params{"message_id": id}, parley.AlreadyDelivered)
	refused(f.operator, "retry_delivery", params{"message_id": id[:8], "recipient": "coder"}, parley.AlreadyDelivered)
	refused(f.operator, "retry_delivery", params{"message_id": id, "recipient": "nobody"}, parley.AgentNotFound)
	refused(f.operator, "retry_delivery", params{"message_id": id, "recipient": "planner"}, parley.InvalidRecipient)
}

func retryFailed(f *fixture) {
	f.stop(f.coder)
	id := f.planner.send("are you there?", "coder", "reviewer").MessageID
	before := f.operator.status(id)
	refused(f.operator, "retry_delivery", params{"message_id": id}, parley.AgentUnavailable)
	same(f.T, "deliveries after the refusal", f.operator.status(id).Deliveries, before.Deliveries)
}

func retryUnknown(f *fixture) {
	refused(f.operator, "retry_delivery", params{"message_id": "00000000-0000-4000-8000-000000000000"},
		parley.MessageNotFound)
	refused(f.operator, "explain_message", params{"message_id": "nonsense"}, parley.MessageNotFound)
}

func explainStory(f *fixture) {
	id := f.planner.send("please rebase", "coder", "reviewer").MessageID
	got := do[parley.ExplainMessageResult](
		f.operator, "explain_message", parley.ExplainMessageRequest{MessageID: id[:8]},
	)

	same(f.T, "message_id", got.MessageID, id)
	story := strings.Join(got.Story, "\n")
	for _, part := range []string{"planner", "coder", "reviewer", "please rebase", id[:8], got.Summary} {
		if part == "" || !strings.Contains(story, part) {
			f.Errorf("no %q in the story:\n%s", part, story)
		}
	}

	for i, name := range []string{"coder", "reviewer"} {
		d := got.Deliveries[i]
		if d.Agent != name || d.State != parley.DeliverySubmitted || len(d.Rungs) == 0 || d.Rungs[0].Text == "" ||
			len(d.Outlook) == 0 {
			f.Errorf("the delivery to %s is told as %+v", name, d)
		}
	}
}

func pauseRefuses(f *fixture) {
	f.planner.send("before", "coder")
	p := f.pause(true).Paused
	if p == nil || p.By != parley.OperatorName || p.Reason != "lunch" || p.Since.IsZero() {
		f.Errorf("paused is %+v", p)
	}

	status := do[parley.WorkspaceStatusResult](f.operator, "get_workspace_status", params{})
	if status.Paused == nil || status.Paused.By != parley.OperatorName {
		f.Errorf("the workspace's status has %+v", status.Paused)
	}

	f.coder.getMessages(parley.GetMessagesRequest{}) // reading works
	f.unchanged(func() {
		refused(f.planner, "send_message", params{"to": "coder", "text": "in it"}, parley.CommunicationDisabled)
		refused(f.operator, "broadcast_message", params{"text": "in it"}, parley.CommunicationDisabled)
	})

	same(f.T, "pause after its end", f.pause(false).Paused == nil, true)
	f.planner.send("after", "coder")
	f.coder.expectInbox("after")
	refused(f.operator, "pause_communication", params{}, parley.InvalidArgument)
}

func steerMailbox(f *fixture) {
	call := params{
		"agent":           "coder",
		"kind":            "off course",
		"message":         "the parser comes first",
		"idempotency_key": "once",
	}

	got := do[parley.SendMessageResult](f.operator, "steer_agent", call)
	again := do[parley.SendMessageResult](f.operator, "steer_agent", call)
	same(f.T, "id of the repeated call", again.MessageID, got.MessageID)
	f.coder.expectInbox("the parser comes first")
	m := f.coder.getMessages(parley.GetMessagesRequest{}).Messages[0]
	var data parley.Guidance
	if err := json.Unmarshal(m.Content.Data, &data); err != nil || data.Kind != "OFF COURSE" ||
		m.Priority != parley.PriorityHigh ||
		m.SenderName != parley.OperatorName {
		f.Errorf("the guidance came as %+v, data %s, %v", m, m.Content.Data, err)
	}

	same(f.T, "kind", f.operator.status(got.MessageID).Object.Kind, parley.KindSteering)
	plain := do[parley.SendMessageResult](f.operator, "steer_agent", params{"agent": f.reviewer.id, "text": "go on"})
	same(f.T, "data without a kind", string(plain.Object.Data), `{"guidance":"STUCK"}`)
}

func steerRefused(f *fixture) {
	f.unchanged(func() {
		refused(f.operator, "steer_agent", params{"agent": "operator", "text": "go on"}, parley.InvalidRecipient)
		refused(f.operator, "steer_agent", params{"agent": "nobody", "text": "go on"}, parley.AgentNotFound)
		refused(f.operator, "steer_agent", params{"agent": "coder", "text": " "}, parley.InvalidArgument)
		refused(
			f.operator, "steer_agent", params{"agent": "coder", "text": "go on", "kind": "a]b"}, parley.InvalidArgument,
		)
		refused(f.planner, "steer_agent", params{"agent": "coder", "text": "go on"}, parley.NotAuthorized)
	})
}

func needsNothing(f *fixture) {
	id := f.planner.send("hello", "coder").MessageID
	got := do[parley.GetNeedsResult](f.operator, "get_needs", params{"dismiss": id})
	same(f.T, "needs", len(got.Needs), 0)
	same(f.T, "dismissed", got.Dismissed, 0)
	refused(f.operator, "get_needs", params{"dismiss": "00000000-0000-4000-8000-000000000000"}, parley.MessageNotFound)
}
