package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/internal/must"
	"parley/internal/testhome"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/sys/unix"
)

// BenchmarkScreenStart is from the start of the program to the frame that shows 200 agents
// and the newest of 1,000 messages, in a terminal of 200×60. The daemon runs already.
func BenchmarkScreenStart(b *testing.B) {
	h := testhome.New(b)
	h.Env = append(h.Env, "PARLEY_REGISTRATIONS_PER_MINUTE=10000", "PARLEY_MESSAGES_PER_MINUTE=1000000")
	newest := fill(b, h, 200, 1000)
	var times []time.Duration
	for b.Loop() {
		times = append(times, startScreen(b, h, "200 idle", newest))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2]), "p50-ns")
	b.ReportMetric(float64(times[len(times)*95/100]), "p95-ns")
}

// fill registers agents, sends them messages, and returns the last one's text.
func fill(b *testing.B, h *testhome.Home, agents, messages int) (newest string) {
	b.Helper()
	testhome.Run[daemon.Info](b, h, "serve")
	text, err := os.ReadFile(filepath.Join(h.Workspace, daemon.StateDir, "daemon.json"))
	var info daemon.Info
	if err == nil {
		err = json.Unmarshal(text, &info)
	}
	if err != nil {
		b.Fatal(err)
	}

	daemon := client.New(client.Options{Socket: info.Socket, Key: operatorKey})
	defer daemon.Close()

	name := func(i int) string { return fmt.Sprintf("agent-%03d", i%agents) }
	for i := range agents {
		must.Have(daemon.RegisterAgent(b.Context(), parley.RegisterAgentRequest{Username: name(i)}))(b)
	}

	for i := range messages {
		newest = fmt.Sprintf("please-look-at-module-%d", i)
		must.Have(daemon.SendMessage(b.Context(), parley.SendMessageRequest{To: parley.Names{name(i)},
			Text: newest}))(b)
	}

	return newest
}

// startScreen opens the screen in a terminal of its own, and returns how long it took
// until all of these stood there.
func startScreen(b *testing.B, h *testhome.Home, want ...string) time.Duration {
	b.Helper()
	near, far := openTerminal(b, 200, 60)
	defer near.Close()

	cmd := h.Command()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = far, far, far
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	begun := time.Now()
	must.Do(b, cmd.Start())
	defer end(cmd)

	_ = far.Close()
	_ = near.SetReadDeadline(begun.Add(testhome.Patience))
	var shown strings.Builder
	buffer := make([]byte, 64<<10)
	for {
		n, err := near.Read(buffer)
		if err != nil {
			b.Fatalf("%v is not shown: %v\n%s", want, err, ansi.Strip(shown.String()))
		}

		shown.Write(buffer[:n])
		plain := ansi.Strip(shown.String())
		if !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(plain, w) }) {
			return time.Since(begun)
		}
	}
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
