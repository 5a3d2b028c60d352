package tui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/tui/kit"
)

// crowdSizes are a narrow and a wide window.
var crowdSizes = [][2]int{{60, 20}, {80, 24}, {180, 48}}

// crowdPoses are the keys that lead to each view of a crowd.
var crowdPoses = []struct {
	name string
	keys []string
}{
	{"agents", []string{"2"}}, {"traffic", []string{"1"}}, {"needs", []string{"4"}}, {"health", []string{"5"}},
	{"tiles", []string{"t"}}, {"review", []string{"2", "g", "d", "n", "j"}}, {"merge", []string{"2", "g", "d", "m"}},
}

func TestGoldenCrowd(t *testing.T) {
	drawsALot(t)
	for _, n := range []int{3, 12, 60} {
		for _, size := range crowdSizes {
			for _, p := range crowdPoses {
				if n != 60 && p.name != "agents" && p.name != "health" {
					continue // it looks as it does with more, or as the other golden views
				}
				name := fmt.Sprintf("crowd-%s-%d-%dx%d.plain", p.name, n, size[0], size[1])
				t.Run(name, func(t *testing.T) {
					s := newScreen(t, crowd(n), size[0], size[1])
					s.press(p.keys...)
					s.fits(p.name)
					golden(t, name, ansi.Strip(s.m.View().Content)+"\n")
				})
			}
		}
	}
}

// numbered is a name of the crowd, or what is left of it.
var numbered = regexp.MustCompile(`(?:planner|coder|reviewer|tester|docs-writer|release-engineer|[a-z-]+…[a-z-]*)-?([0-9]{2})`)

// agentRow is the line of an agent in the list.
var agentRow = regexp.MustCompile(`^[▸ ] [◐●◆] (\S+) +(?:waiting|busy|idle)  `)

// However little room there is, agents whose names begin alike can be told apart.
func TestACutNameIsStillKnown(t *testing.T) {
	cut := regexp.MustCompile(`[a-z]…( |→|█|─|$)`)
	for _, size := range crowdSizes {
		s := newScreen(t, crowd(60), size[0], size[1])
		s.press("2", "z", "z")
		rows := 0
		for line := range strings.SplitSeq(s.text(), "\n") {
			row := agentRow.FindStringSubmatch(line)
			if row == nil {
				continue
			}
			if rows++; !numbered.MatchString(row[1]) {
				t.Errorf("at %d columns nobody knows who this is: %q", size[0], line)
			}
		}
		if rows < 5 {
			t.Errorf("at %d columns there are %d agents:\n%s", size[0], rows, s.text())
		}

		s.press("1")
		for line := range strings.SplitSeq(s.text(), "\n") {
			from, rest, ok := strings.Cut(line, " → ")
			if !ok {
				continue
			}
			to, _, _ := strings.Cut(rest, " ")
			for _, name := range []string{from[strings.LastIndex(from, " ")+1:], to} {
				if !numbered.MatchString(name) {
					t.Errorf("at %d columns nobody knows who %q is: %q", size[0], name, line)
				}
			}
		}

		s.press("5", "G")
		for line := range strings.SplitSeq(s.text(), "\n") {
			if name, _, ok := strings.Cut(line, "█"); ok && cut.MatchString(name) {
				t.Errorf("at %d columns nobody knows whose queue this is: %q", size[0], line)
			}
		}
	}
}

// What leads through a day is in the key line at 80 columns: write, look at what was changed, find somebody.
func TestTheKeyLineHasWhatADayNeeds(t *testing.T) {
	for place, want := range map[string][]string{
		"1": {"enter open", "c write", "r reply", "d review", "? help", "q quit"},
		"2": {"enter open", "c write", "d review", "/ filter", "' go to", "? help", "q quit"},
		"4": {"enter do it", "c write", "d review", "' go to", "? help", "q quit"},
	} {
		s := newScreen(t, crowd(60), 80, 24)
		s.press(place)
		s.shows(want...)
	}

	s := newScreen(t, crowd(60), 60, 20)
	s.press("2", "g", "d")
	s.shows("n next change", "c comment", "m merge", "? help", "esc back")
}

func TestFitNameKeepsTheEnd(t *testing.T) {
	for _, c := range []struct {
		name string
		w    int
		want string
	}{
		{"coder", 5, "coder"}, {"coder-47", 6, "cod…47"}, {"release-engineer-06", 12, "release…r-06"},
		{"coder-47", 1, "…"},
	} {
		if got := kit.FitName(c.name, c.w); got != c.want {
			t.Errorf("%s in %d columns is %q, want %q", c.name, c.w, got, c.want)
		}
	}
}
