package tmux

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// CanKeep reports whether Keep works on this system.
const CanKeep = true

// Keep runs a command that starts a tmux server, prints what it said, closes standard output, and stays as
// long as anything lives that descends from the server. The system makes it the parent of every such
// process whose own parent has ended, so each can still be traced back to here.
func Keep(argv []string) error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the parent of orphans: %w", err)
	}
	// Only the end of what it keeps ends it. The server would inherit ignored signals, but not caught ones.
	signal.Notify(make(chan os.Signal, 1),
		syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGPIPE)

	start := exec.Command(argv[0], argv[1:]...)
	said, err := start.CombinedOutput()
	if err != nil && len(said) == 0 {
		said = []byte(err.Error())
	}
	_, _ = os.Stdout.Write(said)
	_ = os.Stdout.Close()

	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(-1, &status, 0, nil)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return nil // ECHILD: nothing is left to keep
		}
	}
}

// diesWithParent makes the kernel kill the child when the thread that started it
// ends, so conn must keep that thread. A client that outlives a killed daemon stays
// attached and then hangs kill-server (28 of 103 kills without, 0 of 101 with). The
// child gets its own process group, so that a Ctrl-C in the daemon's terminal does
// not reach it.
func diesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
