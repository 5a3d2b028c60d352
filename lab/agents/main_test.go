package agents

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestMain builds parley and puts it first in PATH, if there are programs to try. In the end it
// draws the page with what was found, where that is wanted.
func TestMain(m *testing.M) {
	if os.Getenv(agentsDir) == "" {
		os.Exit(m.Run())
	}

	dir, err := buildParley()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}

	code := m.Run()
	if page := os.Getenv(agentsPage); page != "" {
		if err := draw(page); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// buildParley builds the program into a directory of its own and returns that.
func buildParley() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "parley-trial-"); err != nil {
		return "", err
	}

	out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "parley"), "../../cmd/parley").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build parley: %w\n%s", err, out)
	}

	return dir, os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}
