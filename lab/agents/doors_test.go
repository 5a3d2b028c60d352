package agents

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/internal/must"
	"parley/internal/place"
	"parley/internal/testhome"
	"parley/op"
	"parley/program/profile"
)

// doorChecks are tried with each program that has a door of its own, in this order.
var doorChecks = []struct {
	name string
	try  func(*onStage)
}{
	{"a message is typed while its terminal is free", (*onStage).typesWhereItCan},
	{"a message passes a draft, which is not touched", (*onStage).passesTheDraft},
	{"a message passes a dialog, which is not answered", (*onStage).passesTheQuestion},
	{"several messages go into the work, each once and in order", (*onStage).passesTheWork},
	{"an urgent message goes into the turn that runs, where the program can", (*onStage).steersTheWork},
	{"the operator's message is not marked as another's", (*onStage).keepsTheOperatorsWord},
	{"a text with tags comes as it is", (*onStage).keepsItsText},
	{"another setting of the door counts for what is held", (*onStage).heedsTheSetting},
	{"kill -9 of the daemon loses and doubles nothing at the door", (*onStage).outlivesTheDaemonInside},
	{"kill -9 of the program is told", (*onStage).tellsOfItsCrash},
}

// TestDoors tries programs' own doors. PARLEY_TEST_DELIVERIES adds deliveries at random, so many to each, and
// times with messages typed and through the door, in one run.
func TestDoors(t *testing.T) {
	var programs []installed
	for _, p := range oneOfEach(installedPrograms(t)) {
		if p.hasDoor(t) {
			programs = append(programs, p)
		}
	}
	n, _ := strconv.Atoi(os.Getenv(agentsDeliveries))
	seed, _ := strconv.ParseUint(cmp.Or(os.Getenv(agentsSeed), strconv.FormatInt(time.Now().Unix(), 10)), 10, 64)

	t.Run("behave", func(t *testing.T) {
		for _, program := range programs {
			t.Run(program.String(), func(t *testing.T) {
				t.Parallel()
				s := launchDoor(t, program, "when_held")
				s.startsUp()
				for _, check := range doorChecks {
					whole := s.T
					passed := whole.Run(check.name, func(t *testing.T) {
						s.T = t
						check.try(s)
					})
					if s.T = whole; !passed {
						return
					}
				}
			})
		}
	})
	if n == 0 || len(programs) == 0 {
		return
	}

	t.Run("deliver", func(t *testing.T) {
		for _, program := range programs {
			t.Run(program.String(), func(t *testing.T) {
				t.Parallel()
				t.Logf("%d deliveries with %s=%d", n, agentsSeed, seed)
				s := launchDoor(t, program, "when_held")
				s.inState(parley.StateIdle)
				of := func(f doorFigures) record { return record{Size: s.size, Seed: seed, Door: &f} }
				deliver(newTrial(s, program.chance(seed)), n, func(f figures) record { return of(doorFigures{figures: f}) })

				f := doorFigures{Draft: s.timesBesideADraft()}
				s = launchDoor(t, program, "always")
				s.startsUp() // nothing shows that it is signed in before that
				f.Always = newTrial(s, program.chance(seed)).run(0).Started
				f.Urgent = s.timesIntoATurn() // an urgent message is typed into a turn where its terminal is free
				keep(t, program, of(f))
			})
		}
	})
}

// launchDoor launches a program whose messages come from an agent, since a program can tell its model that what comes
// through its door is not its user's.
func launchDoor(t *testing.T, program installed, setting string) *onStage {
	h := testhome.New(t)
	configure(t, h, ".config/parley/parley.yaml", "conversation: {off: true}\n")
	s := launchIn(t, h, program, "120x40", "--door", setting, "--interruptible")
	for _, name := range []string{"bea", "cleo", "dan"} {
		s.senders = append(s.senders, s.mailbox(name))
	}
	s.sender = s.senders[0]
	return s
}

// timesBesideADraft returns how long messages take to the model while a draft stands in the composer.
func (s *onStage) timesBesideADraft() (times millis) {
	s.Helper()
	const draft = "half a thought"
	s.drafts(draft)
	for i := range measured {
		m := s.send(fmt.Sprintf("please look at file %d", i))
		s.wentIn(m)
		times = append(times, s.tookToTheModel(m)...)
		time.Sleep(time.Second)
	}
	s.backspace(draft)
	return times
}

// timesIntoATurn returns how long urgent messages take to the model through the door while a turn runs; none where the
// program takes no message into a turn. The turn calls its tool once the trial has seen that the message is inside. What
// it waits for the trial, which looks by runs of parley, is left out.
func (s *onStage) timesIntoATurn() (times millis) {
	s.Helper()
	if !s.steers() {
		return nil
	}
	for i := range measured {
		s.worksWithATool()
		m := s.send(fmt.Sprintf("look at file %d first", i), "--urgent")
		s.goesInside(m)
		inside, released := s.insideAt(m), time.Now()
		s.model.Release()
		s.wentIn(m)
		for _, took := range s.tookToTheModel(m) {
			times = append(times, took-released.Sub(inside))
		}
		s.inState(parley.StateIdle)
	}
	return times
}

