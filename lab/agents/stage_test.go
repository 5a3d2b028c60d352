package agents

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"parley"
	"parley/internal/modelserver"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/plain"
	"parley/program/profile"
)

// onStage is a real program that runs as the agent ann, at a scripted model.
type onStage struct {
	*testing.T
	*testhome.Home
	program installed
	profile *profile.Profile
	size    string
	model   *modelserver.Server
	agent   parley.AgentStatus
	seal    string // of ann's terminal
	pid     int
	prompt  string // the id of its first message, if it was launched with one
	person  string // socket of the tmux that shows ann to a person; "" if none does
	sent    []*letter
	sender  *testhome.Home   // who sends to ann; nil: the operator
	senders []*testhome.Home // all agents that may
}

// letter is a message to ann.
type letter struct {
	*parley.Message
	want   string   // the text that the model must get, to the byte
	whole  string   // the same where nothing is announced
	notice bool     // whether want only announces the message
	sealed []string // the texts above with the seals that ann had before
}

// is reports whether a prompt holds the letter, unchanged.
func (m *letter) is(prompt string) bool {
	return slices.ContainsFunc(m.texts(), func(text string) bool { return strings.Contains(prompt, text) })
}

// texts are all that the model may get of the letter.
func (m *letter) texts() []string { return append([]string{m.want, m.whole}, m.sealed...) }

// launchReal launches a program to which messages are typed, unless a flag says otherwise.
func launchReal(t *testing.T, program installed, size string, flags ...string) *onStage {
	return launchIn(t, testhome.New(t), program, size, append([]string{"--door", "never"}, flags...)...)
}

// launchIn launches a program in a home.
func launchIn(t *testing.T, h *testhome.Home, program installed, size string, flags ...string) *onStage {
	for i, entry := range h.Env {
		if path, ok := strings.CutPrefix(entry, "PATH="); ok {
			h.Env[i] = "PATH=" + program.path + ":" + path
		}
	}

	profiles := must.Have(profile.Builtin())(t)

	s := &onStage{T: t, Home: h, program: program, size: size, model: modelserver.Start()}
	t.Cleanup(s.model.Close)
	s.profile = must.Have(profiles.Find(program.profile))(t)

	args := slices.Concat([]string{"launch", "ann", "--profile", program.profile, "--size", size}, flags,
		[]string{"--", program.profile}, program.args)
	program.prepare(t, h, s.model.URL)
	args = slices.Insert(args, 2, inSandbox(t, h)...)
	res := testhome.Run[parley.LaunchAgentResult](t, h, args...)
	s.pid, s.prompt = res.PID, res.PromptMessageID
	s.look()
	s.seal = s.askSeal()
	s.passesFirst()

	return s
}

// passesFirst answers what the program asks at its first start.
func (s *onStage) passesFirst() {
	s.Helper()
	if s.program.first == "" {
		return
	}
	s.inState(parley.StateWaiting)
	d := s.dialog()
	s.answer(d, d.Options[0].Choice)
	s.wait("the question is gone", func() bool { return s.look().State != parley.StateWaiting })
}

// askSeal returns what ann is told of her own seal.
func (s *onStage) askSeal() string {
	key := testhome.Run[parley.IssueKeyResult](s.T, s.Home, "key", "issue", "ann").APIKey
	ann := *s.Home
	ann.Env = append(slices.Clone(ann.Env), "PARLEY_KEY="+key)
	return testhome.Run[parley.AgentStatusResult](s.T, &ann, "agents").YourSeal
}

// endurance bounds the waits for real programs. On a machine with two cores and a load of
// 20 opencode took 60 s from its start to its first request.
const endurance = 3 * testhome.Patience

