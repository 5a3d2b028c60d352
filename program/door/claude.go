package door

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// claude is the inbox socket of Claude Code, on which its sessions write to each other. It says what it keeps back and
// what it drops, and nothing of what it takes: that is told by its UserPromptSubmit hook, which names the message, and
// by its transcript, which names the id that the message came in with.
type claude struct {
	keeps
	program Program
	home    string
	inbox   *inbox
	given   records
	turns   transcripts
	letters *letters

	giving sync.Mutex
	last   string // text that went in: the same once more is dropped
}

// claudeSession is what a session says of itself in the registry. Its name is that of the process.
type claudeSession struct {
	Version  string `json:"version"`
	Session  string `json:"sessionId"` // it changes with /clear and /resume
	Protocol int    `json:"peerProtocol"`
	Dir      string `json:"cwd"`
	Socket   string `json:"messagingSocketPath"`
	Status   string `json:"status"`     // idle, busy, waiting
	Awaits   string `json:"waitingFor"` // what it waits for: "permission prompt"
}

// openClaude finds the socket of the program that runs, and opens an inbox next to it: it answers no other place.
func openClaude(ctx context.Context, p Program) (Door, error) {
	if _, err := readLaunch(p.Dir); err != nil {
		return nil, err
	}

	home := claudeHome(p.PID)
	c := &claude{
		program: p, home: home, given: records{p.Dir},
		turns:   transcripts{pattern: filepath.Join(home, "projects", "*", "%s.jsonl"), tells: toldByClaude},
		letters: newLetters(Answer{Unknown, "its session says nothing of messages that it takes"}),
	}
	at, err := c.find()
	if err != nil {
		return nil, err
	}
	if bypasses(home, at.Dir) {
		return nil, closed("its settings let it do everything unasked")
	}
	if err := listens(ctx, at.Socket, p.PID); err != nil {
		return nil, err
	}

	if c.inbox, err = listen(filepath.Dir(at.Socket), p.PID, c.hear); err != nil {
		return nil, closed("listen for its answers: %w", err)
	}

	return c, nil
}

// find reads the program's entry in the registry.
func (c *claude) find() (at claudeSession, err error) {
	if _, err := readRegistry(filepath.Join(c.home, "sessions"), c.program.PID, &at); err != nil {
		return at, err
	}
	if err := c.program.tried(at.Version); err != nil {
		return at, err
	}
	if at.Protocol != 1 || at.Socket == "" || at.Session == "" {
		return at, closed("its session has no socket of protocol 1")
	}
	return at, nil
}

// claudeHome returns where a process keeps its settings, and the registry.
func claudeHome(pid int) string {
	if home := environment(pid, "CLAUDE_CONFIG_DIR"); home != "" {
		return home
	}
	return filepath.Join(environment(pid, "HOME"), ".claude")
}

// readRegistry reads what a program's process says of itself in a directory, and returns that process: a script may
// have started it.
func readRegistry(dir string, pid int, into any) (int, error) {
	for _, p := range family(pid) {
		text, err := os.ReadFile(filepath.Join(dir, strconv.Itoa(p)+".json"))
		if err != nil {
			continue
		}
		if err := json.Unmarshal(text, into); err != nil {
			return p, closed("read its entry in the registry: %w", err)
		}
		return p, nil
	}
	return 0, closed("the registry %s does not have it", dir)
}

// bypasses reports whether a settings file says that Claude Code asks for nothing. What comes in is then kept back
// behind a question.
func bypasses(home, dir string) bool {
	for _, name := range []string{
		filepath.Join(home, "settings.json"),
		filepath.Join(dir, ".claude", "settings.json"),
		filepath.Join(dir, ".claude", "settings.local.json"),
	} {
		var s struct {
			Permissions struct{ DefaultMode string }
		}
		text, err := os.ReadFile(name)
		if err == nil && json.Unmarshal(text, &s) == nil && s.Permissions.DefaultMode == "bypassPermissions" {
			return true
		}
	}
	return false
}

// claudeFrame is a message to a session, or what it says of one.
type claudeFrame struct {
	Version int            `json:"msgV"`
	ID      string         `json:"msg_id"`
	Type    string         `json:"type"`
	Message *claudeMessage `json:"message,omitempty"`
	From    string         `json:"from"`

	Action     string   `json:"action,omitempty"`
	Status     string   `json:"status,omitempty"`
	Detail     string   `json:"status_detail,omitempty"`
	Of         string   `json:"orig_msg_id,omitempty"`
	DropReason string   `json:"drop_reason,omitempty"`
	Dropped    []string `json:"dropped_msg_ids,omitempty"`
}

type claudeMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// maxClaudeLine bounds a frame, in bytes: of a line of 2.4 MB it broke the connection.
const maxClaudeLine = 1 << 20

// Give implements Door.
func (c *claude) Give(ctx context.Context, l Letter) error {
	c.giving.Lock()
	defer c.giving.Unlock()

	line, err := jsonLine(claudeFrame{
		Version: 1, ID: l.ID, Type: "user", From: "uds:" + c.inbox.path,
		Message: &claudeMessage{Role: "user", Content: l.Text},
	})
	switch {
	case err != nil:
		return closed("%w", err)
	case l.Text == c.last:
		return notNow("it drops a message that is the same as the one before")
	}
	if err := c.letters.admit(line, maxClaudeLine); err != nil {
		return err
	}

	at, err := c.find()
	if err != nil {
		return err
	}

	err = c.given.around(l, record{ID: l.ID, Session: at.Session}, func() error {
		c.letters.expect(l.ID)
		return send(ctx, at.Socket, c.program.PID, line)
	})
	if !errors.Is(err, ErrClosed) {
		c.last = l.Text
	}

	return err
}

func jsonLine(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// hear notes what the session says of letters.
func (c *claude) hear(line []byte) {
	var f claudeFrame
	if json.Unmarshal(line, &f) != nil || f.Type != "control" || f.Action != "peer_message_status" {
		return
	}

	if f.Status == "expired" && f.Detail == "refused" {
		f.Status = f.Detail
	}

	answer := Answer{Dropped, "its session says that it is " + f.Status}
	switch f.Status {
	case "held", "delivered":
		answer.Fate = Queued
	case "dropped":
		if f.DropReason != "" {
			answer.Evidence = "its session says that it has dropped it: " + clean(f.DropReason)
		}
	case "denied", "refused", "expired":
	default:
		return // newer than this room
	}

	c.letters.hear(f.Status, append(f.Dropped, f.Of), func(Answer) Answer { return answer })
}

// Ask implements Door.
func (c *claude) Ask(_ context.Context, l Letter) (Answer, error) {
	r, _, err := c.given.of(l)
	if err != nil {
		return Answer{Fate: Unknown}, err
	}
	answer, _ := c.letters.of(l.ID)

	var now string
	if at, gone := c.find(); gone == nil {
		now = at.Session
	}
	written, err := c.turns.fateOf(l, r, now)
	if err != nil || written.Fate == Read || answer.Fate == Unknown {
		return written, err
	}
	return answer, nil
}

// Close implements Door.
func (c *claude) Close() error { return c.inbox.close() }

// clean returns a program's word as it may stand in a line.
func clean(word string) string {
	if len(word) > 40 {
		word = word[:40]
	}
	return strconv.QuoteToASCII(word)
}
