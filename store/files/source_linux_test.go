package files

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"parley"
	"parley/internal/must"
)

// ground is a workspace, an agent's directory outside of it, and foreign files.
type ground struct {
	*testing.T
	dir    string
	bounds Bounds
}

func newGround(t *testing.T) *ground {
	g := &ground{T: t, dir: t.TempDir()}
	for _, dir := range []string{"ws/.parley/received/x", "ws/sub", "agent", "outside", "private"} {
		must.Do(t, os.MkdirAll(g.at(dir), 0o700))
	}

	for _, name := range []string{
		"ws/a.txt", "ws/sub/b.txt", "agent/c.txt", "outside/secret.txt", "ws/.parley/parley.db",
		"ws/.parley/received/x/y", "private/key",
	} {
		g.write(name, name)
	}

	g.bounds = Bounds{
		Roots:   []string{g.at("ws"), g.at("agent")},
		Private: []string{g.at("ws/.parley"), g.at("private")},
	}

	return g
}

func (g *ground) at(name string) string { return filepath.Join(g.dir, name) }

func (g *ground) write(name, content string) {
	g.Helper()
	must.Do(g, os.WriteFile(g.at(name), []byte(content), 0o600))
}

func (g *ground) link(target, name string) {
	g.Helper()
	must.Do(g, os.Symlink(target, g.at(name)))
}

// read opens and reads a path, which may be relative to the ground.
func (g *ground) read(path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = g.at(path)
	}
	s, err := g.bounds.Open(path)
	if err != nil {
		return "", err
	}
	defer s.Close()
	b, err := io.ReadAll(s)
	return string(b), err
}

func (g *ground) refused(path string, code parley.Code, why string) {
	g.Helper()
	content, err := g.read(path)
	if err == nil {
		g.Errorf("%s was read: %q", path, content)
		return
	}

	wantCode(g.T, path, err, code)
	if !strings.Contains(err.Error(), why) {
		g.Errorf("%s: got %q, want it to say %q", path, err, why)
	}
	if strings.ContainsAny(err.Error(), "\x1b\n\u202e") {
		g.Errorf("%q is not fit for a terminal", err)
	}
}

func TestReadsFilesBelowTheRoots(t *testing.T) {
	g := newGround(t)
	g.link(g.at("ws/sub"), "ws/absolute")
	g.link("sub/b.txt", "ws/relative")
	g.link(g.at("ws"), "outside/in")
	g.write("ws/..data", "dots")
	g.write("ws/empty", "")
	for path, want := range map[string]string{
		"ws/a.txt": "ws/a.txt", "ws/sub/b.txt": "ws/sub/b.txt", "agent/c.txt": "agent/c.txt",
		"ws/absolute/b.txt": "ws/sub/b.txt", "ws/relative": "ws/sub/b.txt", "outside/in/a.txt": "ws/a.txt",
		"ws/..data": "dots", "ws/empty": "",
		g.dir + "/ws/sub/../a.txt": "ws/a.txt", g.dir + "/ws//sub/./b.txt": "ws/sub/b.txt",
		g.dir + "/outside/../ws/a.txt": "ws/a.txt",
	} {
		if got, err := g.read(path); err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", path, got, err, want)
		}
	}
}

