package tmuxtest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"

	"parley/tmux"
)

// Forked types text with a tmux process, like a shell script: one command for load-buffer,
// paste-buffer and Enter.
func Forked(ctx context.Context, s *tmux.Server, pane, text string) error {
	buffer := Name("forked")
	cmd := exec.CommandContext(ctx, Binary(), "-S", s.SocketPath(),
		"load-buffer", "-b", buffer, "-", ";", "paste-buffer", "-p", "-d", "-r", "-b", buffer, "-t", pane, ";",
		"send-keys", "-t", pane, "Enter")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// Bare is a minimal control-mode client, the baseline for guarded messages: set-buffer,
// paste and Enter in one line, without a guard or a record. It counts blocks, which is
// correct only because nothing else happens.
type Bare struct {
	cmd *exec.Cmd
	in  io.WriteCloser

	mu      sync.Mutex
	waiting []chan error
}

// OpenBare attaches a bare client to the server's hub.
func OpenBare(s *tmux.Server) (*Bare, error) {
	cmd := exec.Command(Binary(), "-S", s.SocketPath(), "-C", "attach-session", "-t", "=_hub", "-f",
		"no-output,ignore-size")

	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}

	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}

	b := &Bare{cmd: cmd, in: in}
	go b.read(out)

	return b, nil
}

func (b *Bare) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	left := 3
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "%error ") && strings.HasSuffix(line, " 1"):
			left = 3
			b.answer(fmt.Errorf("tmux refused"))
		case strings.HasPrefix(line, "%end ") && strings.HasSuffix(line, " 1"):
			if left--; left == 0 {
				left = 3
				b.answer(nil)
			}
		}
	}

	b.mu.Lock()
	defer b.mu.Unlock()

	for _, w := range b.waiting {
		w <- io.ErrUnexpectedEOF
	}

	b.waiting = nil
}

func (b *Bare) answer(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiting) > 0 {
		b.waiting[0] <- err
		b.waiting = b.waiting[1:]
	}
}

// Start writes the line for one message. The channel receives its result.
func (b *Bare) Start(pane, text string) (<-chan error, error) {
	line := fmt.Sprintf("set-buffer -b bare -- %s ; paste-buffer -p -d -r -b bare -t %s ; send-keys -t %s Enter\n",
		octal(text), pane, pane)
	done := make(chan error, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = append(b.waiting, done)
	_, err := io.WriteString(b.in, line)
	return done, err
}

// Send types text and waits until tmux has run it.
func (b *Bare) Send(pane, text string) error {
	done, err := b.Start(pane, text)
	if err != nil {
		return err
	}
	return <-done
}

// SendAll types text into every pane, pipelined, and waits for the last.
func (b *Bare) SendAll(panes []string, text string) error {
	waits := make([]<-chan error, len(panes))
	for i, pane := range panes {
		done, err := b.Start(pane, text)
		if err != nil {
			return err
		}
		waits[i] = done
	}

	for _, done := range waits {
		if err := <-done; err != nil {
			return err
		}
	}

	return nil
}

// Close ends the client.
func (b *Bare) Close() error {
	b.in.Close()
	return b.cmd.Wait()
}

func octal(text string) string {
	var q strings.Builder
	q.WriteByte('"')
	for _, c := range []byte(text) {
		if c < 0x20 || c > 0x7e || strings.IndexByte(`"\$~`, c) >= 0 {
			fmt.Fprintf(&q, "\\%03o", c)
		} else {
			q.WriteByte(c)
		}
	}
	q.WriteByte('"')
	return q.String()
}
