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
		"bash -c": false, "bash -lc true": false, "sh script.sh": false, "bash script": false, "claude": false,
		"node bash":  false,
		"python3 -i": false, "": false, "pwsh -File x": false, "fish --command=ls": false, "bash -": false,
	} {
		if got := parley.IsShell(strings.Fields(line)); got != want {
			t.Errorf("%q: got %v, want %v", line, got, want)
		}
	}
}
