package door_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/must"
	"parley/program/door"
)

const (
	ourSession   = "ses_de34282a3ffewDjyI6JL7ziyaB"
	otherSession = "ses_de3414f93ffeu8nHgYau3CGBZz"
	childSession = "ses_de3300000ffeu8nHgYau3CGBZz"
	password     = "hush"
)

// fakeOpencode answers as opencode 1.18.33 does, as far as the door asks.
type fakeOpencode struct {
	dir    string
	server *http.Server
	events chan string

	mu       sync.Mutex
	messages map[string][]info // by session
	posts    int
	works    bool                                              // a turn runs
	looks    int                                               // at the subagent's session
	answer   func(w http.ResponseWriter, r *http.Request) bool // answers in its place; nil: never
}

type info struct {
	ID        string `json:"id"`
	SessionID string `json:"sessionID"`
	ParentID  string `json:"parentID,omitempty"`
	Role      string `json:"role"`
	text      string
}

func startOpencode(t *testing.T) *fakeOpencode {
	f := &fakeOpencode{dir: t.TempDir(), events: make(chan string, 10), messages: map[string][]info{}}
	listener := must.Have(net.Listen("tcp", "127.0.0.1:0"))(t)
	f.server = &http.Server{Handler: f}
	go f.server.Serve(listener)
	t.Cleanup(func() { f.server.Close() })
	must.Do(t, door.Launch{Port: listener.Addr().(*net.TCPAddr).Port, Secret: password}.Write(f.dir))
	return f
}

func (f *fakeOpencode) program() door.Program {
	return door.Program{
		Kind: "opencode", PID: os.Getpid(), Dir: f.dir, Session: ourSession, Versions: []string{"1.18.33"},
	}
}

func (f *fakeOpencode) open(t *testing.T) door.Door {
	t.Helper()
	d := must.Have(door.Open(t.Context(), f.program()))(t)
	t.Cleanup(func() { d.Close() })
	return d
}

func (f *fakeOpencode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if user, pass, _ := r.BasicAuth(); user != "opencode" || pass != password {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if f.answer != nil && f.answer(w, r) {
		return
	}

	session, action, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/session/"), "/")
	switch {
	case r.URL.Path == "/global/health":
		fmt.Fprint(w, `{"healthy":true,"version":"1.18.33"}`)
	case r.URL.Path == "/event":
		f.mu.Unlock()
		f.stream(w, r)
		f.mu.Lock()
	case r.URL.Path == "/session":
		fmt.Fprintf(w, `[{"id":%q},{"id":%q}]`, ourSession, otherSession)
	case session != ourSession && session != otherSession && session != childSession:
		w.WriteHeader(http.StatusNotFound)
	case action == "":
		if session == childSession {
			f.looks++
		}
		parent := map[bool]string{true: ourSession}[session == childSession]
		json.NewEncoder(w).Encode(map[string]string{"id": session, "parentID": parent})
	case r.Method == http.MethodDelete:
		if f.works {
			w.WriteHeader(http.StatusConflict)
			return
		}
		id := strings.TrimPrefix(action, "message/")
		f.messages[session] = slices.DeleteFunc(f.messages[session], func(m info) bool { return m.ID == id })
		fmt.Fprint(w, true)
	case action == "message":
		f.list(w, f.messages[session])
	case action == "prompt_async":
		f.take(w, r, session)
	}
}

func (f *fakeOpencode) stream(w http.ResponseWriter, r *http.Request) {
	fmt.Fprint(w, "data: {\"type\":\"server.connected\",\"properties\":{}}\n\n")
	for {
		w.(http.Flusher).Flush()
		select {
		case e, open := <-f.events:
			if !open {
				return
			}
			fmt.Fprintf(w, "data: %s\n\n", e)
		case <-r.Context().Done():
			return
		}
	}
}

func (f *fakeOpencode) list(w http.ResponseWriter, messages []info) {
	all := []map[string]info{}
	for _, m := range messages {
		all = append(all, map[string]info{"info": m})
	}
	json.NewEncoder(w).Encode(all)
}

// take takes a message's id once.
func (f *fakeOpencode) take(w http.ResponseWriter, r *http.Request, session string) {
	var body struct {
		MessageID string
		Parts     []struct{ Type, Text string }
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil || !strings.HasPrefix(body.MessageID, "msg") {
		w.WriteHeader(http.StatusBadRequest)
		return
	}

	f.posts++
	if !slices.ContainsFunc(f.messages[session], func(m info) bool { return m.ID == body.MessageID }) {
		f.messages[session] = append(f.messages[session],
			info{ID: body.MessageID, SessionID: session, Role: "user", text: body.Parts[0].Text})
	}
	w.WriteHeader(http.StatusNoContent)
}

// says replaces what is answered from now on.
func (f *fakeOpencode) says(answer func(w http.ResponseWriter, r *http.Request) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer = answer
}

// add adds a message of the program's own.
func (f *fakeOpencode) add(session, role, id, parent string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.messages[session] = append(f.messages[session], info{ID: id, SessionID: session, ParentID: parent, Role: role})
}

func (f *fakeOpencode) has(session string) []info {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.messages[session])
}

func (f *fakeOpencode) looked() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.looks
}

