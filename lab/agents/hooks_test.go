package agents

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/program/profile"
)

// hookFigures are those of messages that hooks took: from what the model said before until it has them.
type hookFigures struct {
	figures
	Tool millis `json:"tool,omitempty"` // an urgent one, after a tool
	End  millis `json:"end,omitempty"`  // another one, at the end of a turn
}

// TestHooks tries the hooks of programs that take messages. PARLEY_TEST_DELIVERIES adds deliveries at random, so many to
// each, and times.
func TestHooks(t *testing.T) {
	var programs []installed
	for _, p := range oneOfEach(installedPrograms(t)) {
		if p.hasHooks(t) {
			programs = append(programs, p)
		}
	}
	n, _ := strconv.Atoi(os.Getenv(agentsDeliveries))
	seed, _ := strconv.ParseUint(cmp.Or(os.Getenv(agentsSeed), strconv.FormatInt(time.Now().Unix(), 10)), 10, 64)

	for _, program := range programs {
		t.Run(program.String(), func(t *testing.T) {
			t.Parallel()
			s := launchDoor(t, program, "")
			s.startsUp()
			s.hookTakesWhatWaits()
			s.hookTakesWhatIsUrgent()
			if n == 0 {
				return
			}
			t.Logf("%d deliveries with %s=%d", n, agentsSeed, seed)
			of := func(f hookFigures) record { return record{Size: s.size, Seed: seed, Hooks: &f} }
			deliver(newTrial(s, program.chance(seed)), n, func(f figures) record { return of(hookFigures{figures: f}) })
			var f hookFigures
			for range measured {
				f.End = append(f.End, s.hookTakesWhatWaits()...)
				f.Tool = append(f.Tool, s.hookTakesWhatIsUrgent()...)
			}
			keep(t, program, of(f))
		})
	}
}

// hasHooks reports whether parley knows hooks of the program that take messages.
func (p installed) hasHooks(t *testing.T) bool {
	h := must.Have(must.Have(profile.Builtin())(t).Find(p.profile))(t).Door.Hooks
	return h.Tool.Event != "" || h.End.Event != ""
}

// hookTakesWhatWaits sends two messages into a turn. Hooks take both at its end, one after the other.
func (s *onStage) hookTakesWhatWaits() (times millis) {
	s.Helper()
	if s.profile.Door.Hooks.End.Event == "" {
		return nil
	}
	work := s.send("WAIT and think")
	s.inState(parley.StateBusy)
	s.begun(work)
	all := []*letter{s.send("the first of them"), s.send("the second\nof them")}
	s.held("busy")
	released := time.Now()
	s.model.Release()
	for _, m := range all {
		s.wentIn(m)
	}
	first, second := s.tookToTheModel(all[0])[0], s.tookToTheModel(all[1])[0]
	s.inState(parley.StateIdle)
	return millis{first - released.Sub(all[0].Timestamp), second - first + all[1].Timestamp.Sub(all[0].Timestamp)}
}

// leaves is how long parley takes a person for one who types, and a second.
const leaves = 4 * time.Second

// hookTakesWhatIsUrgent sends an urgent message, beside a draft, into a turn that calls a tool. A hook takes it after the
// tool, and leaves the draft as it is.
func (s *onStage) hookTakesWhatIsUrgent() (times millis) {
	s.Helper()
	if s.profile.Door.Hooks.Tool.Event == "" {
		return nil
	}
	work := s.send("WAIT and " + s.calling("send_message", `{"to":["operator"],"text":"at work"}`))
	s.inState(parley.StateBusy)
	s.begun(work)
	const draft = "half a thought"
	s.drafts(draft)
	later := s.send("when you are done")
	m := s.send("stop, and look here", "--urgent")
	if !s.program.hasDoor(s.T) { // else it may be there already
		s.wait("it is held", func() bool { return s.status(m).State == parley.DeliveryHeld }, m)
	}
	released := time.Now()
	s.model.Release()
	s.wentIn(m)
	s.arrives(later)
	place := func(m *letter) int {
		return slices.IndexFunc(s.model.Prompts(), func(prompt string) bool { return strings.Contains(prompt, m.whole) })
	}
	if place(m) > place(later) {
		s.Errorf("the urgent message came later; the model was sent %q", s.model.Prompts())
	}
	s.wait("the draft stands there", func() bool { return s.composer() == draft })
	s.backspace(draft)
	s.wait("the draft is gone", func() bool { return s.composer() == "" })
	s.inState(parley.StateIdle)
	gone := time.Now() // the next message would go through another door while its person may still type
	s.wait("its person has left", func() bool { return time.Since(gone) >= leaves })
	return millis{s.tookToTheModel(m)[0] - released.Sub(m.Timestamp)}
}

// hooksTable says what became of messages that hooks could take, and how long those took.
func hooksTable(all []tried) string {
	var b strings.Builder
	b.WriteString(deliveriesTable(all, func(r *record) *figures {
		if r.Hooks == nil {
			return nil
		}
		return &r.Hooks.figures
	}))
	b.WriteString("\n" + row("program", "messages", "at the end of a turn, the next", "after a tool, an urgent one") +
		"|---|---|---|---|\n")
	for _, p := range all {
		var sum hookFigures
		for _, r := range p.records {
			if r.Hooks != nil {
				sum.Tool, sum.End = append(sum.Tool, r.Hooks.Tool...), append(sum.End, r.Hooks.End...)
			}
		}
		if len(sum.End)+len(sum.Tool) > 0 {
			b.WriteString(row(p.String(), fmt.Sprintf("%d, %d", len(sum.End), len(sum.Tool)), sum.End.String(),
				sum.Tool.String()))
		}
	}
	return b.String()
}