// until polls for a fact, and reports whether it came. Most facts take a run of parley, which costs
// some 40 ms of a core.
func (s *onStage) until(patience time.Duration, fact func() bool) bool {
	for deadline := time.Now().Add(patience); !fact(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// wait waits for a fact. If it does not come, the test fails with the screen and with
// the stories of the messages.
func (s *onStage) wait(what string, fact func() bool, about ...*letter) {
	s.Helper()
	if s.until(endurance, fact) {
		return
	}

	var stories []string
	for _, m := range about {
		stories = append(stories, testhome.Run[parley.ExplainMessageResult](s.T, s.Home, "explain", m.ID).Story...)
	}

	s.Fatalf("%s: never so; ann is %s, held: %q; the model was sent %q; the screen is\n%s\n%s",
		what, s.look().State, s.agent.HeldReason, s.model.Prompts(), s.lastScreen(), strings.Join(stories, "\n"))
}

// lastScreen returns what the terminal shows, or why nothing does, and what parley needs says.
func (s *onStage) lastScreen() string {
	var shown strings.Builder
	for _, command := range [][]string{{"screen", s.agent.Name}, {"needs"}} {
		out, err := s.Home.Command(command...).CombinedOutput()
		fmt.Fprintf(&shown, "%s: %v\n%s", command[0], err, out)
	}
	return shown.String()
}

func (s *onStage) look() parley.AgentStatus {
	s.agent = testhome.Run[parley.AgentStatusResult](s.T, s.Home, "agents", "ann").Agents[0]
	return s.agent
}

func (s *onStage) terminal() parley.ReadTerminalResult {
	return testhome.Run[parley.ReadTerminalResult](s.T, s.Home, "screen", "ann")
}

func (s *onStage) screen() string { return strings.Join(s.terminal().Lines, "\n") }

// composer returns the text in ann's composer.
func (s *onStage) composer() string {
	at := s.terminal()
	screen := profile.Screen{Lines: at.Lines, Width: at.Width, CursorX: at.CursorX, CursorY: at.CursorY}
	text, _ := s.profile.Composer(screen)
	return text
}

func (s *onStage) inState(state parley.AgentState) {
	s.Helper()
	s.wait("ann is "+string(state), func() bool { return s.look().State == state })
}

// send sends a message to ann as the operator.
func (s *onStage) send(text string, flags ...string) *letter {
	s.Helper()
	args := slices.Concat([]string{"send", "ann"}, flags, []string{"--", text})
	m := &letter{Message: testhome.Run[parley.SendMessageResult](s.T, cmp.Or(s.sender, s.Home), args...).Object}
	s.seals(m)
	s.sent = append(s.sent, m)
	return m
}

// seals sets what the model must get of a letter that goes out with ann's seal of now.
func (s *onStage) seals(m *letter) {
	s.Helper()
	if m.want != "" {
		m.sealed = m.texts()
	}
	head := m.Header(s.agent.ID) + " "
	body := plain.QuoteForms(strings.ReplaceAll(m.Text, "\t", "    "))
	m.want = head + body + "\n" + m.Footer(false, s.seal)
	m.whole = m.want
	if m.notice = !s.profile.Fits(m.want); m.notice {
		first, _, _ := strings.Cut(strings.TrimSpace(norm.NFC.String(body)), "\n")
		m.want = head + plain.Truncate(plain.QuoteForms(s.profile.Showable(first))+"…", 200) + "\n" +
			m.AnnouncementFooter(len([]rune(m.Text)), s.seal)
	}
}

// status returns the delivery of a message.
func (s *onStage) status(m *letter) parley.Delivery {
	return testhome.Run[parley.MessageStatusResult](s.T, s.Home, "message", m.ID).Deliveries[0]
}

// prompted counts how often the model got a message, and reports whether one of them is
// unchanged.
func (s *onStage) prompted(m *letter) (times int, whole bool) {
	prompts := s.model.Prompts()
	for i, prompt := range prompts {
		if s.program.again(prompts, i) {
			continue
		}
		if s.program.recalls {
			prompt = withoutRefused(prompt, prompts[:i])
		}
		times += strings.Count(prompt, "msg "+parley.Short(m.ID))
		whole = whole || m.is(prompt)
	}
	return times, whole
}

// again reports whether a prompt is one of those before once more, which the program has sent again by itself: one that
// restarts sends all that its turn has been given so far, before each urgent message that comes in.
func (p *realProgram) again(prompts []string, i int) bool {
	if p.repeats && i > 0 && prompts[i] == prompts[i-1] {
		return true
	}
	if i > 1 && summary.MatchString(prompts[i-1]) && prompts[i] == prompts[i-2] {
		return true
	}
	const most = 8 // urgent messages into one turn
	for n := 1; n <= most && p.restarts; n++ {
		for begin := max(i-n+1, n); begin <= i && begin+n < len(prompts); begin++ {
			if slices.Equal(prompts[begin-n:begin], prompts[begin:begin+n]) &&
				strings.Contains(prompts[begin+n], "· urgent)") {
				return true
			}
		}
	}
	return false
}

func TestWhatAProgramSendsAgainCountsOnce(t *testing.T) {
	a, u, v := "a", "u (ann · msg 1 · urgent)", "v (ann · msg 2 · urgent)"
	sum := "Please create a detailed summary of the conversation so far. It has become long."
	for _, c := range []struct {
		prompts, want []string
	}{
		{[]string{a, a, u}, []string{a, u}},
		{[]string{a, a, u, a, u, v}, []string{a, u, v}},
		{[]string{a, a, a}, []string{a, a, a}},
		{[]string{a, u, u}, []string{a, u, u}},
		{[]string{a, u, a, u}, []string{a, u, a, u}},
		{[]string{a, sum, a, "b"}, []string{a, sum, "b"}},
	} {
		var got []string
		for i, prompt := range c.prompts {
			if !(&realProgram{restarts: true}).again(c.prompts, i) {
				got = append(got, prompt)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q count, want %q", c.prompts, got, c.want)
		}
	}
}

// withoutRefused returns a prompt without the earlier ones that go along with it.
func withoutRefused(prompt string, earlier []string) string {
	for _, e := range slices.Backward(earlier) {
		if rest, ok := strings.CutPrefix(prompt, e); ok && rest != "" {
			return rest
		}
	}
	return prompt
}

// begun waits until the model has a message.
func (s *onStage) begun(m *letter) {
	s.Helper()
	s.wait("the model has it", func() bool { times, _ := s.prompted(m); return times > 0 }, m)
}

// strays returns what the model got besides our messages.
func (s *onStage) strays() (strays []string) {
	for _, prompt := range s.model.Prompts() {
		for _, m := range s.sent {
			for _, text := range m.texts() {
				prompt = strings.Replace(prompt, text, "", 1)
			}
		}
		prompt = strings.TrimSpace(summary.ReplaceAllString(besides.ReplaceAllString(prompt, ""), ""))
		if prompt != "" {
			strays = append(strays, prompt)
		}
	}
	return strays
}

// besides is what programs add: the prompt after a person has pressed Escape, and Claude Code's marks of a paste.
var besides = regexp.MustCompile(`\[Request interrupted by user( for tool use)?\]|</?pasted_content id="\w+">`)

// summary is what Copilot asks its model when its history has become long. It sends the last prompt once more then.
var summary = regexp.MustCompile(`(?s)^Please create a detailed summary of the conversation so far\..*`)

// held waits until a message is held for a reason.
func (s *onStage) held(reason string) {
	s.Helper()
	s.wait("a message is held: "+reason, func() bool { return strings.Contains(s.look().HeldReason, reason) })
}

// arrives waits until messages are delivered, with proof, and compares them with what
// the model got.
func (s *onStage) arrives(messages ...*letter) {
	s.Helper()
	for _, m := range messages {
		s.wait("the message arrives: "+m.Text, func() bool {
			d := s.status(m)
			if d.State.Failed() || d.State == parley.DeliveryUnconfirmed {
				s.Fatalf("%q is %s: %s\nthe model was sent %q; the screen is\n%s",
					m.Text, d.State, d.Reason, s.model.Prompts(), s.screen())
			}

			times, _ := s.prompted(m)

			return d.State.Delivered() && times > 0
		}, m)
	}

	for _, m := range messages {
		if times, whole := s.prompted(m); times != 1 || !whole {
			s.Errorf("%d times, want once\n%q, the model was sent\n%q", times, m.want, s.model.Prompts())
		}
	}

	if strays := s.strays(); len(strays) > 0 {
		s.Errorf("the model was sent besides: %q", strays)
	}
}

// tmux runs a command in a tmux server.
func (s *onStage) tmux(socket string, args ...string) {
	s.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", socket}, args...)...)
	cmd.Env = s.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("tmux %v: %v: %s", args, err, out)
	}
}

// press presses keys in the terminal of a person who sees ann.
func (s *onStage) press(keys ...string) {
	s.Helper()
	if s.person == "" {
		s.attach()
	}
	s.tmux(s.person, append([]string{"send-keys", "-t", "person"}, keys...)...)
}

// attach shows ann in a person's terminal, which is another tmux server.
func (s *onStage) attach() {
	s.Helper()
	program := must.Have(exec.LookPath("parley"))(s)

	width, height, _ := strings.Cut(s.size, "x")
	s.person = filepath.Join(s.Dir, "t", "person")
	s.tmux(s.person, "-f", "/dev/null", "start-server", ";", "set-option", "-s", "extended-keys", "on", ";", // as docs/terminals.md says
		"new-session", "-d", "-s", "person", "-x", width, "-y", height, program, "attach", "ann")
	s.tmux(s.person, "set-option", "-g", "escape-time", "0")
	s.wait("a person sees ann", func() bool {
		out, err := exec.Command("tmux", "-S", s.person, "capture-pane", "-p", "-t", "person").Output()
		return err == nil && strings.Contains(string(out), "[ann")
	})
}

// leave ends the person's terminal.
func (s *onStage) leave() {
	if s.person != "" {
		s.tmux(s.person, "kill-server")
		s.person = ""
	}
}

// ofAgent returns the command lines of the processes with the agent's id in their
// environment.
func (s *onStage) ofAgent() (lines []string) {
	for pid, line := range s.Processes() {
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err == nil && strings.Contains(string(env), "PARLEY_AGENT_ID="+s.agent.ID) {
			lines = append(lines, line)
		}
	}
	return lines
}
