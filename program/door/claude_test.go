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
	"testing"
	"time"

	"parley/internal/must"
	"parley/program/door"
)

// fakeClaude listens as a session of Claude Code 2.1.332 does.
type fakeClaude struct {
	peer[claudeFrame]
	reply string // where the last message wants its answers
}

type claudeFrame struct {
	Type    string
	MsgID   string `json:"msg_id"`
	From    string
	Message struct{ Role, Content string }
}

func startClaude(t *testing.T) *fakeClaude {
	f := &fakeClaude{}
	f.kind, f.version = "claude", "2.1.332"
	f.start(t, "CLAUDE_CONFIG_DIR", map[string]any{
		"version": "2.1.332", "peerProtocol": 1, "cwd": t.TempDir(), "status": "idle",
		"sessionId": "5f0c21aa-0000-4000-8000-000000000001",
	}, f.hear)
	f.said["messagingSocketPath"] = f.socket
	f.register(t)
	return f
}

func (f *fakeClaude) hear(line []byte) {
	var frame claudeFrame
	if json.Unmarshal(line, &frame) != nil || frame.Type != "user" {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.got, f.reply = append(f.got, frame), strings.TrimPrefix(frame.From, "uds:")
}

// tells writes lines to where the sender of the last message listens.
func (f *fakeClaude) tells(t *testing.T, lines ...string) {
	t.Helper()
	f.mu.Lock()
	at := f.reply
	f.mu.Unlock()
	conn := must.Have(net.Dial("unix", at))(t)
	defer conn.Close()
	must.Have(fmt.Fprint(conn, strings.Join(lines, "\n"), "\n"))(t)
}

func status(word, of, more string) string {
	return fmt.Sprintf(`{"type":"control","action":"peer_message_status","status":%q,"orig_msg_id":%q%s,"msgV":1}`, word, of, more)
}

// Also a version with which its door was not tried: nothing goes in.
func TestClaudeSaysWhatItDoes(t *testing.T) {
	f := startClaude(t)
	f.said["version"], f.said["peerProtocol"] = "3.0.0", 2
	for status, want := range map[string]door.Doing{
		"idle":    {},
		"busy":    {Works: true, Evidence: "its registry says that it works"},
		"waiting": {Asks: true, Evidence: `its registry says that it waits: "permission prompt"`},
		"newer":   {},
	} {
		f.said["status"], f.said["waitingFor"] = status, "permission prompt"
		f.register(t)
		if got := must.Have(door.Does(t.Context(), f.program()))(t); got != want {
			t.Errorf("%s: it does %+v, want %+v", status, got, want)
		}
	}

	must.Do(t, os.RemoveAll(filepath.Join(f.home, "sessions")))
	_, err := door.Does(t.Context(), f.program())
	expectClosed(t, "a program without an entry", err)
}

func TestClaudeTakesALetterAsItIs(t *testing.T) {
	f := startClaude(t)
	d := f.open(t)
	l := letter(1)
	l.Text = "two\nlines & <b> \u2028 \x1b[31m " + strings.Repeat("ü", 1000)
	must.Do(t, d.Give(t.Context(), l))

	must.Become(t, "it has the letter", func() bool { return len(f.frames()) == 1 })
	got := f.frames()[0]
	if got.Message.Content != l.Text || got.Message.Role != "user" || got.MsgID != l.ID {
		t.Errorf("got %+v", got)
	}
	socket := strings.TrimPrefix(got.From, "uds:")
	if filepath.Dir(socket) != filepath.Dir(f.socket) { // Claude Code answers nowhere else
		t.Errorf("the answers go to %s, want next to %s", socket, f.socket)
	}
	if mode := must.Have(os.Stat(socket))(t).Mode().Perm(); mode != 0o600 {
		t.Errorf("the inbox has the mode %o", mode)
	}
	expectFate(t, d, l, door.Unknown) // that it took it, its hook says

	must.Do(t, d.Close())
	if _, err := os.Stat(socket); err == nil {
		t.Error("the inbox is left behind")
	}
}

func TestClaudeSaysWhatItKeepsBackOrDrops(t *testing.T) {
	f := startClaude(t)
	d := f.open(t)
	for i := range 4 {
		must.Do(t, d.Give(t.Context(), letter(i)))
	}
	must.Become(t, "it has the letters", func() bool { return len(f.frames()) == 4 })

	f.tells(t, "nonsense", "[]", `{"type":"user"}`, status("held", letter(0).ID, ""), status("slept", letter(3).ID, ""),
		status("dropped", letter(1).ID, fmt.Sprintf(`,"drop_reason":"rate-limited","dropped_msg_ids":[%q,"x"]`, letter(2).ID)))
	fate := func(i int) door.Fate { return must.Have(d.Ask(t.Context(), letter(i)))(t).Fate }
	must.Become(t, "its word is heard", func() bool { return fate(2) == door.Dropped })
	for i, want := range []door.Fate{door.Queued, door.Dropped, door.Dropped, door.Unknown} {
		expectFate(t, d, letter(i), want)
	}

	f.tells(t, status("denied", letter(0).ID, ""), strings.Repeat("x", 3<<20), status("dropped", letter(3).ID, ""))
	must.Become(t, "what was kept back is refused", func() bool { return fate(0) == door.Dropped })
	must.Become(t, "what follows a long line is heard", func() bool { return fate(3) == door.Dropped })
}

func TestClaudeWhoseUserKeepsMessagesBackGetsNoMore(t *testing.T) {
	for word, want := range map[string]door.Fate{
		status("held", letter(0).ID, ""):                              door.Queued,
		status("expired", letter(0).ID, `,"status_detail":"refused"`): door.Dropped,
	} {
		f := startClaude(t)
		d := f.open(t)
		must.Do(t, d.Give(t.Context(), letter(0)))
		must.Become(t, "it has the letter", func() bool { return len(f.frames()) == 1 })
		f.tells(t, word)
		must.Become(t, "its word is heard", func() bool {
			return must.Have(d.Ask(t.Context(), letter(0)))(t).Fate == want
		})
		if err := d.Give(t.Context(), letter(1)); !errors.Is(err, door.ErrNotNow) {
			t.Errorf("after %s: got %v, want ErrNotNow", word, err)
		}
	}
}

// It drops without a word to people what comes too fast, or twice.
func TestClaudeIsClosedToWhatItWouldDrop(t *testing.T) {
	f := startClaude(t)
	d := f.open(t)
	must.Do(t, d.Give(t.Context(), letter(0)))
	expectClosed(t, "the same text again", d.Give(t.Context(), letter(0)))
	long := letter(1)
	long.Text = strings.Repeat("two megabytes", 2<<20/13)
	expectClosed(t, "2 MB", d.Give(t.Context(), long))

	var all sync.WaitGroup
	var mu sync.Mutex
	refused := 0
	for i := range 60 {
		all.Go(func() {
			if err := d.Give(t.Context(), letter(i+1)); errors.Is(err, door.ErrNotNow) {
				mu.Lock()
				refused++
				mu.Unlock()
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	begun := time.Now()
	all.Wait()
	// On a slow machine the pace lets more of them in meanwhile.
	in := 61 - refused
	if most := 30 + int(time.Since(begun)/(2*time.Second)) + 1; in < 30 || in > most {
		t.Errorf("%d letters went in at once, want 30 to %d", in, most)
	}
	must.Become(t, "it has those that went in", func() bool { return len(f.frames()) == in })
}

func TestClaudeIsClosedBeforeAnythingGoesIn(t *testing.T) {
	for what, change := range map[string]func(f *fakeClaude, p *door.Program){
		"adopted":              func(_ *fakeClaude, p *door.Program) { p.Dir = "" },
		"launched in a bypass": func(_ *fakeClaude, p *door.Program) { p.Dir = t.TempDir() },
		"another version":      func(f *fakeClaude, _ *door.Program) { f.said["version"] = "2.1.999" },
		"a newer protocol":     func(f *fakeClaude, _ *door.Program) { f.said["peerProtocol"] = 2 },
		"no socket":            func(f *fakeClaude, _ *door.Program) { delete(f.said, "messagingSocketPath") },
		"a socket that is gone": func(f *fakeClaude, _ *door.Program) {
			f.said["messagingSocketPath"] = f.socket + "x"
		},
		"a damaged entry": func(f *fakeClaude, _ *door.Program) { f.said["peerProtocol"] = "one" },
		"settings that bypass": func(f *fakeClaude, _ *door.Program) {
			must.Do(t, os.WriteFile(f.home+"/settings.json", []byte(`{"permissions":{"defaultMode":"bypassPermissions"}}`), 0o600))
		},
		"a directory open to others": func(f *fakeClaude, _ *door.Program) {
			must.Do(t, os.Chmod(filepath.Dir(f.socket), 0o755))
		},
	} {
		f := startClaude(t)
		p := f.program()
		change(f, &p)
		f.register(t)
		d, err := door.Open(t.Context(), p)
		expectClosed(t, what, err)
		if d != nil {
			t.Errorf("%s: it opened", what)
		}
		if got := f.frames(); len(got) > 0 {
			t.Errorf("%s: it got %+v", what, got)
		}
	}
}

// A process that sits on the socket of a program gets no word.
func TestDoorsKeepOffSocketsOfOtherProcesses(t *testing.T) {
	f := startClaude(t)
	sleeper := exec.Command("sleep", "600")
	sleeper.Env = os.Environ()
	must.Do(t, sleeper.Start())
	t.Cleanup(func() { sleeper.Process.Kill(); sleeper.Wait() })
	for environ := fmt.Sprintf("/proc/%d/environ", sleeper.Process.Pid); ; time.Sleep(time.Millisecond) {
		if shown, err := os.ReadFile(environ); err != nil || len(shown) > 0 {
			break // it begins empty
		}
	}

	text := must.Have(json.Marshal(f.said))(t)
	must.Do(t, os.WriteFile(filepath.Join(f.home, "sessions", fmt.Sprint(sleeper.Process.Pid, ".json")), text, 0o600))
	p := f.program()
	p.PID = sleeper.Process.Pid
	_, err := door.Open(t.Context(), p)
	expectClosed(t, "another process's socket", err)
	if !strings.Contains(fmt.Sprint(err), "behind the door") {
		t.Errorf("got %v, want that another process is there", err)
	}
}

func TestClaudeThatEndsIsClosed(t *testing.T) {
	f := startClaude(t)
	d := f.open(t)
	must.Do(t, os.Remove(f.socket))
	expectClosed(t, "give", d.Give(t.Context(), letter(1)))
	expectFate(t, d, letter(1), door.Absent) // nothing was handed over
}

// Its transcript has what it queues, and what a turn has, as Claude Code 2.1.332 writes it.
func TestClaudeWritesWhatItsTurnsHave(t *testing.T) {
	f := startClaude(t)
	d := f.open(t)
	expectFate(t, d, letter(1), door.Absent)
	must.Do(t, d.Give(t.Context(), letter(1)))
	expectFate(t, d, letter(1), door.Unknown)

	text, _ := json.Marshal(letter(1).Text)
	queued := fmt.Sprintf(`{"type":"queue-operation","operation":"enqueue","sessionId":"x","content":%s}`, text)
	turn := func(kind, origin string) string {
		return fmt.Sprintf(`{"type":%q,"message":{"role":"user","content":"Another Claude session sent a message:\n%s"},`+
			`"isMeta":true,"origin":{"kind":"peer","from":"uds:/x.sock","msg_id":%q}}`,
			kind, strings.Trim(string(text), `"`), origin)
	}
	const session = "projects/-work/5f0c21aa-0000-4000-8000-000000000001.jsonl"
	f.writes(t, session,
		turn("user", letter(2).ID)+"\n"+turn("assistant", letter(1).ID)+"\nnonsense "+letter(1).Mark+"\n")
	expectFate(t, d, letter(1), door.Unknown)
	f.writes(t, session, queued+"\n")
	expectFate(t, d, letter(1), door.Queued)
	f.writes(t, session, turn("user", letter(1).ID))
	expectFate(t, d, letter(1), door.Queued) // it is still being written

	f.writes(t, session, "\n")
	expectFate(t, d, letter(1), door.Read)
	f.said["sessionId"] = "5f0c21aa-0000-4000-8000-000000000002"
	f.register(t)
	expectFate(t, f.open(t), letter(1), door.Read) // the next daemon knows it, also after /clear
	must.Do(t, d.Give(t.Context(), letter(3)))
	f.writes(t, "projects/-work/5f0c21aa-0000-4000-8000-000000000002.jsonl", fmt.Sprintf(
		`{"type":"attachment","attachment":{"type":"queued_command","prompt":%q,"origin":{"msg_id":%q}}}`, letter(3).Mark, letter(3).ID)+"\n")
	expectFate(t, d, letter(3), door.Read) // into the turn that ran
}
