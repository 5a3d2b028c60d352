package door

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"sync"
	"time"
)

// maxEvent bounds what of an event is read, in bytes. Those that count here are short, unless a message comes with
// the changes of its turn.
const maxEvent = 32 << 20

// opencodeView follows opencode's events to know which session its terminal shows. It is not told so: a person who
// begins another session, or goes to one and writes there, is seen by what begins or is written.
type opencodeView struct {
	session string // the one that letters go into
	isChild func(ctx context.Context, session string) bool

	mu    sync.Mutex
	shown string          // "": nothing was seen
	since time.Time       // that it is shown, by opencode's clock
	ours  map[string]bool // ids of messages that no person wrote

	cancel context.CancelFunc // ends the stream; nil: there is none
	done   chan struct{}
}

// follow begins to read opencode's events, unless they are being read.
func (o *opencode) follow(ctx context.Context) error {
	v := o.view
	if v.follows() {
		return nil
	}

	streaming, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	timer := time.AfterFunc(answerWithin, cancel)
	answer, err := o.call(streaming, http.MethodGet, "/event", nil)
	if !stop() || !timer.Stop() {
		err = errors.Join(err, context.Cause(streaming))
	}
	if err != nil {
		cancel()
		return closed("follow its events: %w", err)
	}

	v.mu.Lock()
	defer v.mu.Unlock()
	v.cancel, v.done = cancel, make(chan struct{})
	go v.read(streaming, answer, v.done)

	return nil
}

// follows reports whether the events are being read.
func (v *opencodeView) follows() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.done == nil {
		return false
	}

	select {
	case <-v.done:
		return false
	default:
		return true
	}
}

// stop ends the stream and waits for its end.
func (v *opencodeView) stop() {
	v.mu.Lock()
	cancel, done := v.cancel, v.done
	v.mu.Unlock()
	if cancel != nil {
		cancel()
		<-done
	}
}

// elsewhere returns the session that the terminal shows instead of the one that letters go into.
func (v *opencodeView) elsewhere() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.shown == v.session {
		return ""
	}
	return v.shown
}

// expect notes a message that does not come from a person.
func (v *opencodeView) expect(id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ours == nil {
		v.ours = map[string]bool{}
	}
	v.ours[id] = true
}

func (v *opencodeView) read(ctx context.Context, answer *http.Response, done chan<- struct{}) {
	defer close(done)
	defer answer.Body.Close()

	for lines := bufio.NewReader(answer.Body); ; {
		line, err := readLine(lines, maxEvent)
		if err != nil {
			return
		}

		var e opencodeEvent
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && json.Unmarshal(data, &e) == nil {
			v.see(ctx, e)
		}
	}
}

// readLine returns the next line, or nothing in place of one that is too long.
func readLine(r *bufio.Reader, limit int) (line []byte, err error) {
	for {
		part, more, err := r.ReadLine()
		if err != nil {
			return nil, err
		}
		if len(line)+len(part) <= limit {
			line = append(line, part...)
		} else {
			line, limit = nil, -1
		}
		if !more {
			return line, nil
		}
	}
}

type opencodeEvent struct {
	Type       string `json:"type"`
	Properties struct {
		SessionID string       `json:"sessionID"`
		Info      opencodeInfo `json:"info"`
	} `json:"properties"`
}

// see learns from an event which session is shown.
func (v *opencodeView) see(ctx context.Context, e opencodeEvent) {
	p := e.Properties
	at := time.UnixMilli(p.Info.Time.Created)
	switch e.Type {
	case "tui.session.select":
		v.show(p.SessionID, time.Now())
	case "session.created":
		if p.Info.ParentID == "" {
			v.show(p.Info.ID, at)
		}
	case "message.updated": // comes again with the changes of its turn
		if p.Info.Role == "user" && v.isNews(p.Info.ID, at) &&
			(p.Info.SessionID == v.session || !v.isChild(ctx, p.Info.SessionID)) {
			v.show(p.Info.SessionID, at)
		}
	}
}

// isNews reports whether a person wrote a message after what was seen last.
func (v *opencodeView) isNews(id string, at time.Time) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return !v.ours[id] && !at.Before(v.since)
}

func (v *opencodeView) show(session string, at time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.shown, v.since = session, at
}

// opencode's ids: a prefix, 12 hexadecimal digits that grow with the time, and 14 of these.
const (
	idDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	idTail   = 14
)

// messageID returns an id for a letter that sorts with those that opencode makes at the same time.
func messageID(at time.Time, letter string) string {
	return fmt.Sprintf("msg_%012x%s", uint64(at.UnixMicro())*4096/1000&(1<<48-1), messageTail(letter))
}

// messageTail returns the end of a letter's id, by which it is found at any time.
func messageTail(letter string) string {
	sum := sha256.Sum256([]byte(letter))
	n, base, digit := new(big.Int).SetBytes(sum[:]), big.NewInt(int64(len(idDigits))), new(big.Int)

	tail := make([]byte, idTail)
	for i := range tail {
		n.DivMod(n, base, digit)
		tail[i] = idDigits[digit.Int64()]
	}

	return string(tail)
}
