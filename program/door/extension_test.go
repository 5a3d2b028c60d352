package door_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"parley/internal/must"
	"parley/program/door"
)

// fakeExtension answers as extension.mjs does in a program.
type fakeExtension struct {
	dir    string
	launch door.Launch

	mu     sync.Mutex
	got    []extensionRequest
	says   map[string]string // its answers, by what is asked
	silent bool              // it closes the connection instead
}

type extensionRequest struct {
	Secret, Do, ID, Text, Mark string
	Steer                      bool
}

func startExtension(t *testing.T) *fakeExtension {
	f := &fakeExtension{dir: t.TempDir(), says: map[string]string{"greet": `{"protocol":1,"version":"1.5.2"}`, "give": `{}`}}
	f.launch = must.Have(door.NewLaunch("extension", "hush", shortDir(t)))(t)
	must.Do(t, f.launch.Write(f.dir))
	serveLines(t, f.launch.Socket, func(conn net.Conn, line []byte) {
		var r extensionRequest
		_ = json.Unmarshal(line, &r)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.got = append(f.got, r)
		if !f.silent {
			fmt.Fprintln(conn, f.says[r.Do])
		}
		conn.Close()
	})
	return f
}

func (f *fakeExtension) answers(do, words string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.says[do] = words
}

// last returns what it was asked last.
func (f *fakeExtension) last() (r extensionRequest) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.got) > 0 {
		r = f.got[len(f.got)-1]
	}
	return r
}

func (f *fakeExtension) program() door.Program {
	return door.Program{Kind: "extension", PID: os.Getpid(), Dir: f.dir, Versions: []string{"1.5.2"}}
}

func TestExtensionsTakeALetterAsItIs(t *testing.T) {
	f := startExtension(t)
	d := must.Have(door.Open(t.Context(), f.program()))(t)
	l := letter(1)
	l.Text, l.Steer = "two\nlines & <b> \u2028 "+strings.Repeat("ü", 1000), true
	must.Do(t, d.Give(t.Context(), l))
	got := f.last()
	if got.Text != l.Text || got.ID != l.ID || !got.Steer || got.Secret != "hush" {
		t.Errorf("got %+v", got)
	}

	for word, want := range map[string]door.Fate{
		"read": door.Read, "queued": door.Queued, "absent": door.Absent, "unknown": door.Unknown,
		"pondered": door.Unknown, "": door.Unknown,
	} {
		f.answers("ask", fmt.Sprintf(`{"fate":%q}`, word))
		expectFate(t, d, l, want)
	}
	if got := f.last(); got.Mark != l.Mark || got.ID != l.ID {
		t.Errorf("it was asked %+v", got)
	}

	long := letter(2)
	long.Text = strings.Repeat("two megabytes", 2<<20/13)
	expectClosed(t, "2 MB", d.Give(t.Context(), long))
}

// What it does not answer stays open; what it says that it has not done has not gone in.
func TestExtensionsThatDoNotAnswerLeaveItOpen(t *testing.T) {
	f := startExtension(t)
	d := must.Have(door.Open(t.Context(), f.program()))(t)
	f.answers("give", `{"error":"it is between two sessions"}`)
	if err := d.Give(t.Context(), letter(1)); !errors.Is(err, door.ErrNotNow) {
		t.Errorf("got %v, want ErrNotNow", err)
	}
	for _, words := range []string{"nonsense", "", "[]"} {
		f.answers("give", words)
		if err := d.Give(t.Context(), letter(1)); err == nil || errors.Is(err, door.ErrClosed) {
			t.Errorf("%q: got %v, want an error that leaves it open", words, err)
		}
		f.answers("ask", words)
		if got, err := d.Ask(t.Context(), letter(1)); err == nil || got.Fate != door.Unknown {
			t.Errorf("%q: got %+v, %v", words, got, err)
		}
	}
	f.mu.Lock()
	f.silent = true
	f.mu.Unlock()
	if err := d.Give(t.Context(), letter(1)); err == nil || errors.Is(err, door.ErrClosed) {
		t.Errorf("got %v, want an error that leaves it open", err)
	}
}

func TestExtensionsAreClosedBeforeAnythingGoesIn(t *testing.T) {
	for what, change := range map[string]func(f *fakeExtension, p *door.Program){
		"adopted":          func(_ *fakeExtension, p *door.Program) { p.Dir = "" },
		"its user's own":   func(_ *fakeExtension, p *door.Program) { p.Dir = t.TempDir() },
		"another version":  func(f *fakeExtension, _ *door.Program) { f.says["greet"] = `{"protocol":1,"version":"2.0.0"}` },
		"a newer protocol": func(f *fakeExtension, _ *door.Program) { f.says["greet"] = `{"protocol":2,"version":"1.5.2"}` },
		"a wrong password": func(f *fakeExtension, _ *door.Program) { f.says["greet"] = `{"error":"a wrong password"}` },
		"nonsense":         func(f *fakeExtension, _ *door.Program) { f.says["greet"] = "nonsense" },
		"no socket":        func(f *fakeExtension, _ *door.Program) { must.Do(t, os.Remove(f.launch.Socket)) },
		"a damaged file": func(f *fakeExtension, _ *door.Program) {
			must.Do(t, os.WriteFile(f.dir+"/door.json", []byte("{"), 0o600))
		},
		"another's process": func(_ *fakeExtension, p *door.Program) { p.PID = 1 << 30 },
	} {
		f := startExtension(t)
		p := f.program()
		change(f, &p)
		d, err := door.Open(t.Context(), p)
		expectClosed(t, what, err)
		if d != nil {
			t.Errorf("%s: it opened", what)
		}
		if r := f.last(); r.Do != "" && r.Do != "greet" {
			t.Errorf("%s: it got %+v", what, r)
		}
	}
}

