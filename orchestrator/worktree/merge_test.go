package worktree_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
	"parley/orchestrator/worktree"
)

// Each way merges the same content, and refuses what it cannot do before anything changes.
func TestWaysToMerge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		how    parley.MergeWay
		behind bool // the base has gone on
		want   parley.MergeWay
		log    string // of the base, the newest first
	}{
		{"", false, parley.MergedFast, "two|one|first"},
		{"", true, parley.MergedCommit, "Merge branch 'parley/coder' of coder"},
		{parley.MergedFast, false, parley.MergedFast, "two|one|first"},
		{parley.MergedFast, true, "", "base|first"},
		{parley.MergedCommit, false, parley.MergedCommit, "Merge branch 'parley/coder' of coder"},
		{parley.MergedSquash, false, parley.MergedSquash, "Squash branch 'parley/coder' of coder|first"},
		{parley.MergedSquash, true, parley.MergedSquash, "Squash branch 'parley/coder' of coder|base|first"},
	} {
		t.Run(string(c.how), func(t *testing.T) {
			w := newWorld(t)
			made := w.make(parley.WorktreeAuto).Worktree
			for _, name := range []string{"one", "two"} {
				w.write(filepath.Join(made.Path, name), name+"\n")
				w.commit(made.Path, name)
			}
			if c.behind {
				w.write("base", "base\n")
				w.commit(w.top, "base")
			}

			f := worktree.Finish{Agent: "coder", Merge: true, Remove: true, How: c.how}
			got, err := worktree.Run(t.Context(), &made, f)
			if c.want == "" {
				w.refused(err, "cannot be fast-forwarded", "Merge with a commit")
			} else if err != nil || got != c.want {
				t.Fatalf("got %q and %v, want %q", got, err, c.want)
			}

			log := strings.ReplaceAll(w.git(w.top, "log", "--format=%s"), "\n", "|")
			if !strings.HasPrefix(log, c.log) {
				t.Errorf("the base has %q, want %q", log, c.log)
			}
			if status := w.git(w.top, "status", "--porcelain"); status != "" {
				t.Errorf("the checkout is left with %q", status)
			}
			if c.want != "" && w.git(w.top, "branch", "--list", "parley/coder") != "" {
				t.Error("the branch is still there")
			}
		})
	}
}

// A preview says what a merge would do, with the names of files as they are.
func TestPreviewOfAMerge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := w.make(parley.WorktreeAuto).Worktree
	const odd = "two words\n\x1b[31m.txt"
	w.write(filepath.Join(made.Path, odd), "its\n")
	w.write(filepath.Join(made.Path, "a.txt"), "its\n")
	w.commit(made.Path, "its")
	w.write(odd, "ours\n")
	w.write("a.txt", "ours\n")
	w.commit(w.top, "ours")

	p := must.Have(worktree.PreviewOf(t.Context(), "coder", &made))(t)
	if p.Ahead != 1 || p.Behind != 1 || !slices.Equal(p.Conflicts, []string{"a.txt", odd}) {
		t.Errorf("got %+v", p)
	}
	w.refused(p.Refused, "conflict in a.txt")

	w.write(filepath.Join(made.Path, "new"), "x\n")
	w.write(filepath.Join(made.Path, ".gitignore"), "secret\n")
	w.write(filepath.Join(made.Path, "secret"), "x\n")
	p = must.Have(worktree.PreviewOf(t.Context(), "coder", &made))(t)
	if !slices.Equal(p.Open, []string{".gitignore", "new"}) || !slices.Equal(p.Ignored, []string{"secret"}) {
		t.Errorf("got %+v", p)
	}
	w.refused(p.Refused, "has not committed 2 files")
}

// A diff lists its files with how far each is, whatever the user has set for diffs.
func TestDiffListsItsFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("gone.txt", strings.Repeat("a line\n", 9))
	w.commit(w.top, "second")
	for _, setting := range []string{"diff.noprefix", "diff.mnemonicPrefix"} {
		w.git(w.top, "config", setting, "true")
	}

	made := w.make(parley.WorktreeAuto).Worktree
	w.git(made.Path, "mv", "gone.txt", "moved.txt")
	w.write(filepath.Join(made.Path, "a.txt"), "one\ntwo\n")
	w.commit(made.Path, "its")
	w.write(filepath.Join(made.Path, "staged"), "x\n")
	w.git(made.Path, "add", "staged")
	w.write(filepath.Join(made.Path, "a.txt"), "one\nthree\n")
	w.write(filepath.Join(made.Path, "picture"), "\x00\x01")
	w.write(filepath.Join(made.Path, "tab\tand \"quote\""), "x\n")

	d := must.Have(worktree.DiffOf(t.Context(), made.Path, &made, false))(t)
	want := []parley.ChangedFile{
		{Path: "a.txt", Added: 1, State: parley.FileUnstaged},
		{Path: "moved.txt", From: "gone.txt", State: parley.FileCommitted},
		{Path: "picture", Binary: true, State: parley.FileNew},
		{Path: "staged", Added: 1, State: parley.FileStaged},
		{Path: "tab\tand \"quote\"", Added: 1, State: parley.FileNew},
	}
	if diff := cmp.Diff(want, d.Files); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(d.Text, "+++ b/a.txt\n") {
		t.Errorf("the names have no prefixes:\n%s", d.Text)
	}
}
