package door_test

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMain starts the tests again with a home of their own: doors look for it in the environment with which a program
// was started, and the tests are that program.
func TestMain(m *testing.M) {
	if os.Getenv("DOOR_TEST_HOME") == "" {
		home, err := os.MkdirTemp("", "door")
		if err == nil {
			env := append(os.Environ(), "DOOR_TEST_HOME="+home, "CLAUDE_CONFIG_DIR="+home+"/claude", "QWEN_HOME="+home+"/qwen")
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