// foot is the last line of a letter.
const foot = "(bea · msg 5f0c21aa · seal k7f3qa)"

func letter(n int) door.Letter {
	return door.Letter{
		ID:   fmt.Sprintf("5f0c21aa-0000-4000-8000-%012d", n),
		Text: fmt.Sprint("hello ", n, "\n", foot),
		Mark: "msg 5f0c21aa",
	}
}

func expectFate(t *testing.T, d door.Door, l door.Letter, want door.Fate) {
	t.Helper()
	if got, err := d.Ask(t.Context(), l); got.Fate != want || err != nil || got.Evidence == "" {
		t.Errorf("got %+v, %v, want %s with its evidence", got, err, want)
	}
}

func expectClosed(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, door.ErrClosed) || len(err.Error()) <= len(door.ErrClosed.Error()) {
		t.Errorf("%s: got %v, want ErrClosed with its reason", what, err)
	}
}

func TestOpencodeSaysWhatItDoes(t *testing.T) {
	f := startOpencode(t)
	says := map[string]string{"/permission": "[]", "/question": "[]", "/session/status": "{}"}
	f.answer = func(w http.ResponseWriter, r *http.Request) bool {
		said, ok := says[r.URL.Path]
		fmt.Fprint(w, said)
		return ok
	}
	p := f.program()
	p.Session, p.Versions = "", []string{"another"} // nothing goes in, so neither counts

	wants := func(want door.Doing) {
		t.Helper()
		if got := must.Have(door.Does(t.Context(), p))(t); got != want {
			t.Errorf("it does %+v, want %+v", got, want)
		}
	}
	say := func(path, answer string) {
		f.mu.Lock()
		defer f.mu.Unlock()
		says[path] = answer
	}
	wants(door.Doing{})
	say("/session/status", `{"`+childSession+`":{"type":"busy"}}`)
	wants(door.Doing{Works: true, Evidence: "its own door says that it works"})
	say("/question", `[{"id":"que_1","questions":[{"header":"Colour","question":"Which?"}]}]`)
	wants(door.Doing{Asks: true, Evidence: "its own door says that it asks a question"})
	say("/permission", `[{"id":"per_1","permission":"bash","patterns":["touch /tmp/x","\u001b[2J"]}]`)
	wants(door.Doing{
		Asks: true, Evidence: `its own door says that it asks for a permission: "bash touch /tmp/x, \x1b[2J"`,
	})

	say("/permission", "nonsense")
	if _, err := door.Does(t.Context(), p); err == nil {
		t.Error("nonsense is no error")
	}
}

