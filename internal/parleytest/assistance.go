package parleytest

import (
	"time"

	"parley"
)

var assistanceCases = []testCase{
	{"RequestAssistanceAsksTheTargets", assistanceTargets},
	{"RequestAssistanceAsksEveryone", assistanceEveryone},
}

func assistanceTargets(f *fixture) {
	deadline := time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	got := do[parley.RequestAssistanceResult](
		f.planner,
		"request_assistance",
		params{"requester_agent_id": f.planner.id, "assistance_type": "review",
			"target_agents": []string{"reviewer"}, "required_capabilities": []string{"go"},
			"request_details": params{
				"description": "look at the store",
				"context":     "it grew",
				"deadline":    deadline,
				"priority":    "high",
			}},
	)
	if len(got.PotentialResponders) != 1 || got.PotentialResponders[0].AgentID != f.reviewer.id || got.BroadcastSent ||
		got.RequestID == "" {
		f.Errorf("the answer is %+v", got)
	}

	f.reviewer.expectInbox("request for review: look at the store\nContext: it grew\nNeeded: go")
	f.coder.expectInbox()
	m := f.planner.status(got.RequestID).Object
	same(f.T, "type and priority", []string{string(m.Type), string(m.Priority)}, []string{"request", "high"})
	if m.ResponseDeadline == nil || !m.ResponseDeadline.Equal(deadline) {
		f.Errorf("the deadline is %v, want %v", m.ResponseDeadline, deadline)
	}

	same(f.T, "reviewer owes", f.owed(f.reviewer), [2]int{1, 0})
	f.unchangedAfter(func() {
		details := params{"description": "x"}
		late := params{"description": "x", "deadline": "2001-01-01T00:00:00Z"}
		for _, wrong := range []params{
			{"assistance_type": "magic", "request_details": details},
			{"assistance_type": "review", "request_details": params{"context": "x"}},
			{"assistance_type": "review", "request_details": late},
			{"assistance_type": "review", "request_details": params{"description": "x", "priority": "top"}},
			{"assistance_type": "review"},
		} {
			refused(f.planner, "request_assistance", wrong, parley.InvalidArgument)
		}

		refused(f.planner, "request_assistance",
			params{"assistance_type": "review", "target_agents": []string{"planner"}, "request_details": details},
			parley.InvalidRecipient)
	})
}

func assistanceEveryone(f *fixture) {
	got := do[parley.RequestAssistanceResult](f.planner, "request_assistance", params{"assistance_type": "expertise",
		"required_capabilities": []string{"cobol"}, "request_details": params{"description": "who knows cobol?"}})
	ids := []string{}
	for _, p := range got.PotentialResponders {
		ids = append(ids, p.AgentID)
		same(f.T, "match", p.CapabilityMatch, 0.0)
	}
	same(f.T, "potential responders", sorted(ids...), sorted(f.coder.id, f.reviewer.id))
	same(f.T, "broadcast", got.BroadcastSent, true)
	f.coder.expectInbox("request for expertise: who knows cobol?\nNeeded: cobol")
}
