package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"parley/internal/must"
)

var sizes = [][2]int{{80, 24}, {60, 20}, {120, 40}, {200, 60}}

// poses are the keys that lead to each golden view.
var poses = []struct {
	name string
	keys []string
}{
	{"traffic", nil},
	{"message", []string{"k", "k", "k", "k", "k", "enter"}},
	{"reply", []string{"k", "k", "k", "k", "k", "k", "k", "r", "o", "k", "ctrl+j", "s", "o", "o", "n"}},
	{"write", []string{"w", "c", "o", "d", "tab", "enter", "ctrl+p", "ctrl+r", "h", "i"}},
	{"confirm", []string{"2", "j", "S"}},
	{"agents", []string{"2", "j", "j", "j"}},
	{"threads", []string{"3"}},
	{"talk", []string{"3", "enter"}},
	{"palette", []string{":", "s", "t", "e", "e", "r", "down"}},
	{"operation", []string{":", "r", "e", "a", "d", "_", "t", "e", "r", "enter"}},
	{"help", []string{"?"}},
	{"needs", []string{"4"}},
	{"health", []string{"5"}},
	{"review", []string{"'", "c", "o", "d", "e", "r", "enter", "d", "n", "j", "c", "W", "h", "y", "enter", "j"}},
	{"merge", []string{"'", "c", "o", "d", "e", "r", "enter", "d", "m"}},
	{"beside", []string{"'", "c", "o", "d", "e", "r", "enter", "d", "n", "v"}},
}

func TestGoldenViews(t *testing.T) {
	drawsALot(t)
	for _, size := range sizes {
		for _, p := range poses {
			for _, look := range []string{"colour", "plain"} {
				name := fmt.Sprintf("%s-%dx%d.%s", p.name, size[0], size[1], look)
				t.Run(name, func(t *testing.T) {
					s := newScreen(t, busyTeam(), size[0], size[1], func(o *Options) { o.NoColor = look == "plain" })
					s.press(p.keys...)
					s.fits(p.name)
					content := s.m.View().Content
					if look == "plain" {
						content = ansi.Strip(content)
					}

					golden(t, name, strings.ReplaceAll(content, "\x1b", "␛")+"\n")
				})
			}
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		must.Do(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}

	want := must.Have(os.ReadFile(file))(t)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the view is not the golden one (-want +got):\n%s", diff)
	}
}

// colour is any SGR sequence that sets one.
var colour = regexp.MustCompile("\x1b\\[(?:[0-9;]*;)?(?:[34][0-9]|9[0-7]|10[0-7])[;m]")

func TestNoColorSetsNoColour(t *testing.T) {
	for _, env := range [][]string{{"NO_COLOR=1"}, {"NO_COLOR=yes"}, {"NO_COLOR="}, {}} {
		s := newScreen(t, busyTeam(), 120, 40, func(o *Options) { o.Environ = env; *o = o.withDefaults() })
		got := colour.MatchString(s.m.View().Content)
		if want := len(env) == 0 || env[0] == "NO_COLOR="; got != want {
			t.Errorf("%q: colours are %v, want %v", env, got, want)
		}
	}
}
