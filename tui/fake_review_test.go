package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/tui/team"
)

// work is what each agent of the fake team has changed.
const work = `diff --git a/parser.go b/parser.go
index 1111111..2222222 100644
--- a/parser.go
+++ b/parser.go
@@ -10,6 +10,7 @@ func parse(text string) (*tree, error) {
 	lines := strings.Split(text, "\n")
-	return nil, errEmpty
+	if len(lines) == 0 {
+		return nil, fmt.Errorf("line %d: %w, which is long enough that it does not fit into a row of a narrow window", 1, errEmpty)
 	}
@@ -40,3 +41,4 @@ func (t *tree) walk() {
 	for _, n := range t.nodes {
+		n.visit() // ` + "\x1b[31mred\x1b[0m 語" + `
 	}
diff --git a/docs/old.md b/docs/new.md
similarity index 90%
rename from docs/old.md
rename to docs/new.md
--- a/docs/old.md
+++ b/docs/new.md
@@ -1 +1 @@
-Old.
+New.
diff --git a/logo.png b/logo.png
new file mode 100644
Binary files /dev/null and b/logo.png differ
`

func (f *fakeService) DiffAgent(_ context.Context, r parley.DiffAgentRequest) (*parley.DiffAgentResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gitAsked++
	if f.err != nil {
		return nil, f.err
	}
	res := &parley.DiffAgentResult{
		Answer: parley.OK, AgentID: r.Agent, Since: "0123456789abcdef", Diff: f.work, Untracked: []string{},
		Files: []parley.ChangedFile{
			{Path: "parser.go", Added: 3, Removed: 1, State: parley.FileStaged},
			{Path: "docs/new.md", From: "docs/old.md", Added: 1, Removed: 1, State: parley.FileCommitted},
			{Path: "logo.png", Binary: true, State: parley.FileNew},
		},
	}
	if f.work == "" {
		res.Diff = work
	}
	if f.work == "none" {
		res.Diff, res.Files = "", nil
	}
	return res, nil
}

func (f *fakeService) PreviewMerge(
	_ context.Context, r parley.PreviewMergeRequest,
) (*parley.PreviewMergeResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gitAsked++
	if f.merge != nil {
		return f.merge, f.err
	}
	return &parley.PreviewMergeResult{
		Answer: parley.OK, AgentID: r.Agent, Ahead: 2, Ignored: []string{"out/"},
		Worktree: parley.Worktree{Branch: "parley/coder", Base: "main", Made: true},
		Shared:   []parley.SharedFiles{{AgentID: agentID("tester"), Name: "tester", Files: []string{"parser.go"}}},
	}, f.err
}

func (f *fakeService) FinishWorktree(
	_ context.Context, r parley.FinishWorktreeRequest,
) (*parley.FinishWorktreeResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.finished = append(f.finished, r)
	if f.err != nil {
		return nil, f.err
	}
	merged := r.How
	if !r.Merge {
		merged = ""
	}
	return &parley.FinishWorktreeResult{
		Answer: parley.OK, AgentID: r.Agent, Merged: merged, Removed: r.Remove,
		Worktree: parley.Worktree{Branch: "parley/coder", Base: "main"},
	}, nil
}

// manyLines is a diff of so many lines.
func manyLines(n int) string {
	return "diff --git a/big b/big\n--- a/big\n+++ b/big\n@@ -0,0 +1 @@\n" +
		strings.Repeat("+"+strings.Repeat("word ", 60)+"\n", n)
}

// FindMessages finds what the record announced.
func (f *fakeService) FindMessages(
	_ context.Context, r parley.FindMessagesRequest,
) (*parley.SearchMessagesResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.searches, f.sought = append(f.searches, r.Query), r
	res := &parley.SearchMessagesResult{Answer: parley.OK}
	before := r.Before != ""
	for _, e := range slices.Backward(f.events) {
		if before && e.MessageID == r.Before {
			before = false
			continue
		}
		if before || !e.Type.Announces() {
			continue
		}

		m := f.found(e)
		if !fits(r, m) {
			continue
		}
		if len(res.Messages) == r.Limit {
			res.HasMore = true
			break
		}
		cutTo(&m, r.Query)
		res.Messages = append(res.Messages, m)
	}

	return res, f.err
}

// found returns a message as a search reports it.
func (f *fakeService) found(e parley.Event) parley.FoundMessage {
	m := parley.FoundMessage{Kind: team.NewRow(e).Kind, ThreadTitle: e.Thread, RecipientCount: max(1, e.RecipientCount),
		Snippet: e.Preview, States: map[parley.DeliveryState]int{}}
	m.MessageID, m.SenderAgentID, m.SenderName, m.Timestamp = e.MessageID, e.SenderID, e.Sender, e.Time
	m.Priority, m.MessageType, m.ThreadID = e.Priority, e.MessageType, e.ThreadID
	if full := f.messages[e.MessageID]; full != nil && full.Object != nil {
		if full.Object.Text != "" {
			m.Snippet = full.Object.Text
		}
		for _, d := range full.Deliveries {
			m.States[d.State]++
			m.RecipientIDs, m.Recipients = append(m.RecipientIDs, d.RecipientID), append(m.Recipients, d.Recipient)
		}
	}
	return m
}

// cutTo begins the part of the text that is shown at the words that were found.
func cutTo(m *parley.FoundMessage, words string) {
	for word := range strings.FieldsSeq(words) {
		if i := strings.Index(strings.ToLower(m.Snippet), word); i > 0 {
			m.Snippet = "…" + m.Snippet[i:]
		}
	}
}

// fits reports whether a message meets the conditions that the tests use.
func fits(r parley.FindMessagesRequest, m parley.FoundMessage) bool {
	among := func(want []string, have ...string) bool {
		return len(want) == 0 || slices.ContainsFunc(have, func(h string) bool { return slices.Contains(want, h) })
	}
	var states []string
	for s := range m.States {
		states = append(states, string(s))
	}
	everything := strings.ToLower(strings.Join(append(m.Recipients, m.SenderName, m.Snippet), " "))
	for word := range strings.FieldsSeq(strings.ToLower(r.Query)) {
		if !strings.Contains(everything, word) {
			return false
		}
	}
	split := func(s string) []string { return strings.FieldsFunc(s, func(r rune) bool { return r == ',' }) }
	return among(split(r.From), m.SenderName) && among(split(r.To), m.Recipients...) &&
		among(r.Agents, append(m.Recipients, m.SenderName)...) && among(r.States, states...) &&
		among(r.Types, string(m.MessageType), string(m.Kind)) && among(r.Ranks, string(m.Priority)) &&
		(r.Thread == "" || strings.Contains(m.ThreadTitle+m.ThreadID, r.Thread)) &&
		(r.Since == nil || m.Timestamp.After(*r.Since))
}

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
