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

// maxLine bounds how many bytes of one reply line are kept; the rest is read and
// dropped. No screen row and no format of this package comes near it.
const maxLine = 1 << 20

// grace is how long a client that was asked to leave may take before it is killed.
// A live one takes 4-9 ms.
const grace = 500 * time.Millisecond

// reply is the answer to one request: the text after the token, and the lines
// printed before it.
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

// conn is one control-mode client process. It owns three goroutines: one reads, one
// writes what callers have queued, and one keeps the thread that started the
// process. All end before ended is closed.
type conn struct {
	process *os.Process
	secret  string
	stdin   *os.File
	notify  func(line string)
	wake    chan struct{} // cap 1: something is queued
	lost    chan struct{} // closed at the first failure
	ended   chan struct{} // closed when the process is reaped and the goroutines have ended

	mu      sync.Mutex
	queued  []byte
	writing bool // the writer owns queued, so nothing else may write
	pending []*request
	next    uint64
	err     error // why lost was closed
}

// dial starts argv as a control client. The reader calls notify with every line
// outside a block; notify must not block.
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
		stdin:  stdinW,
		notify: notify,
		wake:   make(chan struct{}, 1),
		lost:   make(chan struct{}),
		ended:  make(chan struct{}),
	}

	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Stdin = env, stdinR
	cmd.Stdout, cmd.Stderr = stdoutW, stdoutW // a client that cannot attach prints the reason on either
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
		_ = cmd.Wait() // the reader reports why it ended
	}
}

// run reads until the client has ended, then ends the rest of the connection.
func (c *conn) run(stdout *os.File, reaped <-chan struct{}) {
	writer := make(chan struct{})
	go func() {
		defer close(writer)
		c.write()
	}()

	// The pipe of a killed client stays open while the server holds it, so reading
	// stops with the process and not with the pipe.
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
		line = append(line, part[:min(len(part), maxLine-len(line))]...)

		if err == bufio.ErrBufferFull {
			continue
		}

		return strings.TrimRight(string(line), "\r\n"), err
	}
}

// answer hands an event to its request, which is the oldest one: the server runs the
// lines of one client in order.
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

// finish answers the oldest request. The caller must hold mu.
func (c *conn) finish(r reply) {
	head := c.pending[0]
	c.pending[0] = nil
	c.pending = c.pending[1:]
	head.done <- r
}

// do implements transport.do on this connection. It fails with ErrDisconnected if
// the connection breaks.
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

// writeNow writes as much of the queue as the pipe takes at once, and reports whether
// that was all. It saves waking the writer for every line, which on a busy machine
// costs more than the rest of the command. The caller must hold mu, and the writer
// must not be writing.
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

// write writes what the pipe did not take at once. It waits until there is room, and
// then writes everything queued meanwhile in one system call.
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

// take returns the queue and leaves spare in its place. If the queue is empty it ends
// the writer's turn and returns nil.
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

// fail ends every request with err. Later calls do nothing.
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

// close asks the client to leave, kills it after grace, and returns when nothing of
// the connection is left.
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
