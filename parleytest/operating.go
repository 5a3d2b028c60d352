package parleytest

import (
	"strings"

	"parley"
)

var operating = []testCase{
	{"RetryOfWhatHasArrivedIsRefused", retryDelivered},
	{"RetryForAStoppedMailboxIsRefused", retryFailed},
	{"RetryOfUnknownIsRefused", retryUnknown},
	{"ExplainTellsWhoSaidWhatToWhom", explainStory},
	{"PauseRefusesMessagesAndReadingWorks", pauseRefuses},
	{"OperatingIsForTheOperator", operatingRefused},
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
	refused(f.operator, "retry_delivery", params{"message_id": "00000000-0000-4000-8000-000000000000"}, parley.MessageNotFound)
	refused(f.operator, "explain_message", params{"message_id": "nonsense"}, parley.MessageNotFound)
}

func explainStory(f *fixture) {
	id := f.planner.send("please rebase", "coder", "reviewer").MessageID
	got := do[parley.ExplainMessageResult](f.operator, "explain_message", parley.ExplainMessageRequest{MessageID: id[:8]})
	same(f.T, "message_id", got.MessageID, id)
	story := strings.Join(got.Story, "\n")
	for _, part := range []string{"planner", "coder", "reviewer", "please rebase", id[:8], got.Summary} {
		if part == "" || !strings.Contains(story, part) {
			f.Errorf("no %q in the story:\n%s", part, story)
		}
	}
	for i, name := range []string{"coder", "reviewer"} {
		d := got.Deliveries[i]
		if d.Agent != name || d.State != parley.DeliverySubmitted || len(d.Rungs) == 0 || d.Rungs[0].Text == "" || len(d.Outlook) == 0 {
			f.Errorf("the delivery to %s is told as %+v", name, d)
		}
	}
}

func (f *fixture) pause(paused bool) *parley.PauseCommunicationResult {
	f.Helper()
	return do[parley.PauseCommunicationResult](f.operator, "pause_communication", parley.PauseCommunicationRequest{Paused: paused, Reason: "lunch"})
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
	f.coder.get(parley.GetMessagesRequest{}) // reading works
	f.unchanged(func() {
		refused(f.planner, "send_message", params{"to": "coder", "text": "in it"}, parley.CommunicationDisabled)
		refused(f.operator, "broadcast_message", params{"text": "in it"}, parley.CommunicationDisabled)
	})
	same(f.T, "pause after its end", f.pause(false).Paused == nil, true)
	f.planner.send("after", "coder")
	f.coder.expectInbox("after")
	refused(f.operator, "pause_communication", params{}, parley.InvalidArgument)
}

func operatingRefused(f *fixture) {
	id := f.planner.send("hello", "coder").MessageID
	refused(f.planner, "retry_delivery", params{"message_id": id}, parley.NotAuthorized)
	refused(f.planner, "explain_message", params{"message_id": id}, parley.NotAuthorized)
	refused(f.planner, "pause_communication", params{"paused": true}, parley.NotAuthorized)
}