func TestRefusesFilesOutsideTheRoots(t *testing.T) {
	g := newGround(t)
	g.link(g.at("outside/secret.txt"), "ws/out")
	g.link("../outside", "ws/outdir")
	g.link(g.at("outside/nothing"), "ws/dangling")
	g.link("circle", "ws/circle")
	g.link("/proc/self/environ", "ws/environ")
	for _, path := range []string{"outside/secret.txt", "ws/out", "ws/outdir/secret.txt", "ws/environ", "/etc/passwd",
		"/proc/self/environ", "/proc/self/mem",
		"/dev/zero", g.dir + "/ws/../outside/secret.txt", g.dir + "/ws/sub/../../outside/secret.txt", "ws-evil/x",
		"/proc/self/root/etc/passwd", "ws/outdir/nothing"} {
		g.refused(path, parley.FileRefused, "is not in your working directory or the workspace")
	}

	// The error does not reveal whether an outside file exists.
	g.refused("outside/nothing", parley.FileRefused, "is not in your working directory or the workspace")
	g.refused("ws/dangling", parley.FileRefused, "a link to nothing")
	g.refused("ws/circle", parley.FileRefused, "a link to nothing")
	g.refused("ws/nothing", parley.FileNotFound, "there is no file")
	g.refused("ws/no/where", parley.FileNotFound, "there is no file")
	g.refused("ws/a.txt/x", parley.FileNotFound, "there is no file")
	g.refused("ws/x\x1b[2J\n\u202ey", parley.FileNotFound, "there is no file")
	g.refused("ws/x\x00y", parley.FileRefused, "cannot be read")
	g.refused("ws/"+strings.Repeat("n", 300), parley.FileRefused, "cannot be read")
}

func TestRefusesParleysOwnFiles(t *testing.T) {
	g := newGround(t)
	g.link(".parley", "ws/state")
	g.link(g.at("ws/.parley/parley.db"), "ws/db")
	g.link(g.at("ws/.parley"), "outside/state")
	must.Do(t, os.MkdirAll(g.at("ws/sub/.Parley"), 0o700))

	g.write("ws/sub/.Parley/x", "x")
	for _, path := range []string{"ws/.parley/parley.db", "ws/state/parley.db", "ws/db", "outside/state/parley.db",
		"ws/.parley/received/x/y",
		"ws/sub/.Parley/x", "ws/.parley/nothing", "ws/sub/../.parley/parley.db"} {
		g.refused(path, parley.FileRefused, "is parley's own")
	}

	// Under another name, and below its own root.
	g.bounds.Roots = append(g.bounds.Roots, g.dir)
	g.refused("private/key", parley.FileRefused, "is parley's own")
	must.Do(t, os.Rename(g.at("ws/.parley"), g.at("ws/renamed")))

	g.bounds.Private = []string{g.at("ws/renamed/../renamed")}
	g.refused("ws/renamed/parley.db", parley.FileRefused, "is parley's own")
	g.bounds.Roots = []string{g.at("ws/renamed/received")} // within
	g.refused("ws/renamed/received/x/y", parley.FileRefused, "is parley's own")
}

func TestRefusesParleysOwnFilesElsewhere(t *testing.T) {
	g := newGround(t)
	if err := unix.Mount(g.at("private"), g.at("ws/sub"), "", unix.MS_BIND, ""); err != nil {
		t.Skipf("needs the right to mount: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(g.at("ws/sub"), 0); err != nil {
			t.Errorf("unmounting: %v", err)
		}
	})
	g.refused("ws/sub/key", parley.FileRefused, "is parley's own")
}

func TestRefusesSpecialFiles(t *testing.T) {
	g := newGround(t)
	must.Do(t, unix.Mkfifo(g.at("ws/pipe"), 0o600))

	fd := must.Have(unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0))(t)
	defer unix.Close(fd)

	t.Chdir(g.at("ws"))
	must.Do(t, unix.Bind(fd, &unix.SockaddrUnix{Name: "socket"}))

	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, path := range []string{"ws/pipe", "ws/socket", "ws/sub", "ws/sub/"} {
			g.refused(path, parley.FileRefused, "is not a regular file")
		}
		g.refused("ws", parley.FileRefused, "is not in your working directory")
	}()

	must.Come(t, "the end without the other end of a pipe", done)

	must.Do(t, os.Link(g.at("outside/secret.txt"), g.at("ws/hard")))

	g.refused("ws/hard", parley.FileRefused, "hard links")
}

