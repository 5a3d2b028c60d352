package orchestrator

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// A person may rename the session of an agent, or move its pane to a session of their own.
func TestStopEndsThePaneWhereverItIs(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	panes := func() string {
		return string(must.Have(tmuxCommand(te, "list-panes", "-a", "-F", "#{session_name}").Output())(t))
	}
	te.tmuxRun("new-session", "-d", "-s", "mine", "sleep", "1000")
	for _, move := range [][]string{
		{"rename-session", "-t", "=coder", "other"},
		{"join-pane", "-s", "=coder:", "-t", "=mine:"},
	} {
		te.launch("coder", "framed", tmuxtest.Agent{})
		pane := te.pane("coder")
		te.tmuxRun(move...)
		te.stop("coder")
		if _, err := pane.Info(t.Context()); !errors.Is(err, tmux.ErrNoPane) || !strings.Contains(panes(), "mine\n") {
			t.Errorf("after %s: %v; there are %q", move[0], err, panes())
		}
	}
}

// A dead pane that carries an agent's id, as an earlier parley left one behind, is no reason to lose its program.
func TestDeadPaneDoesNotReplaceALivingOne(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "framed", tmuxtest.Agent{})
	te.inState("coder", parley.StateIdle)
	te.tmuxRun("new-session", "-d", "-s", "zzz", "true") // after coder in the list of panes
	id := te.roster.ByName("coder").ID
	te.tmuxRun("set-option", "-p", "-t", "=zzz:", "@parley_agent", id)
	tmuxtest.Poll(t, func() bool {
		out, err := tmuxCommand(te, "list-panes", "-t", "=zzz:", "-F", "#{pane_dead}").Output()
		return err == nil && string(out) == "1\n"
	}, func() string { return "the pane is not dead" })

	living := te.pane("coder").ID()
	te.restart()
	if got := te.pane("coder").ID(); got != living {
		t.Errorf("its pane is %s, want %s", got, living)
	}
}

// The directory is gone after `stop --remove`, for one. What runs is left to run.
func TestRestartIsRefusedWhereTheDirectoryIsGone(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	work := filepath.Join(te.dir, "worktree")
	must.Do(t, os.Mkdir(work, 0o700))
	program := tmuxtest.Agent{}
	te.start(parley.LaunchAgentRequest{Name: "coder", Dir: work, Profile: "quick", Command: program.Argv()})
	te.inState("coder", parley.StateIdle)
	must.Do(t, os.Remove(work))

	for _, fresh := range []bool{false, true} {
		_, err := op.RestartAgent.Call(te.operator(), te, parley.RestartAgentRequest{Agent: "coder", Fresh: fresh})
		if e := parley.AsError(err); e.Code != parley.InvalidArgument || !strings.Contains(e.Message, work) ||
			!strings.Contains(e.Action, "parley launch coder --worktree -- ") {
			t.Errorf("fresh %t: %v (%s, %q)", fresh, err, e.Code, e.Action)
		}
	}
	te.inState("coder", parley.StateIdle)
}

// Where the system lets nobody make a sandbox, neither a launch in one nor a restart that comes to be in one begins: no
// agent is made, what runs is left to run, and nothing weaker takes its place.
func TestWithoutASandboxNothingIsStartedThatIsToBeInOne(t *testing.T) {
	te := newTeam(t)
	program := tmuxtest.Agent{}
	te.start(parley.LaunchAgentRequest{Name: "coder", Profile: "quick", Command: program.Argv()})
	te.inState("coder", parley.StateIdle)
	pane := te.pane("coder").ID()
	te.reopen(func(o *Options) { o.Settings.Sandbox = true })

	dir := t.TempDir()
	forbids := "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n"
	must.Do(t, os.WriteFile(filepath.Join(dir, "bwrap"), []byte(forbids), 0o700))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))

	_, restarted := op.RestartAgent.Call(te.operator(), te, parley.RestartAgentRequest{Agent: "coder"})
	_, launched := op.LaunchAgent.Call(te.operator(), te,
		parley.LaunchAgentRequest{Name: "other", Profile: "quick", Command: program.Argv()})
	for act, err := range map[string]error{"restart": restarted, "launch": launched} {
		if e := parley.AsError(err); e.Code != parley.InvalidArgument || !strings.Contains(e.Message, "uid map") {
			t.Errorf("%s: %v", act, err)
		}
	}
	te.inState("coder", parley.StateIdle)
	if got := te.pane("coder").ID(); got != pane {
		t.Errorf("its pane is %s, want %s", got, pane)
	}
	if te.roster.ByName("other") != nil {
		t.Error("the launch that was refused has made an agent")
	}
}

