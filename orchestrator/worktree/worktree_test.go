package worktree_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/orchestrator/worktree"
)

// world is a repository on the branch main with one commit.
type world struct {
	t   *testing.T
	top string
}

func TestMain(m *testing.M) {
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		os.Setenv("GIT_"+who+"_NAME", "Test")
		os.Setenv("GIT_"+who+"_EMAIL", "test@example.com")
	}
	os.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	os.Exit(m.Run())
}

func newWorld(t *testing.T) *world {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git to test with")
	}
	w := &world{t, must.Have(filepath.EvalSymlinks(t.TempDir()))(t)}
	w.git(w.top, "init", "-q", "-b", "main")
	w.write("a.txt", "one\n")
	w.commit(w.top, "first")

	return w
}

func (w *world) git(dir string, words ...string) string {
	w.t.Helper()
	out, err := exec.Command("git", append([]string{"-C", dir}, words...)...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %q: %v: %s", words, err, out)
	}
	return strings.TrimSpace(string(out))
}

// write writes a file of the checkout, or of a worktree by its absolute path.
func (w *world) write(name, text string) {
	w.t.Helper()
	if !filepath.IsAbs(name) {
		name = filepath.Join(w.top, name)
	}
	must.Do(w.t, os.MkdirAll(filepath.Dir(name), 0o755))
	must.Do(w.t, os.WriteFile(name, []byte(text), 0o644))
}

func (w *world) commit(dir, message string) {
	w.t.Helper()
	w.git(dir, "add", "-A")
	w.git(dir, "commit", "-q", "-m", message)
}

func (w *world) make(branch string) *worktree.Made {
	w.t.Helper()
	return must.Have(worktree.Make(w.t.Context(), worktree.Plan{Agent: "coder", Dir: w.top, Branch: branch}))(w.t)
}

// refused reports the error of a call that must fail with these words, and a next step.
func (w *world) refused(err error, words ...string) {
	w.t.Helper()
	e := parley.AsError(err)
	if err == nil || e.Action == "" {
		w.t.Fatalf("got %v, want an error with a next step", err)
	}
	for _, word := range words {
		if !strings.Contains(e.Error()+" "+e.Action, word) {
			w.t.Errorf("%v (%s) does not say %q", err, e.Action, word)
		}
	}
}

func TestWorktreeHasABranchAndIsIgnored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("sub/b.txt", "b\n")
	w.commit(w.top, "second")
	w.write(".env", "SECRET=1\n")
	w.write("conf/deep/x", "x\n")

	m := must.Have(worktree.Make(t.Context(), worktree.Plan{
		Agent: "coder", Dir: filepath.Join(w.top, "sub"), Branch: parley.WorktreeAuto,
		Copy: []string{".env", "conf"}, Setup: []string{"pwd > made-by-setup", "echo $WHO >> made-by-setup",
			"touch stays; while [ -e stays ]; do sleep 0.1; done &"},
		Env: []string{"PATH=" + os.Getenv("PATH"), "WHO=me"},
	}))(t)

	path := filepath.Join(w.top, ".worktrees", "coder")
	want := parley.Worktree{Path: path, Branch: "parley/coder", Base: "main", Repository: w.top, Made: true}
	if m.Worktree != want || m.Dir != filepath.Join(path, "sub") || !m.Fresh {
		t.Errorf("got %+v", m)
	}
	if got := w.git(path, "branch", "--show-current"); got != "parley/coder" {
		t.Errorf("it is on %s", got)
	}
	for name, want := range map[string]string{".env": "SECRET=1\n", "conf/deep/x": "x\n", "made-by-setup": path +
		"\nme\n"} {
		if got := string(must.Have(os.ReadFile(filepath.Join(path, name)))(t)); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if got := w.git(w.top, "status", "--porcelain"); strings.Contains(got, ".worktrees") {
		t.Errorf("git sees it: %s", got)
	}

	again := w.make(parley.WorktreeAuto)
	if again.Fresh || again.Path != path || again.Branch != "parley/coder" {
		t.Errorf("the second time: %+v", again)
	}
}

