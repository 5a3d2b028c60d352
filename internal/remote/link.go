package remote

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
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"parley"
	"parley/internal/sh"
	"parley/plain"
)

// greeting is what the other end says, up to the end of the line, before the daemon's bytes. Before it
// may stand what a shell prints when it starts, also in the same line: the title of a terminal has no end
// of a line.
const greeting = "parley-link 1 "

// refusal begins the error that may stand in the greeting's place.
const refusal = `{"success":false,`

// Link is a connection to the daemon of another machine.
type Link struct {
	net.Conn
	Version string // of parley there

	ssh *exec.Cmd
}

// Dial connects to the daemon. ssh may ask for a passphrase on its terminal meanwhile. The error is
// that of the parley over there, or DAEMON_UNAVAILABLE with what ssh says.
func (h Host) Dial(ctx context.Context) (*Link, error) {
	args := []string{"link"}
	if h.Passive {
		args = append(args, "--passive")
	}
	ssh := h.Command(ctx, false, args...)
	l, said, err := start(ssh)
	if err != nil {
		return nil, h.failure(err, "")
	}

	stop := context.AfterFunc(ctx, func() { _ = l.SetDeadline(time.Unix(1, 0)) })
	l.Version, err = greet(l)
	if !stop() {
		err = context.Cause(ctx)
	}
	if err == nil {
		go func() { _ = ssh.Wait() }()
		return l, nil
	}

	theirs, own := errors.AsType[*parley.Error](err)
	_ = l.Conn.Close()
	_ = ssh.Process.Kill() // it may have ended: then its own status counts
	switch ended := ssh.Wait(); {
	case own:
		return nil, theirs
	case ctx.Err() != nil:
		return nil, h.failure(err, said())
	default:
		return nil, h.failure(ended, said())
	}
}

// start starts ssh with one end of a socket as its input and output. said returns the last line of its
// errors; call it once ssh has ended.
func start(ssh *exec.Cmd) (l *Link, said func() string, err error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make a socket for ssh: %w", err)
	}
	unix.CloseOnExec(ends[0])
	unix.CloseOnExec(ends[1])

	ours, theirs := os.NewFile(uintptr(ends[0]), "link"), os.NewFile(uintptr(ends[1]), "link of ssh")
	defer theirs.Close()
	defer ours.Close()
	conn, err := net.FileConn(ours)
	if err != nil {
		return nil, nil, fmt.Errorf("use the socket for ssh: %w", err)
	}

	// A shared connection keeps ssh's errors open for longer than ssh itself runs.
	errs, out, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	defer out.Close()

	ssh.Stdin, ssh.Stdout, ssh.Stderr = theirs, theirs, out
	if err := ssh.Start(); err != nil {
		return nil, nil, errors.Join(err, conn.Close(), errs.Close())
	}

	kept := make(chan string, 1)
	go func() { kept <- lastLine(errs) }()
	said = func() string {
		_ = errs.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
		return <-kept
	}

	return &Link{Conn: conn, ssh: ssh}, said, nil
}

// lastLine reads to the end, or to the deadline, and returns the last line that is not empty.
func lastLine(errs *os.File) string {
	defer errs.Close()
	last, part := "", make([]byte, 4096)
	var line []byte
	for {
		n, err := errs.Read(part)
		for _, c := range part[:n] {
			switch {
			case c != '\n' && len(line) < 1000:
				line = append(line, c)
			case c == '\n':
				last, line = keep(last, line), line[:0]
			}
		}
		if err != nil {
			return keep(last, line)
		}
	}
}

func keep(last string, line []byte) string {
	if text := strings.TrimSpace(plain.CleanLine(string(line))); text != "" {
		return text
	}
	return last
}

// maxNoise is how many bytes may stand before the greeting.
const maxNoise = 64 << 10

// greet reads up to the greeting, and not a byte further. An error of the parley over there is
// returned as it is.
func greet(r io.Reader) (version string, err error) {
	var line []byte
	c := make([]byte, 1)
	for range maxNoise {
		if _, err := io.ReadFull(r, c); err != nil {
			return "", err
		}
		if c[0] != '\n' {
			line = append(line, c[0])
			continue
		}

		if _, version, ok := strings.Cut(string(line), greeting); ok {
			return strings.TrimSpace(version), nil
		}
		if e := new(parley.Error); json.Unmarshal(line[max(0, bytes.Index(line, []byte(refusal))):], e) == nil &&
			e.Code != "" {
			e.Message, e.Action = plain.CleanLine(e.Message), plain.CleanLine(e.Action)
			return "", e
		}
		line = line[:0]
	}

	return "", errors.New("something else than parley answers there")
}

// failure explains why no link came to be.
func (h Host) failure(err error, said string) error {
	const ownStatus, notFound = 255, 127 // of ssh itself, and of the shell over there
	if errors.Is(err, exec.ErrNotFound) {
		return parley.Errorf(parley.DaemonUnavailable, "ssh is not installed here").Suggest("Install OpenSSH's client.")
	}

	ended, _ := errors.AsType[*exec.ExitError](err)
	switch {
	case ended != nil && ended.ExitCode() == notFound:
		return parley.Errorf(parley.DaemonUnavailable, "parley is not installed on %s", h.Address).
			Suggest("Install it there, in ~/.local/bin or another directory of its PATH.")
	case ended != nil && ended.ExitCode() == ownStatus && said != "":
		err = errors.New(said)
	case said != "":
		err = fmt.Errorf("%w: %s", err, said)
	}

	return parley.Errorf(parley.DaemonUnavailable, "%s cannot be reached: %w", h.Address, err).
		Suggest("Find out with: ssh %s", sh.Word(h.Address))
}

// Close ends the connection, and its ssh.
func (l *Link) Close() error {
	err := l.Conn.Close()
	_ = l.ssh.Process.Kill()
	return err
}

// Serve is the other end: it greets, and then passes bytes between in, out and the daemon until
// either side has no more.
func Serve(in io.Reader, out io.Writer, daemon *net.UnixConn, version string) error {
	if _, err := fmt.Fprintf(out, "%s%s\n", greeting, version); err != nil {
		return err
	}

	go func() {
		_, _ = io.Copy(daemon, in)
		_ = daemon.CloseWrite()
	}()
	_, err := io.Copy(out, daemon)
	return err
}