// inPage is the operator in a session of the page.
func (te *testTeam) inPage() context.Context {
	c := parley.CallerFrom(te.operator())
	c.Session = "parley_session1"
	return parley.WithCaller(te.operator(), c)
}

// Keys that a person types from elsewhere are as those of somebody who is attached: messages wait for them, and none
// stands between them.
func TestMessagesWaitForAPersonInThePage(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) { o.Settings.Web.Keyboard = true })
	log := te.launch("coder", "framed", tmuxtest.Agent{})
	te.inState("coder", parley.StateIdle)
	types := func(text string, keys ...string) {
		t.Helper()
		must.Have(op.TypeInTerminal.Call(te.inPage(), te,
			parley.TypeInTerminalRequest{Agent: "coder", Text: text, Keys: keys}))(t)
	}

	types("half ")
	types("a")
	types(" ")
	types("thoughtX", "BSpace")
	tmuxtest.WaitFor(t, te.pane("coder"), shows("half a thought"))
	id := te.send("coder", "hello")
	te.held(id, "")
	types("", "Enter")
	te.reach(id, parley.DeliveryRead)
	if got := tmuxtest.WaitMessages(t, log, 2); got[0].Text != "half a thought" ||
		!strings.Contains(got[1].Text, "hello") {
		t.Errorf("the agent got %+v", got)
	}

	records := 0
	for _, e := range must.Have(op.ReadEvents.Call(te.operator(), te,
		parley.ReadEventsRequest{Limit: 1000}))(t).Events {
		if e.Type == parley.EventTyping {
			records++
			if e.Agent != "coder" || !strings.Contains(e.Detail, "parley_session1") {
				t.Errorf("the record is %+v", e)
			}
		}
	}
	if records != 1 {
		t.Errorf("there are %d records of one who types, want 1", records)
	}
}

func TestTerminalsTakeNoKeysUnlessTheSettingsSaySo(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "framed", tmuxtest.Agent{})
	_, err := op.TypeInTerminal.Call(te.inPage(), te, parley.TypeInTerminalRequest{Agent: "coder", Text: "x"})
	if parley.ErrorCode(err) != parley.NotAuthorized ||
		!strings.Contains(parley.AsError(err).Action, "keyboard: true") {
		t.Errorf("got %v", err)
	}
	if must.Have(op.ReadTerminal.Call(te.inPage(), te, parley.ReadTerminalRequest{Agent: "coder"}))(t).Keys {
		t.Error("its terminal says that it takes keys")
	}
}

// Keys of a phone go to the question that was seen: to none, if there was none.
func TestKeysGoToTheDialogThatWasSeen(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) { o.Settings.Web.Keyboard = true })
	te.launch("asker", "framed", tmuxtest.Agent{Dialog: te.dialog()})
	te.launch("coder", "framed", tmuxtest.Agent{})
	te.inState("asker", parley.StateWaiting)
	te.inState("coder", parley.StateIdle)
	open := must.Have(op.AnswerDialog.Call(te.operator(), te, parley.AnswerDialogRequest{Agent: "asker"}))(t).Dialog.ID

	for _, c := range []struct {
		agent, seen string
		want        parley.Code
	}{
		{"coder", open, parley.DialogChanged},
		{"coder", parley.NoDialog, ""},
		{"coder", "", ""},
		{"asker", parley.NoDialog, parley.DialogChanged},
		{"asker", "00000000", parley.DialogChanged},
		{"asker", open, ""},
	} {
		_, err := op.TypeInTerminal.Call(te.inPage(), te, parley.TypeInTerminalRequest{Agent: c.agent,
			Keys: []string{"Left"}, Dialog: c.seen})
		if parley.ErrorCode(err) != c.want {
			t.Errorf("%s, seen %q: got %v, want %q", c.agent, c.seen, err, c.want)
		}
	}
}
