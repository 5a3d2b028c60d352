package tui

import (
	"fmt"
	"time"

	"parley"
)

// busyTeam is a team at work, as the golden views show it.
func busyTeam() *fakeService {
	f := newFake()
	f.addAgents()
	for i, title := range []string{"the parser's error messages", "storage format 2, 移行計画"} {
		f.threads = append(f.threads, parley.Thread{
			ID:               fmt.Sprintf("%08x-2222-4222-8222-222222222222", i+1),
			Title:            title,
			ParticipantNames: []string{"coder", "reviewer", "tester"},
			LastMessageAt:    noon.Add(-time.Duration(i*i+2) * time.Hour),
		})
	}

	f.terminal = []string{
		"\x1b[1;36m● Reading parser.go\x1b[0m (212 lines)",
		"  \x1b[32m+ return fmt.Errorf(\"line %d: empty body\", n)",
		"  + }\x1b[m",
		"\x1b[2J\x1b]0;title\a日本語\x1b[5Gok",
		"",
		"\x1b[38;5;208m❯\x1b[39m \x1b[7m \x1b[0m",
	}

	f.discuss()
	f.makeHot()
	f.addUsage()
	f.addNeeds()
	f.addMessages()

	return f
}

func (f *fakeService) addAgents() {
	f.agent("coder", parley.StateBusy, 2, 1, "")
	f.agents[len(f.agents)-1].Worktree = &parley.Worktree{Branch: "parley/coder", Base: "main", Made: true}
	f.agent("reviewer", parley.StateIdle, 0, 0, "")
	f.agent("tester", parley.StateIdle, 1, 1, "the pane is in copy mode")
	f.agent("docs-writer", parley.StateStarting, 0, 0, "")
	f.agent("planner", parley.StateExited, 0, 0, "")
	f.agent("scout", parley.StateUnreachable, 3, 3, "")
	f.agent("old-hand", parley.StateTerminated, 0, 0, "")

	coder, reviewer, tester, planner := &f.agents[0], &f.agents[1], &f.agents[2], &f.agents[4]
	tester.HeldCode = parley.HoldScrolling
	coder.Profile, coder.Command = "claude", []string{"claude", "--model", "opus"}
	coder.Doing, coder.Context = "Fix the parser's error messages", 82_000
	coder.Worktree = &parley.Worktree{Branch: "parser-errors", Base: "main"}
	coder.Groups, tester.Groups = []string{"builders"}, []string{"builders"}
	reviewer.Profile, reviewer.Owed, reviewer.Overdue = "codex", 2, 1
	tester.Profile = "generic"
	planner.Evidence = "its process ended with status 1"

	f.agents = append(f.agents, parley.AgentStatus{Unread: 1, Agent: parley.Agent{
		ID:    operatorID,
		Name:  parley.OperatorName,
		Kind:  parley.KindHuman,
		State: parley.StateIdle,
	}})
}

func (f *fakeService) addNeeds() {
	f.counts = map[string]int{"queued": 3, "typing": 1, "held": 1, "unconfirmed": 1}
	f.need(parley.NeedLost, "scout",
		"its terminal is gone: tmux or the session was ended from outside; 3 messages wait for it",
		"parley restart scout", "Start it again, or let it go with parley stop scout.")
	f.need(parley.NeedExited, "planner", "its program ended with status 1",
		"parley restart planner", "Start it again, or let it go with parley stop planner.",
		"panic: runtime error: index out of range [3] with length 3",
		"  goroutine 1 [running]:",
		"  main.main()",
		"exit status 1")
	f.need(parley.NeedUnconfirmed, "planner",
		"whether message 5f0c0006 from scout arrived is not known: typed and entered, "+
			"but its program has not read it yet",
		"parley explain 5f0c0006",
		"If it arrived: parley needs --dismiss 5f0c0006. If not: parley retry 5f0c0006 --to planner.")
	f.needs[len(f.needs)-1].MessageID = "5f0c0006-1111-4111-8111-111111111111"
}