func TestRefusesAFileThatChangesWhileItIsRead(t *testing.T) {
	for name, change := range map[string]func(f *os.File) error{
		"grows":        func(f *os.File) error { _, err := f.WriteAt([]byte("more"), 100); return err },
		"shrinks":      func(f *os.File) error { return f.Truncate(10) },
		"is rewritten": func(f *os.File) error { return unix.Futimes(int(f.Fd()), []unix.Timeval{{Sec: 1}, {Sec: 2}}) },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			g.write("ws/log", strings.Repeat("x", 100))
			s := must.Have(g.bounds.Open(g.at("ws/log")))(t)
			defer s.Close()

			must.Have(io.ReadFull(s, make([]byte, 50)))(t)

			f := must.Have(os.OpenFile(g.at("ws/log"), os.O_RDWR, 0))(t)
			defer f.Close()

			must.Do(t, change(f))

			rest, err := io.ReadAll(s)
			wantCode(t, "the rest", err, parley.FileRefused)
			if len(rest) > 50 {
				t.Errorf("%d bytes came after 50 of 100", len(rest))
			}
		})
	}
}

// A file that is removed while it is read is still read to its end.
func TestReadsAFileThatDisappears(t *testing.T) {
	g := newGround(t)
	s := must.Have(g.bounds.Open(g.at("ws/a.txt")))(t)
	defer s.Close()
	must.Do(t, os.Remove(g.at("ws/a.txt")))
	if b, err := io.ReadAll(s); err != nil || string(b) != "ws/a.txt" {
		t.Errorf("got %q, %v", b, err)
	}
}

// Whatever is renamed while a path is opened, no outside file is read.
func TestConcurrentRenamesNeverLeadOutside(t *testing.T) {
	for _, c := range []struct{ name, good, evil, path string }{
		{"the file", "ws/a.txt", "outside/secret.txt", "ws/swap"},
		{"its directory", "ws/sub", "outside", "ws/swap/secret.txt"},
		{"its directory, for parley's", "ws/sub", "ws/.parley", "ws/swap/parley.db"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGround(t)
			g.write("ws/sub/secret.txt", "harmless")
			g.write("ws/sub/parley.db", "harmless")
			good, evil := g.at("ws/good"), g.at("ws/evil")
			must.Do(t, os.Rename(g.at(c.good), good))

			g.link(g.at(c.evil), "ws/evil")
			must.Do(t, os.Rename(good, g.at("ws/swap")))

			stop := make(chan struct{})
			var group sync.WaitGroup
			group.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						if err := unix.Renameat2(unix.AT_FDCWD, g.at("ws/swap"), unix.AT_FDCWD, evil,
							unix.RENAME_EXCHANGE); err != nil {
							t.Error(err)
							return
						}
					}
				}
			})

			read, refused := 0, 0
			for end := time.Now().Add(20 * time.Second); (read < 20 || refused < 20) && time.Now().Before(end); {
				got, err := g.read(c.path)
				switch {
				case err == nil && (strings.HasPrefix(got, "outside") || strings.HasPrefix(got, "ws/.parley")):
					t.Errorf("%s was read: %q", c.path, got)
					read = 20
				case err == nil:
					read++
				default:
					refused++
				}
			}

			close(stop)
			group.Wait()
			if read < 20 || refused < 20 {
				t.Errorf("read %d times and refused %d times: nothing was exchanged at the right moment", read, refused)
			}
		})
	}
}

func TestRefusesUnreadableFiles(t *testing.T) {
	g := newGround(t)
	for name, mode := range map[string]os.FileMode{"ws/a.txt": 0, "ws": 0o755, "": 0o755, "..": 0o755} {
		must.Do(t, os.Chmod(g.at(name), mode))
	}
	asNobody(t, func() { g.refused("ws/a.txt", parley.FileRefused, "cannot be read") })
}

// asNobody runs a test with a stranger's file permissions. The goroutine keeps its thread,
// which ends with it.
func asNobody(t *testing.T, test func()) {
	t.Helper()
	if os.Getuid() != 0 {
		test()
		return
	}

	var group sync.WaitGroup
	group.Go(func() {
		runtime.LockOSThread()
		if err := unix.Setfsuid(65534); err != nil {
			t.Error(err)
			return
		}
		test()
	})

	group.Wait()
}
