package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"parley"
	"parley/tmux"
)

// startWithin bounds the start of a daemon, from the first attempt to reach it
// to its answer. Opening a large database after a crash takes the most of it,
// on a machine that does much else.
const startWithin = time.Minute

// daemonInfo is what a running daemon writes down for its clients.
type daemonInfo struct {
	PID       int       `json:"pid"`
	Socket    string    `json:"socket"`
	HTTP      string    `json:"http,omitempty"`
	Version   string    `json:"version"`
	StartedAt time.Time `json:"started_at"`
	Toolsets  string    `json:"toolsets,omitempty"` // the setting, for `parley mcp`

	AgentToolsets map[string]string `json:"agent_toolsets,omitempty"` // by name, of those that are offered less
}

// runningDaemon returns the daemon that answers in the workspace, or nil.
func runningDaemon(ctx context.Context, at place) *daemonInfo {
	info, err := readInfo(at)
	if err != nil || !answers(ctx, info.Socket) {
		return nil
	}
	return info
}

// answers reports whether somebody listens on a unix socket.
func answers(ctx context.Context, socket string) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

// ensureDaemon returns the workspace's daemon and starts one when there is
// none, as tmux starts its server.
func (c *cli) ensureDaemon(ctx context.Context, at place) (*daemonInfo, error) {
	if info := runningDaemon(ctx, at); info != nil {
		c.warnOfVersion(info)
		return info, nil
	}

	ctx, cancel := context.WithTimeoutCause(
		ctx,
		startWithin,
		parley.Errorf(parley.DaemonUnavailable, "the daemon did not start within %s", startWithin).
			Suggest("Look into %s, or run parley serve --foreground.", at.log()),
	)

	defer cancel()

	stop := c.tellThatItTakes(ctx)
	defer stop()

	var deaf deafness
	for {
		err := c.startDaemon(ctx, at)
		if err != nil && parley.ErrorCode(err) != parley.DaemonRunning {
			return nil, err
		}

		// DAEMON_RUNNING: another one is about to be ready, or about to be gone.
		if info := runningDaemon(ctx, at); info != nil {
			return info, nil
		}
		if err := deaf.of(ctx, at, c.now()); err != nil {
			return nil, err
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// tellThatItTakes tells a person who waits for a daemon for more than a moment.
func (c *cli) tellThatItTakes(ctx context.Context) (stop func()) {
	if !isTerminal(c.err) {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var told sync.WaitGroup
	told.Go(func() {
		if pause(ctx, time.Second) == nil {
			fmt.Fprintln(c.err, c.paintFor(c.err, faint, "parley: the daemon is starting…"))
		}
	})
	return func() { cancel(); told.Wait() }
}

// deafness is a daemon that says where it is and does not listen there.
type deafness struct {
	pid  int
	from time.Time // at every look since then
}

// deafAfter is how long that may be. One that starts has not said so yet, one that ends
// does no more, and each is in between for a moment.
const deafAfter = 3 * time.Second

// of is the error of a daemon that runs without its socket, as when somebody cleared
// the runtime directory; nil while it may be about to start or to end.
func (d *deafness) of(ctx context.Context, at place, now time.Time) error {
	info, err := readInfo(at)
	if err != nil || !tmux.Alive(info.PID) || !refused(ctx, info.Socket) {
		*d = deafness{}
		return nil
	}

	if d.pid != info.PID {
		*d = deafness{info.PID, now}
	}
	if now.Sub(d.from) < deafAfter {
		return nil
	}

	return parley.Errorf(parley.DaemonUnavailable, "the daemon (pid %d) runs, but its socket %s does not answer", info.PID, info.Socket).
		Suggest("End it with: kill %d. The agents stay, and the next command starts a new daemon that finds them.", info.PID)
}

// refused reports that nobody listens on a socket. One that merely is slow to take
// a call may answer the next.
func refused(ctx context.Context, socket string) bool {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err == nil {
		conn.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, os.ErrNotExist)
}

func readInfo(at place) (*daemonInfo, error) {
	b, err := os.ReadFile(at.info())
	if err != nil {
		return nil, err
	}
	info := new(daemonInfo)
	return info, json.Unmarshal(b, info)
}

// pause waits between two looks at what cannot be waited for.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// warnOfVersion says so when the daemon was started by another build.
func (c *cli) warnOfVersion(info *daemonInfo) {
	if info.Version == buildVersion() {
		return
	}
	fmt.Fprintf(
		c.err,
		"%s the daemon is version %s, this command is %s\n  → parley down --keep-agents lets the next command start the new one; the agents stay.\n",
		c.paintFor(c.err, yellow, "parley:"),
		info.Version,
		buildVersion(),
	)
}

// startDaemon starts `parley serve` in a process session of its own and waits
// until it is ready, or returns the error with which it gave up.
func (c *cli) startDaemon(ctx context.Context, at place, flags ...string) error {
	if err := at.prepare(); err != nil {
		return err
	}

	ready, childEnd, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make the daemon's readiness pipe: %w", err)
	}
	defer ready.Close()

	cmd, err := c.daemonCommand(at, childEnd, flags)
	if err == nil {
		err = cmd.Start()
	}

	childEnd.Close()
	if err != nil {
		return fmt.Errorf("start the daemon: %w", err)
	}

	err = awaitReady(ctx, ready, at)
	if err == nil {
		return cmd.Process.Release()
	}
	if ctx.Err() != nil {
		_ = cmd.Process.Kill() // it is ours and never became ready
	}

	_ = cmd.Wait() // how it ended is told by err

	return err
}

// maxLog is how large a log may be, in bytes, to be continued by the next daemon.
const maxLog = 8 << 20

// daemonCommand is the command line, environment and files of a daemon in the
// background. The pipe's end is descriptor 3 there.
func (c *cli) daemonCommand(at place, childEnd *os.File, flags []string) (*exec.Cmd, error) {
	if info, err := os.Stat(at.log()); err == nil && info.Size() > maxLog {
		_ = os.Rename(at.log(), at.log()+".old") // a log that cannot be moved goes on growing
	}

	log, err := os.OpenFile(at.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, parley.Errorf(parley.StorageUnavailable, "the daemon's log %s cannot be written: %w", at.log(), pathCause(err)).
			Suggest("Make it writable for you.")
	}

	args := append([]string{"serve", "--foreground", "--ready-fd", "3", "--workspace", at.root}, flags...)
	cmd := exec.Command(c.executable, args...)
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, at.root
	cmd.Env = c.env.scrubbed()
	cmd.ExtraFiles = []*os.File{childEnd}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}

	return cmd, nil
}

// readiness is the one line that a starting daemon writes: ok, or its error.
type readiness struct {
	OK bool `json:"ok"`
}

// awaitReady reads the daemon's line.
func awaitReady(ctx context.Context, ready *os.File, at place) error {
	stop := context.AfterFunc(ctx, func() { _ = ready.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()

	line, err := io.ReadAll(ready)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}

	line = bytes.TrimSpace(line)
	var ok readiness
	if err == nil && json.Unmarshal(line, &ok) == nil && ok.OK {
		return nil
	}

	var typed parley.Error
	if json.Unmarshal(line, &typed) == nil && typed.Code != "" {
		return &typed
	}

	return parley.Errorf(parley.DaemonUnavailable, "the daemon ended before it was ready").
		Suggest("Look at the last lines of %s.", at.log())
}

// tellReady writes the line that awaitReady reads, and closes the pipe.
func tellReady(pipe *os.File, err error) {
	if pipe == nil {
		return
	}
	var line []byte
	if err == nil {
		line, _ = json.Marshal(readiness{OK: true})
	} else {
		line, _ = json.Marshal(parley.AsError(err))
	}
	_, _ = pipe.Write(line) // nobody left to tell is no reason to stop
	_ = pipe.Close()
}

// lockDaemon takes the workspace's daemon lock, which ends with the process.
func lockDaemon(at place) (*os.File, error) {
	f, err := os.OpenFile(at.lock(), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, parley.Errorf(parley.StorageUnavailable, "the lock %s cannot be opened: %w", at.lock(), pathCause(err)).
			Suggest("Make it writable for you.")
	}

	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}

	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, parley.Errorf(parley.DaemonRunning, "a daemon is running in %s already", at.root).
			Suggest("Use it: parley status shows it, and parley down ends it.")
	}

	return nil, fmt.Errorf("lock %s: %w", at.lock(), err)
}

// awaitGone waits until no daemon holds the workspace's lock.
func awaitGone(ctx context.Context, at place) error {
	for {
		lock, err := lockDaemon(at)
		if err == nil {
			return lock.Close()
		}
		if parley.ErrorCode(err) != parley.DaemonRunning {
			return err
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}