func (f *fakeService) addMessages() {
	const ok, held = parley.DeliverySubmitted, parley.DeliveryHeld
	const approval = "Shall I approve the change to the storage format? It cannot be undone."
	all := []string{"coder", "reviewer", "docs-writer", "planner"}
	you := parley.OperatorName

	f.say(1, "planner", []string{"coder", "reviewer", "tester"},
		"Plan for today: the parser first, then the store. Ask when something is unclear.", "normal",
		parley.DeliveryRead)
	f.say(2, "coder", []string{"reviewer"},
		"parser.go is ready to be looked at; 212 lines, tests included", "normal", ok)
	f.say(3, "reviewer", []string{"coder"},
		"Two things:\n1. the error for an empty body hides the line number\n2. 日本語のテキストも確認してください 🎉", "normal", ok)
	f.say(4, "tester", all,
		"build is red on main: TestSplitsLongLines", "urgent", ok, ok, parley.DeliveryTyping, ok)
	f.say(5, "coder", []string{"tester"}, "looking into it now", "high", held)
	f.say(6, "scout", []string{"planner"},
		"Found three callers of the old API; a list is in notes/callers.md", "normal", parley.DeliveryUnconfirmed)
	f.say(7, "reviewer", []string{you}, approval, "high", ok)
	f.say(8, you, []string{"reviewer"}, "Yes, but write the migration first.", "normal", ok)
	f.say(9, "coder", []string{"scout"},
		"please check whether \x1b[31mthe list\x1b[0m is\u202e complete", "low", parley.DeliveryQueued)
	f.say(10, "tester", []string{"coder", "reviewer"}, "green again", "normal", ok, parley.DeliveryFailed)

	f.letters = append(f.letters, parley.InboxMessage{
		MessageID: "5f0c0007-1111-4111-8111-111111111111",
		Sender:    "reviewer",
		Priority:  "high",
		Content:   approval,
		Timestamp: noon.Add(-93 * 7 * time.Second),
	})
}

// discuss adds posts to the first thread.
func (f *fakeService) discuss() {
	const ok, held, read = parley.DeliverySubmitted, parley.DeliveryHeld, parley.DeliveryRead
	id := f.threads[0].ID
	f.post(1, id, parley.SystemName,
		"coder opened thread 00000001 \"the parser's error messages\" with reviewer, tester.",
		noon.Add(-26*time.Hour), read, read, read)
	f.post(2, id, "coder",
		"Which line should an error name: where the body begins, or where it ends? "+
			"I would say where it begins; every editor jumps there.",
		noon.Add(-25*time.Hour), read, read, read)
	f.post(3, id, "reviewer", "Where it begins.\nAnd the column too: 最初の列も表示してください.",
		noon.Add(-2*time.Hour-5*time.Minute), read, ok, ok)
	f.post(4, id, "tester",
		"Then twelve of the golden files change. \x1b[31mred\x1b[0m until that is done.",
		noon.Add(-2*time.Hour-2*time.Minute), ok, held)
	f.post(5, id, parley.OperatorName, "Do it. One commit.", noon.Add(-2*time.Hour), ok, ok, ok)
}

// makeHot makes the first thread hot.
func (f *fakeService) makeHot() {
	f.heat = &parley.ConversationStateResult{
		Answer:       parley.OK,
		State:        "hot",
		Temperature:  0.82,
		Conversation: parley.Conversation{ThreadID: f.threads[0].ID},
		Counts:       parley.ConversationCounts{FiveMinutes: 14},
		Held: []parley.HeldTurn{{
			MessageID: f.posts[3].MessageID,
			Sender:    "tester",
			Recipient: "coder",
			Reason:    "pair-budget",
			Text:      "they said 12 in a minute",
		}},
	}
}

// addUsage adds a responder that answers, and one that cannot.
func (f *fakeService) addUsage() {
	oracle := parley.Spent{Calls: 12, Answered: 12, InputTokens: 41_200, OutputTokens: 3_900, LatencyMS: 14_400}
	f.usage = &parley.UsageResult{
		Answer: parley.OK,
		Total:  parley.Spent{Calls: 15, InputTokens: 41_200, OutputTokens: 3_900},
		Agents: []parley.AgentUsage{
			{Agent: "oracle", Spent: oracle, LastCall: noon.Add(-2 * time.Minute)},
			{
				Agent:    "muse",
				Spent:    parley.Spent{Calls: 3, Failed: 3},
				Failures: map[string]int{"no_key": 3},
				LastCall: noon.Add(-9 * time.Minute),
			},
		},
	}

	for i := range 12 {
		f.usage.Calls = append(f.usage.Calls, parley.ModelCall{
			AgentID: "o",
			Agent:   "oracle",
			Caller:  "coder",
			Usage:   parley.Usage{InputTokens: 3400 + 200*i, OutputTokens: 300},
		})
	}

	f.usage.Calls = append(f.usage.Calls,
		parley.ModelCall{AgentID: "m", Agent: "muse", Caller: "tester", Reason: parley.ModelNoKey})
}