func TestOpencodeSaysWhatBecameOfALetter(t *testing.T) {
	f := startOpencode(t)
	d := f.open(t)
	expectFate(t, d, letter(1), door.Absent)

	must.Do(t, d.Give(t.Context(), letter(1)))
	got := f.has(ourSession)
	if len(got) != 1 || got[0].text != letter(1).Text {
		t.Fatalf("its session has %+v, want the text as it is", got)
	}
	expectFate(t, d, letter(1), door.Queued)

	// The answer to an earlier message proves nothing, that to a later one does.
	f.add(ourSession, "assistant", "msg_1", "msg_0")
	expectFate(t, d, letter(1), door.Queued)
	f.add(ourSession, "user", "msg_2", "")
	f.add(ourSession, "assistant", "msg_3", "msg_2")
	expectFate(t, d, letter(1), door.Read)
}

func TestOpencodeGivesBackWhatNoTurnHas(t *testing.T) {
	f := startOpencode(t)
	d := f.open(t)
	withdraws := func(l door.Letter, want bool) {
		t.Helper()
		if back, err := d.Withdraw(t.Context(), l); back != want || err != nil {
			t.Errorf("got %v, %v, want %v", back, err, want)
		}
	}
	withdraws(letter(1), false) // it was never given
	must.Do(t, d.Give(t.Context(), letter(1)))
	must.Do(t, d.Give(t.Context(), letter(2)))

	f.mu.Lock()
	f.works = true
	f.mu.Unlock()
	withdraws(letter(2), false)
	expectFate(t, d, letter(2), door.Queued)
	f.mu.Lock()
	f.works = false
	f.mu.Unlock()
	withdraws(letter(2), true)
	if got := f.has(ourSession); len(got) != 1 || got[0].text != letter(1).Text {
		t.Errorf("its session has %+v", got)
	}
	expectFate(t, d, letter(2), door.Absent)
	withdraws(letter(2), false)

	f.add(ourSession, "assistant", "msg_9", f.has(ourSession)[0].ID)
	withdraws(letter(1), false) // a turn has it
	expectFate(t, d, letter(1), door.Read)
}

// It takes a letter once, also from a daemon that does not know of the first time, and also several at a time.
func TestOpencodeTakesALetterOnce(t *testing.T) {
	f := startOpencode(t)
	first := f.open(t)
	must.Do(t, first.Give(t.Context(), letter(1)))
	must.Do(t, f.open(t).Give(t.Context(), letter(1)))

	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			if err := first.Give(t.Context(), letter(i%20)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()

	got := f.has(ourSession)
	ids := make([]string, len(got))
	for i, m := range got {
		ids[i] = m.ID
	}
	if len(got) != 20 || !slices.IsSorted(ids) {
		t.Errorf("got %d messages %q, want 20 whose ids are in the order of their arrival", len(got), ids)
	}
	if f.posts != 42 {
		t.Errorf("it was asked %d times, want 42", f.posts)
	}
}

func TestOpencodeIsClosedBeforeAnythingGoesIn(t *testing.T) {
	f := startOpencode(t)
	sleeper := exec.Command("sleep", "600")
	must.Do(t, sleeper.Start())
	t.Cleanup(func() { sleeper.Process.Kill(); sleeper.Wait() })

	for what, change := range map[string]func(p *door.Program){
		"adopted":              func(p *door.Program) { p.Dir = "" },
		"launched without":     func(p *door.Program) { p.Dir = t.TempDir() },
		"no session":           func(p *door.Program) { p.Session = "" },
		"session gone":         func(p *door.Program) { p.Session = "ses_gone" },
		"another version":      func(p *door.Program) { p.Versions = []string{"2.0.0"} },
		"another process":      func(p *door.Program) { p.PID = sleeper.Process.Pid },
		"a process that ended": func(p *door.Program) { p.PID = 1 << 30 },
		"damaged launch file": func(p *door.Program) {
			p.Dir = t.TempDir()
			must.Do(t, os.WriteFile(p.Dir+"/door.json", []byte(`{"port": "x`), 0o600))
		},
		"another password": func(p *door.Program) {
			l := door.Launch{}
			must.Do(t, json.Unmarshal(must.Have(os.ReadFile(f.dir+"/door.json"))(t), &l))
			p.Dir, l.Secret = t.TempDir(), "wrong"
			must.Do(t, l.Write(p.Dir))
		},
	} {
		p := f.program()
		change(&p)
		d, err := door.Open(t.Context(), p)
		expectClosed(t, what, err)
		if d != nil {
			t.Errorf("%s: it opened", what)
		}
	}
}

// What the program refuses has not gone in. What it answers otherwise, or not at all, leaves that open.
func TestOpencodeTellsRefusedFromUnknown(t *testing.T) {
	status := func(code int) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(code); return true }
	}
	for _, tt := range []struct {
		what   string
		answer func(w http.ResponseWriter, r *http.Request) bool
		closed bool
	}{
		{"400", status(400), true},
		{"401", status(401), true},
		{"404", status(404), true},
		{"413", status(413), true},
		{"500", status(500), false},
		{"302", status(302), false},
		{"cut off", func(w http.ResponseWriter, _ *http.Request) bool {
			conn, _, _ := w.(http.Hijacker).Hijack()
			io.WriteString(conn, "HTTP/1.1 20")
			conn.Close()
			return true
		}, false},
		{"nonsense", func(w http.ResponseWriter, _ *http.Request) bool {
			conn, _, _ := w.(http.Hijacker).Hijack()
			io.WriteString(conn, "* OK IMAP4 ready\r\n")
			conn.Close()
			return true
		}, false},
	} {
		f := startOpencode(t)
		d := f.open(t)
		f.says(tt.answer)
		err := d.Give(t.Context(), letter(1))
		if err == nil || errors.Is(err, door.ErrClosed) != tt.closed {
			t.Errorf("%s: got %v, want closed %v", tt.what, err, tt.closed)
		}
	}
}

