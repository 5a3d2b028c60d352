package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func FuzzFit(f *testing.F) {
	for _, p := range pieces {
		f.Add(strings.Repeat(p, 9), 7)
	}

	f.Fuzz(func(t *testing.T, s string, w int) {
		w = clamp(w, 0, 300)
		line := safeLine(s)
		if strings.ContainsAny(line, "\n\x1b") {
			t.Errorf("safeLine(%q) = %q", s, line)
		}
		if got := fit(line, w); width(got) > w {
			t.Errorf("fit(%q, %d) = %q, %d columns", line, w, got, width(got))
		}
		if got := pad(line, w); width(got) != w {
			t.Errorf("pad(%q, %d) = %q, %d columns", line, w, got, width(got))
		}

		for _, part := range wrap(safeText(s), w) {
			if width(part) > max(w, 2) {
				t.Errorf("wrap(%q, %d) has %q, %d columns", s, w, part, width(part))
			}
		}
	})
}

func TestWrapLosesNothing(t *testing.T) {
	for _, text := range []string{
		"one two three", "क्षिक्षिक्षिक्षिक्षि", "長い長い長い長い", "averyveryverylongword", "a\nb\n\nc", "👍🏽👍🏽👍🏽👍🏽",
	} {
		for w := 4; w < 20; w++ { // the widest of them takes four
			got := strings.Join(wrap(text, w), "")
			want := strings.NewReplacer(" ", "", "\n", "").Replace(text)
			if got = strings.ReplaceAll(got, " ", ""); got != want {
				t.Errorf("wrap(%q, %d) has %q", text, w, got)
			}
		}
	}
}

func TestRuleIsNeverTooWide(t *testing.T) {
	th := themeOf(ThemeTerminal, false)
	for w := range 60 {
		if got := width(ansi.Strip(th.rule("Traffic", "12 new below · f to follow", w, true))); got > w {
			t.Errorf("at %d columns the rule takes %d", w, got)
		}
	}
}
