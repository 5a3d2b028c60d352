package door

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// codex is the queue of Codex, which its threads share in a database: codex queue and its app server write to it, and
// the program in the terminal takes from it what belongs to its thread, while it is idle. It looks for that every ten
// seconds. Its transcript names the id with which a message went in, when a turn takes it.
type codex struct {
	program Program
	given   records
	turns   transcripts

	mu     sync.Mutex // one call after the other
	server *codexServer
	make   func() (*codexServer, error)
	asked  map[string]time.Time // when the queue was asked of a letter
	said   map[string]Answer    // what it said
}

const (
	// codexRests is how long the server that writes to the queue runs without work: it takes 100 MB.
	codexRests = 20 * time.Second
	// codexAgain is how often the queue is asked of one letter.
	codexAgain = 2 * time.Second
)

// openCodex finds the program's files. Nothing runs until a letter goes in.
func openCodex(_ context.Context, p Program) (Door, error) {
	if _, err := readLaunch(p.Dir); err != nil {
		return nil, err
	}
	if p.Session == "" {
		return nil, closed("it has no session yet")
	}
	pid := processNamed(p.PID, "codex")
	if pid == 0 {
		return nil, closed("its process is not known")
	}

	home := environment(pid, "CODEX_HOME")
	if home == "" {
		home = filepath.Join(environment(pid, "HOME"), ".codex")
	}

	return &codex{
		program: p, given: records{p.Dir},
		turns: transcripts{
			pattern: filepath.Join(home, "sessions", "*", "*", "*", "rollout-*-%s.jsonl"), tells: toldByCodex,
		},
		make:  func() (*codexServer, error) { return startCodexServer(pid) },
		asked: map[string]time.Time{}, said: map[string]Answer{},
	}, nil
}

// Give implements Door.
func (c *codex) Give(ctx context.Context, l Letter) error {
	c.mu.Lock()
	defer c.mu.Unlock()

	s, err := c.serverNow(ctx)
	if err != nil {
		return closed("%w", err)
	}
	r, err := c.given.note(l, func() record { return record{ID: l.ID, Session: c.program.Session} })
	if err != nil {
		return closed("note that a message goes in: %w", err)
	}
	delete(c.asked, l.ID)

	return s.call(ctx, "thread/queue/add", map[string]any{
		"threadId": r.Session, "clientUserMessageId": r.ID,
		"input": []map[string]string{{"type": "text", "text": l.Text}},
	}, nil)
}

// Ask implements Door.
func (c *codex) Ask(ctx context.Context, l Letter) (Answer, error) {
	r, _, err := c.given.of(l)
	if err != nil {
		return Answer{Fate: Unknown}, err
	}
	fate, err := c.turns.hold(r.Session, l)
	switch {
	case err != nil:
		return Answer{Fate: Unknown}, err
	case fate == Read:
		return Answer{Read, "a turn in its transcript begins with the message"}, nil
	case r.ID != "":
		return c.askQueue(ctx, r)
	}

	// The queue outlives its program: it can have what went in before the last launch.
	answer, err := c.askQueue(ctx, record{ID: l.ID, Session: c.program.Session})
	if err == nil && answer.Fate == Unknown {
		answer = Answer{Absent, neverGiven}
	}
	return answer, err
}

// askQueue asks whether the queue has a letter that no turn has.
func (c *codex) askQueue(ctx context.Context, r record) (Answer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()

	if time.Since(c.asked[r.ID]) < codexAgain {
		return c.said[r.ID], nil
	}
	s, err := c.serverNow(ctx)
	if err != nil {
		return Answer{Fate: Unknown}, err
	}

	answer := Answer{Unknown, "neither its queue nor its transcript has the message, which was handed over"}
	switch queued, err := queuedAs(ctx, s, r); {
	case err != nil:
		return Answer{Fate: Unknown}, err
	case queued != "":
		answer = Answer{Queued, "its queue has the message"}
	}
	c.asked[r.ID], c.said[r.ID] = time.Now(), answer

	return answer, nil
}

// queuedAs returns the id under which the queue has a letter, "" if it does not.
func queuedAs(ctx context.Context, s *codexServer, r record) (id string, err error) {
	params := map[string]any{"threadId": r.Session}
	for {
		var page struct {
			Data []struct {
				ID       string `json:"id"`
				ClientID string `json:"clientUserMessageId"`
			} `json:"data"`
			Next string `json:"nextCursor"`
		}
		if err := s.call(ctx, "thread/queue/list", params, &page); err != nil {
			return "", err
		}
		for _, item := range page.Data {
			if item.ClientID == r.ID {
				return item.ID, nil
			}
		}
		if page.Next == "" || page.Next == params["cursor"] {
			return "", nil
		}
		params["cursor"] = page.Next
	}
}

// Withdraw implements Door: after a turn was interrupted, or a question refused, the queue rests until the next prompt.
func (c *codex) Withdraw(ctx context.Context, l Letter) (back bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()

	r, _, err := c.given.of(l)
	if err != nil {
		return false, err
	}
	known := r.ID != ""
	if !known { // it went in before the last launch
		r = record{ID: l.ID, Session: c.program.Session}
	}
	s, err := c.serverNow(ctx)
	if err != nil {
		return false, err
	}
	id, err := queuedAs(ctx, s, r)
	if err != nil || id == "" {
		return false, err
	}

	var done struct{ Deleted bool }
	err = s.call(ctx, "thread/queue/delete", map[string]any{"threadId": r.Session, "queuedSubmissionId": id}, &done)
	if err != nil || !done.Deleted {
		return false, err
	}
	delete(c.asked, r.ID)
	if known {
		err = c.given.forget(l)
	}

	return true, err
}

// serverNow returns a server that runs, of a version that the entrance was tried with.
func (c *codex) serverNow(ctx context.Context) (*codexServer, error) {
	if c.server != nil && c.server.rouse() {
		return c.server, nil
	}

	s, err := c.make()
	if err != nil {
		return nil, err
	}
	version, err := s.greet(ctx)
	if err == nil {
		err = c.program.tried(version)
	}
	if err != nil {
		s.end()
		return nil, err
	}
	c.server = s

	return s, nil
}

// Close implements Door.
func (c *codex) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.server != nil {
		c.server.end()
		c.server = nil
	}
	return nil
}

// toldByCodex returns Read if a line of a transcript says that a turn has a letter, by the id with which it went in.
func toldByCodex(line []byte, letter Letter) Fate {
	if !bytes.Contains(line, []byte(letter.ID)) || !bytes.Contains(line, []byte(`"UserMessage"`)) {
		return Unknown
	}
	var l struct {
		Type    string
		Payload struct {
			Type string
			Item struct {
				Type     string
				ClientID string `json:"client_id"`
			}
		}
	}
	if json.Unmarshal(line, &l) == nil && l.Type == "event_msg" && l.Payload.Type == "item_completed" &&
		l.Payload.Item.Type == "UserMessage" && l.Payload.Item.ClientID == letter.ID {
		return Read
	}
	return Unknown
}

// versionOfAgent returns the version in what the server calls itself: "parley/0.171.0 (Debian …".
func versionOfAgent(agent string) (string, error) {
	_, rest, _ := strings.Cut(agent, "/")
	version, _, _ := strings.Cut(rest, " ")
	if version == "" {
		return "", fmt.Errorf("its server calls itself %.80q", agent)
	}
	return version, nil
}