func TestWorktreeThatCannotBe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	try := func(p worktree.Plan) error {
		p.Agent = "coder"
		if p.Dir == "" {
			p.Dir = w.top
		}
		m, err := worktree.Make(t.Context(), p)
		if err == nil {
			t.Fatalf("it was made: %+v", m)
		}
		if _, err := os.Stat(filepath.Join(w.top, ".worktrees", "coder")); err == nil {
			t.Error("something of it is left")
		}
		return err
	}

	w.refused(try(worktree.Plan{Dir: t.TempDir(), Branch: "x"}), "not in a git repository")
	w.refused(try(worktree.Plan{Dir: filepath.Join(t.TempDir(), "gone"), Branch: "x"}), "there is no directory")
	w.refused(try(worktree.Plan{Branch: "main"}), "main is checked out in "+w.top)
	w.refused(try(worktree.Plan{Branch: "a..b"}), "cannot be a branch")
	w.refused(try(worktree.Plan{Branch: "x", Copy: []string{"../none"}}), "none was not copied")
	w.refused(try(worktree.Plan{Branch: "x", Setup: []string{"echo so sad; exit 3"}}), "so sad", "exit status 3")
	if got := w.git(w.top, "branch", "--list", "x"); got != "" {
		t.Errorf("the branch is left: %s", got)
	}

	must.Do(t, os.Symlink("/etc", filepath.Join(w.top, "out")))
	w.refused(try(worktree.Plan{Branch: "x", Copy: []string{"out/passwd"}}), "was not copied")

	w.git(w.top, "branch", "parley/coder")
	w.refused(try(worktree.Plan{Branch: parley.WorktreeAuto}), "exists already", "--worktree=parley/coder")
}

func TestDiffOfARepositoryWithoutACommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := t.TempDir()
	w.git(dir, "init", "-q")
	_, err := worktree.DiffOf(t.Context(), dir, nil, false)
	if want := dir + " has no commit yet"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestFinishKeepsWorkUnlessToldTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.make(parley.WorktreeAuto)
	remove := worktree.Finish{Agent: "coder", Remove: true}
	run := func(f worktree.Finish) error {
		_, err := worktree.Run(t.Context(), &m.Worktree, f)
		return err
	}

	w.write(filepath.Join(m.Path, "new.txt"), "new\n")
	w.refused(run(remove), "not committed 1 file", "new.txt", "--remove --discard")
	w.refused(run(worktree.Finish{Agent: "coder", Merge: true}), "not committed 1 file")

	w.commit(m.Path, "work")
	w.refused(run(remove), "1 commit that main lacks", "--merge --remove")
	if got := must.Have(worktree.Look(t.Context(), &m.Worktree))(t); got != (worktree.Distance{Branch: "parley/coder",
		Ahead: 1}) {
		t.Errorf("it is %+v", got)
	}

	w.git(m.Path, "checkout", "-q", "--detach")
	w.refused(run(remove), "not on parley/coder")

	must.Do(t, run(worktree.Finish{Agent: "coder", Remove: true, Discard: true}))
	if _, err := os.Stat(m.Path); err == nil || w.git(w.top, "branch", "--list", "parley/*") != "" {
		t.Error("something is left")
	}
}

func TestMergeGoesFastOrByACommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	both := worktree.Finish{Agent: "coder", Merge: true, Remove: true}
	for _, want := range []parley.MergeWay{parley.MergedFast, parley.MergedCommit, parley.MergedNothing} {
		m := w.make(parley.WorktreeAuto)
		if want != parley.MergedNothing {
			w.write(filepath.Join(m.Path, string(want)), "work\n")
			w.commit(m.Path, string(want))
		}
		if want == parley.MergedCommit {
			w.write("meanwhile", "mine\n")
			w.commit(w.top, "meanwhile")
		}

		got, err := worktree.Run(t.Context(), &m.Worktree, both)
		if err != nil || got != want {
			t.Fatalf("got %q, %v, want %q", got, err, want)
		}
		if _, err := os.Stat(filepath.Join(w.top, string(want))); err != nil && want != parley.MergedNothing {
			t.Errorf("%s is not there: %v", want, err)
		}
	}
	if got := w.git(w.top, "status", "--porcelain"); got != "" {
		t.Errorf("left over: %s", got)
	}
}

// What the user's own git merge does there must not keep the agent's work from the base.
func TestMergeTakesNoOptionsOfTheBranch(t *testing.T) {
	t.Parallel()
	for _, options := range []string{"--squash", "--no-commit", "--strategy=ours", "ours"} {
		w := newWorld(t)
		name := "branch.main.mergeOptions"
		if options == "ours" {
			name = "pull.twohead"
		}
		w.git(w.top, "config", name, options)
		m := w.make(parley.WorktreeAuto)
		w.write(filepath.Join(m.Path, "work.txt"), "work\n")
		w.commit(m.Path, "work")
		tip := w.git(m.Path, "rev-parse", "HEAD")
		w.write("meanwhile", "mine\n")
		w.commit(w.top, "meanwhile")

		got, err := worktree.Run(t.Context(), &m.Worktree, worktree.Finish{Agent: "coder", Merge: true, Remove: true})
		if err != nil || got != parley.MergedCommit || w.git(w.top, "branch", "--contains", tip) != "* main" {
			t.Errorf("%s: got %q, %v; the branch %q has the commit", options, got, err,
				w.git(w.top, "branch", "--contains", tip))
		}
		if files := w.git(w.top, "ls-files"); !strings.Contains(files, "work.txt") {
			t.Errorf("%s: main has %q", options, files)
		}
	}
}

