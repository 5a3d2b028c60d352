package orchestrator

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

func TestAdoptedAgentGetsMessagesAndTheUsersTmuxIsUnchanged(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	u := newUser(t, te)
	u.attach(120, 40)
	u.attach(80, 24)
	pane := u.pane()
	log := u.agent(pane)
	before := u.state()
	res := u.adopt("coder", pane)
	if res.Profile != "framed" || res.Pane != pane || res.PID == 0 || res.Program == "" || len(res.MCP) == 0 ||
		res.AgentID == "" {
		t.Errorf("answer %+v", res)
	}

	te.inState("coder", parley.StateIdle)
	for n := range 3 {
		te.reach(te.send("coder", fmt.Sprintf("message %d", n)), parley.DeliveryRead)
	}

	if got := tmuxtest.WaitMessages(t, log, 3); len(got) != 3 || !got[0].Framed {
		t.Errorf("the agent got %+v, want three framed messages", got)
	}

	screen, err := op.ReadTerminal.Call(te.operator(), te, parley.ReadTerminalRequest{Agent: "coder"})
	if err != nil || !strings.Contains(strings.Join(screen.Lines, "\n"), tmuxtest.Prompt) {
		t.Errorf("screen %v, %v", screen, err)
	}

	way, err := op.GetAttachInfo.Call(te.operator(), te, parley.AttachInfoRequest{Agent: "coder"})
	if err != nil || !way.Adopted || way.Socket != u.path || way.Session != "work" || way.Pane != pane {
		t.Errorf("attach %+v, %v", way, err)
	}

	during := u.state()
	if !strings.Contains(during, "@parley_agent "+res.AgentID) {
		t.Error("the pane does not carry the agent's id")
	}
	if diff := cmp.Diff(before, ours(during)); diff != "" {
		t.Errorf("while it is adopted: %s", diff)
	}

	stop, err := op.StopAgent.Call(te.operator(), te, parley.StopAgentRequest{Agent: "coder"})
	if err != nil || !stop.Released || stop.Ended != 0 {
		t.Errorf("leave: %+v, %v", stop, err)
	}
	if diff := cmp.Diff(before, u.state()); diff != "" {
		t.Errorf("after it left: %s", diff)
	}
	if !tmux.Alive(res.PID) {
		t.Error("its program was ended")
	}

	te.inState("coder", parley.StateTerminated)
}

