package door

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"sync"
	"time"

	"parley/tmux"
)

// qwen is the inbox socket of Qwen Code, by version 1 of its cross-session protocol, which comes with the program. It
// answers on a socket of the sender's: that it has queued a letter, keeps it back, drops it, or has ended with it
// unread. Its transcript tells that a turn has it.
type qwen struct {
	keeps
	program Program
	home    string
	process int // of the session
	inbox   *inbox
	token   string // that its answers show
	given   records
	chats   transcripts
	letters *letters

	giving sync.Mutex
}

// qwenSession is what a session says of itself in the registry.
type qwenSession struct {
	PID     int    `json:"pid"`
	Schema  int    `json:"schemaVersion"`
	Version string `json:"qwenVersion"`
	Session string `json:"sessionId"`
	Socket  string `json:"ipcPath"`
	Token   string `json:"ipcToken"`
	Kind    string `json:"kind"`
}

// qwenFrame is a line of the protocol.
type qwenFrame struct {
	Version    int            `json:"msgV"`
	Type       string         `json:"type"`
	Token      string         `json:"token,omitempty"`
	ID         string         `json:"msgId,omitempty"`
	From       string         `json:"from,omitempty"`
	ReplyToken string         `json:"replyToken,omitempty"`
	FromName   string         `json:"fromName,omitempty"`
	FromMode   string         `json:"fromMode,omitempty"`
	Session    string         `json:"toSessionId,omitempty"`
	Priority   string         `json:"priority,omitempty"`
	Message    *claudeMessage `json:"message,omitempty"`

	Action     string   `json:"action,omitempty"`
	Status     string   `json:"status,omitempty"`
	Of         string   `json:"origMsgId,omitempty"`
	DropReason string   `json:"dropReason,omitempty"`
	Dropped    []string `json:"droppedMsgIds,omitempty"`
}

// maxQwenLine bounds a frame: the protocol allows so many UTF-16 units, of which no text has more than bytes.
const maxQwenLine = 1 << 20

// receiptWithin is how long a letter waits for the first answer. It came within 0.3 s; of about 20, two came later.
const receiptWithin = 2 * time.Second

func openQwen(ctx context.Context, p Program) (Door, error) {
	if _, err := readLaunch(p.Dir); err != nil {
		return nil, err
	}

	home := environment(p.PID, "QWEN_HOME")
	if home == "" {
		home = filepath.Join(environment(p.PID, "HOME"), ".qwen")
	}
	q := &qwen{
		program: p, home: home, given: records{p.Dir},
		chats:   transcripts{pattern: filepath.Join(home, "projects", "*", "chats", "%s.jsonl"), tells: toldByQwen},
		letters: newLetters(Answer{Unknown, "it has not answered"}),
	}

	at, err := q.find()
	if err != nil {
		return nil, err
	}
	q.process = at.PID
	if err := listens(ctx, at.Socket, p.PID); err != nil {
		return nil, err
	}

	secret, err := randomBytes(32)
	if err != nil {
		return nil, closed("%w", err)
	}
	q.token = hex.EncodeToString(secret)
	if q.inbox, err = listen(filepath.Dir(at.Socket), p.PID, q.hear); err != nil {
		return nil, closed("listen for its answers: %w", err)
	}

	return q, nil
}

// find reads the program's entry in the registry. Its session changes with /clear and /resume.
func (q *qwen) find() (at qwenSession, err error) {
	if _, err := readRegistry(filepath.Join(q.home, "sessions"), q.program.PID, &at); err != nil {
		return at, err
	}
	if err := q.program.tried(at.Version); err != nil {
		return at, err
	}
	if at.Schema != 1 || at.Socket == "" || at.Token == "" || at.Session == "" || at.Kind != "tui" {
		return at, closed("its session has no socket of schema 1")
	}
	return at, nil
}

// Give implements Door.
func (q *qwen) Give(ctx context.Context, l Letter) error {
	q.giving.Lock()
	defer q.giving.Unlock()

	at, err := q.find()
	if err != nil {
		return err
	}
	lines, err := q.frames(at, l)
	if err != nil {
		return err
	}
	if err := q.letters.admit(lines, maxQwenLine); err != nil {
		return err
	}
	err = q.given.around(l, record{ID: l.ID, Session: at.Session}, func() error {
		q.letters.expect(l.ID)
		return send(ctx, at.Socket, q.program.PID, lines)
	})
	if err != nil {
		return err
	}

	switch answer := q.letters.first(ctx, l.ID, receiptWithin); answer.Fate {
	case Dropped, Absent:
		return notNow("%s", answer.Evidence)
	}
	return nil
}

func (q *qwen) frames(at qwenSession, l Letter) ([]byte, error) {
	auth, err := jsonLine(qwenFrame{Version: 1, Type: "auth", Token: at.Token})
	if err != nil {
		return nil, closed("%w", err)
	}

	line, err := jsonLine(qwenFrame{
		Version: 1, Type: "user", ID: l.ID, From: q.inbox.path, ReplyToken: q.token, FromName: "parley",
		FromMode: "prompting", Session: at.Session, Priority: "next",
		Message: &claudeMessage{Role: "user", Content: l.Text},
	})
	if err != nil {
		return nil, closed("%w", err)
	}

	return append(auth, line...), nil
}

// hear notes what the program says of letters.
func (q *qwen) hear(line []byte) {
	var f qwenFrame
	if json.Unmarshal(line, &f) != nil || f.Type != "control" || f.Action != "delivery_status" || f.Version > 1 {
		return
	}

	q.letters.hear(f.Status, append(f.Dropped, f.Of), f.after)
}

// after returns what is known of a letter after another answer. Those that follow an end are repeats.
func (f *qwenFrame) after(before Answer) Answer {
	if before.Fate == Dropped || before.Fate == Absent {
		return before
	}

	said := "it says that the message is " + f.Status
	switch f.Status {
	case "held":
		if before.Fate == Unknown {
			return Answer{Queued, said + ", for the person there to review"}
		}
	case "delivered":
		return Answer{Queued, said + " to its queue"}
	case "dropped":
		return Answer{Dropped, said + ": " + clean(f.DropReason)}
	case "misaddressed":
		if before.Fate == Unknown {
			return Answer{Absent, said}
		}
		return Answer{Dropped, said}
	case "denied", "refused", "expired":
		return Answer{Dropped, said}
	}

	return before
}

// Ask implements Door.
func (q *qwen) Ask(_ context.Context, l Letter) (Answer, error) {
	r, _, err := q.given.of(l)
	if err != nil {
		return Answer{Fate: Unknown}, err
	}

	var now string
	if at, gone := q.find(); gone == nil {
		now = at.Session
	}
	if written, err := q.chats.fateOf(l, r, now); err != nil || written.Fate != Unknown {
		return written, err
	}

	answer, ours := q.letters.of(l.ID)
	switch {
	case ours && answer.Fate == Queued && !tmux.Alive(q.process):
		return Answer{Unknown, "its program ended with the message in its queue, as far as it said"}, nil
	}

	return answer, nil
}

// Close implements Door.
func (q *qwen) Close() error { return q.inbox.close() }