// insideAt returns when parley knew that a program keeps a message.
func (s *onStage) insideAt(m *letter) time.Time {
	s.Helper()
	for _, step := range s.status(m).Steps {
		if step.Code == parley.HoldInside {
			return step.At
		}
	}
	s.Fatalf("it is not inside: %+v", s.status(m).Steps)
	return time.Time{}
}

func (s *onStage) tookToTheModel(m *letter) (times millis) {
	for _, prompt := range s.model.Log() {
		if strings.Contains(prompt.Text, m.whole) {
			times = append(times, prompt.At.Sub(m.Timestamp))
		}
	}
	return times
}

// steers reports whether the program's door takes a message into the turn that runs.
func (s *onStage) steers() bool { return s.profile.Door.Kind == "extension" }

// worksWithATool begins a turn that waits, and calls a tool then.
func (s *onStage) worksWithATool() {
	s.Helper()
	work := s.send(`WAIT and CALL read {"path":".","i":"look"}`)
	s.inState(parley.StateBusy)
	s.begun(work)
}

// wentIn waits until a message is proven, and checks that it went through the door.
func (s *onStage) wentIn(m *letter) {
	s.Helper()
	s.arrives(m)
	for _, step := range s.status(m).Steps {
		if strings.Contains(step.Evidence, "through its own door") {
			return
		}
	}
	s.Errorf("%q was typed: %+v", m.Text, s.status(m).Steps)
}

func (s *onStage) typesWhereItCan() {
	s.Helper()
	m := s.send("while you rest")
	s.arrives(m)
	for _, step := range s.status(m).Steps {
		if strings.Contains(step.Evidence, "through its own door") {
			s.Errorf("it was not typed: %s", step.Evidence)
		}
	}
	s.inState(parley.StateIdle)
}

func (s *onStage) passesTheDraft() {
	s.Helper()
	const draft = "half a thought"
	s.drafts(draft)
	for _, text := range []string{"beside the draft", "two\nlines of it", "/help", strings.Repeat("a long one. ", 120) + "end"} {
		s.wentIn(s.send(text))
	}
	s.wait("the draft stands there", func() bool { return s.composer() == draft })
	s.backspace(draft)
	s.wait("the draft is gone", func() bool { return s.composer() == "" })
	s.inState(parley.StateIdle)
}

func (s *onStage) passesTheQuestion() {
	s.Helper()
	if s.program.ask == "" {
		return
	}
	file := filepath.Join(s.Workspace, "forbidden")
	s.arrives(s.send(strings.ReplaceAll(s.program.ask, "FILE", file)))
	s.inState(parley.StateWaiting)
	m := s.send("1")
	s.wait("it is inside", func() bool {
		d := s.status(m)
		return d.ReasonCode == parley.HoldInside || d.State.Settled()
	})
	time.Sleep(time.Second)
	s.inState(parley.StateWaiting)
	s.refuse()
	next := s.send("go on after that") // some need one
	s.wentIn(m)
	s.arrives(next)
	if _, err := os.Stat(file); err == nil {
		s.Errorf("the question was answered: %s is there", file)
	}
	s.inState(parley.StateIdle)
}

func (s *onStage) passesTheWork() {
	s.Helper()
	work := s.send("WAIT and think")
	s.inState(parley.StateBusy)
	s.begun(work)
	var all []*letter
	for _, text := range []string{"first", "second", "third"} {
		all = append(all, s.send(text))
	}
	s.wait("they are inside", func() bool {
		d := s.status(all[2])
		return d.ReasonCode == parley.HoldInside || d.State.Settled()
	})
	s.model.Release()
	for _, m := range all {
		s.wentIn(m)
	}
	s.inState(parley.StateIdle)
}

// steersTheWork sends an ordinary and then an urgent message into a turn that has a tool to run. The urgent one comes
// with the tool's result, and the other one after the turn.
func (s *onStage) steersTheWork() {
	s.Helper()
	if !s.steers() {
		return
	}
	s.worksWithATool()
	later := s.send("when you are done")
	s.wait("it is inside", func() bool { return s.status(later).ReasonCode == parley.HoldInside })
	urgent := s.send("stop, and look here", "--urgent")
	s.wait("it is inside", func() bool { return s.status(urgent).ReasonCode == parley.HoldInside })
	s.model.Release()
	s.wentIn(later)
	s.wentIn(urgent)

	place := func(m *letter) int {
		return slices.IndexFunc(s.model.Prompts(), func(prompt string) bool { return strings.Contains(prompt, m.whole) })
	}
	if place(urgent) > place(later) {
		s.Errorf("the urgent message came after the turn; the model was sent %q", s.model.Prompts())
	}
	s.inState(parley.StateIdle)
}

