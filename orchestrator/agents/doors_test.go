package agents

import (
	"errors"
	"net"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
	"parley/orchestrator/courier"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/orchestrator/trial"
	"parley/program/door"
	"parley/program/profile"
)

// A profile may name the doors that can be opened, and no others.
func TestProfilesKnowTheDoorsThatCanBeOpened(t *testing.T) {
	if diff := cmp.Diff(door.Kinds(), profile.Doors); diff != "" {
		t.Errorf("(-opened +in profiles):\n%s", diff)
	}
}

// A check opens the door to a version where it found that it holds, and to no other. Where every version counts, it
// still does.
func TestAChecksEvidenceOpensADoor(t *testing.T) {
	e := &Doors{Checks: t.TempDir()}
	for version, verdict := range map[string]trial.Verdict{
		"1.1": trial.Holds, "1.2": trial.Fails, "1.3": trial.NotTried, "": trial.Holds,
	} {
		must.Do(t, trial.Keep(e.Checks, trial.Result{
			Profile: "robo", Version: version, Findings: []trial.Finding{
				{Guarantee: trial.Rest, Verdict: trial.Holds}, {Guarantee: trial.Door, Verdict: verdict},
			},
		}))
	}
	for _, listed := range [][]string{nil, {"1.0"}} {
		p := &profile.Profile{Name: "robo", Door: profile.Door{Versions: listed}}
		want := listed
		if len(want) > 0 {
			want = []string{"1.0", "1.1"}
		}
		if diff := cmp.Diff(want, e.versions(p)); diff != "" {
			t.Errorf("with %q listed (-want +got):\n%s", listed, diff)
		}
	}
}

// A program is asked what it does once a second at most, and one that does not answer more seldom: each look at a
// terminal waits for that.
func TestProgramsAreSeldomAskedWhatTheyDo(t *testing.T) {
	hangs := must.Have(net.Listen("tcp", "127.0.0.1:0"))(t) // and says nothing
	t.Cleanup(func() { hangs.Close() })
	calls := make(chan net.Conn, 100)
	go func() {
		for {
			conn, err := hangs.Accept()
			if err != nil {
				return
			}
			calls <- conn
		}
	}()

	dir := t.TempDir()
	l := door.Launch{Port: hangs.Addr().(*net.TCPAddr).Port, Secret: "secret"}
	must.Do(t, l.Write(terminal.PrivateDir(dir, "ann")))
	e := &Doors{Dir: dir, Asked: map[string]Asked{}}
	at := &team.Terminal{PID: os.Getpid(), Profile: &profile.Profile{Door: profile.Door{Kind: "opencode"}}}

	for _, setting := range []string{courier.DoorNever, "", "", ""} {
		m := team.NewMember(parley.Agent{ID: "ann", AgentSpec: parley.AgentSpec{Door: setting}})
		if got := e.Does(t.Context(), m, at); got != (door.Doing{}) {
			t.Errorf("it says %+v", got)
		}
		if setting == courier.DoorNever && len(calls) > 0 {
			t.Error("it was asked although its door is never used")
		}
	}
	if len(calls) != 1 {
		t.Errorf("it was asked %d times, want once", len(calls))
	}

	// Another program in that terminal is asked anew.
	again := &team.Terminal{PID: at.PID, Profile: at.Profile}
	e.Does(t.Context(), team.NewMember(parley.Agent{ID: "ann"}), again)
	if len(calls) != 2 {
		t.Errorf("after its next launch it was asked %d times in all, want twice", len(calls))
	}
}

// A program that begins another session keeps its door, where that is not one of a session: what it says of what is
// inside goes there.
func TestDoorsOutliveASession(t *testing.T) {
	at := &team.Terminal{Profile: &profile.Profile{}}
	for _, kind := range door.Kinds() {
		e := &Doors{Dir: t.TempDir(), Open: map[string]*KeptDoor{}}
		at.Profile.Door.Kind = kind
		m := team.NewMember(parley.Agent{ID: "ann", Session: parley.Session{ID: "the first"}})
		kept := &KeptDoor{Door: &closes{}, all: e, agentID: m.ID, on: at, session: e.program(m, at).Session}
		e.Open[m.ID] = kept

		m = team.NewMember(parley.Agent{ID: "ann", Session: parley.Session{ID: "the second"}})
		got, _ := e.At(t.Context(), m, at, false)
		if same := got == door.Door(kept); same == door.OfSession(kind) || same == kept.Door.(*closes).closed {
			t.Errorf("%s: another session leaves the door as it is: %t, closed: %t",
				kind, same, kept.Door.(*closes).closed)
		}
	}
}

// closes is a door that notes its end.
type closes struct {
	door.Door
	closed bool
}

func (c *closes) Close() error {
	c.closed = true
	return nil
}

// What a hook took is asked for there, whether the program has another door or not; of the rest that one tells.
func TestLettersThatHooksTookAreAskedForThere(t *testing.T) {
	dir := t.TempDir()
	call := door.NewCall(terminal.HookDir(dir, "ann"), "end", "", door.Moment{}, nil)
	go func() { <-call.Taken() }()
	taken, other := door.Letter{ID: "taken", Mark: "msg 1"}, door.Letter{ID: "other", Mark: "msg 2"}
	must.Do(t, call.Give(t.Context(), taken))

	for kind, want := range map[string]door.Fate{"": door.Absent, "opencode": ""} { // its launch opened none
		at := &team.Terminal{PID: os.Getpid(), Profile: &profile.Profile{Door: profile.Door{
			Kind: kind, Hooks: profile.Hooks{End: profile.Hook{Event: "Stop"}},
		}}}
		e := &Doors{Dir: dir, Open: map[string]*KeptDoor{}}
		m := team.NewMember(parley.Agent{ID: "ann"})
		d := must.Have(e.At(t.Context(), m, at, true))(t)
		if answer := must.Have(d.Ask(t.Context(), taken))(t); answer.Fate != door.Unknown {
			t.Errorf("%q: what a hook took is %+v", kind, answer)
		}
		if answer, err := d.Ask(t.Context(), other); answer.Fate != want || (err == nil) != (want != "") {
			t.Errorf("%q: what none took is %+v, %v", kind, answer, err)
		}
		if err := d.Give(t.Context(), other); !errors.Is(err, door.ErrClosed) {
			t.Errorf("%q: it takes what no hook waits for: %v", kind, err)
		}
		if d, err := e.At(t.Context(), m, at, false); d != nil {
			t.Errorf("%q: to give a letter it has %v, %v", kind, d, err)
		}
	}
}
