package agents

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"parley"
	"parley/internal/testhome"
)

// agentsSandbox makes ann run in a sandbox, in a worktree of a repository.
const agentsSandbox = "PARLEY_TEST_SANDBOX"

func sandboxed() bool { return os.Getenv(agentsSandbox) != "" }

// workdir returns where ann runs.
func workdir(h *testhome.Home) string {
	if sandboxed() {
		return filepath.Join(h.Workspace, ".worktrees", "ann")
	}
	return h.Workspace
}

// inSandbox makes the workspace a repository, and returns the flags by which ann runs in a sandbox: with the key of its
// model.
func inSandbox(t *testing.T, h *testhome.Home) (flags []string) {
	if !sandboxed() {
		return nil
	}
	for _, words := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.name", "Ann"}, {"config", "user.email", "ann@example.org"},
		{"commit", "-q", "--allow-empty", "-m", "one"},
	} {
		git(t, h, words...)
	}
	for _, entry := range h.Env {
		if name, _, _ := strings.Cut(entry, "="); strings.Contains(name, "_KEY") && !strings.HasPrefix(name, "PARLEY_") {
			flags = append(flags, "--env", entry)
		}
	}
	return append(flags, "--sandbox", "--worktree")
}

// git runs git in the main checkout.
func git(t *testing.T, h *testhome.Home, words ...string) string {
	t.Helper()
	cmd := exec.Command("git", words...)
	cmd.Dir, cmd.Env = h.Workspace, h.Env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", words, err, out)
	}
	return strings.TrimSpace(string(out))
}

// intoCommit has the program commit in its worktree and run git gc there, which the operator permits from outside where
// it asks. Outside, the commit is on its branch alone, and the repository is sound.
func (t *trial) intoCommit() {
	subject := "c" + strconv.Itoa(t.n)
	t.tells("SLEEP 1 and " + t.program.runs("git commit -q --allow-empty -m "+subject+"; git gc -q"))
	t.says()
	committed := func() bool { return git(t.T, t.Home, "log", "-1", "--format=%s", "parley/ann/work") == subject }
	if !t.until(endurance, func() bool {
		if t.look().State == parley.StateWaiting {
			t.permit()
		}
		return committed()
	}) {
		t.fails(&t.Wrong, "it did not commit: %s", git(t.T, t.Home, "log", "--oneline", "--all"))
		return
	}
	t.tell("it committed %s", subject)
	if got := git(t.T, t.Home, "log", "--format=%s", "main"); got != "one" {
		t.fails(&t.Wrong, "main has %q", got)
	}
	git(t.T, t.Home, "fsck", "--strict")
}

// permit chooses the first option of the program's question.
func (t *trial) permit() {
	d := testhome.Run[parley.AnswerDialogResult](t.T, t.Home, "answer", "ann").Dialog
	if d == nil || len(d.Options) == 0 {
		return // it is not drawn yet
	}
	out, err := t.Command("answer", "ann", "--dialog", d.ID, d.Options[0].Choice).CombinedOutput()
	t.tell("the operator chose %q of %q: %s(%v)", d.Options[0].Label, d.Question, out, err)
}

// runs returns a prompt by which the program runs a command of the shell.
func (p *realProgram) runs(command string) string {
	ask := p.ask
	if ask == "" {
		ask = `CALL bash {"command":"touch FILE","description":"make a file"}`
	}
	return strings.ReplaceAll(ask, "touch FILE", command)
}
