package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"parley"
	"parley/internal/place"
	"parley/internal/plainfile"
	"parley/internal/wait"
	"parley/plain"
)

// StartWithin bounds the start of a daemon, from the first attempt to reach it
// to its answer. Opening a large database after a crash, on a busy machine, takes
// most of that.
const StartWithin = time.Minute

// A Starter starts daemons in the background.
type Starter struct {
	Executable string // parley itself
	Env        Environ
	Now        func() time.Time
}

// Ensure starts the workspace's daemon unless one runs, and returns it when it is
// ready. If the daemon of another process is starting or ending, Ensure waits
// for that, StartWithin at most.
func (s Starter) Ensure(ctx context.Context, at place.Place) (*Info, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, StartWithin,
		parley.Errorf(parley.DaemonUnavailable, "the daemon did not start within %s", StartWithin).
			Suggest("Look into %s, or run parley serve --foreground.", at.Log()))
	defer cancel()

	var begun time.Time
	for {
		refused := s.Start(ctx, at)
		if refused != nil && parley.ErrorCode(refused) != parley.DaemonRunning {
			return nil, refused
		}

		// DAEMON_RUNNING: the other one will be ready, or gone, in a moment.
		if info, err := Find(ctx, at, s.Now); info != nil || err != nil {
			return info, err
		}
		if begun.IsZero() {
			begun = s.Now()
		}
		if refused != nil && s.Now().Sub(begun) > deafAfter { // who answers there has no lock
			return nil, refused
		}
		if wait.Pause(ctx, 50*time.Millisecond) != nil {
			return nil, context.Cause(ctx)
		}
	}
}

// Start starts `parley serve` with flags in a process session of its own and waits
// until it is ready. It returns the error with which the daemon gave up.
func (s Starter) Start(ctx context.Context, at place.Place, flags ...string) error {
	if err := at.Prepare(); err != nil {
		return err
	}

	ready, childEnd, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make the daemon's readiness pipe: %w", err)
	}
	defer ready.Close()

	offset := logSize(at.Log())
	cmd, err := s.command(at, childEnd, flags)
	if err == nil {
		err = startLogged(cmd, at)
	}

	childEnd.Close()
	if e := parley.Exhausted(parley.DaemonUnavailable, err); e != nil {
		return e
	}
	if err != nil {
		return fmt.Errorf("start the daemon: %w", err)
	}

	err = awaitReady(ctx, ready)
	if err == nil {
		return cmd.Process.Release()
	}
	if ctx.Err() != nil {
		_ = cmd.Process.Kill() // it is ours and never became ready
	}

	ended := cmd.Wait()
	if errors.Is(err, errNoWord) {
		return diedEarly(at.Log(), offset, ended)
	}

	return err
}

// logSize returns how long the daemon's log is.
func logSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// fatal matches the line in which Go's runtime says why it gives up, as for want of memory.
var fatal = regexp.MustCompile(`(?m)^(?:fatal error|panic|runtime/cgo): (.+)$`)

// diedEarly returns the error of a daemon that ended without a word before it was ready. Its part of
// the log begins at an offset.
func diedEarly(log string, offset int64, ended error) error {
	e := parley.Errorf(parley.DaemonUnavailable, "%w", errNoWord)
	if m := fatal.FindSubmatch(lastWords(log, offset)); m != nil {
		e = parley.Errorf(parley.DaemonUnavailable, "%w: %s", errNoWord, plain.CleanLine(string(m[1])))
	}

	exit, ok := errors.AsType[*exec.ExitError](ended)
	if ok && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return parley.Errorf(parley.DaemonUnavailable, "the daemon was killed before it was ready").
			Suggest("The system does that when its memory runs out, or that of the control group. " +
				"Give it more, and start it again.")
	}

	return e.Suggest("Look at the last lines of %s.", log)
}

// lastWords returns the log from an offset on, as much of it as tells why a process ended.
func lastWords(path string, offset int64) []byte {
	log, _, err := plainfile.Open(path)
	if err != nil {
		return nil
	}
	defer log.Close()

	words, _ := io.ReadAll(io.NewSectionReader(log, offset, place.MaxNote)) // a part of it will do
	return words
}

// startLogged starts a daemon that writes to the log of its place.
func startLogged(cmd *exec.Cmd, at place.Place) error {
	log, err := os.OpenFile(at.Log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return parley.Errorf(
			parley.StorageUnavailable, "the daemon's log %s cannot be written: %w", at.Log(), place.PathCause(err),
		).Suggest("Make it writable for you.")
	}
	defer log.Close()

	cmd.Stdout, cmd.Stderr = log, log
	return cmd.Start()
}

// command makes the command line, environment and files of a daemon in the
// background. The pipe's end is descriptor 3 there.
func (s Starter) command(at place.Place, childEnd *os.File, flags []string) (*exec.Cmd, error) {
	args := append([]string{"serve", "--foreground", "--ready-fd", "3", "--workspace", at.Root}, flags...)
	cmd := exec.Command(s.Executable, args...)
	cmd.Dir = at.Root
	var err error
	if cmd.Env, err = s.Env.withOperatorHash(); err != nil {
		return nil, err
	}
	cmd.ExtraFiles = []*os.File{childEnd}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}

	return cmd, nil
}

// readiness is the line that a daemon writes when it is ready. A daemon that
// gives up writes its parley.Error instead.
type readiness struct {
	OK bool `json:"ok"`
}

// awaitReady reads the daemon's line. The error is errNoWord if there is none.
func awaitReady(ctx context.Context, ready *os.File) error {
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

	return errNoWord
}

// errNoWord says that a daemon has ended without saying why.
var errNoWord = errors.New("the daemon ended before it was ready")

// readyPipe returns the pipe to the process that started this one, nil if there is
// none. Children must not inherit it: that process waits for its end.
func readyPipe(fd int) *os.File {
	if fd <= 2 {
		return nil
	}
	unix.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "readiness")
}

// reportReady writes the line that awaitReady reads, and closes the pipe.
func reportReady(pipe *os.File, err error) {
	if pipe == nil {
		return
	}

	var line []byte
	if err == nil {
		line, _ = json.Marshal(readiness{OK: true})
	} else {
		line, _ = json.Marshal(parley.AsError(err))
	}

	_, _ = pipe.Write(line) // a parent that is gone is no reason to stop
	_ = pipe.Close()
}
