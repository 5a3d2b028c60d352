package parley_test

import (
	"slices"
	"testing"

	"parley"
)

// What a program draws is no evidence: neither its pictures nor its spinners, rules and bars.
func TestQuotedScreensHaveOnlyText(t *testing.T) {
	screen := []string{
		"⢀⣀⣠⣤⣤⣤   ⣠⣾⣿⣿⠿⠋", "▐▛███▜▌   Claude Code", "────────", "  ⠋ Thinking (3s)", "████▌ 45%", "", "  ⣾",
		"red\ttext \u202eback\x07", "Pane is dead (status 3, Thu Nov 26 12:39:49 2026)", "",
	}
	want := []string{"          Claude Code", "    Thinking (3s)", "      45%", "red text back"}
	if got := parley.ScreenEnd(screen, 12); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := parley.ScreenEnd(screen, 1); !slices.Equal(got, want[3:]) {
		t.Errorf("the last line is %q", got)
	}
}
