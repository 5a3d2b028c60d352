package tmux_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"parley/tmux/tmuxtest"
)

// TestMain is also the fake agent and the child of the kill test. At the end it fails if a
// goroutine of a server is left.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == argSender {
		os.Exit(sender(os.Args[2]))
	}
	code := tmuxtest.Main(m)
	if code == 0 && len(os.Args) > 1 && os.Args[1] != "--tmuxtest-agent" {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}
