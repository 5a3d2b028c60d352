package main

import (
	"strings"
	"testing"
	"time"

	"parley"
)

func TestAgentsShowWhatTheirProgramsUse(t *testing.T) {
	agents := []parley.AgentStatus{{Agent: parley.Agent{Name: "coder"}}, {Agent: parley.Agent{Name: "tester"}}}
	shown := func() string {
		var out strings.Builder
		agentTable(&cli{program: program{now: time.Now}}, agents).print(&out)
		return out.String()
	}

	if got := shown(); strings.Contains(got, "CONTEXT") || strings.Contains(got, "TODAY") {
		t.Errorf("nothing is known, and it shows\n%s", got)
	}
	agents[1].Context, agents[1].Today = 82_000, &parley.Spending{Tokens: parley.Tokens{Input: 41_000}}
	for _, want := range []string{"CONTEXT", "82k", "TODAY", "41k"} {
		if got := shown(); !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}
