package sight

import (
	"strings"
	"testing"
	"time"

	"parley/internal/must"
	"parley/orchestrator/team"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// The pid of a program that has ended may be another's, whose terminal is another one.
func TestMachineTellsAProgramFromALaterOneOfItsPID(t *testing.T) {
	server := tmuxtest.Start(t)
	start := func(name string, argv ...string) tmux.PaneInfo {
		return must.Have(server.NewSession(t.Context(), tmux.SessionOptions{Name: name, Owner: name, Argv: argv}))(t)
	}
	own, other := start("own", "sleep", "1000"), start("other", "tail", "-f", "/dev/null")

	m := NewMachine()
	terminal := &team.Terminal{PID: other.PID, Leader: own.PID, Origin: team.Origin{Born: tmux.Birth(own.PID) + "0"}}
	if m.Alive(terminal) {
		t.Error("a process that was born later is taken for the program")
	}
	terminal.Born = tmux.Birth(other.PID)
	if !m.Alive(terminal) {
		t.Error("the program does not run")
	}

}

func TestAProgramLikeTheAdoptedOneIsAStrangerWhenThatHasEnded(t *testing.T) {
	for _, alive := range []bool{true, false} {
		f := Facts{Adopted: true, Alive: alive, Reader: tmux.Reader{PID: 1}}
		f.Takes = func(tmux.Reader) bool { return true }
		if h := f.OtherProgram(); h.None() != alive {
			t.Errorf("it runs: %v; got %+v", alive, h)
		}
	}
}

func TestAKeyHoldsForLongerWhileTheProgramHasShownNothing(t *testing.T) {
	now := time.Unix(1_000, 0)
	ago := func(seconds int) time.Time { return now.Add(-time.Duration(seconds) * time.Second) }
	for _, c := range []struct {
		name    string
		touched time.Time
		drawn   time.Time
		lag     time.Duration
		want    string
	}{
		{"nobody is there", time.Time{}, ago(60), 0, ""},
		{"they type", ago(2), ago(1), 0, "someone is typing"},
		{"shown a while ago", ago(4), ago(3), 0, ""},
		{"shown within the same second", ago(4), ago(4), 0, ""},
		{"not shown yet", ago(4), ago(5), 0, "shown nothing since"},
		{"drawn, but by a program that is behind", ago(4), ago(4), 2 * time.Second, "someone is typing"},
		{"a program that is far behind", ago(11), ago(11), time.Minute, ""},
		{"a key that nothing is shown of", ago(11), ago(60), 0, ""},
	} {
		got := Touched(now, tmux.Screen{Touched: c.touched, Drawn: c.drawn}, c.lag)
		if !strings.Contains(got.Words(), c.want) || got.None() != (c.want == "") {
			t.Errorf("%s: got %+v, want %q", c.name, got, c.want)
		}
	}
}
