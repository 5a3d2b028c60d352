package sh_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode"

	"parley/internal/sh"
)

func TestShells(t *testing.T) {
	for line, want := range map[string]bool{
		"bash": true, "-bash": true, "/bin/zsh -l": true, "-zsh": true, "sh -i": true, "bash --norc --noprofile": true,
		"fish":         true,
		"pwsh -NoLogo": true, "dash +x": true, "/usr/bin/nu": true, "xonsh": true, "ksh -o": true,
		"bash --rcfile /tmp/nix-shell.rc": true, "bash --init-file x -i": true, "zsh -o vi": true, "bash -io vi": true,
		"bash +O extglob": true, "fish -C true": true, "pwsh -noexit -command x": true, "pwsh -nologo": true,
		"nu --config x": true, "rbash": true, "busybox sh": true, "/bin/busybox ash -i": true,

		"bash --rcfile x script": false, "bash -eo pipefail script": false, "bash -o vi -c true": false,
		"busybox vi x": false, "busybox": false, "busybox sh x": false, "bash -C script": false,
		"pwsh -nologo x": false,
		"bash -c":        false, "bash -lc true": false, "sh script.sh": false, "bash script": false, "claude": false,
		"node bash":  false,
		"python3 -i": false, "": false, "pwsh -File x": false, "fish --command=ls": false, "bash -": false,
	} {
		if got := sh.IsShell(strings.Fields(line)); got != want {
			t.Errorf("%q: got %v, want %v", line, got, want)
		}
	}
}

// A shell reads each word of a command line as it was, whatever is in it.
func TestCommandLinesAreWhatAShellReads(t *testing.T) {
	words := []string{
		"claude", "it's", "/a b/c", "--", "$x", "", "~", "=ls", "a=b", "*", "`id`", "$(id)", `back\slash`, `"`, "!1", "#x",
		"a;b&c|d<e>f", "ünï", "tab\tnew\nline", "\x1b[31m", "\x7f", "\xff\xfe", "it's\n'twas\\", "{a,b}", "[x]", "%d",
	}
	line := sh.Line(words)
	if strings.ContainsFunc(line, unicode.IsControl) {
		t.Errorf("a terminal would act on %q", line)
	}

	for _, shell := range []string{"bash", "zsh", "busybox"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		argv := []string{path, "-c", "printf '%s\\000' " + line}
		if shell == "busybox" {
			argv = slices.Insert(argv, 1, "sh")
		}
		out, err := exec.Command(argv[0], argv[1:]...).Output()
		if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); err != nil ||
			!slices.Equal(got, words) {
			t.Errorf("%s reads %q, %v", shell, got, err)
		}
	}

	if got, want := sh.Word("/home/me/src"), "/home/me/src"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
