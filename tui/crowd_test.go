package tui

import (
	"fmt"
	"time"

	"parley"
)

// crowd is a team of n agents as one meets them: most are at work or at rest, a few wait for a person. They have
// groups, branches, and titles of their own; some have spent tokens, and one in twelve asks a question.
func crowd(n int) *fakeService {
	f := newFake()
	roles := []string{"planner", "coder", "reviewer", "tester", "docs-writer", "release-engineer"}
	programs := []string{"claude", "codex", "gemini", "opencode"}
	doing := []string{"", "Fix the parser's error messages", "Reading store/engine/commit.go",
		"Running the tests of the orchestrator, second try after the flaky one", "✳ Thinking…", "写文档"}
	states := []parley.AgentState{parley.StateBusy, parley.StateIdle, parley.StateBusy, parley.StateIdle}
	for i := range n {
		name, state := roles[i%len(roles)], states[i%len(states)]
		if n > len(roles) {
			name = fmt.Sprintf("%s-%02d", name, i+1)
		}
		if i%12 == 1 {
			state = parley.StateWaiting
		}
		f.agent(name, state, i%3, i%2, "")
		a := &f.agents[len(f.agents)-1]
		a.Profile, a.Command = programs[i%len(programs)], []string{programs[i%len(programs)], "--model", "opus"}
		a.Since, a.Role = noon.Add(-time.Duration(i*i+1)*time.Minute), roles[i%len(roles)]
		a.Doing, a.Dir = doing[i%len(doing)], "/home/someone/storefront"
		if i%3 != 0 {
			a.Worktree = &parley.Worktree{Branch: "parley/" + name, Base: "main", Made: true}
			a.Context = int64(12_000 + 7_000*i)
			a.Today = &parley.Spending{Tokens: parley.Tokens{Input: int64(1_100_000 + 90_000*i), Output: 41_000},
				Cost: 1.5 + float64(i)}
		}
		if i%2 == 0 {
			a.Groups = []string{[]string{"builders", "writers", "night-shift"}[i/2%3]}
		}
		if state == parley.StateWaiting {
			f.need(parley.NeedDialog, name, "May I go on with this?", "", "Answer it.", "May I go on with this?",
				"1 Yes", "2 No")
			f.needs[len(f.needs)-1].Dialog = question()
		}
	}

	for i := range min(4*n, 80) {
		from, to := f.agents[i*7%n].Name, f.agents[(i*5+1)%n].Name
		if from == to {
			continue
		}
		texts := []string{"The parser is ready to be looked at; 212 lines, tests included.", "ok",
			"Which of the two do we keep? I would say " +
				"the second, because the first one breaks the callers in store and in cmd.", "build is red on main"}
		states := []parley.DeliveryState{parley.DeliveryRead, parley.DeliverySubmitted, parley.DeliveryQueued,
			parley.DeliveryRead}
		f.say(i+20, from, []string{to}, texts[i%len(texts)], "normal", states[i%len(states)])
	}
	f.counts = map[string]int{"queued": 3}
	f.terminal = []string{"● I read store/engine/commit.go and its tests.", "",
		"  The queue of commits holds one transaction at a time.",
		"\x1b[32m  + if err := q.flush(ctx); err != nil {\x1b[m", "", "────────────────────────────────────────", "❯ ",
		"────────────────────────────────────────", "  ⏵⏵ accept edits on (shift+tab to cycle)"}
	f.agents = append(f.agents,
		parley.AgentStatus{Unread: 1, Agent: parley.Agent{ID: operatorID, Name: parley.OperatorName,
			Kind: parley.KindHuman, State: parley.StateIdle}})
	f.threads = append(f.threads, parley.Thread{ID: "00000001-2222-4222-8222-222222222222", Title: "release 1.2",
		ParticipantNames: []string{"planner", "coder", "operator"}, LastMessageAt: noon.Add(-time.Hour)})
	f.discuss()
	f.addUsage()
	return f
}

func question() *parley.Dialog {
	return &parley.Dialog{ID: "d1", Question: "May I go on with this?",
		Lines: []string{"Bash(rm -rf build)", "May I go on with this?"},
		Options: []parley.DialogOption{{Choice: "1", Label: "Yes"},
			{Choice: "2", Label: "Yes, and do not ask again for rm in this directory"},
			{Choice: "3", Label: "No, and tell it what to do differently", TakesText: true}}}
}
