package worktree

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
)

// A commit that came after the check is not lost with the branch.
func TestBranchThatMovedOnStays(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	git := func(dir string, args ...string) string {
		t.Helper()
		args = append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@t"}, args...)
		return strings.TrimSpace(string(must.Have(exec.Command("git", args...).Output())(t)))
	}
	git(top, "init", "-q", "-b", "main")
	git(top, "commit", "-q", "--allow-empty", "-m", "first")
	path := filepath.Join(t.TempDir(), "w")
	git(top, "worktree", "add", "-q", "-b", "parley/coder", path)

	r := must.Have(open(t.Context(), top))(t)
	w := &parley.Worktree{Repository: top, Path: path, Branch: "parley/coder", Base: "main", Made: true}
	seen := r.tip(t.Context(), w.Branch)
	git(path, "commit", "-q", "--allow-empty", "-m", "late")
	if err := (finishing{r, w, Finish{Remove: true}}).drop(t.Context(), seen); err == nil ||
		!strings.Contains(err.Error(), "its branch was not") {
		t.Errorf("got %v", err)
	}
	if log := git(top, "log", "-1", "--format=%s", "parley/coder"); log != "late" {
		t.Errorf("the branch ends with %q", log)
	}
}