// Git prefers a tag to a branch of the same name.
func TestTagsOfTheSameNamesAreNotTakenForTheBranches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.git(w.top, "tag", "main")
	m := w.make(parley.WorktreeAuto)
	w.git(w.top, "tag", "parley/coder")
	w.write("meanwhile", "mine\n")
	w.commit(w.top, "meanwhile")
	w.write(filepath.Join(m.Path, "work.txt"), "work\n")
	w.commit(m.Path, "work")
	w.git(w.top, "tag", "-d", "main")
	w.git(w.top, "tag", "main", "refs/heads/parley/coder")

	want := worktree.Distance{Branch: "parley/coder", Ahead: 1, Behind: 1}
	if got := must.Have(worktree.Look(t.Context(), &m.Worktree))(t); got != want || m.Base != "main" {
		t.Errorf("it is %+v, from %s", got, m.Base)
	}
	_, err := worktree.Run(t.Context(), &m.Worktree, worktree.Finish{Agent: "coder", Remove: true})
	w.refused(err, "1 commit that main lacks")

	got, err := worktree.Run(t.Context(), &m.Worktree, worktree.Finish{Agent: "coder", Merge: true, Remove: true})
	if err != nil || got != parley.MergedCommit || !strings.Contains(w.git(w.top, "ls-files"), "work.txt") {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestMergeIsRefusedWhereItWouldNotWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.make("feature")
	w.write(filepath.Join(m.Path, "a.txt"), "theirs\n")
	w.commit(m.Path, "theirs")
	merge := func() error {
		return worktree.Check(t.Context(), &m.Worktree, worktree.Finish{Agent: "coder", Merge: true})
	}

	w.write("a.txt", "mine\n")
	w.refused(merge(), "1 file that is not committed: a.txt", "stash")
	w.commit(w.top, "mine")
	w.refused(merge(), "conflict in a.txt", "try again")
	_, err := worktree.Run(t.Context(), &m.Worktree, worktree.Finish{Agent: "coder", Merge: true})
	w.refused(err, "conflict")
	if got := w.git(w.top, "status", "--porcelain"); got != "" {
		t.Errorf("left over: %s", got)
	}

	w.git(w.top, "switch", "-q", "-c", "other")
	w.refused(merge(), "is on other", "switch main")

	w.git(w.top, "switch", "-q", "-c", "a=b")
	m.Base = "a=b"
	w.refused(merge(), "branch named", "by hand")
}

func TestDiffShowsCommittedAndOpenWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.make(parley.WorktreeAuto)
	w.write(filepath.Join(m.Path, "b.txt"), "committed\n")
	w.commit(m.Path, "b")
	w.write(filepath.Join(m.Path, "a.txt"), "open\n")
	w.write(filepath.Join(m.Path, "c.txt"), "new\n")

	d := must.Have(worktree.DiffOf(t.Context(), m.Path, &m.Worktree, false))(t)
	if !strings.Contains(d.Text, "+committed") || !strings.Contains(d.Text, "+open") ||
		strings.Join(d.Untracked, " ") != "c.txt" {
		t.Errorf("got %+v", d)
	}

	d = must.Have(worktree.DiffOf(t.Context(), m.Path, nil, true))(t)
	if !strings.Contains(d.Text, "a.txt") || strings.Contains(d.Text, "b.txt") {
		t.Errorf("since the last commit: %+v", d)
	}
}

// An agent may write what it likes into the repository's configuration. None of it runs.
func TestGitRunsNothingOfTheRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(".gitattributes", "*.txt filter=evil diff=evil merge=evil\n")
	w.commit(w.top, "attributes")
	trap := filepath.Join(t.TempDir(), "sprung")
	set := "touch " + trap + "; cat"

	m := w.make("feature")
	w.write(filepath.Join(m.Path, "a.txt"), "theirs\n")
	w.commit(m.Path, "theirs")
	w.write(filepath.Join(m.Path, "d.txt"), "open\n")
	w.write("b.txt", "mine\n")
	w.commit(w.top, "mine")

	for _, name := range []string{
		"core.fsmonitor", "core.pager", "core.editor", "diff.external", "diff.evil.command", "diff.evil.textconv",
		"filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "merge.evil.driver", "gpg.program",
	} {
		w.git(w.top, "config", name, set)
	}
	w.git(w.top, "config", "commit.gpgSign", "true")
	w.git(w.top, "config", "filter.evil.required", "true")
	w.git(w.top, "config", "hook.evil.command", set)
	for _, event := range []string{"post-checkout", "post-merge", "reference-transaction"} {
		w.git(w.top, "config", "--add", "hook.evil.event", event)
	}
	hooks := filepath.Join(w.top, ".git", "hooks")
	for _, name := range []string{"post-checkout", "pre-merge-commit", "post-merge", "reference-transaction",
		"pre-commit", "commit-msg"} {
		w.write(filepath.Join(hooks, name), "#!/bin/sh\ntouch "+trap+"\n")
		must.Do(t, os.Chmod(filepath.Join(hooks, name), 0o755))
	}

	_ = must.Have(worktree.Look(t.Context(), &m.Worktree))(t)
	_ = must.Have(worktree.DiffOf(t.Context(), m.Path, &m.Worktree, false))(t)
	_ = must.Have(worktree.Make(t.Context(), worktree.Plan{Agent: "other", Dir: w.top, Branch: parley.WorktreeAuto}))(t)
	must.Do(t, os.Remove(filepath.Join(m.Path, "d.txt")))
	merged := must.Have(worktree.Run(t.Context(),
		&m.Worktree, worktree.Finish{Agent: "coder", Merge: true, Remove: true}))(t)
	if _, err := os.Stat(trap); err == nil || merged != parley.MergedCommit {
		t.Errorf("merged by %s; something of the repository ran: %v", merged, err == nil)
	}
}