func TestAdoptRefusesPanesWithoutAnAgent(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	u := newUser(t, te)
	shell := u.pane()
	u.until("the shell is there",
		func() bool { return strings.Contains(u.run("capture-pane", "-p", "-t", shell), "prompt>") })

	split := func(argv ...string) string {
		args := append([]string{"new-window", "-d", "-t", "work", "-P", "-F", "#{pane_id}", "--"}, argv...)
		return u.run(args...)
	}

	u.run("set-option", "-g", "remain-on-exit", "on")
	dead := split("sh", "-c", "exit 0")
	u.until("it is dead", func() bool { return u.run("display-message", "-p", "-t", dead, "#{pane_dead}") == "1" })
	less, unknown := split("less", "/etc/passwd"), split("sleep", "1000")
	log := filepath.Join(t.TempDir(), "log")
	taken := split(tmuxtest.Agent{Log: log}.Argv()...)
	elsewhere := split(tmuxtest.Agent{Log: log}.Argv()...)
	for _, pane := range []string{taken, elsewhere} {
		u.until("the agent composes",
			func() bool { return strings.Contains(u.run("capture-pane", "-p", "-t", pane), tmuxtest.Prompt) })
	}

	u.until("less is there",
		func() bool { return u.run("display-message", "-p", "-t", less, "#{pane_current_command}") == "less" })

	u.run("set-option", "-p", "-t", elsewhere, "@parley_agent", "another-workspaces")
	u.adopt("coder", taken)
	te.launch("mine", "framed", tmuxtest.Agent{})
	notSocket := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(notSocket, nil, 0o600))

	words := must.Have(te.store.Workspace.Places(t.Context()))(t)
	before := u.state()
	for name, tc := range map[string]struct {
		req  parley.AdoptAgentRequest
		want parley.Code
		says string
	}{
		"no such pane": {parley.AdoptAgentRequest{Pane: "%99", Socket: u.path}, parley.InvalidArgument,
			"no pane %99"},
		"a name of a pane": {parley.AdoptAgentRequest{Pane: "work:1.0", Socket: u.path}, parley.InvalidArgument,
			"not the id"},
		"a relative socket": {parley.AdoptAgentRequest{Pane: shell, Socket: "user"}, parley.InvalidArgument,
			"not the path"},
		"no server": {parley.AdoptAgentRequest{Pane: shell, Socket: u.path + "-not"}, parley.InvalidArgument,
			"no tmux server"},
		"no socket": {parley.AdoptAgentRequest{Pane: shell, Socket: notSocket}, parley.InvalidArgument,
			"not the socket"},
		"a dead pane": {parley.AdoptAgentRequest{Pane: dead, Socket: u.path, Profile: "framed"},
			parley.InvalidArgument, "has ended"},
		"a shell": {parley.AdoptAgentRequest{Pane: shell, Socket: u.path, Profile: "framed"},
			parley.InvalidArgument, "shell"},
		"a pager":        {parley.AdoptAgentRequest{Pane: less, Socket: u.path}, parley.InvalidArgument, "less"},
		"an unknown one": {parley.AdoptAgentRequest{Pane: unknown, Socket: u.path}, parley.InvalidArgument, "sleep"},
		"no profile": {parley.AdoptAgentRequest{Pane: unknown, Socket: u.path, Profile: "genric"},
			parley.InvalidArgument, "genric"},
		"twice": {parley.AdoptAgentRequest{Name: "again", Pane: taken, Socket: u.path},
			parley.AgentExists, "agent coder already"},
		"another team's": {parley.AdoptAgentRequest{Pane: elsewhere, Socket: u.path},
			parley.AgentExists, "another workspace"},
		"parley's own": {parley.AdoptAgentRequest{Pane: te.pane("mine").ID(),
			Socket: te.terminals.Server().SocketPath()}, parley.InvalidArgument, "parley's own"},
		"a taken name": {parley.AdoptAgentRequest{Name: "mine", Profile: "generic", Pane: unknown, Socket: u.path},
			parley.AgentExists, "mine"},
		"a name for no one": {parley.AdoptAgentRequest{Name: "operator", Pane: unknown, Socket: u.path},
			parley.InvalidArgument, "reserved"},
	} {
		err := tc.req.Validate()
		if err == nil {
			_, err = op.AdoptAgent.Call(te.operator(), te, tc.req)
		}

		if e := parley.AsError(err); err == nil || e.Code != tc.want || e.Action == "" ||
			!strings.Contains(e.Message, tc.says) {
			t.Errorf("%s: got %v (%s; %q), want %s with %q and advice", name, err, parley.ErrorCode(err),
				parley.AsError(err).Action, tc.want, tc.says)
		}
	}

	if diff := cmp.Diff(before, u.state()); diff != "" {
		t.Errorf("something was changed: %s", diff)
	}
	if diff := cmp.Diff(words, must.Have(te.store.Workspace.Places(t.Context()))(t)); diff != "" {
		t.Errorf("a refused adoption left the operator's word: %s", diff)
	}
	if got := tmuxtest.Messages(t, log); len(got) != 0 {
		t.Errorf("something was typed: %v", got)
	}
}

func TestAdoptedAgentIsItsProgramAndNotItsShell(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	u := newUser(t, te)
	pane := u.pane()
	file := filepath.Join(t.TempDir(), "pid")
	script := filepath.Join(t.TempDir(), "agent.sh")
	must.Do(t, os.WriteFile(script, []byte("sleep 1000 & echo $! >"+file+"; cat\nkill %1\n"), 0o600))

	u.start(pane, "sh", script)
	var child int
	u.until("the script runs", func() bool {
		text, _ := os.ReadFile(file)
		child, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return child != 0
	})

	if c := te.Callers.CallerOfProcess(child); !c.Operator {
		t.Errorf("before it was adopted, its child is %+v, want the operator", c)
	}

	before := te.terminals.Placements()
	must.Have(op.AdoptAgent.Call(te.operator(), te, parley.AdoptAgentRequest{Name: "script", Profile: "generic",
		Pane:   pane,
		Socket: u.path}))(t)
	if te.terminals.Placements() == before {
		t.Error("nobody can tell that who is who has changed")
	}
	if c := te.Callers.CallerOfProcess(child); c.Name != "script" || c.Operator {
		t.Errorf("its child is %+v", c)
	}

	shell, _ := strconv.Atoi(u.run("display-message", "-p", "-t", pane, "#{pane_pid}"))
	if c := te.Callers.CallerOfProcess(shell); !c.Operator {
		t.Errorf("the user's own shell is %+v, want the operator", c)
	}

	if _, err := op.RestartAgent.Call(te.operator(), te, parley.RestartAgentRequest{Agent: "script"}); parley.ErrorCode(
		err,
	) != parley.InvalidArgument {
		t.Errorf("restart: %v, want a refusal", err)
	}

	te.stop("script")
	if c := te.Callers.CallerOfProcess(child); !c.Operator || !tmux.Alive(child) {
		t.Errorf("after it left, its child is %+v, want the operator, and alive", c)
	}
}

