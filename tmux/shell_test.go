package tmux_test

import (
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
