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

const qwenSession = "745f07ab-e443-4114-acf3-cd4ce396ddc2"

// fakeQwen answers as a session of Qwen Code 0.24.4 does.
type fakeQwen struct {
	peer[qwenFrame]
	token  string
	known  bool                     // the last connection has shown it
	answer func(qwenFrame) []string // the lines it answers a message with; nil: that it is delivered
}

type qwenFrame struct {
	Type, Token, MsgID, From, FromMode, ToSessionID, ReplyToken string
	Message                                                     struct{ Role, Content string }
}

func startQwen(t *testing.T) *fakeQwen {
	f := &fakeQwen{token: strings.Repeat("a9", 32)}
	f.kind, f.version = "qwen", "0.24.4"
	f.start(t, "QWEN_HOME", map[string]any{
		"schemaVersion": 1, "sessionId": qwenSession, "qwenVersion": "0.24.4", "kind": "tui", "ipcToken": f.token,
	}, f.hear)
	f.said["ipcPath"] = f.socket
	f.register(t)
	return f
}

// hear takes a message after the token was shown, and answers on another connection.
func (f *fakeQwen) hear(line []byte) {
	var frame qwenFrame
	if json.Unmarshal(line, &frame) != nil {
		return
	}
	f.mu.Lock()
	if frame.Type == "auth" {
		f.known = frame.Token == f.token
	}
	if frame.Type != "user" || !f.known {
		f.mu.Unlock()
		return
	}
	f.got = append(f.got, frame)
	answers := []string{receipt("delivered", frame.MsgID, "")}
	if f.answer != nil {
		answers = f.answer(frame)
	}
	f.mu.Unlock()
	tell(frame, answers...)
}

// tell writes lines to the sender of a message.
func tell(frame qwenFrame, lines ...string) {
	conn, err := net.Dial("unix", frame.From)
	if err != nil {
		return // it has gone
	}
	defer conn.Close()
	fmt.Fprintf(conn, "{\"msgV\":1,\"type\":\"auth\",\"token\":%q}\n", frame.ReplyToken)
	fmt.Fprint(conn, strings.Join(lines, "\n"), "\n")
}

func receipt(status, of, more string) string {
	return fmt.Sprintf(`{"msgV":1,"type":"control","action":"delivery_status","status":%q,"origMsgId":%q%s}`, status, of, more)
}

func (f *fakeQwen) says(answer func(qwenFrame) []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer = answer
}

// writes adds lines to the transcript of a session.
func (f *fakeQwen) writes(t *testing.T, session, lines string) {
	t.Helper()
	f.peer.writes(t, "projects/-work/chats/"+session+".jsonl", lines)
}

// turn returns the line with which a turn begins that a message began.
func turn(kind, text string) string {
	content, _ := json.Marshal("<cross_session_message from=\"/x.sock\" name=\"parley\">\n" + text +
		"\n</cross_session_message>\n\nThis came")
	return fmt.Sprintf(`{"type":%q,"subtype":"notification","message":{"role":"user","parts":[{"text":%s}]}}`, kind, content) + "\n"
}

func TestQwenSaysWhatBecameOfALetter(t *testing.T) {
	f := startQwen(t)
	d := f.open(t)
	expectFate(t, d, letter(1), door.Absent)

	l := letter(1)
	l.Text = "two\nlines & <b> \u2028 " + strings.Repeat("ü", 1000) + "\n" + foot
	must.Do(t, d.Give(t.Context(), l))
	got := f.frames()[0]
	if got.Message.Content != l.Text || got.MsgID != l.ID || got.ToSessionID != qwenSession ||
		got.FromMode != "prompting" {
		t.Errorf("got %+v", got)
	}
	expectFate(t, d, l, door.Queued)

	// Neither the words of a model nor a line that is still written is a turn that begins.
	f.writes(t, qwenSession, turn("assistant", l.Text)+"nonsense "+foot+"\n"+turn("user", "another"))
	for _, words := range quotes {
		f.writes(t, qwenSession, turn("user", words))
	}
	expectFate(t, d, l, door.Queued)
	line := turn("user", l.Text)
	f.writes(t, qwenSession, line[:100])
	expectFate(t, d, l, door.Queued)
	f.writes(t, qwenSession, line[100:])
	expectFate(t, d, l, door.Read)

	// The next daemon knows it, also after /clear.
	f.said["sessionId"] = "another"
	f.register(t)
	expectFate(t, f.open(t), l, door.Read)
}

