package tmux

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// maxLine bounds what is kept of one line of a reply; the rest of a longer one is
// read and dropped. No screen row or format of ours comes near it.
const maxLine = 1 << 20

// grace is how long a client that was asked to leave may take before it is
// killed. A live one takes 4-9 ms.
const grace = 500 * time.Millisecond

// reply is what one request was answered: the text behind the token, and the
// lines printed before it.
type reply struct {
	text  string
	lines []string
	err   error
}

type request struct {
	number uint64
	lines  []string
	block  int // len(lines) when the open block began: an error's text starts here
	done   chan reply
}

// conn is one control-mode client process. It owns a goroutine that reads, one
// that writes what callers have queued, and one that holds the thread which
// started the process; all end before ended is closed.
type conn struct {
	process *os.Process
	secret  string
	stdin   *os.File
	notify  func(line string)
	wake    chan struct{} // cap 1: something is queued
	lost    chan struct{} // closed at the first failure
	ended   chan struct{} // closed when the process is reaped and the goroutines are done

	mu      sync.Mutex
	queued  []byte
	writing bool // the writer has queued, so nobody else may write
	pending []*request
	next    uint64
	err     error // why lost was closed
}

// dial starts argv as a control client. notify is called from the reader with
// every line outside a block, and must not block.
func dial(argv, env []string, notify func(string)) (*conn, error) {
	secret := make([]byte, 8)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}

	stdinR, stdinW, err := os.Pipe()
	if err != nil {
		return nil, err
	}

	stdoutR, stdoutW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdinR.Close(), stdinW.Close())
	}

	c := &conn{
		secret: "p" + hex.EncodeToString(secret) + "-",
		stdin:  stdinW, notify: notify,
		wake: make(chan struct{}, 1), lost: make(chan struct{}), ended: make(chan struct{}),
	}

	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Stdin = env, stdinR
	cmd.Stdout, cmd.Stderr = stdoutW, stdoutW // why it cannot attach is said on either
	cmd.SysProcAttr = diesWithParent()
	started := make(chan error, 1)
	reaped := make(chan struct{})
	go c.keep(cmd, started, reaped)
	err = <-started
	stdinR.Close()
	stdoutW.Close()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrNotInstalled, err), stdinW.Close(), stdoutR.Close())
	}

	go c.run(stdoutR, reaped)

	return c, nil
}

// keep starts the process and stays on its thread until it ends.
func (c *conn) keep(cmd *exec.Cmd, started chan<- error, reaped chan<- struct{}) {
	defer close(reaped)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Start()
	c.process = cmd.Process
	started <- err
	if err == nil {
		_ = cmd.Wait() // the reader has seen why
	}
}

// run reads until the client is gone, then winds up everything of the connection.
func (c *conn) run(stdout *os.File, reaped <-chan struct{}) {
	writer := make(chan struct{})
	go func() {
		defer close(writer)
		c.write()
	}()

	// A client that was killed leaves its pipe open for as long as the server
	// holds it; reading stops with the process and not with the pipe.
	unblock := make(chan struct{})
	go func() {
		defer close(unblock)
		<-reaped
		_ = stdout.SetReadDeadline(time.Now().Add(grace))
	}()

	err := c.read(stdout)
	c.fail(err)
	_ = c.stdin.SetWriteDeadline(time.Now())
	<-writer
	c.stdin.Close()
	select {
	case <-reaped:
	case <-time.After(grace):
		_ = c.process.Kill()
	}

	<-unblock
	stdout.Close()
	close(c.ended)
}

func (c *conn) read(r io.Reader) error {
	in := bufio.NewReaderSize(r, 64<<10)
	p := parser{secret: c.secret}
	for {
		line, err := readLine(in)
		if err != nil {
			return fmt.Errorf("%w: end of output", ErrDisconnected)
		}

		switch e := p.feed(line); e.kind {
		case eventNotice:
			if reason, ok := strings.CutPrefix(e.line, "%exit"); ok {
				return fmt.Errorf("%w: tmux said exit%s", ErrDisconnected, reason)
			}
			c.notify(e.line)
		case eventNone:
		default:
			c.answer(e)
		}
	}
}

func readLine(in *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if room := maxLine - len(line); len(part) > room && room >= 0 {
			line = append(line, part[:room]...)
		} else if room > 0 {
			line = append(line, part...)
		}

		if err == bufio.ErrBufferFull {
			continue
		}

		return strings.TrimRight(string(line), "\r\n"), err
	}
}

