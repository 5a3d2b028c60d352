package place

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
)

// tree makes directories under a new one and returns it.
func tree(t *testing.T, dirs ...string) string {
	t.Helper()
	root := RealPath(t.TempDir())
	for _, dir := range dirs {
		must.Do(t, os.MkdirAll(filepath.Join(root, dir), 0o700))
	}
	return root
}

func TestWorkspaceIsFound(t *testing.T) {
	root := tree(t, "home/project/.git", "home/project/api/.parley", "home/project/api/v1", "home/project/web/src",
		"home/plain/deep", "home/.git", "elsewhere")
	home := filepath.Join(root, "home")
	for _, test := range []struct{ name, flag, env, from, want string }{
		{name: "the nearest .parley upwards", from: "home/project/api/v1", want: "home/project/api"},
		{name: "else the git top level", from: "home/project/web/src", want: "home/project"},
		{name: "else the current directory, whatever home holds", from: "home/plain/deep", want: "home/plain/deep"},
		{name: "PARLEY_DIR before all that", env: "elsewhere", from: "home/project/api", want: "elsewhere"},
		{name: "the flag before PARLEY_DIR", flag: "home/plain", env: "elsewhere", from: "home", want: "home/plain"},
	} {
		t.Run(test.name, func(t *testing.T) {
			env := environ{"HOME=" + home}
			if test.env != "" {
				env = append(env, "PARLEY_DIR="+filepath.Join(root, test.env))
			}

			flag := test.flag
			if flag != "" {
				flag = filepath.Join(root, flag)
			}

			got, err := FindWorkspace(flag, env, filepath.Join(root, test.from))
			if want := filepath.Join(root, test.want); err != nil || got != want {
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
		})
	}
}

func TestHomeIsRefusedAsWorkspace(t *testing.T) {
	home := tree(t, ".parley", ".git", "docs")
	link := filepath.Join(t.TempDir(), "link")
	must.Do(t, os.Symlink(home, link))

	for _, flag := range []string{"", home, link} {
		_, err := FindWorkspace(flag, environ{"HOME=" + home}, link)
		if got, want := parley.ErrorCode(err), parley.InvalidArgument; got != want || parley.AsError(err).Action == "" {
			t.Errorf("--workspace %q: got %v (%s), want %s with a next step", flag, err, got, want)
		}
	}

	if got, err := FindWorkspace("", environ{"HOME=" + home}, filepath.Join(home, "docs")); err != nil ||
		got != filepath.Join(home, "docs") {
		t.Errorf("below home: got %q, %v, want the directory itself", got, err)
	}
}

func TestRelativeWorkspaceIsFromHere(t *testing.T) {
	root := tree(t, "a/b")
	got, err := FindWorkspace("b", environ{}, filepath.Join(root, "a"))
	if want := filepath.Join(root, "a/b"); err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

// No variable but those that name the state decides where the sockets are: who calls may have logged in since.
func TestSocketsAreWhereTheStateIs(t *testing.T) {
	short, long := shortDir(t), "/"+strings.Repeat("long/", 30)
	for state, prefix := range map[string]string{short: short + "/parley/", long: "/tmp/parley-"} {
		var first Place
		for i, more := range []string{"", "XDG_RUNTIME_DIR=" + short, "TMPDIR=/var", "TMUX_TMPDIR=/x"} {
			at := Locate("/some/where", environ{"XDG_STATE_HOME=" + state, more})
			if i == 0 {
				first = at
			}
			for _, got := range []string{at.Socket(), at.TmuxSocket()} {
				if !strings.HasPrefix(got, prefix) || len(got) > MaxSocketPath {
					t.Errorf("got %s, want it short and below %s", got, prefix)
				}
			}
			if at != first {
				t.Errorf("%s: got %v, want %v", more, at, first)
			}
		}
	}
}

// A caller with another HOME finds the daemon that runs, and nothing that somebody else has put there.
func TestRunningDaemonIsFoundWithAnotherHome(t *testing.T) {
	root := tree(t, "ws", "one", "two")
	ws := filepath.Join(root, "ws")
	at := Locate(ws, environ{"HOME=" + root + "/one"})
	must.Do(t, at.Prepare())
	other := environ{"HOME=" + root + "/two"}
	if got := Locate(ws, other); got.Home == at.Home {
		t.Error("no daemon runs, and another user's state is taken")
	}

	held := must.Have(at.Lock().Take())(t)
	defer held.Close()
	if got := Locate(ws, other); got.Home != at.Home || got.Socket() != at.Socket() {
		t.Errorf("got %s, want %s", got.Home, at.Home)
	}
	must.Do(t, os.Chmod(at.Home, 0o755))
	if got := Locate(ws, other); got.Home == at.Home {
		t.Error("a directory that others can read is taken for the state")
	}
}

// As with sudo -E: what is there belongs to another user, in the workspace or in the home.
func TestWorkspaceOfAnotherUserIsRefused(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a directory away")
	}
	at := Locate(t.TempDir(), environ{"HOME=" + t.TempDir()})
	must.Do(t, at.RefuseOthers())
	must.Do(t, at.Prepare())
	must.Do(t, at.RefuseOthers())
	for _, dir := range []string{at.inRoot(""), at.Home} {
		must.Do(t, os.Chown(dir, 65534, -1))
		if err := at.RefuseOthers(); parley.ErrorCode(err) != parley.NotAuthorized {
			t.Errorf("%s: got %v", dir, err)
		}
		must.Do(t, os.Chown(dir, 0, -1))
	}
}

func TestPrepareMakesPrivateDirectories(t *testing.T) {
	root := tree(t, "ws", "run", "state")
	at := Locate(filepath.Join(root, "ws"),
		environ{"XDG_RUNTIME_DIR=" + root + "/run", "XDG_STATE_HOME=" + root + "/state"})

	must.Do(t, os.MkdirAll(at.Runtime, 0o755)) // as a careless hand would
	must.Do(t, at.Prepare())

	for _, dir := range []string{at.inRoot(""), at.Runtime, at.Home} {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: got %v, %v, want mode 0700", dir, info.Mode(), err)
		}
	}

	if b, _ := os.ReadFile(at.inRoot(".gitignore")); string(b) != "*\n" {
		t.Errorf(".gitignore: got %q, want everything ignored", b)
	}
}

