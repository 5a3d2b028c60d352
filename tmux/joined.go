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
	"time"
)

// visitor asks a server that is not ours: each line by a client process of its own,
// which is never attached. It costs 2 to 3 ms a line. A control client would have to
// attach to a session of the person's, and was seen to change what they find there:
// `tmux attach` prefers a session that nobody is attached to, so it chose another one,
// and a session with destroy-unattached stayed when they left it. Up to 3.6a one that
// is half attached can also crash the server, see firstRetry.
type visitor struct{ secret string }

func newVisitor() (*visitor, error) {
	secret := make([]byte, 8)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	return &visitor{secret: "p" + hex.EncodeToString(secret)}, nil
}

// visit runs one line that ends itself with its token. What the server says of
// itself comes first, so that one that was started anew is noticed with every line.
func (s *Server) visit(ctx context.Context, compose func(token string) string) (reply, error) {
	s.mu.Lock()
	ended := s.ended
	s.mu.Unlock()
	if ended {
		return reply{}, ErrClosed
	}

	hello, token := s.visitor.secret+"-0", s.visitor.secret+"-1"
	line := compose(token)
	if line == "" || strings.ContainsAny(line, "\n\r\x00") {
		return reply{}, invalid("command line %q", line)
	}

	out, said, err := s.source(ctx, "display-message -p "+quote(hello+factsFormat)+" ; "+line+"\n")
	if ctx.Err() != nil {
		return reply{}, context.Cause(ctx)
	}

	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	met := false
	if about, ok := strings.CutPrefix(lines[0], hello); ok {
		f, err := parseFacts(strings.TrimPrefix(about, " "))
		if err != nil {
			return reply{}, err
		}
		s.meet(f)
		met, lines = true, lines[1:]
	}

	if n := len(lines) - 1; met && n >= 0 {
		if text, ok := strings.CutPrefix(lines[n], token); ok {
			return reply{text: strings.TrimPrefix(text, " "), lines: lines[:n]}, nil
		}
	}

	return reply{}, s.missed(said, err)
}

// factsFormat is what parseFacts reads.
const factsFormat = " #{pid}|#{start_time}|#{q:socket_path}|#{version}"

// source gives the server a line as a file of commands on standard input, and
// returns what was printed, and what went wrong in tmux's words.
func (s *Server) source(ctx context.Context, line string) (out, said string, err error) {
	socket := []string{"-S", s.opts.Path}
	if s.opts.Name != "" {
		socket = []string{"-L", s.opts.Name}
	}
	// -u: text is not made ASCII. -N: start nothing.
	cmd := exec.CommandContext(ctx, s.opts.Binary, "-u", "-N", socket[0], socket[1], "source-file", "-")
	var stdout, stderr bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = s.env, strings.NewReader(line), &stdout, &stderr
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	return stdout.String(), strings.TrimSpace(stderr.String()), err
}

// missed says why a line has no answer. tmux tells what went wrong first in the line
// last: a text that it cannot read, and then that there is no such buffer.
func (s *Server) missed(said string, err error) error {
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("%w: %w", ErrNotInstalled, err)
	}

	last := said[strings.LastIndexByte(said, '\n')+1:]
	refused := &CommandError{Text: last}
	switch {
	case errors.Is(refused, ErrNoServer):
		s.meet(facts{path: s.known().path})
		return fmt.Errorf("%w: %w", ErrNoServer, refused)
	case last == "", strings.HasPrefix(last, "server exited"), strings.HasPrefix(last, "lost server"):
		return fmt.Errorf("%w: tmux: %s", ErrDisconnected, last)
	}

	return refused
}

// meet remembers what was learned of the server; facts of none end the instance.
func (s *Server) meet(f facts) {
	s.mu.Lock()
	s.facts = f
	s.mu.Unlock()
}

// openVisited makes the Server of Options.Join: nothing of it runs between two calls.
func openVisited(ctx context.Context, s *Server) error {
	var err error
	if s.visitor, err = newVisitor(); err != nil {
		return err
	}
	close(s.stopped)
	close(s.up)
	if _, err := s.visit(ctx, func(token string) string { return "display-message -p " + token }); err != nil {
		return err
	}
	return s.known().version.check()
}