// quotes are messages of others that name a letter, as parley hands them over.
var quotes = []string{
	"did you get msg 5f0c21aa?\n(eve · msg 5f0c21ff · seal k7f3qa)",
	"> (bea · msg 5f0c21aa · seal ******)\n(eve · msg 5f0c21ff · seal k7f3qa)",
	"look:> (msg 5f0c21aa)\n(eve · msg 5f0c21ff · re 5f0c21aa)",
}

// A letter that waits while a person begins another session comes in that.
func TestQwenTakesALetterIntoItsNextSession(t *testing.T) {
	f := startQwen(t)
	d := f.open(t)
	must.Do(t, d.Give(t.Context(), letter(1)))
	f.said["sessionId"] = "another"
	f.register(t)
	expectFate(t, d, letter(1), door.Queued)
	f.writes(t, "another", turn("user", letter(1).Text))
	expectFate(t, d, letter(1), door.Read)
}

func TestQwenReceiptsTellWhatIsNotRead(t *testing.T) {
	for _, tt := range []struct {
		words  []string // the receipts, in their order
		more   string
		closed bool // to Give
		want   door.Fate
	}{
		{[]string{"held"}, "", false, door.Queued},
		{[]string{"held", "delivered"}, "", false, door.Queued},
		{[]string{"held", "denied"}, "", true, door.Dropped},
		{[]string{"refused"}, "", true, door.Dropped},
		{[]string{"dropped"}, `,"dropReason":"rate-limited"`, true, door.Dropped},
		{[]string{"misaddressed"}, "", true, door.Absent},
		{[]string{"delivered", "expired"}, "", true, door.Dropped},
		{[]string{"delivered", "misaddressed"}, "", true, door.Dropped},
		{[]string{"expired", "delivered"}, "", true, door.Dropped},
		{[]string{"pondered"}, "", false, door.Unknown},
	} {
		f := startQwen(t)
		d := f.open(t)
		f.says(func(q qwenFrame) (lines []string) {
			lines = []string{"nonsense", "[]", receipt("expired", "another", ""), `{"msgV":2,"type":"control","action":"delivery_status",` +
				`"status":"denied","origMsgId":"` + q.MsgID + `"}`}
			for _, word := range tt.words {
				lines = append(lines, receipt(word, q.MsgID, tt.more))
			}
			return lines
		})

		// The first receipt may be heard before the second.
		err := d.Give(t.Context(), letter(1))
		if err != nil && (!tt.closed || !errors.Is(err, door.ErrNotNow)) ||
			err == nil && tt.closed && len(tt.words) == 1 {
			t.Errorf("%q: got %v, want closed %v", tt.words, err, tt.closed)
		}
		must.Become(t, fmt.Sprint(tt.words, " is ", tt.want), func() bool {
			got, err := d.Ask(t.Context(), letter(1))
			return err == nil && got.Fate == tt.want
		})

		// Where the user's settings keep messages back, no more are handed in.
		f.says(nil)
		keeps := tt.words[0] == "held" || tt.words[0] == "refused"
		if err := d.Give(t.Context(), letter(2)); errors.Is(err, door.ErrNotNow) != keeps {
			t.Errorf("%q: then got %v, want ErrNotNow %v", tt.words, err, keeps)
		}
	}
}

