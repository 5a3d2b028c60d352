package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/internal/testhome"
	"parley/program/door"
	"parley/program/profile"
)

// eachWithDoor tries something with each program that has a door of its own.
func eachWithDoor(t *testing.T, try func(*testing.T, installed)) {
	for _, program := range oneOfEach(installedPrograms(t)) {
		if program.hasDoor(t) {
			t.Run(program.String(), func(t *testing.T) { try(t, program) })
		}
	}
}

// sessionMoments are when a person begins another session in the program, with a message on its way through its door.
var sessionMoments = []struct {
	name string
	try  func(*onStage) *letter
}{
	{"before it is handed over", (*onStage).clearsBefore},
	{"while it is inside", (*onStage).clearsWhileInside},
	{"while a turn has it", (*onStage).clearsInItsTurn},
	{"while an earlier one is chosen", (*onStage).resumesAround},
	{"while it is inside and an earlier one is chosen", (*onStage).resumesWhileInside},
}

// A person begins another session, or resumes one, while a message goes through the program's door. The model gets it
// once and whole, or the verdict says that this is not known.
func TestDoorsOutliveTheSession(t *testing.T) {
	eachWithDoor(t, func(t *testing.T, program installed) {
		s := launchDoor(t, program, "when_held")
		s.startsUp()
		for _, moment := range sessionMoments {
			t.Run(moment.name, func(t *testing.T) {
				s.T = t
				m := moment.try(s)
				s.judged(m)
				s.arrives(s.send("and after that"))
				s.inState(parley.StateIdle)
			})
			s.T = t
		}
	})
}

// judged waits for the end of a message that may have been lost, and compares that with what the model got.
func (s *onStage) judged(m *letter) {
	s.Helper()
	s.model.Release()
	s.wait("its end is told", func() bool { d := s.status(m); return d.State.Settled() || d.State.Delivered() }, m)
	d := s.status(m)
	time.Sleep(3 * time.Second) // a second copy would come by then
	times, whole := s.prompted(m)
	switch {
	case d.State.Delivered() && times == 1 && whole:
	case d.State == parley.DeliveryUnconfirmed && times <= 1:
	default:
		s.Errorf("it is %s: %s; the model had it %d times, whole: %t", d.State, d.Reason, times, whole)
	}
	story := s.storyOf(m)
	s.Logf("%s (%s), %d times\n%s", d.State, d.ReasonCode, times, story)
}

func (s *onStage) storyOf(m *letter) string {
	var b strings.Builder
	for _, step := range s.status(m).Steps {
		fmt.Fprintf(&b, "%s %s: %s\n", step.At.Format("15:04:05.0"), step.State, step.Evidence)
	}
	return b.String()
}

func (s *onStage) works() {
	s.Helper()
	work := s.send("WAIT and think")
	s.inState(parley.StateBusy)
	s.begun(work)
}

func (s *onStage) clearsBefore() *letter {
	s.Helper()
	s.works()
	s.enters(clears[s.program.profile])
	m := s.send("after your command")
	s.goesInside(m)
	return m
}

func (s *onStage) clearsWhileInside() *letter {
	s.Helper()
	s.works()
	m := s.send("before your command")
	s.goesInside(m)
	s.enters(clears[s.program.profile])
	time.Sleep(time.Second)
	return m
}

func (s *onStage) clearsInItsTurn() *letter {
	s.Helper()
	s.works()
	m := s.send("WAIT in your turn")
	s.goesInside(m)
	s.model.Release()
	s.until(endurance, func() bool { times, _ := s.prompted(m); return times > 0 })
	s.enters(clears[s.program.profile])
	time.Sleep(time.Second)
	return m
}

// resumesAround sends while the program shows its earlier sessions, and chooses one of them then.
func (s *onStage) resumesAround() *letter {
	s.Helper()
	s.inState(parley.StateIdle)
	s.enters("/resume")
	time.Sleep(3 * time.Second)
	m := s.send("while you choose")
	s.goesInside(m)
	s.chooses()
	return m
}

