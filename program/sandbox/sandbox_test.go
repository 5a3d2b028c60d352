package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/program/sandbox"
)

// stage is a user's home with what a sandbox must not show, and an agent in it.
type stage struct {
	t    testing.TB
	home string
	plan sandbox.Plan
}

func newStage(t testing.TB) *stage {
	t.Helper()
	s := &stage{t: t, home: must.Have(filepath.EvalSymlinks(t.TempDir()))(t)}
	state := s.dir("state")
	s.plan = sandbox.Plan{
		Dir: s.dir("work"), Program: "/bin/sh", PATH: "/usr/bin:/bin",
		Private: s.dir("state/w/agents/ID"), Socket: s.dir("state/w/own/ID"), Home: s.dir("state/w/homes/ID"),
		Hidden: []string{state},
	}
	s.write("state/w/data/parley.db", "all messages")
	s.write("state/w/agents/OTHER/key", "another agent's key")
	s.write(".ssh/id_ed25519", "a key")
	s.write("other/worktree/file", "another agent's work")
	s.write("state/w/agents/ID/briefing.txt", "you are coder")
	return s
}

func (s *stage) path(name string) string { return filepath.Join(s.home, name) }

func (s *stage) dir(name string) string {
	must.Do(s.t, os.MkdirAll(s.path(name), 0o700))
	return s.path(name)
}

func (s *stage) write(name, text string) string {
	s.dir(filepath.Dir(name))
	must.Do(s.t, os.WriteFile(s.path(name), []byte(text), 0o600))
	return s.path(name)
}

// link makes a link, and returns its path.
func (s *stage) link(name, to string) string {
	s.t.Helper()
	must.Do(s.t, os.Symlink(s.path(to), s.path(name)))
	return s.path(name)
}

// run runs a command of the shell in the sandbox, and returns what it printed and whether it succeeded.
func (s *stage) run(command string) (string, bool) {
	s.t.Helper()
	args := slices.Concat(must.Have(s.plan.Arguments())(s.t), []string{"--", "/bin/sh", "-c", command})
	cmd := exec.Command("bwrap", args...)
	cmd.Env = sandbox.Environ([]string{"PATH=/usr/bin:/bin", "SECRET=shh"}, s.plan.Home, nil)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err == nil
}

// needsSandbox skips a test where the system lets nobody make one.
func needsSandbox(t testing.TB) {
	t.Helper()
	if err := sandbox.Usable(t.Context()); err != nil {
		t.Skip(err)
	}
}

