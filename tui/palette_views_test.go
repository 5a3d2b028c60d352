package tui

import (
	"testing"

	"parley"
)

func TestAnswersOfThePaletteAreViews(t *testing.T) {
	usage := &parley.UsageResult{Programs: []parley.ProgramUsage{
		{AgentID: "5f0c", Agent: "coder", Program: "claude",
			Spending: parley.Spending{Tokens: parley.Tokens{Input: 82_000}, Cost: 2.5},
			Today:    parley.Spending{Tokens: parley.Tokens{Input: 41_000}}},
		{AgentID: "5f0d", Agent: "reviewer", Unknown: "no_reader"},
	}}
	for _, c := range []struct {
		res  any
		want string
	}{
		{usage, "agent     runs    today  in all  cost\n" +
			"coder     claude  41k    82k     2.50\n" +
			"reviewer                               no reader"},
		{&parley.UsageResult{}, "Nothing has been used yet."},
		{&parley.DiffAgentResult{Since: "0123"}, "Nothing has changed."},
		{&parley.ReadTerminalResult{AgentID: "5f0c", Lines: []string{"one", "two"}}, "one\ntwo"},
		{&parley.ExplainMessageResult{Story: []string{"It was sent.", "It was read."}}, "It was sent.\nIt was read."},
	} {
		if got := viewOf(c.res); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}
