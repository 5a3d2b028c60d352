package scripts_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
)

// npm installs like the real one; NPM_VIEW and NPM_INSTALL make it fail.
const npm = `
[ "$1" = view ] && exit ${NPM_VIEW-0}
mkdir -p "$3/node_modules/.bin"
[ "${NPM_INSTALL-0}" = 0 ] || exit "$NPM_INSTALL"
: >"$3/node_modules/.bin/claude"; : >"$3/node_modules/.bin/codex"; : >"$3/node_modules/.bin/node"`

// agents runs the script for codex on a system, which also installs node.
func (s *system) agents(into string, env ...string) (out string, code int) {
	s.t.Helper()
	return s.install("codex", into, env...)
}

func (s *system) install(program, into string, env ...string) (out string, code int) {
	s.t.Helper()
	for _, tool := range []string{"dirname", "rm", "mkdir", "mv"} {
		path := must.Have(exec.LookPath(tool))(s.t)
		if err := os.Symlink(path, filepath.Join(s.bin, tool)); err != nil && !errors.Is(err, os.ErrExist) {
			s.t.Fatal(err)
		}
	}

	return s.run("agents", program, append(env, "PARLEY_TEST_AGENTS="+into))
}

// programs lists the installed programs.
func programs(t *testing.T, into string) (found []string) {
	t.Helper()
	dirs := must.Have(filepath.Glob(filepath.Join(into, "[a-z]*")))(t)
	for _, dir := range dirs {
		program, _, _ := strings.Cut(filepath.Base(dir), "-")
		found = append(found, program)
	}
	return found
}

func TestAgentsAreInstalledOnce(t *testing.T) {
	s, into := newSystem(t).add("npm", npm), t.TempDir()
	if out, code := s.agents(into); code != 0 || strings.Join(programs(t, into), " ") != "codex node" {
		t.Fatalf("it exits %d and installs %q:\n%s", code, programs(t, into), out)
	}
	calls := len(s.ran())
	if calls != 3 {
		t.Errorf("npm was called %q, want once to ask and twice to install", s.ran())
	}
	if out, code := s.agents(into, "NPM_VIEW=1"); code != 0 || out != "" || len(s.ran()) != calls {
		t.Errorf("again, it exits %d and says %q; npm was called %q", code, out, s.ran())
	}
}

func TestNamedProgramInstallsItsFirstVersion(t *testing.T) {
	s, into := newSystem(t).add("npm", npm), t.TempDir()
	for range 2 {
		if out, code := s.install("claude", into); code != 0 || strings.Join(programs(t, into), " ") != "claude node" {
			t.Errorf("it exits %d and installs %q:\n%s", code, programs(t, into), out)
		}
	}
}

func TestAgentsSayWhyTheyCannotBeInstalled(t *testing.T) {
	tests := []struct {
		name string
		npm  string
		env  string
		code int
		want string
	}{
		{"no npm", "", "", 3, "npm is missing"},
		{"no registry", npm, "NPM_VIEW=1", 3, "npm's registry does not answer"},
		{"it breaks off", npm, "NPM_INSTALL=1", 1, "could not be installed"},
	}

	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, into := newSystem(t), t.TempDir()
			if test.npm != "" {
				s.add("npm", test.npm)
			}

			out, code := s.agents(into, test.env)
			if code != test.code || !strings.Contains(out, test.want) {
				t.Errorf("it exits %d and says %q, want %d and %q", code, out, test.code, test.want)
			}
			if left := programs(t, into); len(left) != 0 {
				t.Errorf("half of %q is left", left)
			}
		})
	}
}
