package door

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxFrame bounds a line that a program sends to parley, in bytes. The longest seen had 10 KB.
const maxFrame = 1 << 20

// readWithin is how long a program may take to read what came, before nobody waits for that.
const readWithin = time.Second

// dial connects to a program's unix socket. It is ErrClosed if another process is behind it.
func dial(ctx context.Context, path string, pid int) (*net.UnixConn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, closed("%w", err)
	}

	socket := conn.(*net.UnixConn)
	if err := checkPeer(socket, pid); err != nil {
		return nil, errors.Join(closed("%w", err), socket.Close())
	}

	return socket, nil
}

// listens returns an error unless the program is behind a unix socket.
func listens(ctx context.Context, path string, pid int) error {
	conn, err := dial(ctx, path, pid)
	if err != nil {
		return err
	}
	if err := conn.Close(); err != nil {
		return closed("%w", err)
	}
	return nil
}

// send writes all to a program's socket at once, within a time. After the first byte, an error leaves open what the
// program has read.
func send(ctx context.Context, path string, pid int, all []byte) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()

	conn, err := dial(ctx, path, pid)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { conn.SetWriteDeadline(time.Unix(1, 0)) })
	defer stop()

	n, err := conn.Write(all)
	if err != nil && n == 0 {
		err = closed("%w", err)
	}
	if err == nil {
		err = errors.Join(conn.CloseWrite(), waitForEnd(conn))
	}

	return errors.Join(err, conn.Close())
}

// waitForEnd waits a moment for a program to close a connection: it has then read all, and says nothing on it. It is
// an error if it broke the connection off.
func waitForEnd(conn net.Conn) error {
	if err := conn.SetReadDeadline(time.Now().Add(readWithin)); err != nil {
		return err
	}
	_, err := conn.Read(make([]byte, 1))
	if errors.Is(err, io.EOF) || errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return err
}

// inbox is a socket on which a program tells parley what became of letters.
type inbox struct {
	path     string
	listener net.Listener
	frame    func(line []byte) // called for each line, by one goroutine at a time

	running sync.WaitGroup
	mu      sync.Mutex
	conns   map[net.Conn]bool // nil: it is closed
}

// listen opens an inbox in a directory that is the user's alone. Its name is one that programs accept as an address:
// hexadecimal digits.
func listen(dir string, pid int, frame func([]byte)) (*inbox, error) {
	info, err := os.Stat(dir)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = errors.New(dir + " is open to others")
	}
	if err != nil {
		return nil, err
	}

	name, err := randomBytes(8)
	if err != nil {
		return nil, err
	}
	b := &inbox{
		path: filepath.Join(dir, hex.EncodeToString(name)+".sock"), frame: frame, conns: map[net.Conn]bool{},
	}
	if b.listener, err = net.Listen("unix", b.path); err != nil {
		return nil, err
	}
	if err := os.Chmod(b.path, 0o600); err != nil {
		return nil, errors.Join(err, b.listener.Close())
	}

	b.running.Go(func() { b.accept(pid) })

	return b, nil
}

func randomBytes(n int) ([]byte, error) {
	b := make([]byte, n)
	_, err := rand.Read(b)
	return b, err
}

func (b *inbox) accept(pid int) {
	for {
		conn, err := b.listener.Accept()
		if err != nil {
			return // closed
		}
		b.running.Go(func() {
			defer b.end(conn)
			if b.begin(conn) && checkPeer(conn.(*net.UnixConn), pid) == nil {
				b.read(conn)
			}
		})
	}
}

// begin notes a connection, and reports whether the inbox is open.
func (b *inbox) begin(conn net.Conn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conns == nil {
		return false
	}
	b.conns[conn] = true
	return true
}

func (b *inbox) end(conn net.Conn) {
	_ = conn.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.conns, conn)
}

// read reads lines until the program has nothing to say for a while.
func (b *inbox) read(conn net.Conn) {
	lines := bufio.NewReader(conn)
	for {
		if conn.SetReadDeadline(time.Now().Add(answerWithin)) != nil {
			return
		}
		line, err := readLine(lines, maxFrame)
		if err != nil {
			return
		}
		b.mu.Lock()
		b.frame(line)
		b.mu.Unlock()
	}
}

// close ends the inbox, whoever is still talking.
func (b *inbox) close() error {
	err := b.listener.Close()
	b.mu.Lock()
	for conn := range b.conns {
		_ = conn.Close()
	}
	b.conns = nil
	b.mu.Unlock()
	b.running.Wait()
	return err
}

// environment returns a variable with which a program was started.
func environment(pid int, name string) string {
	all, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil {
		return "" // the system does not tell
	}
	for entry := range strings.SplitSeq(string(all), "\x00") {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
