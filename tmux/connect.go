package tmux

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// handshakeTime bounds one attempt to connect; a cold start takes 16-51 ms.
const handshakeTime = 10 * time.Second

// connect starts a control client, learns which server it reached, prepares the
// server, and publishes the connection. first is true for the connection that Open
// makes.
func (c *control) connect(ctx context.Context, first bool) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()

	if err := wake(ctx, c.opts.Path); err != nil {
		return nil, err
	}
	if err := c.startKept(ctx); err != nil {
		return nil, err
	}

	opening := &opening{notify: c.onNotice}
	conn, err := dial(c.clientArgv(), c.opts.Env, opening.line)
	if err != nil {
		return nil, err
	}

	f, err := c.prepare(ctx, conn, first)
	if err != nil {
		conn.close(ErrDisconnected)
		return nil, opening.explain(err)
	}

	c.setUp(conn, f)

	return conn, nil
}

// opening keeps the first lines of a client that attaches: one that cannot attach
// prints the reason outside every block.
type opening struct {
	notify func(string)
	lines  []string
}

func (o *opening) line(line string) {
	if !strings.HasPrefix(line, "%") && len(o.lines) < 4 {
		o.lines = append(o.lines, line)
	}
	o.notify(line)
}

// explain adds the client's own reason to err. The connection must have ended, so
// that nobody writes lines.
func (o *opening) explain(err error) error {
	for _, text := range o.lines {
		if known := classify(text); known != nil {
			return fmt.Errorf("%w: tmux: %s", known, text)
		}
	}
	if len(o.lines) > 0 {
		return fmt.Errorf("%w (tmux: %s)", err, strings.Join(o.lines, " "))
	}
	return err
}

func (c *control) clientArgv() []string {
	// With -u tmux prints what is not ASCII as it is, whatever the locale: over ssh and in cron there often is none.
	argv := append([]string{c.opts.Binary, "-u"}, c.opts.socket()...)
	// Two words (cat -u) run without a shell.
	return append(argv, "-f", "/dev/null", "-C", "new-session", "-A", "-s", hubSession,
		"-f", "no-output,ignore-size", "cat", "-u")
}

// prepare asks the server for its facts and sets its options and key bindings.
func (c *control) prepare(ctx context.Context, conn *conn, first bool) (facts, error) {
	r, err := conn.do(ctx, func(token string) string {
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
		if err := killStrangers(ctx, conn); err != nil {
			return facts{}, err
		}
	}

	if err := forgetKeys(ctx, conn); err != nil {
		return f, err
	}

	commands := slices.Concat(
		settings(c.opts.Env), resetTheDead(f.version), queueBindings(), returnCommands(), c.opts.View.commands())
	if _, err := conn.do(ctx, endWithToken(commands)); err != nil {
		return f, err
	}

	return f, unbindMenus(ctx, conn)
}

// factsFormat is the format that parseFacts reads.
var factsFormat = " #{pid}|#{start_time}|" + escaped("socket_path") + "|#{version}"

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

// killStrangers ends the other control clients of the hub. A killed daemon can
// leave one that nobody reads, and kill-server would wait for it without end. A
// person who attached there has no control client and is left alone.
func killStrangers(ctx context.Context, conn *conn) error {
	r, err := conn.do(ctx, endWithToken([]string{
		"list-clients -t " + quote("="+hubSession) + " -F " + quote("#{client_pid} #{client_control_mode}"),
	}))
	if err != nil {
		return err
	}

	for _, line := range r.lines {
		pid, isControl, _ := strings.Cut(line, " ")
		n, err := strconv.Atoi(pid)
		if err == nil && isControl == "1" && n > 1 && n != conn.process.Pid {
			_ = syscall.Kill(n, syscall.SIGKILL)
		}
	}

	return nil
}

// KeepCommand is the argument with which parley runs Keep. It marks the keeper in the list of
// processes.
const KeepCommand = "_keep"

// IsKeeper reports whether the process is the keeper of a tmux server.
func (p *Process) IsKeeper() bool { return len(p.Args) > 1 && p.Args[1] == KeepCommand }

// Kept reports whether a process of this machine still descends from a keeper, as far as the system tells.
func Kept(pid int) bool {
	l, err := LineageOf(pid)
	return err != nil || len(l.Line) == 0 || slices.ContainsFunc(l.Line, func(p Process) bool { return p.IsKeeper() })
}

// startKept starts the server below the keeper of the options, unless it runs already. Without a keeper
// the control client starts the server.
func (c *control) startKept(ctx context.Context) error {
	if len(c.opts.Keeper) == 0 {
		return nil
	}
	running := exec.CommandContext(ctx, c.opts.Binary, append(c.opts.socket(), "has-session")...)
	running.Env = c.opts.Env
	if running.Run() == nil {
		return nil
	}

	argv := slices.Concat(c.opts.Keeper, []string{c.opts.Binary}, c.opts.socket(),
		[]string{"-f", "/dev/null", "new-session", "-d", "-s", hubSession, "cat", "-u"})
	keeper := exec.Command(argv[0], argv[1:]...)
	keeper.Env = c.opts.Env
	keeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // it outlives this process
	said, err := keeper.StdoutPipe()
	if err != nil {
		return err
	}
	if err := keeper.Start(); err != nil {
		return fmt.Errorf("start the keeper of tmux: %w", err)
	}

	stop := context.AfterFunc(ctx, func() { _ = said.Close() })
	defer stop()
	text, err := io.ReadAll(said) // until the server runs, or cannot
	go func() { _ = keeper.Wait() }()

	text = bytes.TrimSpace(text)
	if err == nil && len(text) > 0 && !strings.Contains(string(text), "duplicate session") {
		err = errors.New("tmux: " + string(text))
	}

	return err
}
