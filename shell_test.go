package parley_test

import (
	"strings"
	"testing"

	"parley"
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
		"busybox vi x": false, "busybox": false, "busybox sh x": false, "bash -C script": false, "pwsh -nologo x": false,
		"bash -c": false, "bash -lc true": false, "sh script.sh": false, "bash script": false, "claude": false,
		"node bash":  false,
		"python3 -i": false, "": false, "pwsh -File x": false, "fish --command=ls": false, "bash -": false,
	} {
		if got := parley.IsShell(strings.Fields(line)); got != want {
			t.Errorf("%q: got %v, want %v", line, got, want)
		}
	}
}
