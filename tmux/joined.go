package tmux

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// joined is the transport to a server that belongs to somebody else: each line is
// run by a separate client process, which never attaches. That costs 2 to 3 ms a
// line. A control client would have to attach to one of the person's sessions, which
// was seen to change what they find there: `tmux attach` prefers a session that
// nobody is attached to, so it chose another one, and a session with
// destroy-unattached stayed when they left it. Up to 3.6a a half attached control
// client can also crash the server, see firstRetry.
type joined struct {
	opts   Options
	secret string // begins every token

	mu     sync.Mutex
	facts  facts // of the server that the last line reached
	closed bool
}

// openJoined fails with ErrNoServer if no server runs there. Between two calls
// nothing of it runs.
func openJoined(ctx context.Context, opts Options) (*joined, error) {
	secret := make([]byte, 8)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}

	j := &joined{opts: opts, secret: "p" + hex.EncodeToString(secret)}
	if _, err := j.do(ctx, func(token string) string { return "display-message -p " + token }); err != nil {
		return nil, err
	}

	return j, j.known().version.check()
}

// do asks for the server's facts before each line, so that a restarted server is
// noticed with every line.
func (j *joined) do(ctx context.Context, compose func(token string) string) (reply, error) {
	j.mu.Lock()
	closed := j.closed
	j.mu.Unlock()
	if closed {
		return reply{}, ErrClosed
	}

	hello, token := j.secret+"-0", j.secret+"-1"
	line := compose(token)
	if line == "" || strings.ContainsAny(line, "\n\r\x00") {
		return reply{}, invalid("command line %q", line)
	}

	out, complaint, err := j.source(ctx, "display-message -p "+quote(hello+factsFormat)+" ; "+line+"\n")
	if ctx.Err() != nil {
		return reply{}, context.Cause(ctx)
	}

	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	reached := false
	if about, ok := strings.CutPrefix(lines[0], hello); ok {
		f, err := parseFacts(strings.TrimPrefix(about, " "))
		if err != nil {
			return reply{}, err
		}
		j.setFacts(f)
		reached, lines = true, lines[1:]
	}

	if n := len(lines) - 1; reached && n >= 0 {
		if text, ok := strings.CutPrefix(lines[n], token); ok {
			return reply{text: strings.TrimPrefix(text, " "), lines: lines[:n]}, nil
		}
	}

	return reply{lines: lines}, j.explain(complaint, err)
}

// source gives the server a line as a file of commands on standard input. It
// returns what was printed, and tmux's complaint.
func (j *joined) source(ctx context.Context, line string) (out, complaint string, err error) {
	// -u: text is not made ASCII. -N: start nothing.
	args := append(append([]string{"-u", "-N"}, j.opts.socket()...), "source-file", "-")
	cmd := exec.CommandContext(ctx, j.opts.Binary, args...)
	var stdout, stderr bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = j.opts.Env, strings.NewReader(line), &stdout, &stderr
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	return stdout.String(), strings.TrimSpace(stderr.String()), err
}

// explain returns the error for a line that was not answered. The last line of the
// complaint counts: after a text that tmux could not read, it names the buffer that is
// missing.
func (j *joined) explain(complaint string, err error) error {
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("%w: %w", ErrNotInstalled, err)
	}

	last := complaint[strings.LastIndexByte(complaint, '\n')+1:]
	refused := &CommandError{Text: last}
	switch {
	case errors.Is(refused, ErrNoServer):
		j.setFacts(facts{path: j.known().path})
		return fmt.Errorf("%w: %w", ErrNoServer, refused)
	case last == "", strings.HasPrefix(last, "server exited"), strings.HasPrefix(last, "lost server"):
		return fmt.Errorf("%w: tmux: %s", ErrDisconnected, last)
	}

	return refused
}

func (j *joined) setFacts(f facts) {
	j.mu.Lock()
	j.facts = f
	j.mu.Unlock()
}

func (j *joined) known() facts {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.facts
}

func (j *joined) close() {
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
}
