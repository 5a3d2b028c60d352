package agents

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/testhome"
	"parley/plain"
)

// A first prompt goes as the program's own argument where it has one: to the byte, once, and proven. A restart does not
// tell it again.
func TestFirstPromptsAreArguments(t *testing.T) {
	long := strings.Repeat("Read each file, and say what it is for in one line. ", 30)
	text := "First line: \"quoted\", 'single', $HOME, `tick`, \\n, 100%, <tag>, @README.md and --flag.\n\n" +
		"  indented, with äöü, 漢字 and 🙂\n-p\n" + long + "\nThe last line ends in {{braces}} & more"
	for _, program := range oneOfEach(installedPrograms(t)) {
		t.Run(program.String(), func(t *testing.T) {
			t.Parallel()
			s := launchIn(t, testhome.New(t), program, aloneAt, "--prompt", text)
			if len(s.profile.Handover.Prompt) == 0 {
				t.Skip("it has no argument for a prompt")
			}

			res := testhome.Run[parley.MessageStatusResult](t, s.Home, "message", s.prompt)
			m := &letter{Message: res.Object}
			m.want = m.Header(s.agent.ID) + " " + plain.QuoteForms(m.Text) + "\n" + m.Footer(false, "")
			m.whole = m.want
			s.sent = append(s.sent, m)
			s.arrives(m)
			s.wait("it is read", func() bool { return s.status(m).State.Read() }, m)

			var rungs []string
			for _, step := range s.status(m).Steps {
				rungs = append(rungs, string(step.State)+": "+step.Evidence)
			}
			told := strings.Join(rungs, "\n")
			if !strings.Contains(told, parley.AsArgument+", and ") {
				t.Errorf("its rungs are\n%s", told)
			}
			t.Log(told)

			s.inState(parley.StateIdle)
			s.arrives(s.send("and the next one"))
			s.inState(parley.StateIdle)
			testhome.Run[parley.LaunchAgentResult](t, s.Home, "restart", "ann")
			s.inState(parley.StateIdle)
			s.arrives(s.send("after the restart"))
			if times, _ := s.prompted(m); times != 1 {
				t.Errorf("its model was told %d times", times)
			}
		})
	}
}
