package daemon

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley"
	"parley/internal/disk"
	"parley/internal/must"
)

// A workspace finds its state by its path and, when it was renamed, by its id. Nothing that a repository or a copy
// brings leads to the state of another.
func TestAWorkspaceFindsItsState(t *testing.T) {
	const ( // what becomes of the state of shop
		own  = "its own"
		anew = "a new one"
	)
	for name, test := range map[string]struct {
		change   func(t *testing.T, root string) (at string) // of the workspace shop, the path that is then asked for
		want     string
		says     string
		original string // which state shop has afterwards, if it is asked for too
	}{
		"as it was":       {change: func(*testing.T, string) string { return "shop" }, want: own},
		".parley removed": {change: removed(StateDir), want: own},
		"the id removed":  {change: removed(StateDir + "/" + idFile), want: own},
		"renamed": {
			change: func(t *testing.T, root string) string { return move(t, root, "shop", "store") },
			want:   own, says: "renamed",
		},
		"renamed, and another is there": {
			change: func(t *testing.T, root string) string {
				move(t, root, "shop", "store")
				must.Do(t, os.CopyFS(filepath.Join(root, "shop"), os.DirFS(filepath.Join(root, "other"))))
				return "store"
			},
			want: own, says: "renamed",
		},
		"renamed, and another has moved there": {
			change: func(t *testing.T, root string) string {
				move(t, root, "shop", "store")
				move(t, root, "other", "shop")
				must.Do(t, locate(root, "shop").Prepare())
				return "store"
			},
			want: own,
		},
		"its state copied next to it": {
			change: func(t *testing.T, root string) string {
				home := locate(root, "shop").Home
				must.Do(t, os.CopyFS(home+".bak", os.DirFS(home)))
				return move(t, root, "shop", "store")
			},
			want: own, says: "renamed",
		},
		"its state moved aside": {
			change: func(t *testing.T, root string) string {
				home := locate(root, "shop").Home
				must.Do(t, os.Rename(home, home+"-away"))
				move(t, root, "shop", "store")
				return "store"
			},
			want: anew,
		},
		"copied": {
			change: func(t *testing.T, root string) string {
				must.Do(t, os.CopyFS(filepath.Join(root, "copy"), os.DirFS(filepath.Join(root, "shop"))))
				return "copy"
			},
			want: anew, says: "a copy", original: own,
		},
		"copied, and the first lost its .parley": {
			change: func(t *testing.T, root string) string {
				must.Do(t, os.CopyFS(filepath.Join(root, "copy"), os.DirFS(filepath.Join(root, "shop"))))
				return removed(StateDir)(t, root) + "/../copy"
			},
			want: anew, says: "a copy", original: own,
		},
		"a foreign id is planted": {
			change: func(t *testing.T, root string) string {
				must.Do(t, os.WriteFile(filepath.Join(root, "shop", StateDir, idFile),
					[]byte(readID(locate(root, "other").State(idFile))+"\n"), 0o600))
				return "shop"
			},
			want: own,
		},
		"an id that no home has": {
			change: func(t *testing.T, root string) string {
				must.Do(t, os.WriteFile(filepath.Join(root, "shop", StateDir, idFile), []byte(strings.Repeat("a", 32)), 0o600))
				return "shop"
			},
			want: own,
		},
		"no id": {
			change: func(t *testing.T, root string) string {
				must.Do(t, os.WriteFile(filepath.Join(root, "shop", StateDir, idFile), []byte("../../other"), 0o600))
				return "shop"
			},
			want: own,
		},
		"a planted id in a new workspace": {
			change: func(t *testing.T, root string) string {
				must.Do(t, os.MkdirAll(filepath.Join(root, "clone", StateDir), 0o700))
				must.Do(t, os.WriteFile(filepath.Join(root, "clone", StateDir, idFile),
					[]byte(readID(locate(root, "shop").State(idFile))+"\n"), 0o600))
				return "clone"
			},
			want: anew, says: "a copy", original: own,
		},
		"a link to the .parley of another": {
			change: func(t *testing.T, root string) string {
				must.Do(t, os.Mkdir(filepath.Join(root, "clone"), 0o700))
				must.Do(t, os.Symlink(filepath.Join(root, "shop", StateDir), filepath.Join(root, "clone", StateDir)))
				return "clone"
			},
			want: anew, original: own,
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := shortDir(t)
			for _, dir := range []string{"shop", "other"} {
				must.Do(t, os.Mkdir(filepath.Join(root, dir), 0o700))
				must.Do(t, locate(root, dir).Prepare())
			}
			home := locate(root, "shop").Home

			at := locate(root, test.change(t, root))
			if got := at.Home == home; got != (test.want == own) {
				t.Errorf("%s has the state %s, want %s", at.Root, at.Home, test.want)
			}
			if words := at.found.words(); !strings.Contains(words, test.says) || test.says == "" && words != "" {
				t.Errorf("it says %q, want %q", words, test.says)
			}
			if at.Prepare() == nil { // a link is refused
				if again := locate(root, filepath.Base(at.Root)); again.Home != at.Home || again.found.words() != "" {
					t.Errorf("the next time: %s, %q", again.Home, again.found.words())
				}
			}
			if test.original == own && locate(root, "shop").Home != home {
				t.Error("the first one has lost its state")
			}
		})
	}
}