// Commands that start a daemon prepare the place at the same time. What tells whose the state is,
// and what keeps it out of git, is whole all the while.
func TestPrepareDisturbsNoReader(t *testing.T) {
	root := tree(t, "ws", "run", "state")
	at := Locate(filepath.Join(root, "ws"),
		environ{"XDG_RUNTIME_DIR=" + root + "/run", "XDG_STATE_HOME=" + root + "/state"})
	must.Do(t, at.Prepare())

	notes := map[string]string{
		at.State(rootFile): at.Root + "\n", at.inRoot(".gitignore"): "*\n",
		at.inRoot(idFile): readID(at.State(idFile)) + "\n",
	}
	for path, want := range notes {
		reader := must.Have(os.Open(path))(t)
		defer reader.Close()

		must.Do(t, at.Prepare())
		if now := must.Have(os.Stat(path))(t); !os.SameFile(now, must.Have(reader.Stat())(t)) {
			t.Errorf("%s was right, and was replaced", path)
		}

		must.Do(t, os.WriteFile(path, []byte("wrong, and longer than what is right"), 0o600))
		must.Do(t, at.Prepare())
		if old := string(must.Have(io.ReadAll(reader))(t)); !strings.HasPrefix(old, "wrong") {
			t.Errorf("%s was truncated under a reader, which found %q", path, old)
		}
		if got := string(must.Have(os.ReadFile(path))(t)); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}

	for path := range notes {
		if left := must.Have(filepath.Glob(path + "?*"))(t); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	}
}

func TestWorkspacesAreFound(t *testing.T) {
	root := tree(t, "shop", "old", "gone", "forged", "state[1]")
	env := environ{"XDG_STATE_HOME=" + root + "/state[1]", "XDG_RUNTIME_DIR=" + t.TempDir()}
	for _, name := range []string{"shop", "old", "gone"} {
		must.Do(t, Locate(filepath.Join(root, name), env).Prepare())
	}
	must.Do(t, os.RemoveAll(filepath.Join(root, "gone")))
	forged := Locate(filepath.Join(root, "forged"), env) // of another directory than it says
	must.Do(t, forged.Prepare())
	must.Do(t, os.WriteFile(forged.State(rootFile), []byte(filepath.Join(root, "shop")), 0o600))

	var got []string
	for _, at := range Workspaces(env) {
		got = append(got, filepath.Base(at.Root))
	}
	slices.Sort(got)
	if !slices.Equal(got, []string{"old", "shop"}) {
		t.Errorf("got %q", got)
	}
}

func TestTooLongStateIsRefused(t *testing.T) {
	root, state := t.TempDir(), t.TempDir()
	for longest := MaxDatabasePath - len("/parley/01234567/data/parley.db"); len(state) < longest; {
		n := longest - len(state) - 1
		if n > 200 {
			n = 100 // a name has its limit too
		}
		state = filepath.Join(state, strings.Repeat("x", n))
	}

	runtime := "XDG_RUNTIME_DIR=" + t.TempDir()
	if err := Locate(root, environ{"XDG_STATE_HOME=" + state, runtime}).Prepare(); err != nil {
		t.Errorf("the longest path that fits: %v", err)
	}

	err := Locate(root, environ{"XDG_STATE_HOME=" + state + "x", runtime}).Prepare()
	if parley.ErrorCode(err) != parley.InvalidArgument || parley.AsError(err).Action == "" {
		t.Errorf("got %v, want INVALID_ARGUMENT with a next step", err)
	}
	if _, err := os.Stat(state + "x"); err == nil {
		t.Error("the directory was made, although its path is too long")
	}
}

// A repository can hold a state directory with links in it.
func TestPrepareWritesThroughNoLink(t *testing.T) {
	for _, name := range []string{".gitignore", idFile, "received"} {
		home := t.TempDir()
		own := filepath.Join(home, "own")
		must.Do(t, os.WriteFile(own, []byte("precious"), 0o600))
		at := Locate(t.TempDir(), environ{"HOME=" + home, "TMPDIR=" + home})
		must.Do(t, os.Mkdir(at.inRoot(""), 0o700))
		must.Do(t, os.Symlink(own, at.inRoot(name)))

		err := at.Prepare()
		if parley.ErrorCode(err) != parley.NotTrusted || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
		if content := must.Have(os.ReadFile(own))(t); string(content) != "precious" {
			t.Errorf("%s: the user's file has %q now", name, content)
		}
	}
}

type environ []string

func (e environ) Get(name string) string {
	for _, entry := range e {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
