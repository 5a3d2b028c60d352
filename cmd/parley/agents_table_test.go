package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

func TestUsageShowsBudgets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	c := newCLI(program{out: output{out: must.Have(os.Create(path))(t), now: time.Now}})
	coder := parley.ProgramUsage{Agent: "coder", Budget: &parley.BudgetUse{Percent: 16, Used: "812k of 5000k tokens"}}
	coder.Today = parley.Spending{Responses: 3, Tokens: parley.Tokens{Input: 812_000}}
	idle := parley.ProgramUsage{Agent: "idle", Budget: &parley.BudgetUse{Used: "0 of 100 tokens"}}
	usageCommand{}.printPrograms(c.out, []parley.ProgramUsage{coder, idle},
		&parley.BudgetUse{Percent: 40, Used: "2.00 of 5.00"})
	must.Do(t, c.out.out.Close())
	out := string(must.Have(os.ReadFile(path))(t))
	for _, want := range []string{
		"today 812k, 16 % of its budget, 812k of 5000k tokens", "0 % of its budget, 0 of 100 tokens",
		"The team has used 40 % of its budget, 2.00 of 5.00 today.",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

func TestAgentsShowWhatTheirProgramsUse(t *testing.T) {
	agents := []parley.AgentStatus{{Agent: parley.Agent{Name: "coder"}}, {Agent: parley.Agent{Name: "tester"}}}
	shown := func() string {
		return strings.Join(new(agentsCommand).table(&output{now: time.Now}, agents).lines(0), "\n")
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

func TestNeedsListsWhatTheNumberCounts(t *testing.T) {
	debt := func(agent string) parley.Need {
		return parley.Need{Kind: parley.NeedOverdue, Agent: agent, AgentID: agent, MessageID: "m",
			Command: "parley steer"}
	}
	between := debt("tester")
	between.Between = true
	needs := []parley.Need{
		{Kind: parley.NeedDialog, Agent: "coder", AgentID: "coder", Command: "parley answer coder"},
		debt("coder"), debt("planner"), debt("reviewer"), between,
	}

	path := filepath.Join(t.TempDir(), "out")
	o := &output{out: must.Have(os.Create(path))(t), now: time.Now}
	must.Do(t, needsCommand{}.print(o, &parley.GetNeedsResult{Needs: needs}))
	out := string(must.Have(os.ReadFile(path))(t))
	if got, want := strings.Count(out, "→ "), parley.Matters(needs); got != want {
		t.Errorf("%d are listed, want %d:\n%s", got, want, out)
	}
	for _, want := range []string{"with it: coder overdue\n", "with it: reviewer overdue\n"} {
		if strings.Count(out, want) != 1 {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}
