package tui

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

var update = flag.Bool("update", false, "write the golden views anew")

// The first makes the test binary be the screen, over a fake service; the second
// names the tmux server whose sessions play its agents' terminals.
const (
	screenVariable = "PARLEY_TEST_SCREEN"
	socketVariable = "PARLEY_TEST_SOCKET"
)

func TestMain(m *testing.M) {
	var f *fakeService
	switch os.Getenv(screenVariable) {
	case "":
		os.Exit(m.Run())
	case "busy":
		f = busyTeam()
	default:
		f = newFake()
	}

	o := f.options()
	o.Environ, o.Mouse = os.Environ(), true
	o.Attach = func(name string) (*exec.Cmd, error) {
		return exec.Command("env", "-u", "TMUX", "tmux", "-u", "-S", os.Getenv(socketVariable), "attach-session", "-t",
			"="+name), nil
	}

	if err := Run(context.Background(), o, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
