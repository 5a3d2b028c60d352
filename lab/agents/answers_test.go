package agents

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/testhome"
)

// question makes a program ask its user to choose a colour; "" where it has no such tool.
var questions = map[string]string{
	"claude": `CALL AskUserQuestion {"questions":[{"question":"Which colour?","header":"Colour","multiSelect":false,` +
		`"options":[{"label":"Red","description":"warm"},{"label":"Blue","description":"cold"}]}]}`,
	"gemini": `CALL ask_user {"questions":[{"question":"Which colour?","header":"Colour","type":"choice",` +
		`"options":[{"label":"Red","description":"warm"},{"label":"Blue","description":"cold"}]}]}`,
	"qwen": `CALL ask_user_question {"questions":[{"question":"Which colour?","header":"Colour","multiSelect":false,` +
		`"options":[{"label":"Red","description":"warm"},{"label":"Blue","description":"cold"}]}]}`,
	"opencode": `CALL question {"questions":[{"question":"Which colour?","header":"Colour",` +
		`"options":[{"label":"Red","description":"warm"},{"label":"Blue","description":"cold"}]}]}`,
}

// The operator answers the dialogs of the real programs without going to the terminal, in a narrow one too.
func TestDialogsAreAnsweredFromOutside(t *testing.T) {
	alone(t, theAnswers, func(t *testing.T, program installed) {
		for size := range strings.SplitSeq(cmp.Or(os.Getenv(agentsSizes), aloneAt+",72x20"), ",") {
			t.Run("at "+size, func(t *testing.T) {
				s := launchReal(t, program, size)
				s.arrives(s.send("the very first"))
				s.permits("yes", 0)
				s.permits("no", -1)
				s.choosesColours()
				s.reviewsAnswers()
			})
		}
	})
}

// permits has the program ask for permission, and chooses an option, -1 for the last.
func (s *onStage) permits(name string, option int) {
	s.Helper()
	file := filepath.Join(workdir(s.Home), name)
	s.arrives(s.send(s.asking(file)))
	s.inState(parley.StateWaiting)
	d := s.dialog()
	if len(d.Options) < 2 {
		s.Fatalf("the dialog has the options %+v:\n%s", d.Options, s.screen())
	}
	if option < 0 {
		option = len(d.Options) - 1
		if i := slices.IndexFunc(d.Options, func(o parley.DialogOption) bool { return o.Label == s.program.denies }); i >= 0 {
			option = i
		}
	}

	args := []string{d.Options[option].Choice}
	if d.Options[option].TakesText {
		args = append(args, "--text", "use a pencil")
	}
	s.answer(d, args...)
	s.wait("the dialog is closed", func() bool { return s.look().State != parley.StateWaiting })
	exists := func() bool { _, err := os.Stat(file); return err == nil }
	if option == 0 {
		s.wait("it was allowed", exists)
	}
	s.inState(parley.StateIdle)
	if option > 0 && exists() {
		s.Errorf("it was refused, and %s is there", file)
	}
}

func (s *onStage) choosesColours() {
	s.Helper()
	ask := questions[s.program.profile]
	if ask == "" {
		return
	}

	for _, c := range []struct{ choice, text, says string }{{"2", "", "Blue"}, {"3", "light green", "light green"}} {
		s.arrives(s.send(ask))
		s.inState(parley.StateWaiting)
		d := s.dialog()
		args := []string{c.choice}
		if c.text != "" {
			args = append(args, "--text", c.text)
		}
		s.answer(d, args...)
		s.inState(parley.StateIdle)
		if got := s.screen(); !strings.Contains(got, c.says) {
			s.Errorf("the answer %q is not seen:\n%s", c.says, got)
		}
	}
}

// reviewsAnswers answers two questions at once, which opencode shows again before it submits them.
func (s *onStage) reviewsAnswers() {
	s.Helper()
	if s.program.profile != "opencode" {
		return
	}
	s.arrives(s.send(`CALL question {"questions":[` +
		`{"question":"Which colour?","header":"Colour","options":[{"label":"Red","description":"warm"}]},` +
		`{"question":"Which size?","header":"Size","options":[{"label":"Big","description":"wide"}]}]}`))
	s.inState(parley.StateWaiting)
	for _, label := range []string{"Red", "Big", "submit"} {
		var d *parley.Dialog
		s.wait("it asks for "+label, func() bool { d = s.dialog(); return d.Options[0].Label == label })
		s.answer(d, d.Options[0].Choice)
	}
	s.inState(parley.StateIdle)
}

func (s *onStage) dialog() *parley.Dialog {
	s.Helper()
	var d *parley.Dialog
	s.wait("its dialog is read", func() bool {
		d = testhome.Run[parley.AnswerDialogResult](s.T, s.Home, "answer", "ann").Dialog
		return d != nil && len(d.Options) > 0
	})
	s.Logf("%s: %q offers %s", s.program, d.Question, d.Choices())
	return d
}

func (s *onStage) answer(d *parley.Dialog, choice ...string) {
	s.Helper()
	args := append([]string{"answer", "ann", "--dialog", d.ID}, choice...)
	res := testhome.Run[parley.AnswerDialogResult](s.T, s.Home, args...)
	s.Logf("%s", res.Message)
}
