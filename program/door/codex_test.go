package door_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
	"parley/program/door"
)

const codexThread = "01a21d70-fc71-76a1-ad74-5607a3cbdea6"

// fakeCodex runs in a terminal as Codex 0.171.0 does. It is this test's program by another name, which serves as its
// app server, too: see TestMain.
type fakeCodex struct {
	dir, home string
	pid       int
}

func startCodex(t *testing.T) *fakeCodex {
	f := &fakeCodex{dir: t.TempDir(), home: t.TempDir()}
	must.Do(t, door.Launch{}.Write(f.dir))
	must.Do(t, os.MkdirAll(filepath.Dir(f.transcript()), 0o700))
	f.says(t, "")

	bin := filepath.Join(t.TempDir(), "codex")
	must.Do(t, os.Link(must.Have(os.Executable())(t), bin))
	program := exec.Command(bin, "terminal")
	program.Env = append(os.Environ(), "CODEX_HOME="+f.home, "PARLEY_AGENT_ID=4711")
	in := must.Have(program.StdinPipe())(t)
	must.Do(t, program.Start())
	t.Cleanup(func() { in.Close(); program.Wait() })
	f.pid = program.Process.Pid

	return f
}

// says changes how its servers answer.
func (f *fakeCodex) says(t *testing.T, words string) {
	must.Do(t, os.WriteFile(filepath.Join(f.home, "says"), []byte(words), 0o600))
}

func (f *fakeCodex) transcript() string {
	return filepath.Join(f.home, "sessions", "2026", "11", "27", "rollout-2026-11-27T14-35-48-"+codexThread+".jsonl")
}

func (f *fakeCodex) queued(t *testing.T) (all []codexItem) {
	text, err := os.ReadFile(filepath.Join(f.home, "queue"))
	if err == nil {
		must.Do(t, json.Unmarshal(text, &all))
	}
	return all
}

func (f *fakeCodex) program() door.Program {
	return door.Program{Kind: "codex", PID: f.pid, Dir: f.dir, Session: codexThread, Versions: []string{"0.171.0"}}
}

func (f *fakeCodex) open(t *testing.T) door.Door {
	t.Helper()
	d := must.Have(door.Open(t.Context(), f.program()))(t)
	t.Cleanup(func() { d.Close() })
	return d
}

type codexItem struct {
	ID     string `json:"clientUserMessageId"`
	Queued string `json:"id"`
	Thread string `json:"threadId"`
	Input  []struct{ Type, Text string }
}

// serveCodex is the app server. It lists one item on each page.
func serveCodex(in io.Reader, out io.Writer, home string) {
	words, _ := os.ReadFile(filepath.Join(home, "says"))
	says := string(words)
	queue := filepath.Join(home, "queue")
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var call struct {
			ID     int
			Method string
			Params struct {
				codexItem
				Cursor int    `json:",string"`
				Delete string `json:"queuedSubmissionId"`
			}
		}
		if json.Unmarshal(lines.Bytes(), &call) != nil || call.ID == 0 {
			continue
		}
		fmt.Fprintln(out, `{"method":"configWarning","params":{"summary":"x"}}`)
		var items []codexItem
		if text, err := os.ReadFile(queue); err == nil {
			_ = json.Unmarshal(text, &items)
		}
		answer := map[string]any{"id": call.ID}
		switch {
		case call.Method == "initialize":
			agent := "parley/0.171.0 (Debian 12.0.0; x86_64) xterm (parley; 1)"
			if says == "another version" {
				agent = strings.Replace(agent, "171", "172", 1)
			}
			answer["result"] = map[string]any{"userAgent": agent}
		case says == "dies":
			return
		case says == "refuses":
			answer["error"] = map[string]any{"code": -32600, "message": "thread not found"}
		case call.Method == "thread/queue/add":
			call.Params.Queued = fmt.Sprint("queued ", call.Params.ID)
			text, _ := json.Marshal(append(items, call.Params.codexItem))
			_ = os.WriteFile(queue, text, 0o600)
			answer["result"] = map[string]any{}
		case call.Method == "thread/queue/delete":
			left := slices.DeleteFunc(slices.Clone(items), func(i codexItem) bool {
				return i.Queued == call.Params.Delete
			})
			text, _ := json.Marshal(left)
			_ = os.WriteFile(queue, text, 0o600)
			answer["result"] = map[string]any{"deleted": len(left) < len(items)}
		default:
			page := map[string]any{"data": []codexItem{}, "nextCursor": nil}
			if at := call.Params.Cursor; at < len(items) {
				page["data"] = items[at : at+1]
				page["nextCursor"] = fmt.Sprint(at + 1)
			}
			answer["result"] = page
		}
		text, _ := json.Marshal(answer)
		fmt.Fprintln(out, string(text))
	}
}

