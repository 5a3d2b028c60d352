package tui

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"parley/tui/kit"
)

func TestTerminalWithoutUTF8GetsASCII(t *testing.T) {
	for _, p := range poses {
		s := newScreen(t, busyTeam(), 100, 30, func(o *Options) {
			*o = Options{
				Service: o.Service,
				Follow:  o.Follow,
				Now:     o.Now,
				NewKey:  o.NewKey,
				Environ: []string{"LC_ALL=C", "LANG=en_GB.UTF-8"},
			}.withDefaults()
		})

		s.press(p.keys...)
		content := s.m.View().Content
		for _, r := range content {
			if r >= utf8.RuneSelf {
				t.Fatalf("%s holds %q", p.name, r)
			}
		}

		s.fits(p.name)
	}

	s := newScreen(t, busyTeam(), 100, 30, func(o *Options) { o.Environ = []string{"LANG=en_GB.UTF-8"} })
	if !strings.Contains(s.text(), "✓✓ 3/3") {
		t.Error("a terminal with UTF-8 gets ASCII")
	}
}

func TestEveryShapeHasAnASCIIShape(t *testing.T) {
	s := newScreen(t, newFake(), 100, 50)
	for _, keys := range []string{"1", "2", "3", "4", "5", "?"} {
		s.typed(keys)
		for _, r := range ansi.Strip(s.m.View().Content) {
			if r >= utf8.RuneSelf && strings.Contains(kit.ToASCII(string(r)), "?") {
				t.Errorf("%q has no shape in ASCII", r)
			}
		}
	}
}