// answer hands an event to the request it belongs to: the oldest one, because the
// server runs the lines of one client in order.
func (c *conn) answer(e event) {
	c.mu.Lock()
	defer c.mu.Unlock()

	if e.kind == eventToken {
		for len(c.pending) > 0 && c.pending[0].number < e.number {
			c.finish(reply{err: fmt.Errorf("%w: the reply was lost", ErrDisconnected)})
		}

		if len(c.pending) > 0 && c.pending[0].number == e.number {
			c.finish(reply{text: e.line, lines: c.pending[0].lines})
		}

		return
	}

	if len(c.pending) == 0 {
		return
	}

	head := c.pending[0]
	switch e.kind {
	case eventBegin:
		head.block = len(head.lines)
	case eventOutput:
		head.lines = append(head.lines, e.line)
	case eventError:
		c.finish(reply{err: &CommandError{Text: strings.Join(head.lines[head.block:], " ")}})
	}
}

// finish answers the oldest request. The caller holds mu.
func (c *conn) finish(r reply) {
	head := c.pending[0]
	c.pending[0] = nil
	c.pending = c.pending[1:]
	head.done <- r
}

// do writes the one command line that compose makes of a token, and waits for the
// line that carries the token, or for an error. The line must print its token as
// its very last act, and must not contain a line feed. When ctx ends first the
// line may still be run. A broken connection is ErrDisconnected.
func (c *conn) do(ctx context.Context, compose func(token string) string) (reply, error) {
	req := &request{done: make(chan reply, 1)}
	if err := c.enqueue(req, compose); err != nil {
		return reply{}, err
	}
	select {
	case r := <-req.done:
		return r, r.err
	case <-ctx.Done():
		return reply{}, context.Cause(ctx)
	}
}

func (c *conn) enqueue(req *request, compose func(token string) string) error {
	c.mu.Lock()
	defer c.mu.Unlock()

	if c.err != nil {
		return c.err
	}

	c.next++
	req.number = c.next
	line := compose(c.secret + strconv.FormatUint(req.number, 10))
	if line == "" || strings.ContainsAny(line, "\n\r\x00") {
		return invalid("command line %q", line) // an empty line would detach
	}

	c.queued = append(append(c.queued, line...), '\n')
	c.pending = append(c.pending, req)
	if c.writing || c.writeNow() {
		return nil
	}

	c.writing = true
	select {
	case c.wake <- struct{}{}:
	default:
	}

	return nil
}

// writeNow writes what is queued as far as the pipe takes it at once, and reports
// whether that was all. It saves a caller from waking the writer for every line,
// which on a busy machine costs more than the rest of the command. The caller holds
// mu, and the writer is not writing.
func (c *conn) writeNow() bool {
	raw, err := c.stdin.SyscallConn()
	if err != nil {
		return false
	}

	n := 0
	err = raw.Write(func(fd uintptr) bool {
		n, err = unix.Write(int(fd), c.queued)
		return true // never wait here
	})
	if n > 0 {
		c.queued = c.queued[:copy(c.queued, c.queued[n:])]
	}

	return err == nil && len(c.queued) == 0
}

// write is for what the pipe did not take: it waits until there is room, with
// everything queued meanwhile in one system call.
func (c *conn) write() {
	var spare []byte
	for {
		select {
		case <-c.wake:
		case <-c.lost:
			return
		}

		for lines := c.take(spare); lines != nil; lines = c.take(spare) {
			if _, err := c.stdin.Write(lines); err != nil {
				c.fail(fmt.Errorf("%w: %w", ErrDisconnected, err))
				return
			}

			if spare = lines; cap(spare) > 1<<20 {
				spare = nil
			}
		}
	}
}

// take returns what is queued and leaves spare in its place; when that is nothing
// it ends the writer's turn and returns nil.
func (c *conn) take(spare []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queued) == 0 {
		c.writing = false
		return nil
	}
	lines := c.queued
	c.queued = spare[:0]
	return lines
}

// fail ends every request with err, once.
func (c *conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = err
	for len(c.pending) > 0 {
		c.finish(reply{err: err})
	}
	close(c.lost)
}

// close asks the client to leave, kills it if it does not within grace, and
// returns when nothing of the connection is left.
func (c *conn) close(reason error) {
	c.fail(reason)
	c.stdin.Close() // end of input detaches a control client
	select {
	case <-c.ended:
	case <-time.After(grace):
		_ = c.process.Kill()
		<-c.ended
	}
}
