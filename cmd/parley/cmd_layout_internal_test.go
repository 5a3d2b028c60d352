package main

import (
	"slices"
	"testing"

	"parley/internal/daemon"
)

func TestTerminalsShowMoreThanASCIIUnlessTheLocaleSaysNo(t *testing.T) {
	for locale, want := range map[string][]string{
		"":              {"tmux", "-u", "attach-session"},
		"LANG=de.UTF-8": {"tmux", "-u", "attach-session"},
		"LC_ALL=C":      {"tmux", "attach-session"},
	} {
		if got := withUTF8(daemon.Environ{locale}, []string{"tmux", "attach-session"}); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", locale, got, want)
		}
	}
}
