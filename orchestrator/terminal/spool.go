package terminal

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/op"
	"parley/orchestrator/team"
)

// maxSpool limits the size of the spool in bytes. It holds thousands of reports, of which soon only
// the last one of each agent counts.
const maxSpool = 1 << 20

// lockWait bounds the daemon's wait for the lock of the spool. Writers hold it for well under a
// millisecond.
const lockWait = 200 * time.Millisecond

// ownLockWait is the same for the spool of one agent, which can hold its lock for ever.
const ownLockWait = 5 * time.Millisecond

// openFlags protect against a file that somebody else has put there: a link is not followed, and
// opening a pipe does not block.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// errSpoolFull means that the spool has reached its limit and a report is dropped.
var errSpoolFull = errors.New("the spool is full")

// spooled is a line of the spool. The hash of the key, as in the database, proves which agent wrote
// the line, and cannot be used as a key.
type spooled struct {
	KeyHash string          `json:"key_hash"`
	Report  json.RawMessage `json:"report"`
}

// Spool appends a report of the agent with that key to the file at path, for the next daemon to read.
// ctx bounds the wait for the lock of the file. It returns an error when the spool is full.
func Spool(ctx context.Context, path, key string, req parley.ReportStateRequest) error {
	text, err := json.Marshal(req)
	if err != nil {
		return fmt.Errorf("write a report: %w", err)
	}

	line, err := json.Marshal(spooled{hex.EncodeToString(team.HashKey(key)), text})
	if err != nil {
		return fmt.Errorf("write a report: %w", err)
	}

	for {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|openFlags, 0o600)
		if err != nil {
			return fmt.Errorf("open the spool: %w", err)
		}

		err = appendLine(ctx, f, path, append(line, '\n'))
		err = errors.Join(err, f.Close()) // and unlock it
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
}

// appendLine locks the file and writes a line at its end. The error is fs.ErrNotExist when the file
// was removed before it could be locked.
func appendLine(ctx context.Context, f *os.File, path string, line []byte) error {
	if err := lockFile(ctx, f); err != nil {
		return err
	}

	info, err := stillAt(path, f)
	if err != nil {
		return err
	}
	if info.Size()+int64(len(line)) > maxSpool {
		return errSpoolFull
	}

	_, err = f.Write(line)

	return err
}

// stillAt describes an open file. The error is fs.ErrNotExist when it is no longer the one at path.
func stillAt(path string, f *os.File) (fs.FileInfo, error) {
	opened, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("look at the spool: %w", err)
	}
	if now, err := os.Lstat(path); err != nil || !os.SameFile(opened, now) {
		return nil, fs.ErrNotExist
	}
	return opened, nil
}

// lockFile waits until this process alone has the file. The lock lasts until f is closed.
func lockFile(ctx context.Context, f *os.File) error {
	err := wait.Until(ctx, time.Millisecond, func() (bool, error) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("lock the spool: %w", err)
	}
	return nil
}

// take takes the spooled reports and removes the spool. After an error, which it logs, the next call
// takes all of them again: taking a report twice changes nothing.
func (r *spoolReader) take(ctx context.Context) {
	if r.path != "" {
		r.takeFrom(ctx, r.path, lockWait)
	}
	if r.own != nil {
		for _, path := range r.own() {
			r.takeFrom(ctx, path, ownLockWait)
		}
	}
}

// takeFrom takes the reports of one spool, and waits so long for its lock.
func (r *spoolReader) takeFrom(ctx context.Context, path string, patience time.Duration) {
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		if info, failed := f.Stat(); failed != nil || !info.Mode().IsRegular() { // a pipe would be read for ever
			_, _ = f.Close(), os.Remove(path)
			return
		}
		err = errors.Join(r.read(ctx, f, path, patience), f.Close())
	}
	if err != nil && ctx.Err() == nil {
		r.ts.log.Warn("take the spooled reports", "file", path, "error", err)
	}
}

// read locks the open spool, takes its lines and removes it.
func (r *spoolReader) read(ctx context.Context, f *os.File, path string, patience time.Duration) error {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()

	if err := lockFile(waiting, f); err != nil {
		return err
	}
	if _, err := stillAt(path, f); err != nil {
		return ignoreError(err, fs.ErrNotExist) // another process has taken it; f is no longer the spool
	}

	text, err := io.ReadAll(io.LimitReader(f, maxSpool))
	if err != nil {
		return err
	}

	for line := range bytes.Lines(text) {
		if err := r.takeLine(ctx, line); err != nil {
			return err
		}
	}

	return os.Remove(path)
}

// takeLine takes one line of the spool as if its agent called now. It drops a line that is damaged or
// refused.
func (r *spoolReader) takeLine(ctx context.Context, line []byte) error {
	var s spooled
	if json.Unmarshal(line, &s) != nil {
		return nil
	}

	hash, err := hex.DecodeString(s.KeyHash)
	if err != nil {
		return nil
	}

	held := r.ts.roster.Keys.Find(hash)
	if held == nil {
		return nil
	}

	caller, ok := r.ts.roster.CallerOf(held.Member)
	if _, err := op.Find("report_state").Decode(s.Report); !ok || err != nil {
		return nil
	}
	var req parley.ReportStateRequest
	if json.Unmarshal(s.Report, &req) != nil {
		return nil
	}

	req.Waits = false // its hook has gone on
	_, err = r.ts.ReportState(parley.WithCaller(ctx, caller), req)
	if parley.ErrorCode(err) == parley.NotAuthorized {
		return nil
	}

	return err
}

func (ts *Terminals) ReportState(
	ctx context.Context, req parley.ReportStateRequest,
) (*parley.ReportStateResult, error) {
	m, err := ts.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	if m.Kind != parley.KindTerminal {
		return nil, parley.Errorf(parley.NotAuthorized, "%s has no terminal whose state it could report", m.Name).
			Suggest("Leave this to the hooks of agents that were launched; others are known by their calls.")
	}

	defer ts.watcher.lookSoon()
	prints, err := ts.give(ctx, m, &req)
	if err != nil { // what it says of its program counts without that
		ts.log.Warn("A hook gets no message", "agent", m.Name, "error", err)
	}
	if prints != "" && !isReported(m, req.Event) {
		req.State = "busy" // its turn goes on
	}

	named, err := ts.roster.Report(ctx, m, req)
	if err != nil && prints == "" {
		return nil, err
	}

	return &parley.ReportStateResult{Answer: parley.OK, Named: append([]string{}, named...), Prints: prints}, nil
}