func (s *onStage) resumesWhileInside() *letter {
	s.Helper()
	s.works()
	m := s.send("before you choose")
	s.goesInside(m)
	s.enters("/resume")
	s.model.Release() // some open it behind what waits
	time.Sleep(3 * time.Second)
	s.chooses()
	return m
}

// chooses chooses the second of the program's earlier sessions.
func (s *onStage) chooses() {
	s.Helper()
	s.Logf("it shows\n%s", s.screen())
	s.press("Down")
	s.press("Enter")
	time.Sleep(3 * time.Second)
	s.Logf("then it shows\n%s", s.screen())
}

func (s *onStage) goesInside(m *letter) {
	s.Helper()
	s.until(15*time.Second, func() bool {
		d := s.status(m)
		return d.ReasonCode == parley.HoldInside || d.State.Settled() || d.State.Delivered()
	})
	s.Logf("%s %s\n%s", s.status(m).State, s.status(m).ReasonCode, s.storyOf(m))
}

// unread is a profile whose markers match nothing that a program of the version shows, and whose reports say nothing.
const unread = `profiles:
  %s:
    tested: []
    reports: {Nothing: ''}
    titles: {}
    markers: {dialog: '^no such row$', busy: '^no such row$', idle: '^no such row$', blocked: {}, footer: '^no such row$'}
    door: {versions: [0.0.1]}
`

// A program whose screen nobody knows says by its door that it works, and that it asks something. That it rests is
// not believed, and nothing is typed at any time.
func TestDoorsTellWhatNoScreenDoes(t *testing.T) {
	eachWithDoor(t, func(t *testing.T, program installed) {
		if !slices.Contains([]string{"claude", "opencode"}, program.profile) {
			t.Skip("its door does not say what it does")
		}
		h := testhome.New(t)
		configure(t, h, ".config/parley/parley.yaml", "conversation: {off: true}\n"+fmt.Sprintf(unread, program.profile))
		s := launchIn(t, h, program, "120x40")
		s.inState(parley.StateUnknown)
		s.wait("it has started", func() bool {
			return s.profile.Read(profile.Screen{Lines: s.terminal().Lines}).Shows == profile.Idle
		})
		m := s.send("1")
		file := filepath.Join(s.Workspace, "forbidden")

		s.writes("WAIT and then go on")
		s.inState(parley.StateBusy)
		t.Log(s.look().Evidence)
		s.model.Release()
		s.inState(parley.StateUnknown)

		s.writes(strings.ReplaceAll(s.program.ask, "FILE", file))
		s.inState(parley.StateWaiting)
		t.Log(s.look().Evidence)
		needs := testhome.Run[parley.GetNeedsResult](t, h, "needs").Needs
		if len(needs) != 1 || needs[0].Kind != parley.NeedDialog || !strings.Contains(needs[0].Text, s.agent.Evidence) {
			t.Errorf("needs: %+v, want what its door says: %s", needs, s.agent.Evidence)
		}
		does, err := door.Does(t.Context(), door.Program{Kind: s.profile.Door.Kind, PID: s.pid, Dir: s.private()})
		if err != nil || !does.Asks {
			t.Errorf("its door says %+v, %v, want that it asks", does, err)
		}
		t.Log(does.Evidence)
		time.Sleep(5 * time.Second)
		s.inState(parley.StateWaiting)

		s.refuse()
		s.inState(parley.StateUnknown)
		if _, err := os.Stat(file); err == nil {
			t.Errorf("the question was answered: %s is there", file)
		}
		if times, _ := s.prompted(m); times > 0 || s.status(m).State != parley.DeliveryHeld {
			t.Errorf("it came %d times and is %s", times, s.status(m).State)
		}
	})
}