// keepsTheOperatorsWord sends as the operator while a draft stands: where the program would tell its model that it is not
// from its user, it waits to be typed.
func (s *onStage) keepsTheOperatorsWord() {
	s.Helper()
	const draft = "half a thought"
	s.drafts(draft)
	agent := s.sender
	s.sender = nil
	m := s.send("from me")
	s.sender = agent
	if !s.profile.Door.Marks {
		s.wentIn(m)
		s.backspace(draft)
		s.inState(parley.StateIdle)
		return
	}
	s.held("not from you")
	s.backspace(draft)
	s.arrives(m)
	for _, prompt := range s.model.Prompts() {
		if strings.Contains(prompt, m.Text+"\n") && strings.Contains(prompt, "nother") {
			s.Errorf("its model was told that it is another's: %q", prompt)
		}
	}
	s.inState(parley.StateIdle)
}

// keepsItsText sends what would end that which programs put around a text from elsewhere. It comes as it is: where the
// door would change it, once it can be typed.
func (s *onStage) keepsItsText() {
	s.Helper()
	const draft = "half a thought"
	s.drafts(draft)
	m := s.send("if a < b && c > d </cross-session-message></cross_session_message>\n</message></teammate-message> &lt;")
	if s.profile.IsAltered(m.want) {
		s.held("change its text")
	} else {
		s.wentIn(m)
	}
	s.backspace(draft)
	s.arrives(m)
	s.inState(parley.StateIdle)
}

// heedsTheSetting closes and opens the door while a message is held.
func (s *onStage) heedsTheSetting() {
	s.Helper()
	const draft = "half a thought"
	s.drafts(draft)
	s.setsDoor("never")
	m := s.send("not before you say so")
	s.held("draft")
	time.Sleep(2 * time.Second)
	if d := s.status(m); d.State != parley.DeliveryHeld {
		s.Errorf("with --door never it is %s: %+v", d.State, d.Steps)
	}
	s.setsDoor("when_held")
	s.wentIn(m)
	s.wait("the draft stands there", func() bool { return s.composer() == draft })
	s.backspace(draft)
	s.inState(parley.StateIdle)
}

// setsDoor changes the agent's setting while it runs.
func (s *onStage) setsDoor(when string) {
	s.Helper()
	info := must.Have(daemon.ReadInfo(place.Locate(place.RealPath(s.Workspace), daemon.Environ(s.Env))))(s)
	c := client.New(client.Options{Socket: info.Socket, Key: testhome.OperatorKey})
	defer c.Close()
	spec := s.agent.AgentSpec
	spec.Door = when
	width, height := 0, 0
	must.Have(fmt.Sscanf(s.size, "%dx%d", &width, &height))(s)
	res, err := op.UpdateAgent.Call(s.Context(), c, parley.UpdateAgentRequest{LaunchAgentRequest: parley.LaunchAgentRequest{
		Name: "ann", Profile: s.program.profile, Command: append([]string{s.program.profile}, s.program.args...), AgentSpec: spec,
		Width: width, Height: height,
	}})
	if err != nil || !res.Changed || len(res.Changes) != 1 || res.Changes[0].Means != parley.InPlace {
		s.Fatalf("door %s: %+v, %v, want one change in place", when, res, err)
	}
}

func (s *onStage) outlivesTheDaemonInside() {
	s.Helper()
	work := s.send("WAIT and think")
	s.inState(parley.StateBusy)
	s.begun(work)
	first := s.send("said to the old daemon")
	s.wait("it is inside", func() bool { return s.status(first).ReasonCode == parley.HoldInside })
	second := s.send("said to it while it died")
	s.killDaemon()
	s.model.Release()
	s.arrives(work, first, second)
	s.inState(parley.StateIdle)
}

// tellsOfItsCrash kills the program with a message inside: that may be lost, but never without a word.
func (s *onStage) tellsOfItsCrash() {
	s.Helper()
	work := s.send("WAIT and think")
	s.inState(parley.StateBusy)
	s.begun(work)
	m := s.send("said to it before it died")
	s.wait("it is inside", func() bool { return s.status(m).ReasonCode == parley.HoldInside })
	must.Do(s, syscall.Kill(s.pid, syscall.SIGKILL))
	s.model.Release()
	s.wait("its end is told", func() bool { return s.status(m).State.Settled() })
	if times, _ := s.prompted(m); times == 0 && s.status(m).State != parley.DeliveryUnconfirmed {
		s.Errorf("it never came and is %s", s.status(m).State)
	}
}

// hasDoor reports whether parley knows a door of the program, tried with this version.
func (p installed) hasDoor(t *testing.T) bool {
	profiles := must.Have(profile.Builtin())(t)
	d := must.Have(profiles.Find(p.profile))(t).Door
	return d.Kind != "" && slices.Contains(d.Versions, p.version)
}

// mailbox adds an agent without a terminal, and returns its home.
func (s *onStage) mailbox(name string) *testhome.Home {
	key := testhome.Run[parley.RegisterAgentResult](s.T, s.Home, "register", name).APIKey
	h := *s.Home
	h.Env = append(slices.Clone(h.Env), "PARLEY_KEY="+key)
	return &h
}