func TestOpencodeThatDoesNotAnswerKeepsNobodyWaiting(t *testing.T) {
	f := startOpencode(t)
	d := f.open(t)
	end := make(chan struct{})
	defer close(end)
	f.says(func(_ http.ResponseWriter, r *http.Request) bool {
		f.mu.Unlock()
		defer f.mu.Lock()
		io.Copy(io.Discard, r.Body)
		<-end
		return true
	})

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := d.Give(ctx, letter(1)); err == nil || errors.Is(err, door.ErrClosed) {
		t.Errorf("got %v, want an error that leaves open whether it has the letter", err)
	}
	if got, err := d.Ask(ctx, letter(1)); err == nil || got.Fate != door.Unknown {
		t.Errorf("got %+v, %v, want an error", got, err)
	}
}

func TestOpencodeThatAnswersNonsenseIsNoProof(t *testing.T) {
	f := startOpencode(t)
	d := f.open(t)
	for _, words := range []string{"", "<html>", `{"info":1}`, `[{"info":{"id":7}}]`, `[{"info":{"id":"msg_`} {
		f.says(func(w http.ResponseWriter, _ *http.Request) bool { fmt.Fprint(w, words); return true })
		if got, err := d.Ask(t.Context(), letter(1)); err == nil || got.Fate != door.Unknown {
			t.Errorf("%q: got %+v, %v, want an error", words, got, err)
		}
	}
}

func TestOpencodeThatEndsIsClosedAndSaysNothing(t *testing.T) {
	f := startOpencode(t)
	d := f.open(t)
	must.Do(t, d.Give(t.Context(), letter(1)))
	must.Do(t, f.server.Close())

	expectClosed(t, "give", d.Give(t.Context(), letter(2)))
	if got, err := d.Ask(t.Context(), letter(1)); err == nil || got.Fate != door.Unknown {
		t.Errorf("got %+v, %v, want an error", got, err)
	}
}

