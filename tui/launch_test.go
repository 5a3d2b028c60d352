package tui

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley"
	"parley/tui/room"
)

func (f *fakeService) LaunchAgent(_ context.Context, r parley.LaunchAgentRequest) (*parley.LaunchAgentResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.launched = append(f.launched, r)
	if f.err != nil {
		return nil, f.err
	}
	f.agent(r.Name, parley.StateStarting, 0, 0, "")
	return &parley.LaunchAgentResult{Answer: parley.OK, AgentID: agentID(r.Name), Name: r.Name}, nil
}

// withPrograms lets the form offer two programs that are installed, and one that is not.
func withPrograms(o *Options) {
	o.Programs = func() []Program {
		return []Program{
			{Name: "claude", Command: []string{"claude"}, Installed: true},
			{Name: "codex", Command: []string{"codex", "--full"}, Installed: true},
			{Name: "qwen", Command: []string{"qwen"}},
		}
	}
}

func TestFormLaunches(t *testing.T) {
	for name, c := range map[string]struct {
		keys  []string
		shows []string
		want  parley.LaunchAgentRequest
	}{
		"name only": {
			[]string{"amy"},
			[]string{"Runs claude in the workspace, as amy.", "parley launch amy --profile claude"},
			parley.LaunchAgentRequest{Name: "amy", Profile: "claude"},
		},
		"picked": {
			[]string{"amy", "tab", "right", "tab", "tab", "tab", "tab", "tab", "right", "tab", "right", "tab", "don't"},
			[]string{
				"Runs codex --full in a git worktree of its own, on branch parley/amy, as amy, and sends it the prompt",
				`parley launch amy --profile codex --group builders --worktree --prompt 'don'\''t'`,
			},
			parley.LaunchAgentRequest{
				Name: "amy", Profile: "codex", AgentSpec: parley.AgentSpec{Groups: []string{"builders"}},
				Worktree: parley.WorktreeAuto, Prompt: "don't",
			},
		},
		"a command": {
			[]string{"amy", "tab", "ctrl+u", "make watch", "tab", "right", "tab", "tab", "web"},
			[]string{"Runs make watch in /home/someone/storefront/web, as amy."},
			parley.LaunchAgentRequest{
				Name: "amy", Profile: "claude", Command: []string{"make", "watch"}, Dir: "/home/someone/storefront/web",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, f := newBusyScreen(t, 160, 40, withPrograms)
			s.press("L")
			s.fillIn(c.keys...)
			s.shows(c.shows...)
			s.press("enter")
			s.shows("amy launched.", "▸ ◌ amy")
			if diff := cmp.Diff([]parley.LaunchAgentRequest{c.want}, f.launched, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An empty workspace names what is installed and the key, and two programs start with two keys each. Each name is free.
func TestTwoProgramsStartWithTwoKeysEach(t *testing.T) {
	f := newFake()
	s := newScreen(t, f, 100, 30, withPrograms)
	s.press("2")
	s.shows("No agents yet. L launches one: installed are claude, codex.", "L launch")
	s.hides("enter open")
	for range 3 {
		s.press("L", "enter")
	}
	var got []string
	for _, r := range f.launched {
		got = append(got, r.Name+" "+r.Profile)
	}
	if want := []string{"claude claude", "codex codex", "claude-2 claude"}; !slices.Equal(got, want) {
		t.Errorf("launched %q, want %q", got, want)
	}
}

// fillIn presses keys, and types what is none.
func (s *stage) fillIn(keys ...string) {
	for _, k := range keys {
		switch k {
		case "tab", "enter", "ctrl+u", "left", "right", "esc":
			s.press(k)
		default:
			s.typed(k)
		}
	}
}

func TestFormSaysAtTheFieldWhatIsWrong(t *testing.T) {
	noModel := parley.Errorf(parley.InvalidArgument, "codex has no such model").With("parameter", "model")
	for name, c := range map[string]struct {
		keys  []string
		err   error
		at    int
		shows string
	}{
		"no name":    {[]string{"ctrl+u"}, nil, nameField, "it has no name yet"},
		"name taken": {[]string{"coder"}, nil, nameField, "there is an agent coder already"},
		"no program": {[]string{"amy", "tab", "ctrl+u"}, nil, programField, "which program it runs is not said"},
		"quote":      {[]string{"amy", "tab", "ctrl+u", `sh "x`}, nil, programField, "a quote is not closed"},
		"home": {[]string{"amy", "tab", "tab", "tab", "tab", "~/x"}, nil, dirField,
			"~/x is not an absolute path"},
		"refused":   {[]string{"amy"}, noModel, modelField, "codex has no such model"},
		"elsewhere": {[]string{"amy"}, gone, launchFields, "no daemon runs here"},
	} {
		t.Run(name, func(t *testing.T) {
			s, f := newBusyScreen(t, 120, 40, withPrograms)
			s.blind, f.err = true, c.err
			s.press("L")
			s.fillIn(c.keys...)
			s.press("enter")
			s.shows(c.shows)
			if got := s.m.form.errAt; got != c.at {
				t.Errorf("the error is at field %d, want %d", got, c.at)
			}
			if c.at < launchFields && s.m.form.at != c.at {
				t.Errorf("the keys go to field %d, want %d", s.m.form.at, c.at)
			}
			s.fits("enter")
		})
	}
}

func TestFormKeepsWhatIsWritten(t *testing.T) {
	s := newScreen(t, busyTeam(), 80, 24, withPrograms)
	s.press("L")
	s.fillIn("amy", "esc")
	s.hides("amy")
	s.press("L")
	s.shows("▸ name        amy")
}

// The person goes on while a program is launched: their next keys are for what they see.
func TestALaunchThatEndsDoesNotTakeTheScreen(t *testing.T) {
	f := busyTeam()
	s := newScreen(t, f, 120, 40, withPrograms)
	letThrough := s.heldBack()
	s.press("L")
	s.typed("amy")
	s.press("enter", "esc", "3", "1", "/")
	s.typed("hel")
	letThrough()
	s.typed("p")
	if s.m.room.At != room.AtTraffic || s.m.traffic.Filter.Text != "help" || f.paused != nil {
		t.Errorf("on screen %d, with the filter %q, paused %v", s.m.room.At, s.m.traffic.Filter.Text, f.paused)
	}
}
