package place

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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
				must.Do(t, os.WriteFile(filepath.Join(root, "shop", StateDir, idFile), []byte(strings.Repeat("a",
					32)), 0o600))
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
	return Locate(filepath.Join(root, name), environ{"XDG_STATE_HOME=" + root + "/state", "XDG_RUNTIME_DIR=" + root})
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
			if now.TmuxSocket() != was.TmuxSocket() || now.Socket() != was.Socket() {
				t.Errorf("%s: got %s, %s", names[1], now.TmuxSocket(), now.Socket())
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

// The state of a program from before the first release is refused, and stays as it is. The advice begins anew.
func TestEarlierStateIsRefusedUntouched(t *testing.T) {
	for _, place := range []func(Place) string{
		func(at Place) string { return at.inRoot(databaseFile) },
		func(at Place) string { return at.State(databaseFile) }, // its second name
	} {
		root := shortDir(t)
		at := locate(root, "shop")
		must.Do(t, os.MkdirAll(at.inRoot(""), 0o700))
		must.Do(t, os.MkdirAll(at.Home, 0o700))
		must.Do(t, os.WriteFile(at.State(rootFile), []byte(at.Root+"\n"), 0o600))
		must.Do(t, os.WriteFile(place(at), []byte("theirs"), 0o600))
		before := filesBelow(t, root)

		e := parley.AsError(at.Prepare())
		if e == nil || e.Code != parley.StorageUnavailable {
			t.Fatalf("got %v", e)
		}
		if after := filesBelow(t, root); !slices.Equal(before, after) {
			t.Errorf("%q became %q", before, after)
		}

		_, command, _ := strings.Cut(e.Action, "workspace: ")
		must.Have(exec.Command("sh", "-c", command).CombinedOutput())(t)
		must.Do(t, locate(root, "shop").Prepare())
	}
}

func filesBelow(t *testing.T, dir string) (list []string) {
	t.Helper()
	must.Do(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		list = append(list, e.Type().String()+path)
		return err
	}))
	return list
}

// A database that parley did not make does not make a new workspace an earlier one.
func TestForeignDatabaseInANewWorkspaceIsLeft(t *testing.T) {
	at := locate(shortDir(t), "shop")
	must.Do(t, os.MkdirAll(at.inRoot(""), 0o700))
	must.Do(t, os.WriteFile(at.inRoot(databaseFile), []byte("theirs"), 0o600))
	must.Do(t, at.Prepare())
	if disk.Exists(at.Database()) {
		t.Error("it was taken in")
	}
}
