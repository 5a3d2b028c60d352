package tmuxtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"
	"time"

	"parley/tmux"
)

// Mode says how a fake agent reads its terminal.
type Mode string

// The modes of a fake agent.
const (
	Framed    Mode = "framed"    // raw, asks for bracketed paste; Enter submits the composer
	Raw       Mode = "raw"       // raw, does not ask; every CR submits, LF is text
	Canonical Mode = "canonical" // line by line like cat: every line is a message
	Sink      Mode = "sink"      // raw, framed, reads and drops: a cheap reader for benchmarks
)

// Agent describes a fake agent, which is another process of this test binary. TestMain
// must call Main.
type Agent struct {
	Mode      Mode          // default Framed
	Log       string        // file that gets one JSON line for each message
	Slow      time.Duration // pause before each read
	IgnoreHUP bool          // outlives kill-session
	Busy      bool          // shows a spinner that never stops
	Deaf      int           // number of Enters that are lost before the first one submits

	// Startup names a file. The terminal becomes raw when it is removed.
	Startup string
	// Dialog names a file. While it exists, a dialog is open: keys are lost, and Enter
	// answers the dialog and removes the file.
	Dialog string
	// Above names a file whose text is shown above the composer. HideComposer in it hides
	// the composer instead.
	Above string
	// Late is the time from Enter to its effect. Keys pressed meanwhile are submitted too,
	// and the whole text is shown above the composer.
	Late time.Duration
	// Ghost is shown in the empty composer, as a program's suggestion is.
	Ghost string
	// Shows is set for an agent that shows the text it was given last above the composer.
	Shows bool
}

// HideComposer in the file Agent.Above hides the composer.
const HideComposer = "hide"

// Message is one line of an agent's log.
type Message struct {
	Text   string `json:"text"`
	Framed bool   `json:"framed"` // it came in ESC[200~ and ESC[201~
	Dialog bool   `json:"dialog"` // it answered a dialog
	Tab    bool   `json:"tab"`    // it was submitted by Tab
}

// The texts on a fake agent's screen. Prompt begins its composer; Placeholder replaces a
// paste of more than 800 characters or several lines.
const (
	Prompt      = "composer>"
	Placeholder = "[Pasted text"
	DialogText  = "Allow this? [y/n]"
)

// argAgent as the first argument makes the test binary a fake agent.
const argAgent = "--tmuxtest-agent"

// Argv returns the command that runs the agent. Each word behind it is a prompt that it begins with.
func (a Agent) Argv() []string {
	if a.Mode == "" {
		a.Mode = Framed
	}
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	description, _ := json.Marshal(a)
	return []string{self, argAgent, string(description)}
}

// Main runs the tests, or the fake agent if the binary was started as one. Call it as
// os.Exit(tmuxtest.Main(m)).
func Main(m *testing.M) int {
	if len(os.Args) < 3 || os.Args[1] != argAgent {
		return m.Run()
	}

	var a Agent
	if err := json.Unmarshal([]byte(os.Args[2]), &a); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}

	if err := a.run(os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}

	return 0
}

// Launch starts the agent in a new session, owned by the session's name, and waits until
// it reads.
func (a Agent) Launch(t testing.TB, s *tmux.Server) tmux.PaneInfo {
	t.Helper()
	name := Name("agent")
	info, err := s.NewSession(t.Context(),
		tmux.SessionOptions{Name: name, Owner: name, Argv: a.Argv(), Width: 100, Height: 20})
	if err != nil {
		t.Fatalf("launch a fake agent: %v", err)
	}
	WaitFor(t, s.Pane(info.ID), func(s tmux.Screen) bool { return Shows(s, Prompt) || Shows(s, DialogText) })
	return info
}

// Shows reports whether a line of the screen contains text.
func Shows(s tmux.Screen, text string) bool {
	return bytes.Contains([]byte(s.Text()), []byte(text))
}

// Messages reads an agent's log. A file that does not exist yet has none.
func Messages(t testing.TB, path string) []Message {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}

	var all []Message
	for line := range bytes.Lines(raw) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // being written
		}

		var m Message
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("log %s: %v in %q", path, err, line)
		}

		all = append(all, m)
	}

	return all
}

// WaitMessages waits until the agent has logged n messages, and returns them.
func WaitMessages(t testing.TB, path string, n int) []Message {
	t.Helper()
	var got []Message
	Poll(t, func() bool {
		got = Messages(t, path)
		return len(got) >= n
	}, func() string { return fmt.Sprintf("the agent logged %d of %d messages: %+v", len(got), n, got) })
	return got
}