func TestAdoptedAgentsProgramComesBack(t *testing.T) {
	t.Parallel()
	te, u, first, _ := adopted(t)
	pane := first.Pane
	must.Do(t, syscall.Kill(first.PID, syscall.SIGKILL))

	te.inState("coder", parley.StateExited)
	id := te.send("coder", "rm -rf precious")
	te.held(id, "ended")
	log := u.agent(pane)
	te.reach(id, parley.DeliveryRead)
	te.wantMessages(log, 1)
	if a := te.inState("coder", parley.StateIdle); a.ID != first.AgentID {
		t.Errorf("it came back as %s", a.ID)
	}
}

// The dialog of a program that was killed stays on the screen, and the user's shell has the terminal.
func TestAnswerDoesNotGoToTheShellThatAnAdoptedProgramLeaves(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	u := newUser(t, te)
	pane := u.pane()
	screen := func() string { return u.run("capture-pane", "-p", "-J", "-t", pane) }
	script := filepath.Join(t.TempDir(), "agent.sh")
	must.Do(t, os.WriteFile(script, []byte("printf 'Do you want to proceed?\\n❯ 1. Yes\\n  2. No\\n'\nread -r line\n"),
		0o600))
	u.start(pane, "sh", script)
	u.until("the dialog shows", func() bool { return strings.Contains(screen(), "❯ 1. Yes") })
	coder := must.Have(op.AdoptAgent.Call(te.operator(), te,
		parley.AdoptAgentRequest{Name: "coder", Profile: "claude", Pane: pane, Socket: u.path}))(t)
	asked := must.Have(op.AnswerDialog.Call(te.operator(), te, parley.AnswerDialogRequest{Agent: "coder"}))(t)
	if asked.Dialog == nil {
		t.Fatalf("no dialog is open: %+v", asked)
	}

	must.Do(t, syscall.Kill(coder.PID, syscall.SIGKILL))
	te.inState("coder", parley.StateExited)
	marker := filepath.Join(t.TempDir(), "ran")
	u.run("send-keys", "-t", pane, "-l", "--", "touch "+marker) // the user has not pressed Enter
	u.until("it stands there", func() bool { return strings.Contains(screen(), marker) })

	got, err := op.AnswerDialog.Call(te.operator(), te,
		parley.AnswerDialogRequest{Agent: "coder", Dialog: asked.Dialog.ID, Choice: "1"})
	if parley.ErrorCode(err) != parley.DialogChanged {
		t.Errorf("got %+v, %v, want that no dialog is open", got, err)
	}
	if got := must.Have(op.AnswerDialog.Call(te.operator(), te,
		parley.AnswerDialogRequest{Agent: "coder"}))(t); got.Dialog != nil {
		t.Errorf("a dialog is open: %+v", got.Dialog)
	}
}

func TestSuspendedAgentIsNotMistakenForItsReplacement(t *testing.T) {
	t.Parallel()
	te, u, res, log := adopted(t)
	pane := res.Pane
	must.Do(t, syscall.Kill(res.PID, syscall.SIGSTOP))

	te.inState("coder", parley.StateUnknown)
	id := te.send("coder", "rm -rf precious")
	te.held(id, "bash, a shell, reads its terminal")
	u.start(pane, "sleep", "1000")
	te.held(id, "no program reads")
	if screen := u.run("capture-pane", "-p", "-t", pane); strings.Contains(screen, "precious") ||
		len(tmuxtest.Messages(t, log)) > 0 {
		t.Errorf("it was typed:\n%s", screen)
	}
}

