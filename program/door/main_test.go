package door_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMain starts the tests again with a home of their own: doors look for it in the environment with which a program
// was started, and the tests are that program.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "terminal" { // a program in its terminal, until that ends
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	if len(os.Args) == 3 && os.Args[1] == "dial" {
		_, err := net.Dial("unix", os.Args[2])
		fmt.Println(err)
		os.Exit(0)
	}

	if os.Getenv("DOOR_TEST_HOME") == "" {
		home, err := os.MkdirTemp("", "door")
		if err == nil {
			env := append(os.Environ(), "DOOR_TEST_HOME="+home,
				"CLAUDE_CONFIG_DIR="+home+"/claude", "QWEN_HOME="+home+"/qwen")
			err = unix.Exec("/proc/self/exe", os.Args, env)
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}

	code := m.Run()
	if err := os.RemoveAll(os.Getenv("DOOR_TEST_HOME")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}