// A receipt that does not come leaves it open, and a later daemon knows that it was given.
func TestQwenThatDoesNotAnswerLeavesItOpen(t *testing.T) {
	f := startQwen(t)
	d := f.open(t)
	f.says(func(qwenFrame) []string { return nil })
	must.Do(t, d.Give(t.Context(), letter(1)))
	expectFate(t, d, letter(1), door.Unknown)
	expectFate(t, f.open(t), letter(1), door.Unknown)

	tell(f.frames()[0], strings.Repeat("x", 3<<20), receipt("expired", letter(1).ID, ""))
	must.Become(t, "what follows a long line is heard", func() bool {
		return must.Have(d.Ask(t.Context(), letter(1)))(t).Fate == door.Dropped
	})
}

func TestQwenTakesNoMoreThanItsPace(t *testing.T) {
	f := startQwen(t)
	d := f.open(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	in := 0
	for i := range 50 {
		all.Go(func() {
			err := d.Give(t.Context(), letter(i))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				in++
			} else if !errors.Is(err, door.ErrNotNow) {
				t.Error(err)
			}
		})
	}
	begun := time.Now()
	all.Wait()
	most := 31 + int(time.Since(begun)/(2*time.Second)) // on a slow machine the pace lets more of them in
	if got := len(f.frames()); got != in || in < 30 || in > most {
		t.Errorf("%d letters went in and it has %d, want 30 to %d", in, got, most)
	}

	long := letter(99)
	long.Text = strings.Repeat("two megabytes", 2<<20/13)
	expectClosed(t, "2 MB", d.Give(t.Context(), long))
}

func TestQwenIsClosedBeforeAnythingGoesIn(t *testing.T) {
	for what, change := range map[string]func(f *fakeQwen, p *door.Program){
		"adopted":               func(_ *fakeQwen, p *door.Program) { p.Dir = "" },
		"another version":       func(f *fakeQwen, _ *door.Program) { f.said["qwenVersion"] = "0.99.0" },
		"a newer schema":        func(f *fakeQwen, _ *door.Program) { f.said["schemaVersion"] = 2 },
		"no token":              func(f *fakeQwen, _ *door.Program) { delete(f.said, "ipcToken") },
		"no terminal":           func(f *fakeQwen, _ *door.Program) { f.said["kind"] = "headless" },
		"a socket that is gone": func(f *fakeQwen, _ *door.Program) { f.said["ipcPath"] = f.socket + "x" },
		"another process":       func(_ *fakeQwen, p *door.Program) { p.PID = 1 << 30 },
	} {
		f := startQwen(t)
		p := f.program()
		change(f, &p)
		f.register(t)
		d, err := door.Open(t.Context(), p)
		expectClosed(t, what, err)
		if d != nil || len(f.frames()) > 0 {
			t.Errorf("%s: it opened, or got %+v", what, f.frames())
		}
	}
}

// What its queue held is not known to be read or lost.
func TestQwenThatWasKilledNoLongerKeepsALetter(t *testing.T) {
	f := startQwen(t)
	child := exec.Command("sleep", "600")
	must.Do(t, child.Start())
	f.said["pid"] = child.Process.Pid
	f.register(t)
	d := f.open(t)
	must.Do(t, d.Give(t.Context(), letter(1)))
	expectFate(t, d, letter(1), door.Queued)

	must.Do(t, child.Process.Kill())
	child.Wait()
	expectFate(t, d, letter(1), door.Unknown)
	f.writes(t, qwenSession, turn("user", letter(1).Text))
	expectFate(t, d, letter(1), door.Read)
}

func TestQwenThatEndsIsClosedAndGivesNothingAway(t *testing.T) {
	f := startQwen(t)
	d := f.open(t)
	must.Do(t, d.Give(t.Context(), letter(1)))
	f.said["ipcPath"] = f.socket + "x"
	f.register(t)
	expectClosed(t, "a socket that is gone", d.Give(t.Context(), letter(2)))
	must.Do(t, os.RemoveAll(filepath.Join(f.home, "sessions")))
	expectClosed(t, "an entry that is gone", d.Give(t.Context(), letter(2)))
	expectFate(t, d, letter(1), door.Queued)
}
