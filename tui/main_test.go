package tui

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"parley/internal/demoagent"
	"parley/internal/must"
	"parley/orchestrator/terminal"
)

var update = flag.Bool("update", false, "write the golden views anew")

// demoAgent as the first argument makes the test binary the scripted agent.
const demoAgent = "demo-agent"

// TestMain lets the test binary be parley's launcher and the scripted agent.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 3 && os.Args[1] == "_exec":
		fmt.Fprintln(os.Stderr, terminal.Exec(os.Args[2]))
		os.Exit(terminal.ExecFailed)
	case len(os.Args) > 1 && os.Args[1] == demoAgent:
		os.Exit(demoagent.Main(context.Background(), demoagent.Program{
			Args: os.Args[2:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		}))
	}
	os.Setenv("GOTMPDIR", must.Memory()) // for t.TempDir
	os.Exit(m.Run())
}
