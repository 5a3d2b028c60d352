package worktree_test

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/orchestrator/worktree"
)

// A checkout is known without git: its own, a worktree's, and a submodule's.
func TestTheCheckoutAroundADirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.make(parley.WorktreeAuto)
	common := filepath.Join(w.top, ".git")
	must.Do(t, os.MkdirAll(filepath.Join(w.top, "deep", "er"), 0o755))
	w.write("sub/.git", "gitdir: ../.git/modules/sub\n")
	must.Do(t, os.MkdirAll(filepath.Join(common, "modules", "sub"), 0o755))
	w.write("odd/.git", "what?\n")

	for dir, want := range map[string]worktree.Tree{
		w.top:                              {Top: w.top, Common: common},
		filepath.Join(w.top, "deep", "er"): {Top: w.top, Common: common},
		m.Path: {Top: m.Path, Linked: true,
			Common: common},
		filepath.Join(w.top, "sub"): {Top: filepath.Join(w.top, "sub"),
			Common: filepath.Join(common, "modules", "sub")},
		filepath.Join(w.top, "odd"):     {},
		filepath.Join(w.top, "missing"): {},
		t.TempDir():                     {},
	} {
		if got, ok := worktree.TreeOf(dir); got != want || ok != (want != worktree.Tree{}) {
			t.Errorf("%s: got %+v, %v, want %+v", dir, got, ok, want)
		}
	}
}

// An agent can put anything in the place of what git keeps there.
func TestNoPipeOrDeviceHoldsALookUp(t *testing.T) {
	t.Parallel()
	pipe, device := t.TempDir(), t.TempDir()
	must.Do(t, syscall.Mkfifo(filepath.Join(pipe, ".git"), 0o600))
	must.Do(t, os.Symlink("/dev/zero", filepath.Join(device, ".git")))

	for _, dir := range []string{pipe, device} {
		if got, ok := worktree.TreeOf(dir); ok {
			t.Errorf("%s: got %+v, want nothing", dir, got)
		}
	}
}

func TestFilesThatACheckoutHasChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(".gitignore", "*.log\n")
	w.commit(w.top, "ignore")
	m := w.make(parley.WorktreeAuto)
	w.write("main.txt", "the base moves on\n")
	w.commit(w.top, "main")

	w.write(filepath.Join(m.Path, "committed ü.txt"), "x\n")
	w.commit(m.Path, "work")
	w.write(filepath.Join(m.Path, "a.txt"), "open\n")
	w.write(filepath.Join(m.Path, "new/b.txt"), "new\n")
	w.write(filepath.Join(m.Path, "x.log"), "ignored\n")

	for base, want := range map[string][]string{
		"main": {"a.txt", "committed ü.txt", "new/b.txt"},
		"":     {"a.txt", "new/b.txt"},
	} {
		got := must.Have(worktree.Changed(t.Context(), m.Path, base))(t)
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("since %q: got %q, want %q", base, got, want)
		}
	}
	if _, err := worktree.Changed(t.Context(), m.Path, "gone"); err == nil {
		t.Error("a base that does not exist is taken")
	}
}

func TestWhenAFileWasCommitted(t *testing.T) {
	when := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	t.Setenv("GIT_COMMITTER_DATE", when.Format(time.RFC3339))
	w := newWorld(t)
	w.write("b.txt", "never\n")
	if at := must.Have(worktree.Committed(t.Context(), w.top, "a.txt"))(t); !at.Equal(when) {
		t.Errorf("a.txt was committed at %s", at)
	}
	if at := must.Have(worktree.Committed(t.Context(), w.top, "b.txt"))(t); !at.IsZero() {
		t.Errorf("b.txt was committed at %s", at)
	}
}
