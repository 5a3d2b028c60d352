package parley

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestOneMatterCountsOnce(t *testing.T) {
	dialog := Need{Kind: NeedDialog, AgentID: "coder"}
	debt := func(agent, message string) Need { return Need{Kind: NeedOverdue, AgentID: agent, MessageID: message} }
	between := func(n Need) Need { n.Between = true; return n }
	for name, c := range map[string]struct {
		needs []Need
		want  int
	}{
		"nothing":                        {nil, 0},
		"a dialog":                       {[]Need{dialog}, 1},
		"two agents":                     {[]Need{dialog, {Kind: NeedDialog, AgentID: "tester"}}, 2},
		"a dialog and what waits for it": {[]Need{dialog, debt("coder", "a"), debt("coder", "b")}, 1},
		"a dialog and another's debt":    {[]Need{dialog, debt("tester", "a")}, 2},
		"one broadcast":                  {[]Need{debt("coder", "a"), debt("tester", "a"), debt("planner", "a")}, 1},
		"two questions":                  {[]Need{debt("coder", "a"), debt("tester", "b")}, 2},
		"unproven and unanswered": {[]Need{{Kind: NeedUnconfirmed, AgentID: "x", MessageID: "a"},
			debt("x", "a")}, 1},
		"unproven and another's debt": {[]Need{{Kind: NeedUnconfirmed, AgentID: "x", MessageID: "a"},
			debt("y", "a")}, 2},
		"between agents":   {[]Need{between(debt("coder", "a")), between(Need{Kind: NeedHeld})}, 0},
		"yours and theirs": {[]Need{debt("coder", "a"), between(debt("tester", "a"))}, 1},
	} {
		if got := Matters(c.needs); got != c.want {
			t.Errorf("%s: %d matters, want %d", name, got, c.want)
		}
	}
}

// Whatever needs there are, each that is a person's is a matter or part of one before it, and what is between agents
// neither is one nor changes the number.
func TestEachNeedIsPartOfOneMatter(t *testing.T) {
	for seed := range uint64(2000) {
		needs := randomNeeds(rand.New(rand.NewPCG(seed, 1)))
		roots := Roots(needs)
		if got := Matters(needs); got != len(roots) {
			t.Fatalf("seed %d: %d matters, %d roots", seed, got, len(roots))
		}

		var own []Need
		for i := range needs {
			x := &needs[i]
			isRoot, part := slices.Contains(roots, x), false
			for k := range needs[:i] {
				part = part || slices.Contains(roots, &needs[k]) && needs[k].Covers(x)
			}
			if x.Between && isRoot || !x.Between && isRoot == part {
				t.Fatalf("seed %d: %+v is a matter: %v, part of one: %v, of %+v", seed, x, isRoot, part, needs)
			}
			if !x.Between {
				own = append(own, *x)
			}
		}
		if got := Matters(own); got != len(roots) {
			t.Fatalf("seed %d: %d matters without what is between agents, %d with it", seed, got, len(roots))
		}
	}
}

// randomNeeds returns needs of few agents and messages, the most pressing first, as the daemon lists them.
func randomNeeds(r *rand.Rand) []Need {
	kinds := NeedKinds()
	needs := make([]Need, r.IntN(12))
	for i := range needs {
		needs[i] = Need{
			Kind:      kinds[r.IntN(len(kinds))],
			AgentID:   []string{"a", "b", "c"}[r.IntN(3)],
			MessageID: []string{"", "m", "n"}[r.IntN(3)],
		}
		needs[i].Between = needs[i].IsDebt() && r.IntN(2) == 0
	}
	slices.SortStableFunc(needs, func(x, y Need) int {
		return slices.Index(kinds, x.Kind) - slices.Index(kinds, y.Kind)
	})
	return needs
}