// A letter that it has taken and does not list yet may come; one that went into another session is found there.
func TestOpencodeIsNotSureOfALetterThatItDoesNotListYet(t *testing.T) {
	f := startOpencode(t)
	d := f.open(t)
	must.Do(t, d.Give(t.Context(), letter(1)))
	f.mu.Lock()
	moved := f.messages[ourSession]
	f.messages = map[string][]info{}
	f.mu.Unlock()
	expectFate(t, d, letter(1), door.Unknown)

	must.Do(t, os.RemoveAll(f.dir+"/given"))
	f.mu.Lock()
	f.messages[otherSession] = moved
	f.mu.Unlock()
	expectFate(t, d, letter(1), door.Queued)
}

// A letter goes into the session that the person sees, or not at all.
func TestOpencodeIsClosedWhileAnotherSessionIsShown(t *testing.T) {
	now := time.Now().UnixMilli()
	user := func(session, id string, at int64) string {
		return fmt.Sprintf(`{"type":"message.updated","properties":{"sessionID":%q,"info":{"id":%q,"role":"user","sessionID":%q,`+
			`"time":{"created":%d}}}}`, session, id, session, at)
	}
	created := func(session, parent string, at int64) string {
		return fmt.Sprintf(`{"type":"session.created","properties":{"sessionID":%q,"info":{"id":%q,"parentID":%q,"time":{"created":%d}}}}`,
			session, session, parent, at)
	}
	selected := func(session string) string {
		return fmt.Sprintf(`{"type":"tui.session.select","properties":{"sessionID":%q}}`, session)
	}

	for what, tt := range map[string]struct {
		events []string
		closed bool
	}{
		"a new session":       {[]string{created(otherSession, "", now)}, true},
		"a subagent's":        {[]string{created(childSession, ourSession, now)}, false},
		"a prompt elsewhere":  {[]string{user(otherSession, "msg_1", now)}, true},
		"chosen from outside": {[]string{selected(otherSession)}, true},
		"back again": {
			[]string{user(otherSession, "msg_1", now), user(ourSession, "msg_2", now+1)}, false,
		},
		"an old message comes again": {
			[]string{user(otherSession, "msg_2", now), user(ourSession, "msg_1", now-1)}, true,
		},
		"what it does not know":         {[]string{`{"type":"session.idle"}`, `{`, `[]`, `{"properties":7}`}, false},
		"a line of more than 32 MB":     {[]string{strings.Repeat("x", 33<<20), created(otherSession, "", now)}, true},
		"a prompt with large additions": {[]string{strings.TrimSuffix(user(otherSession, "msg_1", now), "}") + `,"x":"` + strings.Repeat("x", 3<<20) + `"}`}, true},
	} {
		t.Run(what, func(t *testing.T) {
			f := startOpencode(t)
			d := f.open(t)
			for _, e := range tt.events {
				f.events <- e
			}

			if tt.closed {
				n := 0
				must.Become(t, "the door is closed", func() bool {
					n++
					return errors.Is(d.Give(t.Context(), letter(n)), door.ErrNotNow)
				})
				return
			}
			// It looks at the session of a prompt, and has then seen all that came before.
			looks := f.looked()
			f.events <- user(childSession, "msg_9", now+2)
			must.Become(t, "it has seen the events", func() bool { return f.looked() > looks })
			must.Do(t, d.Give(t.Context(), letter(1)))
		})
	}
}

func TestOpencodeTakesLargeLetters(t *testing.T) {
	f := startOpencode(t)
	l := letter(1)
	l.Text = strings.Repeat("ü\x1b\t\n<&>\u2028", 1<<16)
	must.Do(t, f.open(t).Give(t.Context(), l))
	if got := f.has(ourSession); len(got) != 1 || got[0].text != l.Text {
		t.Errorf("it has %d messages, want the whole text of %d bytes", len(got), len(l.Text))
	}
}

// What a launch wrote is for the user alone.
func TestLaunchFilesArePrivate(t *testing.T) {
	f := startOpencode(t)
	must.Do(t, f.open(t).Give(t.Context(), letter(1)))
	for _, name := range must.Have(exec.Command("find", f.dir, "-type", "f", "-perm", "/077").Output())(t) {
		t.Errorf("others can read %v", name)
	}
}
