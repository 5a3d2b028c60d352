package agents

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/program/door"
	"parley/program/profile"
)

// The real programs take messages through their doors: each says what became of one, and no person notices more
// of it than the message.
func TestDoorsOfRealPrograms(t *testing.T) {
	profiles := must.Have(profile.Builtin())(t)
	for _, program := range oneOfEach(installedPrograms(t)) {
		if must.Have(profiles.Find(program.profile))(t).Door.Kind == "" {
			continue
		}
		t.Run(program.String(), func(t *testing.T) {
			s := launchIn(t, testhome.New(t), program, "120x40")
			s.arrives(s.send("the very first"))
			s.inState(parley.StateIdle)
			e := s.openDoor()

			e.takesItWhileIdle()
			e.takesItWhileBusy()
			e.takesItWithADraft()
			e.takesItWithAQuestion()
			e.takesLargeTexts()
			e.isClosedAfterItsCrash()
		})
	}
}

// openDoor is the door of a program on stage.
type openDoor struct {
	*onStage
	door.Door
	letters int
}

// openDoor opens the door of ann's program, as soon as it is known which session she has.
func (s *onStage) openDoor() *openDoor {
	s.Helper()
	dir := s.private()
	e := &openDoor{onStage: s}
	var err error
	s.wait("its door opens", func() bool {
		p := door.Program{
			Kind: s.profile.Door.Kind, PID: s.pid, Dir: dir, Session: s.look().Session.ID, Versions: s.profile.Door.Versions,
		}
		if e.Door, err = door.Open(s.Context(), p); err != nil {
			s.Log(err)
		}
		return err == nil
	})
	s.Cleanup(func() { e.Close() })

	return e
}

// private returns ann's private directory.
func (s *onStage) private() string {
	s.Helper()
	dirs := must.Have(filepath.Glob(filepath.Join(variable(s.Home, "XDG_STATE_HOME"), "parley", "*", "agents", s.agent.ID)))(s)
	if len(dirs) != 1 {
		s.Fatalf("ann's private directories are %q", dirs)
	}
	return dirs[0]
}

// give hands a new letter over.
func (e *openDoor) give(words string) door.Letter {
	e.Helper()
	e.letters++
	mark := fmt.Sprintf("msg 5f0c21%02x", e.letters)
	l := door.Letter{
		ID: fmt.Sprintf("5f0c21%02x-0000-4000-8000-000000000000", e.letters), Mark: mark,
		Text: fmt.Sprintf("%s\nand é 👨\u200d💻 /help\n  !echo\n(bea · %s)", words, mark),
	}
	must.Do(e, e.Give(e.Context(), l))
	return l
}

// becomes waits for what the program says of a letter. Claude Code says nothing of those that it takes.
func (e *openDoor) becomes(l door.Letter, want door.Fate) {
	e.Helper()
	if e.profile.Door.Kind == "claude" {
		want = door.Unknown
	}
	var got door.Answer
	var err error
	if !e.until(endurance, func() bool {
		got, err = e.Ask(e.Context(), l)
		return err == nil && got.Fate == want
	}) {
		e.Fatalf("%q is %+v, %v, want %s; the model was sent %q; the screen is\n%s", l.Text, got, err, want, e.model.Prompts(), e.screen())
	}
}

// had returns how often the model got a letter, whole.
func (e *openDoor) had(l door.Letter) (n int) {
	for _, prompt := range e.model.Prompts() {
		n += strings.Count(prompt, l.Text)
	}
	return n
}

// isRead waits until the program says that a turn has the letter, and the model has it, once.
func (e *openDoor) isRead(l door.Letter) {
	e.Helper()
	e.wait("the model has "+l.Mark, func() bool { return e.had(l) > 0 })
	e.becomes(l, door.Read)
	e.inState(parley.StateIdle)
	if n := e.had(l); n != 1 {
		e.Errorf("the model had %q %d times, want once", l.Text, n)
	}
}

func (e *openDoor) takesItWhileIdle() {
	e.Helper()
	e.isRead(e.give("while it is idle"))
}

func (e *openDoor) takesItWhileBusy() {
	e.Helper()
	e.send("WAIT and think")
	e.inState(parley.StateBusy)
	l := e.give("while it is busy")
	e.becomes(l, door.Queued)
	if n := e.had(l); n != 0 {
		e.Errorf("the model had it %d times", n)
	}
	e.model.Release()
	e.isRead(l)
}

func (e *openDoor) takesItWithADraft() {
	e.Helper()
	const draft = "half a thought"
	e.drafts(draft)
	l := e.give("beside a draft")
	e.wait("the model has it", func() bool { return e.had(l) == 1 })
	e.becomes(l, door.Read)
	if got := e.composer(); got != draft {
		e.Errorf("the composer holds %q:\n%s", got, e.screen())
	}
	e.backspace(draft)
	e.wait("the draft is gone", func() bool { return e.composer() == "" })
	e.leave()
	e.inState(parley.StateIdle)
}

// takesItWithAQuestion has a letter wait behind a question that the person then refuses, with Esc.
func (e *openDoor) takesItWithAQuestion() {
	e.Helper()
	if e.program.ask == "" {
		return
	}
	file := filepath.Join(e.Workspace, "forbidden")
	e.begun(e.send(strings.ReplaceAll(e.program.ask, "FILE", file)))
	e.inState(parley.StateWaiting)
	l := e.give("behind a question")
	e.becomes(l, door.Queued)
	e.inState(parley.StateWaiting)

	e.refuse()
	e.wait("it is idle", func() bool { return e.look().State == parley.StateIdle })
	if answer, err := e.Ask(e.Context(), l); err != nil || answer.Fate == door.Dropped || answer.Fate == door.Absent {
		e.Errorf("after Esc it is %+v, %v", answer, err)
	}
	if _, err := os.Stat(file); err == nil {
		e.Errorf("the question was answered: %s is there", file)
	}

	next := e.give("after the question")
	e.isRead(next)
	e.isRead(l)
}

// takesLargeTexts gives two megabytes, or what its door may hold.
func (e *openDoor) takesLargeTexts() {
	e.Helper()
	words := strings.Repeat("two megabytes of words ", 2<<20/23)
	if e.profile.Door.Kind == "opencode" {
		e.isRead(e.give(words))
		return
	}

	l := door.Letter{ID: "5f0c21ff-0000-4000-8000-000000000000", Mark: "msg 5f0c21ff", Text: "[msg 5f0c21ff] " + words}
	if err := e.Give(e.Context(), l); !errors.Is(err, door.ErrClosed) {
		e.Errorf("of two megabytes: got %v, want ErrClosed", err)
	}
	most := len(words) / 3
	if e.profile.Door.Kind == "extension" {
		most = 100 << 10
	}
	e.isRead(e.give(words[:most]))
}

// isClosedAfterItsCrash kills the program with a letter in its queue: nobody says that it was read.
func (e *openDoor) isClosedAfterItsCrash() {
	e.Helper()
	e.send("WAIT for the end")
	e.inState(parley.StateBusy)
	l := e.give("which nobody will read")
	e.becomes(l, door.Queued)
	must.Do(e, syscall.Kill(e.pid, syscall.SIGKILL))
	e.inState(parley.StateExited)

	if got, err := e.Ask(e.Context(), l); err == nil && got.Fate != door.Unknown && got.Fate != door.Dropped {
		e.Errorf("after its end it is %+v", got)
	}
	if err := e.Give(e.Context(), l); !errors.Is(err, door.ErrClosed) {
		e.Errorf("give after its end: got %v, want ErrClosed", err)
	}
}
