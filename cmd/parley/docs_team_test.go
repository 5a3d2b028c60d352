package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
	"parley/internal/testhome"
)

// The team of the page on worktrees starts word for word in any repository, also in one that has no .env and no
// package.json.
func TestTeamOfTheDocsStartsInAnyRepository(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}

	team := ""
	for _, block := range yamlBlock.FindAllStringSubmatch(documents(t)["worktrees.md"], -1) {
		if strings.Contains(block[1], "worktrees:") {
			team = block[1]
		}
	}
	if team == "" {
		t.Fatal("the page has no such team")
	}

	h := testhome.New(t)
	must.Do(t, os.WriteFile(filepath.Join(h.Workspace, "parley.yaml"), []byte(team), 0o600))
	bin := filepath.Join(h.Dir, "bin")
	must.Do(t, os.Mkdir(bin, 0o755))
	must.Do(t, os.WriteFile(filepath.Join(bin, "claude"), []byte("#!/bin/sh\nexec cat\n"), 0o755))
	h.Env = append(h.Env, "PATH="+bin+":"+os.Getenv("PATH"))

	cmd := exec.Command("sh", "-c", `set -e
git init -q .
git -c user.name=t -c user.email=t@example.com commit -q --allow-empty -m first
parley trust --yes
parley up`)
	cmd.Dir, cmd.Env = h.Workspace, h.Env
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Not copied, as the repository has none: .env") {
		t.Fatalf("%v:\n%s", err, out)
	}
}