// Configuration that counts only in the worktree, or on its branch, runs nothing either.
func TestGitRunsNothingThatOnlyAWorktreeSees(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"onbranch:parley/**", "gitdir:**/.git/worktrees/**"} {
		t.Run(when, func(t *testing.T) {
			w := newWorld(t)
			w.write(".gitattributes", "*.txt filter=evil merge=evil\n")
			w.commit(w.top, "attributes")
			trap := filepath.Join(t.TempDir(), "sprung")
			for _, name := range []string{"filter.evil.clean", "filter.evil.smudge", "merge.evil.driver"} {
				w.git(w.top, "config", "--file", ".git/more", name, "touch "+trap+"; cat")
			}
			w.git(w.top, "config", "includeIf."+when+".path", "more")

			m := w.make(parley.WorktreeAuto)
			if have := must.Have(os.ReadFile(filepath.Join(m.Path, "a.txt")))(t); string(have) != "one\n" {
				t.Errorf("the worktree has %q", have)
			}

			later := time.Now().Add(time.Hour) // so that git reads the file again
			must.Do(t, os.Chtimes(filepath.Join(m.Path, "a.txt"), later, later))
			_ = must.Have(worktree.Look(t.Context(), &m.Worktree))(t)
			_ = must.Have(worktree.Run(t.Context(), &m.Worktree, worktree.Finish{Agent: "coder", Remove: true}))(t)
			if _, err := os.Stat(trap); err == nil {
				t.Error("something of the repository ran")
			}
		})
	}
}

// Collecting garbage runs gc.recentObjectsHook since git 2.42.
func TestMergeCollectsNoGarbage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.make(parley.WorktreeAuto)
	for _, name := range []string{"b", "c", "d"} {
		w.write(filepath.Join(m.Path, name), name)
		w.commit(m.Path, name)
		w.git(m.Path, "repack", "-q")
	}
	w.git(w.top, "config", "gc.autoPackLimit", "1")
	w.git(w.top, "config", "gc.autoDetach", "false")

	packs := func() int { return len(must.Have(filepath.Glob(w.top + "/.git/objects/pack/*.pack"))(t)) }
	before := packs()
	must.Have(worktree.Run(t.Context(), &m.Worktree, worktree.Finish{Agent: "coder", Merge: true}))(t)
	if after := packs(); after != before {
		t.Errorf("%d packs became %d", before, after)
	}
}

// Git takes a setting's name in its arguments to end at the first equals sign.
func TestFilterThatCannotBeSwitchedOffIsRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"filter.a=b.clean", "filter.a=b.smudge", "merge.a=b.driver", "hook.a=b.command"} {
		w := newWorld(t)
		m := w.make("feature")
		w.git(w.top, "config", name, "cat")

		_, err := worktree.Look(t.Context(), &m.Worktree)
		w.refused(err, name, "equals sign")
		_, err = worktree.Make(t.Context(), worktree.Plan{Agent: "other", Dir: w.top, Branch: parley.WorktreeAuto})
		w.refused(err, name)
	}
}

// A link in place of the directory of worktrees can come with the repository.
func TestWorktreesAreNotMadeThroughALink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	elsewhere := t.TempDir()
	must.Do(t, os.Symlink(elsewhere, filepath.Join(w.top, ".worktrees")))
	w.commit(w.top, "link")

	_, err := worktree.Make(t.Context(), worktree.Plan{Agent: "coder", Dir: w.top, Branch: parley.WorktreeAuto})
	w.refused(err, ".worktrees", "not a directory")
	if entries := must.Have(os.ReadDir(elsewhere))(t); len(entries) > 0 {
		t.Errorf("%v was made behind the link", entries)
	}
}
