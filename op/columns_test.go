package op_test

import (
	"slices"
	"testing"
	"time"

	"parley"
	"parley/op"
)

// What the table of the commands has and what is said in a sentence is known to all, and no column is there twice.
func TestColumnsOfAgentsHaveTexts(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range op.AgentColumns {
		if c.ID == "" || seen[c.ID] {
			t.Errorf("%q is there twice", c.ID)
		}
		if seen[c.ID] = true; c.Text == nil && (c.Table || c.Fact > 0) {
			t.Errorf("%s has no text", c.ID)
		}
		if c.Least > c.Most || c.Most == 0 && !c.Table && c.Fact == 0 {
			t.Errorf("%s has no room anywhere", c.ID)
		}
	}
}

func TestAgentsAreDescribedInOrder(t *testing.T) {
	for _, x := range []struct {
		agent parley.AgentStatus
		want  []string
	}{
		{parley.AgentStatus{Agent: parley.Agent{Name: "ci", Kind: parley.KindMailbox}}, []string{"mailbox"}},
		{parley.AgentStatus{
			Agent: parley.Agent{Name: "coder", Kind: parley.KindTerminal, Profile: "claude",
				Command: []string{"claude", "--model", "opus"}, AgentSpec: parley.AgentSpec{Role: "Coder"}},
			Context: 82_000, Today: &parley.Spending{Tokens: parley.Tokens{Input: 41_000}, Cost: 1.5},
		}, []string{"claude/opus", "82k context", "41k 1.50 today"}},
		{parley.AgentStatus{Agent: parley.Agent{Name: "coder", Kind: parley.KindTerminal, Profile: "claude",
			Runs: "codex", AgentSpec: parley.AgentSpec{Role: "writes"}}}, []string{"codex", "writes"}},
		{parley.AgentStatus{Agent: parley.Agent{Name: "ci", Kind: parley.KindMailbox},
			Planned: new(time.Date(2099, 12, 1, 18, 0, 0, 0, time.Local))},
			[]string{"mailbox", "18:00 on 1 December planned"}},
	} {
		if got := op.AgentFacts(&x.agent); !slices.Equal(got, x.want) {
			t.Errorf("got %q, want %q", got, x.want)
		}
	}
}
