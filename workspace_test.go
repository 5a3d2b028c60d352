package parley

import "testing"

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
		"unproven and unanswered":        {[]Need{{Kind: NeedUnconfirmed, AgentID: "x", MessageID: "a"}, debt("x", "a")}, 1},
		"unproven and another's debt":    {[]Need{{Kind: NeedUnconfirmed, AgentID: "x", MessageID: "a"}, debt("y", "a")}, 2},
		"between agents":                 {[]Need{between(debt("coder", "a")), between(Need{Kind: NeedHeld})}, 0},
		"yours and theirs":               {[]Need{debt("coder", "a"), between(debt("tester", "a"))}, 1},
	} {
		if got := Matters(c.needs); got != c.want {
			t.Errorf("%s: %d matters, want %d", name, got, c.want)
		}
	}
}