// Only its user reaches the directory that it listens in, and that goes with the agent's files.
func TestExtensionsListenInPrivate(t *testing.T) {
	f := startExtension(t)
	dir := filepath.Dir(f.launch.Socket)
	if mode := must.Have(os.Stat(dir))(t).Mode().Perm(); mode != 0o700 {
		t.Errorf("%s has the mode %o", dir, mode)
	}
	if mode := must.Have(os.Stat(f.dir + "/entrance.mjs"))(t).Mode().Perm(); mode != 0o600 {
		t.Errorf("its module has the mode %o", mode)
	}

	must.Do(t, door.Remove(f.dir))
	if _, err := os.Stat(dir); err == nil {
		t.Errorf("%s is left behind", dir)
	}
	must.Do(t, door.Remove(f.dir))
	must.Do(t, door.Remove(t.TempDir()))
}

// Another user of the machine does not reach it.
func TestExtensionsAreClosedToOthers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	f := startExtension(t)
	for uid, want := range map[uint32]string{0: "<nil>", 65534: "permission denied"} {
		dial := exec.Command("/proc/self/exe", "dial", f.launch.Socket)
		dial.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		if out, err := dial.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("user %d: got %q, %v, want %s", uid, out, err, want)
		}
	}
}

// The module does in a program that loads extensions what its counterpart expects of it.
func TestTheModuleAnswersAsItIsAsked(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node")
	}
	f := &fakeExtension{dir: t.TempDir()}
	f.launch = must.Have(door.NewLaunch("extension", "hush", shortDir(t)))(t)
	must.Do(t, f.launch.Write(f.dir))

	script := filepath.Join(f.dir, "program.mjs")
	must.Do(t, os.WriteFile(script, []byte(programOfExtensions), 0o600))
	program := exec.Command(node, script, f.dir)
	program.Stderr = os.Stderr
	out := must.Have(program.StdoutPipe())(t)
	must.Do(t, program.Start())
	t.Cleanup(func() { program.Process.Kill(); program.Wait() })
	must.Have(out.Read(make([]byte, 10)))(t) // it has begun

	p := f.program()
	p.PID = program.Process.Pid
	must.Become(t, "it listens", func() bool {
		d, err := door.Open(t.Context(), p)
		return err == nil && d != nil
	})
	d := must.Have(door.Open(t.Context(), p))(t)
	if mode := must.Have(os.Stat(f.launch.Socket))(t).Mode().Perm(); mode != 0o600 {
		t.Errorf("its socket has the mode %o", mode)
	}

	l := letter(1)
	expectFate(t, d, l, door.Absent)
	must.Do(t, d.Give(t.Context(), l))
	must.Do(t, d.Give(t.Context(), l)) // once
	expectFate(t, d, l, door.Queued)
	next := letter(2)
	next.Text = "GO ON " + next.Text
	must.Do(t, d.Give(t.Context(), next)) // the turn ends, and takes both
	expectFate(t, d, l, door.Read)
	expectFate(t, d, next, door.Read)

	// Those who name a letter do not prove it.
	lost := letter(3)
	lost.Text, lost.Mark = "LOSE it", "msg 5f0c21ab"
	must.Do(t, d.Give(t.Context(), lost))
	for i, words := range quotes {
		other := letter(4 + i)
		other.Text = "GO ON " + strings.ReplaceAll(words, letter(1).Mark, lost.Mark)
		must.Do(t, d.Give(t.Context(), other))
	}
	expectFate(t, d, lost, door.Unknown)

	file := must.Have(os.ReadFile(f.dir + "/door.json"))(t)
	must.Do(t, os.WriteFile(f.dir+"/door.json", []byte(strings.Replace(string(file), "hush", "other", 1)), 0o600))
	_, err = door.Open(t.Context(), p)
	expectClosed(t, "a wrong password", err)
}

// programOfExtensions is a program that works until it is told to go on.
const programOfExtensions = `
import { open } from "./entrance.mjs";
const on = {}, entries = [], queue = [];
let works = true;
const pi = {
	on: (event, handler) => { on[event] = handler; },
	sendUserMessage(text, { deliverAs }) {
		if (deliverAs !== "followUp") throw new Error("it says " + deliverAs);
		if (text.startsWith("LOSE")) return;
		queue.push(text);
		if (!text.startsWith("GO ON")) return;
		works = false;
		for (const text of queue.splice(0)) entries.push({ type: "message", message: { role: "user", content: [{ type: "text", text }] } });
	},
};
const ctx = {
	isIdle: () => !works, hasPendingMessages: () => queue.length > 0,
	sessionManager: { getEntries: () => [{ type: "model_change" }, ...entries] },
};
open(pi, process.argv[2], "1.5.2");
on.session_start({}, ctx);
on.session_shutdown({ reason: "new" });
on.session_start({}, ctx);
setInterval(() => {}, 1000);
console.log("begun");
`
