package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/plain"
)

// The names of the ways.
const (
	wayCommand = "command"
	wayWebhook = "webhook"
	wayNtfy    = "ntfy"
	Push       = "push" // to the browsers of devices
)

const (
	// sendTime bounds one attempt.
	sendTime = 10 * time.Second
	// maxQueue is how many notices wait for a way: about as many as there are kinds of needs.
	maxQueue = 30
)

// retries are the pauses before the further attempts.
var retries = []time.Duration{5 * time.Second, 30 * time.Second}

// A sender makes one attempt to send a notice, until ctx ends. The error has no addresses in it.
type sender interface {
	send(context.Context, parley.Notice) error
}

// way is one way by which notices go. Its own goroutine takes them from the queue.
type way struct {
	name    string
	sender  sender
	queue   chan parley.Notice
	retries []time.Duration
	now     func() time.Time
	log     *slog.Logger

	mu      sync.Mutex
	problem string // of the last attempt; "" if it went
	since   time.Time
	sent    int
}

func newWay(name string, s sender, now func() time.Time, log *slog.Logger) *way {
	return &way{
		name: name, sender: s, queue: make(chan parley.Notice, maxQueue), retries: retries, now: now, log: log,
	}
}

// offer queues a notice, unless the way is that far behind.
func (w *way) offer(n parley.Notice) {
	select {
	case w.queue <- n:
	default:
		w.log.Warn("a notice was dropped, because earlier ones still wait", "way", w.name)
	}
}

func (w *way) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case n := <-w.queue:
			w.deliver(ctx, n)
		}
	}
}

// deliver makes the attempts at one notice.
func (w *way) deliver(ctx context.Context, n parley.Notice) {
	for i := 0; !w.try(ctx, n) && i < len(w.retries); i++ {
		if wait.Pause(ctx, w.retries[i]) != nil {
			return
		}
	}
}

// try makes one attempt, and notes how it went.
func (w *way) try(ctx context.Context, n parley.Notice) (ok bool) {
	limited, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()

	err := w.sender.send(limited, n)
	if ctx.Err() != nil {
		return true // the daemon ends, or the caller is gone: the way is not to blame
	}

	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		w.problem, w.since = "", time.Time{}
		w.sent++
		return true
	}

	w.log.Warn("a notice did not go", "way", w.name, "error", err)
	if w.problem == "" {
		w.since = w.now()
	}
	w.problem = plain.Truncate(plain.CleanLine(err.Error()), maxProblem)

	return false
}

// maxProblem bounds the words of a problem, in characters.
const maxProblem = 200

func (w *way) status() parley.NoticeWay {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := parley.NoticeWay{Way: w.name, Works: w.problem == "", Problem: w.problem, Sent: w.sent}
	if !s.Works {
		since := w.since
		s.Since = &since
	}
	return s
}

// command runs a program for each notice.
type command struct {
	argv []string
	dir  string
	env  []string
}

// maxSaid bounds what is kept of a program's errors, in bytes.
const maxSaid = 4 << 10

func (c command) send(ctx context.Context, n parley.Notice) error {
	body, err := json.Marshal(n)
	if err != nil {
		return err
	}

	said := &head{max: maxSaid}
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	cmd.Dir, cmd.Env = c.dir, append(slices.Clone(c.env), variables(n)...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(body), said

	// What it has started ends with it, when its time is over.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second

	switch err := cmd.Run(); {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // a child of it that stays keeps the pipe open
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("not finished within %s", sendTime)
	default:
		return explain(err, said.String())
	}
}

// explain adds the first line that a program wrote to its error.
func explain(err error, said string) error {
	if e, ok := errors.AsType[*exec.Error](err); ok {
		return fmt.Errorf("it cannot be run: %w", e.Err)
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("it cannot be run: %w", e.Err)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if line == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, line)
}

// variables has the notice for programs that read no JSON. Where it has several needs, kind, agent and
// command are those of the most pressing one.
func variables(n parley.Notice) []string {
	first := parley.NoticeNeed{Command: "parley needs"}
	if len(n.Needs) > 0 {
		first = n.Needs[0]
	}

	return []string{
		"PARLEY_NOTICE_TITLE=" + n.Title,
		"PARLEY_NOTICE_TEXT=" + n.Text,
		"PARLEY_NOTICE_KIND=" + string(first.Kind),
		"PARLEY_NOTICE_AGENT=" + first.Agent,
		"PARLEY_NOTICE_COMMAND=" + first.Command,
		"PARLEY_NOTICE_URL=" + n.URL,
	}
}

// head keeps the beginning of what is written to it.
type head struct {
	strings.Builder
	max int
}

func (h *head) Write(p []byte) (int, error) {
	h.Builder.Write(p[:min(len(p), max(0, h.max-h.Len()))])
	return len(p), nil
}