func TestCodexSaysWhatBecameOfALetter(t *testing.T) {
	f := startCodex(t)
	d := f.open(t)
	expectFate(t, d, letter(1), door.Absent)

	l, next := letter(1), letter(2)
	l.Text = "[msg 5f0c21aa] two\nlines & <b> \u2028 " + strings.Repeat("ü", 1000)
	must.Do(t, d.Give(t.Context(), l))
	must.Do(t, d.Give(t.Context(), next))
	got := f.queued(t)
	if len(got) != 2 || got[0].ID != l.ID || got[0].Thread != codexThread || got[0].Input[0].Text != l.Text {
		t.Errorf("its queue has %+v", got)
	}
	expectFate(t, d, next, door.Queued)

	// It takes the first. Neither an answer, nor another's message with its words, is a turn that begins.
	must.Do(t, os.WriteFile(filepath.Join(f.home, "queue"), []byte("[]"), 0o600))
	line := `{"type":"event_msg","payload":{"type":"item_completed","item":{"type":%q,"client_id":%q,"content":[{"text":%q}]}}}` + "\n"
	write := func(kind, id string) {
		file := must.Have(os.OpenFile(f.transcript(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))(t)
		must.Have(fmt.Fprintf(file, line, kind, id, l.ID))(t)
		must.Do(t, file.Close())
	}
	write("AgentMessage", l.ID)
	write("UserMessage", "another")
	expectFate(t, f.open(t), l, door.Unknown) // it was taken from the queue
	write("UserMessage", l.ID)
	expectFate(t, d, l, door.Read)
	expectFate(t, f.open(t), l, door.Read)
	expectFate(t, f.open(t), letter(3), door.Absent)
}

// Its queue outlives it, and what parley notes of a launch does not.
func TestCodexKeepsALetterBeyondItsEnd(t *testing.T) {
	f := startCodex(t)
	must.Do(t, f.open(t).Give(t.Context(), letter(1)))
	must.Do(t, os.RemoveAll(filepath.Join(f.dir, "given")))
	d := f.open(t)
	expectFate(t, d, letter(1), door.Queued)
	if back, err := d.Withdraw(t.Context(), letter(1)); !back || err != nil {
		t.Errorf("got %v, %v, want it back", back, err)
	}
	expectFate(t, d, letter(1), door.Absent)
}

func TestCodexGivesBackWhatNoTurnHas(t *testing.T) {
	f := startCodex(t)
	d := f.open(t)
	if back, err := d.Withdraw(t.Context(), letter(1)); back || err != nil {
		t.Errorf("what was never given: got %v, %v", back, err)
	}
	must.Do(t, d.Give(t.Context(), letter(1)))
	must.Do(t, d.Give(t.Context(), letter(2)))
	if back, err := d.Withdraw(t.Context(), letter(2)); !back || err != nil {
		t.Errorf("got %v, %v, want it back", back, err)
	}
	if got := f.queued(t); len(got) != 1 || got[0].ID != letter(1).ID {
		t.Errorf("its queue has %+v", got)
	}
	expectFate(t, d, letter(2), door.Absent)
	expectFate(t, f.open(t), letter(1), door.Queued)
	if back, err := d.Withdraw(t.Context(), letter(2)); back || err != nil {
		t.Errorf("a second time: got %v, %v", back, err)
	}
}

func TestCodexTellsRefusedFromUnknown(t *testing.T) {
	f := startCodex(t)
	f.says(t, "refuses")
	expectClosed(t, "refused", f.open(t).Give(t.Context(), letter(1)))
	f.says(t, "another version")
	expectClosed(t, "another version", f.open(t).Give(t.Context(), letter(1)))

	f.says(t, "dies")
	d := f.open(t)
	if err := d.Give(t.Context(), letter(1)); err == nil || errors.Is(err, door.ErrClosed) {
		t.Errorf("got %v, want an error that leaves it open", err)
	}
	if got, err := d.Ask(t.Context(), letter(1)); err == nil || got.Fate != door.Unknown {
		t.Errorf("got %+v, %v, want that nobody knows", got, err)
	}
	f.says(t, "")
	expectFate(t, d, letter(1), door.Unknown) // another server answers
	if got := f.queued(t); len(got) > 0 {
		t.Errorf("its queue has %+v", got)
	}
}

func TestCodexIsClosedBeforeAnythingGoesIn(t *testing.T) {
	sleeper := exec.Command("sleep", "600")
	must.Do(t, sleeper.Start())
	t.Cleanup(func() { sleeper.Process.Kill(); sleeper.Wait() })
	for what, change := range map[string]func(p *door.Program){
		"adopted":          func(p *door.Program) { p.Dir = "" },
		"its user's own":   func(p *door.Program) { p.Dir = t.TempDir() },
		"no session yet":   func(p *door.Program) { p.Session = "" },
		"another program":  func(p *door.Program) { p.PID = sleeper.Process.Pid },
		"one that is gone": func(p *door.Program) { p.PID = 1 << 30 },
	} {
		f := startCodex(t)
		p := f.program()
		change(&p)
		d, err := door.Open(t.Context(), p)
		expectClosed(t, what, err)
		if d != nil || len(f.queued(t)) > 0 {
			t.Errorf("%s: it opened, or got %+v", what, f.queued(t))
		}
	}
}