// An agent's own work goes on in a sandbox. What it keeps in is in the table of tricks of cmd/parley.
func TestASandboxLetsAnAgentWork(t *testing.T) {
	needsSandbox(t)
	s := newStage(t)
	for command, works := range map[string]bool{
		`echo done >here && cat here`:                 true,
		`cat ` + s.plan.Private + `/briefing.txt`:     true,
		`echo x >` + s.plan.Private + `/briefing.txt`: false,
		`echo x >~/.profile && cat ~/.profile`:        true,
		`echo x >/tmp/x && echo x >"$TMPDIR/y"`:       true,
		`ls /usr/bin >/dev/null`:                      true,
		`cat ` + s.path(".ssh/id_ed25519"):            false,
		`cat ` + s.path("state/w/agents/OTHER/key"):   false,
	} {
		if out, ok := s.run(command); ok != works {
			t.Errorf("%q succeeds: %v, want %v; it printed %q", command, ok, works, out)
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// A sandboxed agent commits in its worktree, and makes branches in its folder alone.
func TestASandboxCommits(t *testing.T) {
	needsSandbox(t)
	s := newStage(t)
	repo, top := s.dir("repo"), s.path("repo/.worktrees/coder")
	for _, words := range [][]string{
		{"init", "-q", "-b", "main"},
		{"-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-q", "--allow-empty", "-m", "one"},
		{"worktree", "add", "-q", "-b", "parley/coder", top},
	} {
		if out, err := exec.Command("git", append([]string{"-C", repo}, words...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", words, err, out)
		}
	}
	common := filepath.Join(repo, ".git")
	s.plan.Dir = top
	s.plan.Git = &sandbox.Git{
		Top: top, Common: common, Dir: filepath.Join(common, "worktrees", "coder"), Branch: "parley",
	}
	must.Do(t, s.plan.Git.Prepare())
	must.Have(sandbox.Home{Path: s.plan.Home, User: s.home, Name: `Tess "T" Er`, Email: "t@example.org"}.Make())(t)

	for _, attempt := range []struct {
		command string
		works   bool
	}{
		{`echo x >file && git add file && git commit -qm two`, true},
		{`git log -1 --format='%an %ae' | grep -x 'Tess "T" Er t@example.org'`, true},
		{`git branch -q parley/more`, true},
		{`git status --short && git diff HEAD~`, true},
		{`git branch -f main HEAD`, false},
	} {
		if out, ok := s.run(attempt.command); ok != attempt.works {
			t.Errorf("%q succeeds: %v, want %v; it printed %q", attempt.command, ok, attempt.works, out)
		}
	}

	for _, words := range [][]string{{"gc", "-q"}, {"pack-refs", "--all"}} {
		if out, err := exec.Command("git", append([]string{"-C", repo}, words...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", words, err, out)
		}
	}
	if !exists(filepath.Join(common, "refs", "heads", "parley")) {
		t.Error("git took the folder of its branches away")
	}
	out := must.Have(exec.Command("git", "-C", repo, "log", "--format=%s", "parley/coder").Output())(t)
	if got := strings.Fields(string(out)); !slices.Equal(got, []string{"two", "one"}) {
		t.Errorf("outside, the branches have %q", got)
	}
}

// Without a network there is none, and a path that was asked for is there as asked.
func TestASandboxShowsWhatItsSpecSays(t *testing.T) {
	needsSandbox(t)
	s := newStage(t)
	s.plan.Offline = true
	s.plan.Read, s.plan.Write = []string{s.dir("toolchain")}, []string{s.dir("cache")}
	s.write("toolchain/compiler", "#!/bin/sh\n")
	for command, works := range map[string]bool{
		`grep -v 'lo:' /proc/net/dev | grep ':'`: false,
		`cat ` + s.path("toolchain/compiler"):    true,
		`echo x >` + s.path("toolchain/x"):       false,
		`echo x >` + s.path("cache/x"):           true,
	} {
		if out, ok := s.run(command); ok != works {
			t.Errorf("%q succeeds: %v, want %v; it printed %q", command, ok, works, out)
		}
	}
}

// A script that the agent can write names no interpreter that is shown for it.
func TestWhatAnAgentWritesShowsItNothing(t *testing.T) {
	needsSandbox(t)
	s := newStage(t)
	script := s.write("work/run.sh", "#!/usr/bin/env -S sh "+s.path(".ssh/id_ed25519")+"\n")
	must.Do(t, os.Chmod(script, 0o700))
	s.plan.Program = script
	if out, ok := s.run(`cat ` + s.path(".ssh/id_ed25519")); ok {
		t.Errorf("it read a key: %q", out)
	}

	for line, want := range map[string]string{
		"#!/usr/bin/env -S node --no-warnings": "node", "#!/usr/bin/env A=b node": "node",
		"#!/usr/bin/env node": "node",
	} {
		file := s.write("tools/x", line+"\n")
		s.write("tools/"+want, "")
		must.Do(t, os.Chmod(s.path("tools/"+want), 0o700))
		plan := s.plan
		plan.Program, plan.PATH = file, s.path("tools")
		if args := must.Have(plan.Arguments())(t); !slices.Contains(args, s.path("tools/"+want)) {
			t.Errorf("%s: %s is not shown", line, want)
		}
	}
}

// A script and its interpreter run by their links in one package, which is shown once.
func TestASandboxShowsAPackageOnce(t *testing.T) {
	needsSandbox(t)
	s := newStage(t)
	for name, text := range map[string]string{
		"agent/run.sh": "#!/usr/bin/env -S own-sh\necho it runs\n", "own-sh/sh": "#!/bin/sh\nexec /bin/sh \"$@\"\n",
	} {
		must.Do(t, os.Chmod(s.write("tools/node_modules/"+name, text), 0o700))
	}
	s.dir("tools/node_modules/.bin")
	s.plan.Program = s.link("tools/node_modules/.bin/agent", "tools/node_modules/agent/run.sh")
	interpreter := s.link("tools/node_modules/.bin/own-sh", "tools/node_modules/own-sh/sh")
	s.plan.PATH = filepath.Dir(interpreter) + ":/usr/bin:/bin"
	if out, ok := s.run(`PATH=` + s.plan.PATH + ` ` + s.plan.Program); !ok || out != "it runs" {
		t.Errorf("it printed %q", out)
	}
}

// A plan that would show parley's own files, or a whole home with them, is refused before anything starts.
func TestASandboxRefusesToShowParley(t *testing.T) {
	s := newStage(t)
	must.Do(t, os.Symlink(s.path("state/w/data"), s.path("link")))
	for what, change := range map[string]func(p *sandbox.Plan){
		"the home above the state":  func(p *sandbox.Plan) { p.Dir = s.home },
		"the home of the user":      func(p *sandbox.Plan) { p.User = s.path("work") },
		"the state itself":          func(p *sandbox.Plan) { p.Read = []string{s.path("state")} },
		"what lies in the state":    func(p *sandbox.Plan) { p.Write = []string{s.path("state/w/data")} },
		"a link into the state":     func(p *sandbox.Plan) { p.Read = []string{s.path("link")} },
		"everything":                func(p *sandbox.Plan) { p.Read = []string{"/"} },
		"its directory, now a link": func(p *sandbox.Plan) { p.Dir = s.link("work-link", "work") },
		"a link that it can alter":  func(p *sandbox.Plan) { p.Read = []string{s.link("work/inner", "other")} },
		"all temporary files":       func(p *sandbox.Plan) { p.Write = []string{"/tmp"} },
		"a path that is relative":   func(p *sandbox.Plan) { p.Read = []string{"toolchain"} },
		"a path that is not there":  func(p *sandbox.Plan) { p.Read = []string{s.path("nowhere")} },
		"a path of several members": func(p *sandbox.Plan) { p.Write = []string{s.path("work"), s.path("state/..")} },
	} {
		plan := s.plan
		change(&plan)
		if _, err := plan.Arguments(); parley.ErrorCode(err) != parley.InvalidArgument {
			t.Errorf("%s: got %v, want INVALID_ARGUMENT", what, err)
		}
	}
	must.Have(s.plan.Arguments())(t)
}

// The private home gets copies, which stay as the agent left them, and no link in it leads parley elsewhere.
func TestThePrivateHome(t *testing.T) {
	s := newStage(t)
	s.write(".tool/settings.json", "the user's")
	s.write(".tool/auth.json", "a sign-in")
	s.write("victim", "untouched")
	home := sandbox.Home{
		Path: s.path("state/w/homes/ID"), User: s.home,
		Copied: []string{".tool/settings.json", ".missing"}, Shared: []string{".tool/auth.json"},
	}
	shared := must.Have(home.Make())(t)
	want := []sandbox.Shared{
		{From: s.path(".tool/auth.json"), To: filepath.Join(home.Path, ".tool/auth.json"), Writes: true},
	}
	if !slices.Equal(shared, want) {
		t.Errorf("shared is %+v, want %+v", shared, want)
	}

	own := filepath.Join(home.Path, ".tool", "settings.json")
	must.Do(t, os.WriteFile(own, []byte("the agent's"), 0o600))
	must.Have(home.Make())(t)
	if got := string(must.Have(os.ReadFile(own))(t)); got != "the agent's" {
		t.Errorf("the second launch has %q", got)
	}

	must.Do(t, os.RemoveAll(filepath.Join(home.Path, ".tool")))
	must.Do(t, os.Symlink(s.home, filepath.Join(home.Path, ".tool")))
	must.Have(home.Make())(t)
	if info := must.Have(os.Lstat(filepath.Join(home.Path, ".tool")))(t); !info.IsDir() {
		t.Error("a link stands where the sign-in is shown")
	}
	if got := string(must.Have(os.ReadFile(s.path("victim")))(t)); got != "untouched" {
		t.Errorf("a file of the user is %q", got)
	}
}

// A sandbox passes on what names no secret and no way out.
func TestTheEnvironmentOfASandbox(t *testing.T) {
	got := sandbox.Environ([]string{
		"PATH=/bin", "LC_ALL=C", "HOME=/home/u", "SSH_AUTH_SOCK=/s", "DBUS_SESSION_BUS_ADDRESS=x", "AWS_SECRET=1",
		"ANTHROPIC_API_KEY=k", "GH_TOKEN=t", "PARLEY_SOCKET=/o/s", "PARLEY_OPERATOR_KEY=o", "TMUX=/t",
	}, "/private", []string{"ANTHROPIC_*", "GH_TOKEN"})
	want := []string{
		"PATH=/bin", "LC_ALL=C", "ANTHROPIC_API_KEY=k", "GH_TOKEN=t", "PARLEY_SOCKET=/o/s", "HOME=/private",
		"TMPDIR=/tmp",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// BenchmarkStart measures what a sandbox adds to the start of a program, and the trial of one, which each launch makes.
func BenchmarkStart(b *testing.B) {
	needsSandbox(b)
	s := newStage(b)
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			must.Do(b, exec.Command("/bin/sh", "-c", "true").Run())
		}
	})
	b.Run("sandboxed", func(b *testing.B) {
		for b.Loop() {
			if out, ok := s.run("true"); !ok {
				b.Fatal(out)
			}
		}
	})
	b.Run("tried", func(b *testing.B) {
		for b.Loop() {
			must.Do(b, sandbox.Usable(b.Context()))
		}
	})
}