func removed(name string) func(*testing.T, string) string {
	return func(t *testing.T, root string) string {
		must.Do(t, os.RemoveAll(filepath.Join(root, "shop", name)))
		return "shop"
	}
}

func move(t *testing.T, root, from, to string) string {
	t.Helper()
	must.Do(t, os.Rename(filepath.Join(root, from), filepath.Join(root, to)))
	return to
}

func locate(root, name string) Place {
	return Locate(filepath.Join(root, name), Environ{"XDG_STATE_HOME=" + root + "/state", "XDG_RUNTIME_DIR=" + root})
}

// shortDir returns a directory for sockets: their paths are short, and those of tests are not.
func shortDir(t *testing.T) string {
	t.Helper()
	dir := must.Have(os.MkdirTemp("/tmp", "pt"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return RealPath(dir)
}

// Agents of a workspace that was renamed run on in the tmux server that it had.
func TestARenamedWorkspaceKeepsItsTmuxServer(t *testing.T) {
	root := shortDir(t)
	must.Do(t, os.Mkdir(filepath.Join(root, "shop"), 0o700))
	was := locate(root, "shop")
	must.Do(t, was.Prepare())
	for _, names := range [][2]string{{"shop", "store"}, {"store", "market"}} {
		move(t, root, names[0], names[1])
		at := locate(root, names[1])
		must.Do(t, at.Prepare())
		for _, now := range []Place{at, locate(root, names[1])} {
			if now.TmuxName() != was.TmuxName() || now.Socket() != was.Socket() {
				t.Errorf("%s: got %s, %s", names[1], now.TmuxName(), now.Socket())
			}
		}
	}
}

// Several commands start at once in a new workspace.
func TestOneIDWins(t *testing.T) {
	root := shortDir(t)
	must.Do(t, os.Mkdir(filepath.Join(root, "shop"), 0o700))
	ids := make(chan string)
	for range 8 {
		go func() {
			at := locate(root, "shop")
			if err := at.Prepare(); err != nil {
				t.Error(err)
			}
			ids <- readID(at.State(idFile))
		}()
	}
	first := <-ids
	for range 7 {
		if id := <-ids; id != first || id == "" {
			t.Errorf("got %q and %q", id, first)
		}
	}
}

// early makes what an earlier version has left, and returns what must be found afterwards, by its place.
func early(t *testing.T, root string) (at Place, want map[string]string) {
	t.Helper()
	return earlyAt(t, locate(root, "shop"))
}

func earlyAt(t *testing.T, at Place) (_ Place, want map[string]string) {
	t.Helper()
	for _, dir := range []string{at.inRoot("files/ab"), at.inRoot("received/x"), at.Home} {
		must.Do(t, os.MkdirAll(dir, 0o700))
	}
	must.Do(t, os.WriteFile(at.State(rootFile), []byte(at.Root+"\n"), 0o600))

	want = map[string]string{}
	for from, to := range map[string]string{
		at.inRoot("parley.db"): at.Database(), at.inRoot("parley.db-wal"): at.Database() + "-wal",
		at.State("parley.db.progress"): at.Database() + ".progress",
		at.inRoot("daemon.log"):        at.Log(), at.inRoot("port"): at.Port(), at.inRoot("reports"): at.Spool(),
		at.inRoot("files/ab/abcd"): at.State("files/ab/abcd"), at.inRoot("received/x/n"): at.inRoot("received/x/n"),
	} {
		must.Do(t, os.WriteFile(from, []byte(from), 0o600))
		want[to] = from
	}
	must.Do(t, os.WriteFile(at.inRoot("parley.db-shm"), nil, 0o600))
	for _, ending := range []string{"", "-wal", "-shm"} {
		if err := os.Link(at.inRoot(databaseFile+ending), at.State(databaseFile+ending)); !errors.Is(err, syscall.EXDEV) {
			must.Do(t, err)
		}
	}

	return at, want
}

// errKilled ends a move.
var errKilled = errors.New("killed")

// killedAt ends a move before its nth step.
func killedAt(n int) func() error {
	return func() error {
		if n--; n < 0 {
			return errKilled
		}
		return nil
	}
}

// What an earlier version has left is moved whole, whatever was removed of it before, and wherever earlier moves ended.
func TestEarlierStateIsMovedIn(t *testing.T) {
	for name, before := range map[string]func(t *testing.T, at Place, want map[string]string){
		"untouched": func(*testing.T, Place, map[string]string) {},
		".parley/parley.db removed": func(t *testing.T, at Place, _ map[string]string) {
			must.Do(t, os.Remove(at.inRoot(databaseFile)))
		},
		"the log removed": func(t *testing.T, at Place, _ map[string]string) {
			must.Do(t, os.Remove(at.inRoot(databaseFile+"-wal")))
		},
		"the second log removed": func(t *testing.T, at Place, _ map[string]string) {
			must.Do(t, os.Remove(at.State(databaseFile+"-wal")))
		},
		"saved by the daemon that lost it": func(t *testing.T, at Place, want map[string]string) {
			must.Do(t, os.WriteFile(at.State(databaseFile+".saved"), []byte("saved"), 0o600))
			must.Do(t, os.Remove(at.inRoot(databaseFile)))
			must.Do(t, os.Remove(at.State(databaseFile)))
			want[at.Database()] = "saved"
			delete(want, at.Database()+"-wal")
		},
		"moved by the user, as asked": func(t *testing.T, at Place, want map[string]string) {
			must.Do(t, os.Remove(at.inRoot(databaseFile)))
			must.Do(t, os.WriteFile(at.inRoot(databaseFile), []byte("the user's"), 0o600))
			followAdvice(t, at.MoveIn())
			want[at.Database()], want[at.State(databaseFile)] = "the user's", want[at.Database()]
		},
		"reports made since": func(t *testing.T, at Place, want map[string]string) {
			must.Do(t, os.WriteFile(at.Spool(), []byte("new"), 0o600))
			want[at.Spool()] += "new"
		},
	} {
		t.Run(name, func(t *testing.T) {
			for n, whole := 0, false; !whole; n++ {
				at, want := early(t, shortDir(t))
				must.Do(t, at.Prepare())
				before(t, at, want)

				err := mover{at, killedAt(n)}.run()
				if whole = err == nil; !whole && !errors.Is(err, errKilled) {
					t.Fatal(err)
				}
				_ = mover{at, killedAt(n / 2)}.run() // and once more
				must.Do(t, at.Prepare())
				must.Do(t, at.MoveIn())
				must.Do(t, at.MoveIn())
				checkMoved(t, at, want, n)
			}
		})
	}
}

// followAdvice runs the command that a refused move advises.
func followAdvice(t *testing.T, err error) {
	t.Helper()
	e := parley.AsError(err)
	if e == nil {
		t.Fatal("it was not refused")
	}
	_, command, _ := strings.Cut(e.Action, "run: ")
	command, _, _ = strings.Cut(command, ". Else")
	if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", command, err, out)
	}
}

// On another file system the database had no second name: the user says that it is theirs, with its log.
func TestEarlierStateIsMovedFromAnotherFileSystem(t *testing.T) {
	const elsewhere = "/dev/shm"
	if _, err := os.Stat(elsewhere); err != nil {
		t.Skip("there is no ", elsewhere)
	}
	for n, whole := 0, false; !whole; n++ {
		root, state := must.Have(os.MkdirTemp(elsewhere, "parley-test-"))(t), t.TempDir()
		t.Cleanup(func() { _ = os.RemoveAll(root) })
		at, want := earlyAt(t, Locate(filepath.Join(root, "shop"),
			Environ{"XDG_STATE_HOME=" + state, "XDG_RUNTIME_DIR=" + state}))
		must.Do(t, at.Prepare())
		if disk.Exists(at.State(databaseFile)) {
			t.Skip(elsewhere, " is the same file system")
		}
		followAdvice(t, at.MoveIn())

		err := mover{at, killedAt(n)}.run()
		if whole = err == nil; !whole && !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		must.Do(t, at.MoveIn())
		checkMoved(t, at, want, n)
	}
}

func checkMoved(t *testing.T, at Place, want map[string]string, n int) {
	t.Helper()
	for path, content := range want {
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("killed before step %d: %s has %q, want %q; %v", n, path, got, content, err)
		}
	}
	if disk.Exists(at.inRoot(databaseFile)) || disk.Exists(at.State(earlyFile)) || disk.Exists(filepath.Dir(at.Database())+".part") {
		t.Errorf("killed before step %d: it was not moved whole", n)
	}
	if _, own := want[at.Database()+"-wal"]; !own && disk.Exists(at.Database()+"-wal") {
		t.Errorf("killed before step %d: the log is of another database", n)
	}
}

