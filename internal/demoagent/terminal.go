package demoagent

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// terminal is the tty in raw mode.
type terminal struct {
	in, out *os.File
	before  *term.State
}

const (
	bracketOn  = "\x1b[?2004h"
	bracketOff = "\x1b[?2004l"
)

func openTerminal(in, out *os.File) (*terminal, error) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil, fmt.Errorf("put the terminal into raw mode: %w", err)
	}
	t := &terminal{in: in, out: out, before: before}
	if _, err := io.WriteString(out, bracketOn); err != nil {
		t.restore()
		return nil, fmt.Errorf("write to the terminal: %w", err)
	}
	return t, nil
}

// restore puts the terminal back as it was. It ignores the error of one that has gone.
func (t *terminal) restore() {
	_, _ = io.WriteString(t.out, bracketOff)
	_ = term.Restore(int(t.in.Fd()), t.before)
}

// size returns the terminal's size, 80x24 if it is not known.
func (t *terminal) size() (columns, rows int) {
	columns, rows, err := term.GetSize(int(t.out.Fd()))
	if err != nil || columns < 1 || rows < 1 {
		return 80, 24
	}
	return columns, rows
}

// read sends typed bytes to out until the terminal has gone or stop becomes readable, and
// then closes out.
func (t *terminal) read(stop *os.File, out chan<- []byte) {
	defer close(out)
	buf := make([]byte, 64<<10)
	for t.wait(stop) {
		n, err := t.in.Read(buf)
		if n > 0 {
			out <- append([]byte(nil), buf[:n]...)
		}
		if err != nil || n == 0 {
			return
		}
	}
}

// wait waits until the terminal can be read, and reports false if stop can be read.
func (t *terminal) wait(stop *os.File) bool {
	fds := []unix.PollFd{{Fd: int32(t.in.Fd()), Events: unix.POLLIN}, {Fd: int32(stop.Fd()), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds, -1)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return err == nil && fds[1].Revents == 0
	}
}

// escapeWithin is how long the rest of a sequence may take after its escape byte.
// Terminals send both at once.
const escapeWithin = 50 * time.Millisecond
