package tmux

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// connect starts a control client, learns which server it reached, prepares the
// server, and publishes the connection. first is true for the connection that Open
// makes.
func (s *Server) connect(ctx context.Context, first bool) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()

	opening := &opening{notify: s.onNotice}
	c, err := dial(s.clientArgv(), s.env, opening.line)
	if err != nil {
		return nil, err
	}

	f, err := s.greet(ctx, c, first)
	if err != nil {
		c.close(ErrDisconnected)
		return nil, opening.explain(err)
	}

	s.setUp(c, f)

	return c, nil
}

// opening remembers what a client says while it attaches, because a client that
// cannot attach says why outside every block.
type opening struct {
	notify func(string)
	said   []string
}

func (o *opening) line(line string) {
	if !strings.HasPrefix(line, "%") && len(o.said) < 4 {
		o.said = append(o.said, line)
	}
	o.notify(line)
}

// explain is called after the connection has ended, so nobody writes said.
func (o *opening) explain(err error) error {
	for _, text := range o.said {
		if known := classify(text); known != nil {
			return fmt.Errorf("%w: tmux: %s", known, text)
		}
	}
	if len(o.said) > 0 {
		return fmt.Errorf("%w (tmux: %s)", err, strings.Join(o.said, " "))
	}
	return err
}

func (s *Server) clientArgv() []string {
	argv := []string{s.opts.Binary}
	if s.opts.Name != "" {
		argv = append(argv, "-L", s.opts.Name)
	} else {
		argv = append(argv, "-S", s.opts.Path)
	}
	// Two words (cat -u) run without a shell.
	return append(argv, "-f", "/dev/null", "-C", "new-session", "-A", "-s", hubSession,
		"-f", "no-output,ignore-size", "cat", "-u")
}

func (s *Server) greet(ctx context.Context, c *conn, first bool) (facts, error) {
	r, err := c.do(ctx, func(token string) string {
		return "display-message -p " + quote(token+factsFormat)
	})
	if err != nil {
		return facts{}, err
	}

	f, err := parseFacts(r.text)
	if err != nil {
		return facts{}, err
	}
	if err := f.version.check(); err != nil {
		return facts{}, err
	}

	if first {
		if err := killStrangers(ctx, c); err != nil {
			return facts{}, err
		}
	}

	_, err = c.do(ctx, endWithToken(slices.Concat(s.settings(), holdBindings(), returnCommands())))

	return f, err
}

func parseFacts(text string) (facts, error) {
	fields := splitFields(text)
	if len(fields) != 4 || fields[0] == "" || fields[1] == "" || fields[2] == "" {
		return facts{}, fmt.Errorf("tmux described itself as %q", text)
	}
	pid, err := strconv.Atoi(fields[0])
	if err != nil {
		return facts{}, fmt.Errorf("tmux described itself as %q: %w", text, err)
	}
	return facts{
		pid: pid, instance: fields[0] + "/" + fields[1],
		path: fields[2], version: parseVersion(fields[3]),
	}, nil
}

// killStrangers ends the control clients of the hub that are not c: a killed
// daemon can leave one that nobody reads, and kill-server waits for it for ever. A
// person who attached there has no control client and is left alone.
func killStrangers(ctx context.Context, c *conn) error {
	r, err := c.do(ctx, endWithToken([]string{
		"list-clients -t " + quote("="+hubSession) + " -F " + quote("#{client_pid} #{client_control_mode}"),
	}))
	if err != nil {
		return err
	}

	for _, line := range r.lines {
		pid, isControl, _ := strings.Cut(line, " ")
		n, err := strconv.Atoi(pid)
		if err == nil && isControl == "1" && n > 1 && n != c.process.Pid {
			_ = syscall.Kill(n, syscall.SIGKILL)
		}
	}

	return nil
}

// settings are the options of a server of our own. Sizes: a window follows the
// person who attaches, and keeps that size until Pane.Resize gives it another.
func (s *Server) settings() []string {
	return []string{
		"set-option -s exit-empty off",
		"set-option -s message-limit 0", // the log of command lines: 1000 held 27 MB of old texts, 10 would keep ten
		"set-option -s escape-time 0",
		"set-option -s focus-events on",
		"set-option -s default-terminal " + terminal(s.env),
		"set-option -g history-limit 2000", // 200 panes full of 170-byte lines are 300 MB
		"set-option -g default-size 200x50",
		"set-option -g destroy-unattached off",
		"set-option -wg window-size latest",
		"set-option -wg remain-on-exit on", // before any session: later is too late for a program that exits at once
		"set-option -wg automatic-rename off",
		"set-option -wg allow-rename off",
	}
}

// terminal is the best terminal description that programs in panes will find here.
func terminal(env []string) string {
	dirs := []string{"/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo", "/usr/share/lib/terminfo",
		"/usr/local/share/terminfo", "/opt/homebrew/share/terminfo"}
	for _, kv := range env {
		switch key, value, _ := strings.Cut(kv, "="); key {
		case "TERMINFO":
			dirs = append(dirs, value)
		case "HOME":
			dirs = append(dirs, filepath.Join(value, ".terminfo"))
		case "TERMINFO_DIRS":
			dirs = append(dirs, filepath.SplitList(value)...)
		}
	}

	for _, dir := range dirs {
		for _, sub := range []string{"t", "74"} { // by first letter, or by its hexadecimal code
			if _, err := os.Stat(filepath.Join(dir, sub, "tmux-256color")); dir != "" && err == nil {
				return "tmux-256color"
			}
		}
	}

	return "screen-256color"
}

// politeness is how long a server that was told to end may take; a healthy one
// takes 4-7 ms.
const politeness = 2 * time.Second

// endServer sees to it that a server which was told to end does: asks again by
// another way, and kills it in the end, since one that waits for a client which
// nobody reads never goes by itself.
func endServer(ctx context.Context, binary string, f facts) error {
	if waitGone(ctx, f, politeness/10) == nil {
		return nil
	}

	again, cancel := context.WithTimeout(ctx, politeness)
	defer cancel()

	_ = exec.CommandContext(again, binary, "-N", "-S", f.path, "kill-server").Run()
	if waitGone(ctx, f, politeness) == nil {
		return nil
	}
	if f.pid > 1 && alive(f.pid) {
		_ = syscall.Kill(f.pid, syscall.SIGKILL)
	}

	return waitGone(ctx, f, politeness)
}

// waitGone waits until the process of the server has ended and nobody listens on
// its socket.
func waitGone(ctx context.Context, f facts, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for wait := 2 * time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		if !alive(f.pid) && !listening(f.path) {
			return nil
		}
		if err := pause(ctx, wait); err != nil {
			return fmt.Errorf("tmux server %d still runs: %w", f.pid, err)
		}
	}
}

func listening(path string) bool {
	c, err := net.DialTimeout("unix", path, 100*time.Millisecond)
	if err == nil {
		c.Close()
		return true
	}
	return !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, os.ErrNotExist)
}
