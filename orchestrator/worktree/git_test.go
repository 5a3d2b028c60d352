package worktree

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"parley/internal/must"
)

// configured returns an empty repository with settings, by name and value.
func configured(t *testing.T, settings ...[2]string) *repo {
	t.Helper()
	top := t.TempDir()
	must.Do(t, exec.Command("git", "-C", top, "init", "-q").Run())
	for _, s := range settings {
		must.Do(t, exec.Command("git", "-C", top, "config", s[0], s[1]).Run())
	}
	return must.Have(open(t.Context(), top))(t)
}

// Only git 2.54 and later run such hooks.
func TestHooksOfTheConfigurationAreSwitchedOff(t *testing.T) {
	t.Parallel()
	r := configured(t, [2]string{"hook.one.two.command", "evil"}, [2]string{"hook.other.event", "post-merge"})
	for _, off := range []string{"hook.one.two.enabled=false", "hook.other.enabled=false"} {
		if !slices.Contains(r.guard, off) {
			t.Errorf("git runs with %q, want %s", r.guard, off)
		}
	}
}

// A git that fetches missing objects does so from a remote that can be a program.
func TestGitFetchesFromNoProgram(t *testing.T) {
	t.Parallel()
	r := configured(t, [2]string{"protocol.ext.allow", "always"})
	trap := filepath.Join(t.TempDir(), "sprung")
	_, err := r.git(t.Context(), "fetch", "--quiet", "ext::touch "+trap)
	if _, missing := os.Stat(trap); err == nil || missing == nil {
		t.Errorf("got %v; the program ran: %v", err, missing == nil)
	}
}
