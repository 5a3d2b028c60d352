package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/modelserver"
)

// agentsPrefix names the directory into which npm installed the real programs:
// npm install --prefix DIR node@22 @anthropic-ai/claude-code @openai/codex
// @github/copilot opencode-ai @google/gemini-cli @qwen-code/qwen-code
const agentsPrefix = "PARLEY_TEST_AGENTS"

// configure writes a file of the test's own home directory.
func (h *home) configure(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(h.dir, "h", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// variable is one of the test's environment, of which the last counts.
func (h *home) variable(name string) (value string) {
	for _, entry := range h.env {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}

// onStage is a real program that runs as an agent.
type onStage struct {
	*testing.T
	*home
	program realProgram
	model   *modelserver.Server
	agent   parley.AgentStatus
	pid     int
}

func TestRealProgramsAreTypedToSafely(t *testing.T) {
	prefix := os.Getenv(agentsPrefix)
	if prefix == "" {
		t.Skip(agentsPrefix + " names no directory with the real programs")
	}
	for _, program := range realPrograms {
		for _, size := range []string{"120x40", "80x24"} {
			t.Run(program.profile+" at "+size, func(t *testing.T) {
				bin := filepath.Join(prefix, "node_modules", ".bin")
				if _, err := os.Stat(filepath.Join(bin, program.profile)); err != nil {
					t.Skipf("%s is not installed: %v", program.profile, err)
				}
				s := launchReal(t, bin, program, size)
				s.isBriefed()
				s.sendsWithoutAsking()
				s.waitsForItsWork()
				s.leavesTheDraft()
				s.leavesTheQuestion()
				s.stops()
			})
		}
	}
}

func launchReal(t *testing.T, bin string, program realProgram, size string) *onStage {
	h := newTestHome(t)
	var err error
	if h.workspace, err = filepath.EvalSymlinks(h.workspace); err != nil {
		t.Fatal(err)
	}
	for i, entry := range h.env {
		if path, ok := strings.CutPrefix(entry, "PATH="); ok {
			h.env[i] = "PATH=" + bin + ":" + path
		}
	}
	s := &onStage{T: t, home: h, program: program, model: modelserver.Start()}
	t.Cleanup(s.model.Close)
	args := append([]string{"launch", "ann", "--profile", program.profile, "--size", size, "--", program.profile}, program.prepare(t, h, s.model.URL)...)
	s.pid = must[parley.LaunchAgentResult](t, h, args...).PID
	s.inState(parley.StateIdle)
	return s
}

// wait polls until a fact is there, and shows the screen when it never is.
func (s *onStage) wait(what string, fact func() bool) {
	s.Helper()
	for deadline := time.Now().Add(patience); !fact(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("%s: never so; the model was sent %q; the screen is\n%s", what, s.model.Prompts(), s.screen())
		}
	}
}

func (s *onStage) screen() string {
	return strings.Join(must[parley.ReadTerminalResult](s.T, s.home, "screen", "ann").Lines, "\n")
}

func (s *onStage) inState(state parley.AgentState) {
	s.Helper()
	s.wait("ann is "+string(state), func() bool {
		s.agent = must[parley.AgentStatusResult](s.T, s.home, "agents", "ann").Agents[0]
		return s.agent.State == state
	})
}

// send sends and returns the message's id.
func (s *onStage) send(text string) string {
	s.Helper()
	return must[parley.SendMessageResult](s.T, s.home, "send", "ann", text).MessageID
}

// held waits until what was sent waits for a reason.
func (s *onStage) held(reason string) {
	s.Helper()
	s.wait("a message is held: "+reason, func() bool {
		s.agent = must[parley.AgentStatusResult](s.T, s.home, "agents", "ann").Agents[0]
		return strings.Contains(s.agent.HeldReason, reason)
	})
}

// arrives waits until a message is proven to be read, and compares it with what
// the model was sent.
func (s *onStage) arrives(id, text string) {
	s.Helper()
	s.wait("the message is read: "+text, func() bool {
		res := must[parley.MessageStatusResult](s.T, s.home, "message", id)
		if state := res.Deliveries[0].State; state.Failed() || state == parley.DeliveryUnconfirmed {
			s.Fatalf("%q is %s: %s\n%s", text, state, res.Deliveries[0].Reason, s.screen())
		}
		return res.Deliveries[0].State == parley.DeliveryRead && s.prompted(id) > 0
	})
	operator := must[parley.AgentStatusResult](s.T, s.home, "agents", parley.OperatorName).Agents[0]
	want := fmt.Sprintf("[AGENT %s TO AGENT %s]: %s\n(operator · msg %s)", parley.Short(operator.ID), parley.Short(s.agent.ID), text, parley.Short(id))
	prompts := s.model.Prompts()
	if !slices.Contains(prompts, want) && !slices.Contains(prompts, want+s.program.adds) || s.prompted(id) != 1 {
		s.Errorf("the model was sent\n%q, want once\n%q", prompts, want)
	}
}

// prompted counts the prompts that a message is in.
func (s *onStage) prompted(id string) (n int) {
	for _, prompt := range s.model.Prompts() {
		n += strings.Count(prompt, "msg "+parley.Short(id))
	}
	return n
}

func (s *onStage) press(keys ...string) {
	s.Helper()
	info := must[parley.WorkspaceStatusResult](s.T, s.home, "status")
	args := append([]string{"-S", info.TmuxSocket, "send-keys", "-t", "ann"}, keys...)
	if out, err := exec.Command("tmux", args...).CombinedOutput(); err != nil {
		s.Fatalf("tmux %v: %v: %s", args, err, out)
	}
}

func (s *onStage) isBriefed() {
	s.Helper()
	id := s.send("please rebase onto main")
	s.arrives(id, "please rebase onto main")
	if s.program.hooks {
		s.reports(id)
	}
	system, tools := s.model.Offered()
	if want := "You are ann (agent " + parley.Short(s.agent.ID) + ")"; !strings.Contains(system, want) {
		s.Errorf("its instructions have no %q: %s", want, system)
	}
	if !slices.Contains(tools, s.program.tool) {
		s.Errorf("it has the tools %q, want %s", tools, s.program.tool)
	}
	if argv, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", s.pid)); err == nil && strings.Contains(string(argv), "parley_") {
		s.Errorf("a key stands in its argv: %q", argv)
	}
}

func (s *onStage) sendsWithoutAsking() {
	s.Helper()
	text := `CALL send_message {"to":["operator"],"text":"from inside"}`
	s.arrives(s.send(text), text)
	s.wait("its message came", func() bool {
		for _, m := range must[parley.CheckInboxResult](s.T, s.home, "inbox").Messages {
			if m.Sender == "ann" && strings.Contains(m.Content, "from inside") {
				return true
			}
		}
		return false
	})
	s.inState(parley.StateIdle)
}

func (s *onStage) waitsForItsWork() {
	s.Helper()
	work := s.send("WAIT and think")
	s.inState(parley.StateBusy)
	after := s.send("when you are done")
	s.held("busy")
	if n := s.prompted(after); n != 0 {
		s.Errorf("it was sent %d times into the work", n)
	}
	s.model.Release()
	s.arrives(work, "WAIT and think")
	s.arrives(after, "when you are done")
	s.inState(parley.StateIdle)
}

func (s *onStage) leavesTheDraft() {
	s.Helper()
	s.press("-l", "half a thought")
	s.wait("the draft shows", func() bool { return strings.Contains(s.screen(), "half a thought") })
	id := s.send("not into the draft")
	s.held("draft")
	if screen := s.screen(); !strings.Contains(screen, "half a thought") || strings.Contains(screen, "not into the draft") {
		s.Errorf("the draft was touched:\n%s", screen)
	}
	s.press("C-u")
	s.arrives(id, "not into the draft")
	s.inState(parley.StateIdle)
}

func (s *onStage) leavesTheQuestion() {
	s.Helper()
	file := filepath.Join(s.workspace, "forbidden")
	text := strings.ReplaceAll(s.program.ask, "FILE", file)
	s.arrives(s.send(text), text)
	s.inState(parley.StateWaiting)
	id := s.send("not an answer")
	s.held("dialog")
	s.inState(parley.StateWaiting)
	s.press("Escape")
	s.arrives(id, "not an answer")
	if _, err := os.Stat(file); err == nil {
		s.Errorf("the question was answered: %s is there", file)
	}
	s.inState(parley.StateIdle)
}

func (s *onStage) stops() {
	s.Helper()
	if len(s.ofAgent()) == 0 {
		s.Fatal("no process of it is found while it runs")
	}
	must[parley.StopAgentResult](s.T, s.home, "stop", "ann")
	if files, _ := filepath.Glob(filepath.Join(s.variable("XDG_STATE_HOME"), "parley", "*", "agents", "*")); len(files) != 0 {
		s.Errorf("files of the handover are left: %q", files)
	}
	config, err := os.ReadFile(filepath.Join(s.dir, "h", s.program.config))
	if err != nil {
		s.Fatal(err)
	}
	if strings.Contains(string(config), "_exec") || strings.Contains(string(config), "mcp_servers") || strings.Contains(string(config), `"mcpServers":{"parley`) {
		s.Errorf("the user's own configuration was written: %s", config)
	}
	s.wait("no process of it is left", func() bool { return len(s.ofAgent()) == 0 })
}

// ofAgent are the processes that have the agent's id in their environment.
func (s *onStage) ofAgent() (lines []string) {
	for pid, line := range s.processes() {
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err == nil && strings.Contains(string(env), "PARLEY_AGENT_ID="+s.agent.ID) {
			lines = append(lines, line)
		}
	}
	return lines
}

// reports waits until the program's own hook has said that it works upon a message.
func (s *onStage) reports(id string) {
	s.Helper()
	s.wait("its own report names the message", func() bool {
		d := must[parley.MessageStatusResult](s.T, s.home, "message", id).Deliveries[0]
		return !d.TurnStarted().IsZero()
	})
}
