package worktree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/internal/sh"
	"parley/orchestrator/worktree"
)

// A removal takes only what can be had again, or what a flag names: each way to have more in a worktree.
func TestRemovalTakesOnlyWhatIsAllowed(t *testing.T) {
	t.Parallel()
	type allows struct{ plain, force, discard bool }
	never, forced, discarded, always := allows{}, allows{false, true, true}, allows{false, false, true}, allows{true,
		true, true}
	const cache = "Signature: 8a477f597d28d172789f06886806bc55\n"

	for name, c := range map[string]struct {
		do   func(w *world, path string)
		may  allows
		says string
	}{
		"nothing": {func(*world, string) {}, always, ""},
		"what was copied": {func(w *world, path string) { w.has(path, ".env", "conf/a", "plain.txt") },
			always, ""},
		"a rotated secret":     {func(w *world, _ string) { w.write(".env", "SECRET=2\n") }, always, ""},
		"a changed copy":       {func(_ *world, path string) { put(path, ".env", "MINE=1\n") }, forced, ".env"},
		"a new file in a copy": {func(_ *world, path string) { put(path, "conf/b", "b") }, forced, "conf/"},
		"what the set-up made": {func(_ *world, path string) { put(path, "vendor/more", "x") }, always, ""},
		"a cache by its name":  {func(_ *world, path string) { put(path, "out/__pycache__/x", "x") }, always, ""},
		"a cache by its tag":   {func(_ *world, path string) { put(path, "out/CACHEDIR.TAG", cache) }, always, ""},
		"the same as in the main": {func(w *world, path string) { w.write("out/x", "x"); put(path, "out/x", "x") },
			always, ""},
		"an ignored file": {func(_ *world, path string) { put(path, "out/x", "x") }, forced, "git ignores"},
		"a new file": {func(_ *world, path string) { put(path, "new", "x") },
			discarded, "not committed 1 file"},
		"a changed file": {func(_ *world, path string) { put(path, "a.txt", "x") },
			discarded, "not committed 1 file"},
		"a staged file": {func(w *world, path string) { put(path, "new", "x"); w.git(path, "add", "new") },
			discarded, "not committed 1 file"},
		"a removed file": {func(_ *world, path string) { os.Remove(filepath.Join(path, "a.txt")) }, discarded, "a.txt"},
		"a commit": {func(w *world, path string) {
			put(path, "new", "x")
			w.git(path, "add", "new")
			w.git(path, "commit", "-qm", "x")
		},
			discarded, "1 commit that main lacks"},
		"a commit on no branch": {func(w *world, path string) {
			w.git(path, "checkout", "-q", "--detach")
			w.git(path, "commit", "-q", "--allow-empty", "-m", "x")
		}, discarded, "is on HEAD now"},
		"a clone": {func(w *world, path string) { w.git(path, "clone", "-q", w.top, "out/clone") },
			forced, "git ignores"},
		"a clone that git does not ignore": {func(w *world, path string) { w.git(path, "clone", "-q", w.top, "clone") },
			discarded, "not committed 1 file"},
		"a clone that was added": {func(w *world, path string) {
			w.git(path, "clone", "-q", w.top, "clone")
			w.git(path, "add", "clone")
			w.git(path, "commit", "-q", "-m", "x")
			w.git(w.top, "merge", "-q", "parley/coder")
		}, forced, "another repository"},
		"a worktree": {func(w *world, path string) { w.git(path, "worktree", "add", "-q", "-b", "x", "out/w") },
			never, "another worktree"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for flag, may := range map[string]bool{"": c.may.plain, "force": c.may.force, "discard": c.may.discard} {
				if flag != "" && (c.may.plain || testing.Short()) || flag == "discard" && c.may.force {
					continue // what a weaker flag removes, a stronger one does
				}
				w := newWorld(t)
				w.write(".gitignore", "/.env\n/conf\nout\n/vendor\n")
				w.commit(w.top, "ignores")
				w.write(".env", "SECRET=1\n")
				w.write("conf/a", "a\n")
				w.write("plain.txt", "plain\n")
				m := must.Have(worktree.Make(t.Context(), worktree.Plan{
					Agent: "coder", Dir: w.top, Branch: parley.WorktreeAuto, Env: os.Environ(),
					Copy:  []string{".env", "conf", "plain.txt", "none"},
					Setup: []string{"mkdir vendor; echo v > vendor/v"},
				}))(t)
				if strings.Join(m.Missing, " ") != "none" {
					t.Fatalf("missing are %q", m.Missing)
				}
				c.do(w, m.Path)

				_, err := worktree.Run(t.Context(), &m.Worktree, worktree.Finish{
					Agent: "coder", Remove: true, Force: flag == "force", Discard: flag == "discard",
				})
				_, there := os.Stat(m.Path)
				switch {
				case may && (err != nil || !os.IsNotExist(there)):
					t.Errorf("with %q: got %v", flag, err)
				case !may && there != nil:
					t.Errorf("with %q it was removed", flag)
				case !may:
					w.refused(err, c.says)
					hinted := strings.Contains(parley.AsError(err).Action, "--force")
					if asked := parley.AsError(err).Details[parley.NeedsForce] != nil; flag == "" &&
						(asked != c.may.force || hinted != c.may.force) {
						t.Errorf("%v: force is said to help: %v, %v", err, asked, hinted)
					}
				}
			}
		})
	}
}

