package tui

import (
	"context"
	"slices"
	"strings"

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
