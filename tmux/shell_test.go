package tmux_test

import (
	"strings"
	"testing"

	"parley/tmux"
)

func TestPagersAndEditorsTakeKeys(t *testing.T) {
	for _, tc := range []struct {
		argv []string
		want string
	}{
		{[]string{"less", "file"}, "less"},
		{[]string{"/usr/bin/vim"}, "vim"},
		{[]string{"cat"}, ""},
		{[]string{"lesson"}, ""},
		{nil, ""},
	} {
		if got := tmux.TakesKeys(tc.argv); got != tc.want {
			t.Errorf("TakesKeys(%q): got %q, want %q", tc.argv, got, tc.want)
		}
	}
}

func TestShells(t *testing.T) {
	for line, want := range map[string]bool{
		"bash": true, "-bash": true, "/bin/zsh -l": true, "-zsh": true, "sh -i": true, "bash --norc --noprofile": true,
		"fish":         true,
		"pwsh -NoLogo": true, "dash +x": true, "/usr/bin/nu": true, "xonsh": true, "ksh -o": true,
		"bash -c": false, "bash -lc true": false, "sh script.sh": false, "bash script": false, "claude": false,
		"node bash":  false,
		"python3 -i": false, "": false, "pwsh -File x": false, "fish --command=ls": false, "bash -": false,
	} {
		if got := tmux.IsShell(strings.Fields(line)); got != want {
			t.Errorf("%q: got %v, want %v", line, got, want)
		}
	}
}
