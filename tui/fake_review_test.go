package tui

import (
	"context"
	"strings"

	"parley"
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
