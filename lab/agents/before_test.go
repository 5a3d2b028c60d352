package agents

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/internal/modelserver"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/program/profile"
	"parley/tmux"
)

// Somebody has talked to a program in a terminal of their own. parley finds that conversation, takes it up only once
// the program has ended there, and its model then sees the earlier turns.
func TestConversationsFromBeforeGoOn(t *testing.T) {
	for _, program := range oneOfEach(installedPrograms(t)) {
		t.Run(program.String(), func(t *testing.T) { goesOnFromBefore(t, program) })
	}
}

func goesOnFromBefore(t *testing.T, program installed) {
	h := testhome.New(t)
	for i, entry := range h.Env {
		if path, ok := strings.CutPrefix(entry, "PATH="); ok {
			h.Env[i] = "PATH=" + program.path + ":" + path
		}
	}
	s := &onStage{T: t, Home: h, program: program, size: aloneAt, model: modelserver.Start()}
	t.Cleanup(s.model.Close)
	s.profile = must.Have(must.Have(profile.Builtin())(t).Find(program.profile))(t)
	program.prepare(t, h, s.model.URL)
	if program.profile == "gemini" { // else parley does not take it up
		keeps := strings.Replace(program.files[".gemini/settings.json"],
			`"general": {`, `"general": {"sessionRetention": {"enabled": false}, `, 1)
		configure(t, h, ".gemini/settings.json", keeps)
	}

	end := s.byHand("the first is HERON")
	found := s.found("heron")
	out, err := h.Command("launch", "eve", "--session", found.Short, "--json").CombinedOutput()
	if err == nil || !strings.Contains(string(out), string(parley.AgentUnavailable)) {
		t.Fatalf("while it is open elsewhere: %s", out)
	}
	end()

	launch := slices.Concat([]string{
		"launch", "ann", "--door", "never", "--session", found.Short, "--json", "--", program.profile}, program.args)
	var res parley.LaunchAgentResult
	s.wait("its processes have ended", func() bool {
		out, _ := h.Command(launch...).Output()
		must.Do(t, json.Unmarshal(out, &res))
		return res.Success
	})
	if res.Conversation != parley.ConversationResumed {
		t.Errorf("got %+v", res)
	}
	s.pid, s.seal = res.PID, s.askSeal()
	s.wait("ann is idle", func() bool {
		state := s.look().State
		if state == parley.StateWaiting {
			s.resumesAnyway()
		}
		return state == parley.StateIdle
	})
	s.begun(s.send("the second is OSPREY"))
	s.inState(parley.StateIdle)
	for _, text := range []string{"HERON", "You said: ", "OSPREY"} {
		if !strings.Contains(s.model.Turn(), text) {
			t.Errorf("its model does not see %q:\n%s", text, s.model.Turn())
		}
	}
	if again := s.look().Session; again.ID != found.ID {
		t.Errorf("its session is %+v, want %s", again, found.ID)
	}
	if again := s.found("heron osprey"); again.ID != found.ID || again.Agent != "ann" {
		t.Errorf("it is found as %+v", again)
	}
}

// found returns the one conversation with some words.
func (s *onStage) found(words string) (one parley.KeptSession) {
	s.Helper()
	ok := s.until(endurance, func() bool {
		all := testhome.Run[parley.ListSessionsResult](s.T, s.Home, "sessions", words).Sessions
		if len(all) == 1 {
			one = all[0]
		}
		return len(all) == 1
	})
	if !ok {
		s.Fatalf("%q is not found", words)
	}
	return one
}

// byHand starts the program in a person's tmux, types a prompt and waits for the answer. The program ends with end.
func (s *onStage) byHand(prompt string) (end func()) {
	s.Helper()
	socket := filepath.Join(s.Dir, "person")
	run := func(args ...string) string {
		cmd := exec.Command("tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
		cmd.Env = s.Env
		out, err := cmd.CombinedOutput()
		if err != nil {
			s.Fatalf("tmux %v: %v: %s", args, err, out)
		}
		return string(out)
	}
	run(slices.Concat([]string{"new-session", "-d", "-s", "person", "-x", "120", "-y", "40", "-c", workdir(s.Home),
		s.program.profile}, s.program.args)...)
	screen := func() string { return run("capture-pane", "-p", "-t", "person") }
	still := func() {
		last, since := "", time.Now()
		s.until(endurance, func() bool {
			if now := screen(); now != last {
				last, since = now, time.Now()
			}
			return strings.TrimSpace(last) != "" && time.Since(since) > 3*time.Second
		})
	}

	still()
	if s.program.first != "" {
		run("send-keys", "-t", "person", s.program.first)
		still()
	}
	run("send-keys", "-t", "person", "-l", prompt)
	still()
	run("send-keys", "-t", "person", "Enter")
	if !s.until(endurance, func() bool { return strings.Contains(screen(), "You said: ") }) {
		s.Fatalf("it does not answer by hand:\n%s", screen())
	}
	still()

	pid := must.Have(strconv.Atoi(strings.TrimSpace(run("display-message", "-p", "-t", "person", "#{pane_pid}"))))(s.T)
	return func() {
		own := append(must.Have(tmux.Descendants(pid))(s.T), pid)
		run("kill-server")
		for _, pid := range own { // some live on without a terminal
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