// A workspace that was renamed before the state was moved takes it along.
func TestEarlierStateOfARenamedWorkspaceIsMovedIn(t *testing.T) {
	root := shortDir(t)
	at, _ := early(t, root)
	move(t, root, "shop", "store")
	now := locate(root, "store")
	must.Do(t, now.Prepare())
	must.Do(t, now.MoveIn())
	if got := string(must.Have(os.ReadFile(now.Database()))(t)); now.Home != at.Home || got != at.inRoot(databaseFile) {
		t.Errorf("got %q in %s", got, now.Home)
	}
}

// A database that parley did not make is not taken in, and not touched.
func TestForeignDatabaseIsNotMovedIn(t *testing.T) {
	for name, plant := range map[string]func(path string) error{
		"file": func(path string) error { return os.WriteFile(path, []byte("theirs"), 0o600) },
		"link": func(path string) error { return os.Symlink("/etc/passwd", path) },
		"pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		t.Run(name+" in a new workspace", func(t *testing.T) {
			root := shortDir(t)
			at := locate(root, "shop")
			must.Do(t, os.MkdirAll(at.inRoot(""), 0o700))
			must.Do(t, plant(at.inRoot(databaseFile)))
			if err := at.Prepare(); (err != nil) != (name != "file") {
				t.Fatal(err)
			}
			must.Do(t, at.MoveIn())
			if disk.Exists(at.Database()) {
				t.Error("it was taken in")
			}
		})
		t.Run(name+" in place of an earlier one", func(t *testing.T) {
			root := shortDir(t)
			at, _ := early(t, root)
			must.Do(t, os.Remove(at.inRoot(databaseFile)))
			must.Do(t, plant(at.inRoot(databaseFile)))
			err := at.Prepare()
			if err == nil {
				err = at.MoveIn()
			}
			if e := parley.AsError(err); e == nil || e.Code != parley.NotTrusted || e.Action == "" {
				t.Errorf("got %v", err)
			}
			if disk.Exists(at.Database()) || !disk.Exists(at.State(databaseFile)) {
				t.Error("it was taken in, or the second name is gone")
			}
		})
	}
}