// has reports files of a worktree that are missing.
func (w *world) has(path string, names ...string) {
	w.t.Helper()
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(path, name)); err != nil {
			w.t.Error(err)
		}
	}
}

// put writes a file below a directory.
func put(path, name, text string) {
	file := filepath.Join(path, name)
	_ = os.MkdirAll(filepath.Dir(file), 0o755) // the write fails too
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		panic(err)
	}
}

// What was copied is neither merged nor asked for, and no advice would commit it.
func TestCopiedFilesAreNoWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(".env", "SECRET=1\n")
	m := must.Have(worktree.Make(t.Context(), worktree.Plan{
		Agent: "coder", Dir: w.top, Branch: parley.WorktreeAuto, Copy: []string{".env"},
		Setup: []string{"echo made >> a.txt"}, Env: os.Environ(),
	}))(t)
	if d := must.Have(worktree.Look(t.Context(), &m.Worktree))(t); d.Dirty != 0 {
		t.Errorf("%d files are said to be open", d.Dirty)
	}
	d := must.Have(worktree.DiffOf(t.Context(), m.Path, &m.Worktree, false))(t)
	if strings.Contains(d.Text, "SECRET") || len(d.Untracked) > 0 {
		t.Errorf("the diff shows what was copied: %+v", d)
	}

	put(m.Path, "new.txt", "new\n")
	finish := worktree.Finish{Agent: "coder", Merge: true, Remove: true}
	err := worktree.Check(t.Context(), &m.Worktree, finish)
	w.refused(err, "not committed 1 file", "new.txt")
	if e := parley.AsError(err); strings.Contains(e.Message+e.Action, ".env") || strings.Contains(e.Action, "-A") {
		t.Errorf("%v: %s", e, e.Action)
	}

	w.git(m.Path, "add", "new.txt")
	w.git(m.Path, "commit", "-q", "-m", "new")
	if merged, err := worktree.Run(t.Context(), &m.Worktree, finish); err != nil || merged != parley.MergedFast {
		t.Errorf("got %q, %v", merged, err)
	}
}

// A diff has the content of new files, and leaves the index as it is.
func TestDiffShowsNewFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.make(parley.WorktreeAuto)
	put(m.Path, "sub/new file.txt", "first line\n")
	before := w.git(m.Path, "status", "--porcelain")
	for _, dir := range []string{m.Path, filepath.Join(m.Path, "sub")} {
		d := must.Have(worktree.DiffOf(t.Context(), dir, nil, false))(t)
		if !strings.Contains(d.Text, "+first line") || len(d.Untracked) != 1 {
			t.Errorf("in %s: got %+v", dir, d)
		}
	}
	if d := must.Have(worktree.DiffOf(t.Context(), m.Path, &m.Worktree, true))(t); !strings.Contains(d.Text, "| 1 +") {
		t.Errorf("got %s", d.Text)
	}
	if after := w.git(m.Path, "status", "--porcelain"); after != before {
		t.Errorf("the status is %q, was %q", after, before)
	}
}

// What a set-up says about its failure begins with its first line, where most programs name the cause.
func TestFailedSetUpSaysTheCause(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := worktree.Make(t.Context(), worktree.Plan{
		Agent: "coder", Dir: w.top, Branch: "x", Env: os.Environ(),
		Setup: []string{"echo the cause; for i in 1 2 3 4 5 6 7 8 9; do echo noise $i; done; echo the end; exit 3"},
	})
	w.refused(err, "the cause", "the end", "exit status 3")
	if strings.Contains(err.Error(), "noise 7") {
		t.Errorf("it goes on and on: %v", err)
	}
}

// In hints, a repository in a directory with a hostile name is one word of the shell.
func TestHintsQuoteTheDirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	top := filepath.Join(t.TempDir(), "it's $(touch ran) here")
	w.git(w.top, "clone", "-q", w.top, top)
	m := must.Have(worktree.Make(t.Context(), worktree.Plan{Agent: "coder", Dir: top, Branch: "x"}))(t)
	put(m.Path, "new", "x")
	err := worktree.Check(t.Context(), &m.Worktree, worktree.Finish{Agent: "coder", Merge: true})
	w.refused(err, sh.Word(m.Path))
}
