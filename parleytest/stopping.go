package parleytest

import (
	"slices"

	"parley"
)

var stopping = []testCase{
	{"StoppedMailboxIsUnavailable", stoppedMailbox},
	{"MessageToAStoppedAgentFails", messageToStopped},
	{"BroadcastSkipsStopped", broadcastSkipsStopped},
	{"StopOfUnknownIsRefused", stopUnknown},
}

func (f *fixture) stop(m member) {
	f.Helper()
	got := do[parley.StopAgentResult](
		f.operator,
		"stop_agent",
		parley.StopAgentRequest{Agent: m.name, Reason: "the day is over"},
	)
	same(f.T, "who was stopped", got.AgentID, m.id)
}

func stoppedMailbox(f *fixture) {
	f.planner.send("before the end", "coder")
	f.stop(f.coder)
	got := do[parley.AgentStatusResult](f.planner, "get_agent_status", parley.AgentStatusRequest{Agent: "coder"}).Agents[0]
	same(f.T, "state", got.State, parley.StateTerminated)
	same(f.T, "availability", got.Availability, parley.Unavailable)
	same(
		f.T,
		"its conversation is kept",
		contents(f.planner.history(parley.HistoryRequest{With: "coder"}).Messages),
		[]string{"before the end"},
	)
}

func messageToStopped(f *fixture) {
	f.stop(f.coder)
	got := f.planner.send("hello?", "coder")
	same(f.T, "success", got.Success, false)
	same(f.T, "error_code", got.ErrorCode, parley.AgentUnavailable)
	same(
		f.T,
		"message",
		got.Message,
		"Failed to send message - recipient agent "+parley.Short(f.coder.id)+" may not exist or is terminated",
	)

	same(f.T, "failed_delivery", got.DeliveryStatus.FailedDelivery, []string{f.coder.id})
	if got.Answer.Error == nil || *got.Answer.Error == "" || got.Action == "" {
		f.Errorf("the answer says nothing of what is wrong: %+v", got)
	}

	both := f.planner.send("hello, both", "coder", "reviewer")
	same(f.T, "success with one of two", both.Success, true)
	same(f.T, "delivered_to", both.DeliveryStatus.DeliveredTo, []string{f.reviewer.id})
	same(f.T, "failed_delivery", both.DeliveryStatus.FailedDelivery, []string{f.coder.id})
}

func broadcastSkipsStopped(f *fixture) {
	f.stop(f.coder)
	got := f.planner.broadcast(parley.BroadcastMessageRequest{Text: "who is there?"})
	same(f.T, "recipient_count", got.RecipientCount, 1)
	if slices.Contains(recipients(got.DeliveryStatus), f.coder.id) {
		f.Errorf("it went to the stopped agent: %+v", got.DeliveryStatus)
	}
}

func stopUnknown(f *fixture) {
	refused(f.operator, "stop_agent", params{"agent": "nobody"}, parley.AgentNotFound)
}