func TestAdoptedAgentIsLostWithTheUsersTmux(t *testing.T) {
	t.Parallel()
	te, u, res, _ := adopted(t)
	te.launch("mine", "framed", tmuxtest.Agent{})
	u.run("kill-server")
	te.inState("coder", parley.StateUnreachable)
	id := te.send("coder", "are you there?")
	te.held(id, "unreachable")
	te.inState("mine", parley.StateIdle)

	// Adopted elsewhere under its name, it is the same agent and gets the waiting messages.
	again := newUser(t, te)
	log := again.agent(again.pane())
	if now := again.adopt("coder", again.pane()); now.AgentID != res.AgentID {
		t.Errorf("its id became %s, want %s", now.AgentID, res.AgentID)
	}

	te.reach(id, parley.DeliveryRead)
	te.wantMessages(log, 1)
}

func TestAdoptedAgentIsFoundAgainAndLetGoAtTheEnd(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	u := newUser(t, te)
	pane := u.pane()
	log := u.agent(pane)
	before := u.state()
	res := u.adopt("coder", pane)
	moved := u.run("new-window", "-d", "-t", "other", "-P", "-F", "#{pane_id}", "--", "cat")
	must.Have(op.AdoptAgent.Call(te.operator(), te, parley.AdoptAgentRequest{Profile: "generic", Pane: moved,
		Socket: u.path}))(t)

	given := u.run("new-window", "-d", "-t", "other", "-P", "-F", "#{pane_id}", "--", "cat")
	must.Have(op.AdoptAgent.Call(te.operator(), te, parley.AdoptAgentRequest{Name: "given", Profile: "generic",
		Pane:   given,
		Socket: u.path}))(t)

	te.inState("coder", parley.StateIdle)
	te.close()
	u.run("kill-pane", "-t", moved)
	u.run("set-option", "-p", "-t", given, "@parley_agent", "somebody-else")
	te.open()
	for _, name := range []string{"generic", "given"} {
		if a := te.inState(name, parley.StateUnreachable); !strings.Contains(a.Evidence, "when the daemon started") {
			t.Errorf("%s is lost, but: %s", name, a.Evidence)
		}
	}

	if owner := u.run("show-options", "-pqv", "-t", given, "@parley_agent"); owner != "somebody-else" {
		t.Errorf("the pane was taken back from %q", owner)
	}

	u.run("kill-pane", "-t", given)
	te.arrived(te.send("coder", "still there?"))
	te.wantMessages(log, 1)
	if c := te.Callers.CallerOfProcess(res.PID); c.Name != "coder" {
		t.Errorf("its process is %+v", c)
	}

	down, err := op.ShutDown.Call(te.operator(), te, parley.ShutDownRequest{})
	if err != nil || len(down.Stopped) != 2 || !slices.Equal(down.Left, []string{"coder"}) {
		t.Errorf("down: %+v, %v", down, err)
	}

	te.close()
	if diff := cmp.Diff(before, u.state()); diff != "" {
		t.Errorf("after parley down: %s", diff)
	}
	if !tmux.Alive(res.PID) {
		t.Error("its program was ended")
	}
}

func TestHungUserTmuxDoesNotHoldOtherAgents(t *testing.T) {
	t.Parallel()
	te, u, _, _ := adopted(t)
	te.launch("mine", "framed", tmuxtest.Agent{})

	server := must.Have(strconv.Atoi(u.run("display-message", "-p", "#{pid}")))(t)
	must.Do(t, syscall.Kill(server, syscall.SIGSTOP))
	defer func() { _ = syscall.Kill(server, syscall.SIGCONT) }()

	te.reach(te.send("mine", "hello"), parley.DeliveryRead)
	ctx, cancel := context.WithTimeout(te.operator(), tmuxtest.Patience)
	defer cancel()

	if _, err := op.AdoptAgent.Call(ctx, te, parley.AdoptAgentRequest{Pane: "%0", Socket: u.path}); parley.ErrorCode(
		err,
	) != parley.TmuxUnavailable {
		t.Errorf("adopt there: %v, want TMUX_UNAVAILABLE", err)
	}

	must.Do(t, syscall.Kill(server, syscall.SIGCONT))

	te.reach(te.send("coder", "and you?"), parley.DeliveryRead)
}
