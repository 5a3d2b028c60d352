package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/tui/kit"
)

func FuzzFit(f *testing.F) {
	for _, p := range pieces {
		f.Add(strings.Repeat(p, 9), 7)
	}

	f.Fuzz(func(t *testing.T, s string, w int) {
		w = kit.Clamp(w, 0, 300)
		line := kit.SafeLine(s)
		if strings.ContainsAny(line, "\n\x1b") {
			t.Errorf("safeLine(%q) = %q", s, line)
		}
		if got := kit.Fit(line, w); kit.Width(got) > w {
			t.Errorf("fit(%q, %d) = %q, %d columns", line, w, got, kit.Width(got))
		}
		if got := kit.Pad(line, w); kit.Width(got) != w {
			t.Errorf("pad(%q, %d) = %q, %d columns", line, w, got, kit.Width(got))
		}

		for _, part := range kit.Wrap(kit.SafeText(s), w) {
			if kit.Width(part) > max(w, 2) {
				t.Errorf("wrap(%q, %d) has %q, %d columns", s, w, part, kit.Width(part))
			}
		}
	})
}

func TestWrapLosesNothing(t *testing.T) {
	for _, text := range []string{
		"one two three", "क्षिक्षिक्षिक्षिक्षि", "長い長い長い長い", "averyveryverylongword", "a\nb\n\nc", "👍🏽👍🏽👍🏽👍🏽",
	} {
		for w := 4; w < 20; w++ { // the widest of them takes four
			got := strings.Join(kit.Wrap(text, w), "")
			want := strings.NewReplacer(" ", "", "\n", "").Replace(text)
			if got = strings.ReplaceAll(got, " ", ""); got != want {
				t.Errorf("wrap(%q, %d) has %q", text, w, got)
			}
		}
	}
}

func TestRuleIsNeverTooWide(t *testing.T) {
	th := kit.ThemeOf(kit.ThemeTerminal, false)
	for w := range 60 {
		if got := kit.Width(ansi.Strip(th.Rule("Traffic", "12 new below · f to follow", w, true))); got > w {
			t.Errorf("at %d columns the rule takes %d", w, got)
		}
	}
}
