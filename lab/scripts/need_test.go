// Package scripts_test tests the shell scripts on systems that consist of stub programs.
package scripts_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/must"
)

// A system is a directory of programs, the only one in PATH.
type system struct {
	t   *testing.T
	bin string
	log string
}

func newSystem(t *testing.T) *system {
	t.Helper()
	s := &system{t: t, bin: t.TempDir(), log: filepath.Join(t.TempDir(), "log")}
	for _, tool := range []string{"sed", "env", "chmod", "cat"} {
		path := must.Have(exec.LookPath(tool))(t)
		must.Do(t, os.Symlink(path, filepath.Join(s.bin, tool)))
	}
	return s
}

// add writes a program that logs its arguments and then runs body.
func (s *system) add(name, body string) *system {
	s.t.Helper()
	script := "#!/bin/sh\necho \"${0##*/} $*\" >>'" + s.log + "'\n" + body + "\n"
	must.Do(s.t, os.WriteFile(filepath.Join(s.bin, name), []byte(script), 0o755))
	return s
}

func (s *system) user() *system { return s.add("id", "echo 1000").add("sudo", `exec "$@"`) }
func (s *system) root() *system { return s.add("id", "echo 0") }

// installs adds a package manager that installs tmux.
func (s *system) installs(manager string) *system {
	tmux := filepath.Join(s.bin, "tmux")
	return s.add(manager, `
case "$*" in *tmux*) ;; *) exit 0 ;; esac
case "$1" in -Si) exit ${NO_LISTS-0} ;; esac
printf '#!/bin/sh\necho tmux 3.4\n' >'`+tmux+`' && chmod +x '`+tmux+`'`)
}

// need runs the script that finds or installs a tool.
func (s *system) need(tool string, env ...string) (out string, code int) {
	s.t.Helper()
	return s.run("need", tool, env)
}

// run runs a script with only this system in PATH.
func (s *system) run(script, arg string, env []string) (out string, code int) {
	s.t.Helper()
	cmd := exec.Command("/bin/sh", filepath.Join("../../build", script), arg)
	cmd.Env = append([]string{"PATH=" + s.bin}, env...)
	b, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return string(b), cmd.ProcessState.ExitCode()
}

// ran lists the logged calls of managers and sudo.
func (s *system) ran() []string {
	s.t.Helper()
	b, err := os.ReadFile(s.log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.t.Fatal(err)
	}
	var calls []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "id ") {
			calls = append(calls, line)
		}
	}
	return calls
}

func TestNeedInstallsWithEachPackageManager(t *testing.T) {
	const apt = "apt-get install -y --no-install-recommends tmux"
	tests := []struct {
		name, manager string
		root          bool
		env           []string
		want          []string
	}{
		{"apt-get as root", "apt-get", true, nil, []string{"apt-get update -q", apt}},
		{"apt-get as user", "apt-get", false, nil, []string{
			"sudo apt-get update -q", "apt-get update -q",
			"sudo env DEBIAN_FRONTEND=noninteractive " + apt, apt,
		}},
		{"dnf as root", "dnf", true, nil, []string{"dnf install -y tmux"}},
		{"dnf as user", "dnf", false, nil, []string{"sudo dnf install -y tmux", "dnf install -y tmux"}},
		{"pacman as root", "pacman", true, nil, []string{"pacman -Si tmux", "pacman -S --noconfirm --needed tmux"}},
		{"pacman without lists", "pacman", true, []string{"NO_LISTS=1"}, []string{
			"pacman -Si tmux", "pacman -Sy --noconfirm --needed tmux",
		}},
		{"pacman as user", "pacman", false, nil, []string{
			"pacman -Si tmux", "sudo pacman -S --noconfirm --needed tmux", "pacman -S --noconfirm --needed tmux",
		}},
		{"brew as root", "brew", true, nil, []string{"brew install tmux"}},
		{"brew as user, never with sudo", "brew", false, nil, []string{"brew install tmux"}},
	}

	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newSystem(t).installs(test.manager)
			if test.root {
				s.root()
			} else {
				s.user()
			}

			out, code := s.need("tmux", test.env...)
			if code != 0 {
				t.Fatalf("need tmux exits %d:\n%s", code, out)
			}
			if diff := cmp.Diff(test.want, s.ran()); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if got := strings.Count(out, "\n"); got != 1 {
				t.Errorf("it says %d lines, want one:\n%s", got, out)
			}
		})
	}
}