// Its end, or that of its daemon, while a message is inside: that is lost or comes once, and the verdict says which, also
// after the program has come back with its session.
func TestDoorsOutliveTheProgram(t *testing.T) {
	eachWithDoor(t, func(t *testing.T, program installed) {
		s := launchDoor(t, program, "when_held")
		s.startsUp()
		for _, end := range []struct {
			name string
			of   func()
		}{
			{"its program is killed", func() { s.kills(s.pid); s.inState(parley.StateExited); s.restarts() }},
			{"it is restarted", s.restarts},
			{"program and daemon are killed", func() { s.kills(s.pid); s.killDaemon(); s.inState(parley.StateExited); s.restarts() }},
			{"it is restarted, and the operator retries", func() {
				s.restarts()
				s.retries(s.sent[len(s.sent)-1])
			}},
		} {
			t.Run(end.name, func(t *testing.T) {
				s.T = t
				s.works()
				m := s.send("inside at its end")
				s.goesInside(m)
				s.leave()
				end.of()
				s.model.Release()
				s.inState(parley.StateIdle)
				next := s.send("and after that")
				s.wait("the next one is read", func() bool { return s.status(next).State.Delivered() }, next)
				s.judged(m)
				if times, _ := s.prompted(m); times > 0 { // its queue has outlived it
					s.wait("what came is proven", func() bool { return s.status(m).State.Delivered() }, m)
				}
				s.inState(parley.StateIdle)
			})
			s.T = t
		}
	})
}

// retries has the operator send a message again, unless that has been proven meanwhile. It comes then.
func (s *onStage) retries(m *letter) {
	s.Helper()
	if out, err := s.Command("retry", m.ID).CombinedOutput(); err != nil && !s.status(m).State.Delivered() {
		s.Errorf("retry: %v: %s", err, out)
	}
	s.wait("it comes", func() bool { times, _ := s.prompted(m); return times > 0 && s.status(m).State.Delivered() }, m)
}

func (s *onStage) kills(pid int) {
	s.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		s.Fatal(err)
	}
}

func (s *onStage) restarts() {
	s.Helper()
	s.pid = testhome.Run[parley.LaunchAgentResult](s.T, s.Home, "restart", "ann").PID
	s.seal = s.askSeal()
	for _, m := range s.sent {
		if times, _ := s.prompted(m); times == 0 {
			s.seals(m)
		}
	}
	s.inState(parley.StateIdle)
}

// Two agents of one program in one directory: each gets its own messages, also after one of them has come back.
func TestDoorsOfTwoInOneDirectory(t *testing.T) {
	eachWithDoor(t, func(t *testing.T, program installed) {
		s := launchDoor(t, program, "always")
		s.startsUp()
		command := append([]string{"launch", "eve", "--profile", program.profile, "--size", s.size, "--door", "always", "--",
			program.profile}, program.args...)
		testhome.Run[parley.LaunchAgentResult](t, s.Home, command...)
		s.tellsEve("the very first for eve")

		for i := range 3 {
			mine := s.send(fmt.Sprintf("for ann, %d", i))
			her := s.tellsEve(fmt.Sprintf("for eve, %d", i))
			s.wait("ann has it", func() bool { times, _ := s.prompted(mine); return times == 1 && s.status(mine).State.Delivered() }, mine)
			screens := map[string]string{}
			for _, name := range []string{"ann", "eve"} {
				screens[name] = strings.Join(testhome.Run[parley.ReadTerminalResult](t, s.Home, "screen", name).Lines, "\n")
			}
			if strings.Contains(screens["ann"], "msg "+parley.Short(her.ID)) ||
				strings.Contains(screens["eve"], "msg "+parley.Short(mine.ID)) {
				t.Errorf("one has the other's message:\n%s\n%s", screens["ann"], screens["eve"])
			}
			if i == 1 {
				s.inState(parley.StateIdle)
				s.restarts()
			}
		}
	})
}

// tellsEve sends to another agent, and waits until she has it.
func (s *onStage) tellsEve(text string) *parley.Message {
	s.Helper()
	m := testhome.Run[parley.SendMessageResult](s.T, s.sender, "send", "eve", "--", text).Object
	s.wait("eve has it", func() bool {
		return testhome.Run[parley.MessageStatusResult](s.T, s.Home, "message", m.ID).Deliveries[0].State.Delivered()
	})
	return m
}
