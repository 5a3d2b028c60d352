package tui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"parley"
	"parley/tui/kit"
)

// crowd is a team of n agents as one meets them: most are at work or at rest, a few wait for a person. They have
// groups, branches, and titles of their own; some have spent tokens, and one in twelve asks a question.
func crowd(n int) *fakeService {
	f := newFake()
	roles := []string{"planner", "coder", "reviewer", "tester", "docs-writer", "release-engineer"}
	programs := []string{"claude", "codex", "gemini", "opencode"}
	doing := []string{"", "Fix the parser's error messages", "Reading store/engine/commit.go",
		"Running the tests of the orchestrator, second try after the flaky one", "✳ Thinking…", "写文档"}
	states := []parley.AgentState{parley.StateBusy, parley.StateIdle, parley.StateBusy, parley.StateIdle}
	for i := range n {
		name, state := roles[i%len(roles)], states[i%len(states)]
		if n > len(roles) {
			name = fmt.Sprintf("%s-%02d", name, i+1)
		}
		if i%12 == 1 {
			state = parley.StateWaiting
		}
		f.agent(name, state, i%3, i%2, "")
		a := &f.agents[len(f.agents)-1]
		a.Profile, a.Command = programs[i%len(programs)], []string{programs[i%len(programs)], "--model", "opus"}
		a.Since, a.Role = noon.Add(-time.Duration(i*i+1)*time.Minute), roles[i%len(roles)]
		a.Doing, a.Dir = doing[i%len(doing)], "/home/someone/storefront"
		if i%3 != 0 {
			a.Worktree = &parley.Worktree{Branch: "parley/" + name, Base: "main", Made: true}
			a.Context = int64(12_000 + 7_000*i)
			a.Today = &parley.Spending{Tokens: parley.Tokens{Input: int64(1_100_000 + 90_000*i), Output: 41_000},
				Cost: 1.5 + float64(i)}
		}
		if i%2 == 0 {
			a.Groups = []string{[]string{"builders", "writers", "night-shift"}[i/2%3]}
		}
		if state == parley.StateWaiting {
			f.need(parley.NeedDialog, name, "May I go on with this?", "", "Answer it.", "May I go on with this?",
				"1 Yes", "2 No")
			f.needs[len(f.needs)-1].Dialog = question()
		}
	}

	for i := range min(4*n, 80) {
		from, to := f.agents[i*7%n].Name, f.agents[(i*5+1)%n].Name
		if from == to {
			continue
		}
		texts := []string{"The parser is ready to be looked at; 212 lines, tests included.", "ok",
			"Which of the two do we keep? I would say " +
				"the second, because the first one breaks the callers in store and in cmd.", "build is red on main"}
		states := []parley.DeliveryState{parley.DeliveryRead, parley.DeliverySubmitted, parley.DeliveryQueued,
			parley.DeliveryRead}
		f.say(i+20, from, []string{to}, texts[i%len(texts)], "normal", states[i%len(states)])
	}
	f.counts = map[string]int{"queued": 3}
	f.terminal = []string{"● I read store/engine/commit.go and its tests.", "",
		"  The queue of commits holds one transaction at a time.",
		"\x1b[32m  + if err := q.flush(ctx); err != nil {\x1b[m", "", "────────────────────────────────────────", "❯ ",
		"────────────────────────────────────────", "  ⏵⏵ accept edits on (shift+tab to cycle)"}
	f.agents = append(f.agents,
		parley.AgentStatus{Unread: 1, Agent: parley.Agent{ID: operatorID, Name: parley.OperatorName,
			Kind: parley.KindHuman, State: parley.StateIdle}})
	f.threads = append(f.threads, parley.Thread{ID: "00000001-2222-4222-8222-222222222222", Title: "release 1.2",
		ParticipantNames: []string{"planner", "coder", "operator"}, LastMessageAt: noon.Add(-time.Hour)})
	f.discuss()
	f.addUsage()
	return f
}

func question() *parley.Dialog {
	return &parley.Dialog{ID: "d1", Question: "May I go on with this?",
		Lines: []string{"Bash(rm -rf build)", "May I go on with this?"},
		Options: []parley.DialogOption{{Choice: "1", Label: "Yes"},
			{Choice: "2", Label: "Yes, and do not ask again for rm in this directory"},
			{Choice: "3", Label: "No, and tell it what to do differently", TakesText: true}}}
}

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
