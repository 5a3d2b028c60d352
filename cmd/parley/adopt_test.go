package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/internal/must"
)

// The page on adopting is run word for word, with an agent in a tmux of the user's own.
func TestAdoptPageWorks(t *testing.T) {
	t.Parallel()
	script := strings.Builder{}
	script.WriteString(
		"exec tmux -f /dev/null new-session -d -s work -x 100 -y 30 parley demo-agent\nuntil '^›' tmux capture-pane " +
			"-p -t work\n",
	)

	tried := 0
	for _, block := range consoleBlock.FindAllStringSubmatch(documents(t)["terminals.md"], -1) {
		for line := range strings.Lines(block[1]) {
			if command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ "); ok && !interactive[command] {
				script.WriteString("exec " + strings.ReplaceAll(command, `"`, `'`) + "\n")
				tried++
			}
		}
	}

	if tried < 4 {
		t.Fatalf("the page has only %d commands to try", tried)
	}

	script.WriteString("exec tmux kill-server\n")
	file := filepath.Join(t.TempDir(), "adopt-page.txtar")
	must.Do(t, os.WriteFile(file, []byte(script.String()), 0o600))

	params := stories(t)
	params.Dir, params.Files = "", []string{file}
	testscript.Run(t, params)
}
