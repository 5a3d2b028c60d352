package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/sys/unix"

	"parley/internal/must"
	"parley/internal/testhome"
)

// benchScreen is the screen of a program in a terminal of its own.
type benchScreen struct {
	cmd  *exec.Cmd
	near *os.File
	read chan struct{} // closed when everything is read
	news chan struct{} // has something when more was written

	mu    sync.Mutex
	begun time.Time // of the program, or the last key
	shown []byte    // since then
	at    time.Time // of the last of it
}

func openBenchScreen(b *testing.B, h *testhome.Home) *benchScreen {
	b.Helper()
	near, far := openTerminal(b, 200, 60)
	s := &benchScreen{cmd: h.Command(), near: near, read: make(chan struct{}), news: make(chan struct{}, 1)}
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = far, far, far
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	s.begun = time.Now()
	must.Do(b, s.cmd.Start())

	_ = far.Close()
	go s.look()

	return s
}

// look reads what the program writes, until that ends.
func (s *benchScreen) look() {
	defer close(s.read)
	buffer := make([]byte, 64<<10)
	for {
		n, err := s.near.Read(buffer)
		if err != nil {
			return
		}

		s.mu.Lock()
		s.shown, s.at = append(s.shown, buffer[:n]...), time.Now()
		s.mu.Unlock()
		select {
		case s.news <- struct{}{}:
		default:
		}
	}
}

// press types keys. What was shown before counts no longer.
func (s *benchScreen) press(b *testing.B, keys string) {
	b.Helper()
	s.mu.Lock()
	s.shown, s.begun = s.shown[:0], time.Now()
	s.mu.Unlock()
	must.Have(s.near.WriteString(keys))(b)
}

// until waits until all of these were written, and returns how long it took.
func (s *benchScreen) until(b *testing.B, want ...string) time.Duration {
	b.Helper()
	var forms []*regexp.Regexp
	for _, w := range want {
		forms = append(forms, regexp.MustCompile(regexp.QuoteMeta(w)))
	}
	return s.untilForms(b, forms...)
}

// markerMoved is the marker on a row of the traffic, which begins with a time. The marker alone also stands in
// the title and in the bar, whose counts change as events come.
var markerMoved = regexp.MustCompile(`▸ \d\d:\d\d`)

// untilForms is until for regular expressions.
func (s *benchScreen) untilForms(b *testing.B, want ...*regexp.Regexp) time.Duration {
	b.Helper()
	deadline := time.After(testhome.Patience)
	for {
		s.mu.Lock()
		plain, took, missing := ansi.Strip(string(s.shown)), s.at.Sub(s.begun), 0
		s.mu.Unlock()
		for _, w := range want {
			if !w.MatchString(plain) {
				missing++
			}
		}
		if missing == 0 {
			return took
		}

		select {
		case <-s.news:
		case <-s.read:
			b.Fatalf("the screen has ended before it shows %q:\n%s", want, plain)
		case <-deadline:
			b.Fatalf("%q is not shown:\n%s", want, plain)
		}
	}
}

func (s *benchScreen) close() {
	end(s.cmd)
	_ = s.near.Close()
	<-s.read
}

// memory returns what the program has in memory, in MB.
func (s *benchScreen) memory(b *testing.B) float64 {
	b.Helper()
	raw := must.Have(os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.cmd.Process.Pid)))(b)
	return must.Have(strconv.ParseFloat(strings.Fields(string(raw))[1], 64))(b) * float64(os.Getpagesize()) / 1e6
}

// processorTime returns for how long the program's threads ran.
func (s *benchScreen) processorTime(b *testing.B) (sum time.Duration) {
	b.Helper()
	files := must.Have(filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.cmd.Process.Pid)))(b)
	for _, file := range files {
		if raw, err := os.ReadFile(file); err == nil { // a thread may have ended
			sum += time.Duration(must.Have(strconv.ParseInt(strings.Fields(string(raw))[0], 10, 64))(b))
		}
	}
	if sum == 0 {
		b.Skip("this kernel does not tell how long threads ran")
	}
	return sum
}

func end(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// openTerminal opens a terminal: the end of who looks at it, and the program's.
func openTerminal(b testing.TB, w, h uint16) (near, far *os.File) {
	b.Helper()
	near, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		b.Skipf("no terminal can be opened: %v", err)
	}

	conn := must.Have(near.SyscallConn())(b) // Fd would make its reads block for good

	number := 0
	if ctl := conn.Control(func(fd uintptr) {
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err != nil {
			return
		}
		if err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: w, Row: h}); err != nil {
			return
		}

		number, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
	}); ctl != nil || err != nil {
		b.Fatal(ctl, err)
	}

	far = must.Have(os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0))(b)

	return near, far
}