func TestNeedPrefersTheFirstManagerOfItsOrder(t *testing.T) {
	s := newSystem(t).root().installs("brew").installs("pacman").installs("dnf")
	if out, code := s.need("tmux"); code != 0 {
		t.Fatalf("need tmux exits %d:\n%s", code, out)
	}
	if diff := cmp.Diff([]string{"dnf install -y tmux"}, s.ran()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestNeedDoesNothingWhenTheToolIsThere(t *testing.T) {
	for _, version := range []string{
		"tmux 3.3", "tmux 3.3a", "tmux 3.10", "tmux 4.0", "tmux next-3.6", "tmux master", "tmux openbsd-7.6",
	} {
		s := newSystem(t).user().installs("apt-get").add("tmux", "echo "+version)
		out, code := s.need("tmux")
		if code != 0 || out != "" {
			t.Errorf("%s: exit %d, output %q; want 0 and nothing", version, code, out)
		}
	}
}

func TestNeedNamesTheCommandWhenItCannot(t *testing.T) {
	tests := []struct {
		name string
		set  func(*system)
		tool string
		want []string
	}{
		{
			"no manager",
			func(s *system) { s.user() },
			"tmux",
			[]string{"tmux (3.3 or newer) is missing", "package manager"},
		},
		{"no sudo", func(s *system) { s.add("id", "echo 1000").installs("apt-get") }, "tmux",
			[]string{"no sudo", "as root, run: apt-get update && env DEBIAN_FRONTEND=noninteractive apt-get install"}},
		{"install fails", func(s *system) { s.user().add("dnf", "exit 1") }, "tmux",
			[]string{"that failed", "sudo dnf install -y tmux"}},
		{"install puts nothing there", func(s *system) { s.root().add("dnf", "") }, "tmux",
			[]string{"still not found", "dnf install -y tmux"}},
		{"old tmux", func(s *system) { s.root().installs("apt-get").add("tmux", "echo tmux 3.2a") }, "tmux",
			[]string{"tmux 3.2a is installed, but parley needs 3.3 or newer", "sudo apt-get install tmux"}},
		{"old tmux, no manager", func(s *system) { s.root().add("tmux", "echo tmux 2.9a") }, "tmux",
			[]string{"tmux 2.9a", "./configure && make"}},
		{"old tmux in the packages", func(s *system) {
			s.root().
				add("brew", `printf '#!/bin/sh\necho tmux 1.8\n' >'`+filepath.Join(s.bin, "tmux")+`'; chmod +x '`+filepath.Join(s.bin, "tmux")+`'`)
		}, "tmux", []string{"tmux 1.8 is installed", "brew upgrade tmux"}},
		{"no ssh server", func(s *system) { s.root().add("pacman", "exit 1") }, "sshd",
			[]string{"OpenSSH's server is missing", "pacman -Sy --noconfirm --needed openssh"}},
		{"no curl", func(s *system) { s.root().add("dnf", "exit 1") }, "curl",
			[]string{"curl is missing", "dnf install -y curl"}},
		{"broken tmux", func(s *system) { s.root().add("tmux", "exit 1") }, "tmux", []string{"tmux -V fails"}},
		{"compiler on macOS", func(s *system) { s.user().add("brew", "") }, "cc", []string{"xcode-select --install"}},
	}

	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newSystem(t)
			test.set(s)
			out, code := s.need(test.tool, "SSHD="+filepath.Join(s.bin, "sshd")) // this machine may have one
			if code != 1 {
				t.Errorf("exit %d, want 1", code)
			}

			for _, want := range test.want {
				if !strings.Contains(out, want) {
					t.Errorf("output lacks %q:\n%s", want, out)
				}
			}
		})
	}
}

func TestNeedInstallsACompilerThatLacksHeaders(t *testing.T) {
	s := newSystem(t).root()
	s.add("gcc", `test -e '`+s.bin+`/headers'`)
	s.add("apt-get", `case "$1" in install) : >'`+s.bin+`/headers' ;; esac`)
	out, code := s.need("cc", "CC=gcc")
	if code != 0 {
		t.Fatalf("need cc exits %d:\n%s", code, out)
	}
	const check = "gcc -fsyntax-only -x c -"
	want := []string{check, "apt-get update -q", "apt-get install -y --no-install-recommends gcc libc6-dev", check}
	if diff := cmp.Diff(want, s.ran()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestNeedGoesOnWhenTheListsCannotBeRefreshed(t *testing.T) {
	s := newSystem(t).root()
	tmux := filepath.Join(s.bin, "tmux")
	s.add("apt-get",
		`[ "$1" = install ] || exit 100; printf '#!/bin/sh\necho tmux 3.4\n' >'`+tmux+`'; chmod +x '`+tmux+`'`)
	if out, code := s.need("tmux"); code != 0 {
		t.Errorf("need tmux exits %d:\n%s", code, out)
	}
}

func TestNeedRefusesOtherTools(t *testing.T) {
	if out, code := newSystem(t).need("rm"); code != 2 || !strings.Contains(out, "usage:") {
		t.Errorf("need rm: exit %d, output %q; want 2 and the usage", code, out)
	}
}
