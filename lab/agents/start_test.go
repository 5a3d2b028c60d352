package agents

import (
	"os"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/modelserver"
	"parley/internal/testhome"
)

// A program that asks something at its first start is known by its name, needs the operator,
// and gets no message before it is answered.
func TestStartUpQuestionsNeedTheOperator(t *testing.T) {
	alone(t, theFirstQuestion, asksAtItsStart)
}

func asksAtItsStart(t *testing.T, program installed) {
	h := testhome.New(t)
	h.Env = append(h.Env, "PATH="+program.path+":"+os.Getenv("PATH"))
	model := modelserver.Start()
	t.Cleanup(model.Close)
	program.forget(t, h, model.URL)

	s := &onStage{T: t, Home: h, program: program, size: aloneAt, model: model}
	res := testhome.Run[parley.LaunchAgentResult](t, h,
		"launch", "ann", "--size", s.size, "--prompt", "hello", "--", program.profile)
	if res.Profile != program.profile || !res.ByName {
		t.Errorf("it was launched with %+v, want its profile by its name", res)
	}

	var needs []parley.Need
	s.wait("its question is a need", func() bool {
		needs = testhome.Run[parley.GetNeedsResult](t, h, "needs").Needs
		return len(needs) == 1 && needs[0].Kind == parley.NeedDialog && strings.Contains(s.screen(), program.asks)
	}) // what it shows before that may be told, too, if it stands for long

	testhome.Run[parley.SendMessageResult](t, h, "send", "ann", "and this")
	s.held("dialog")
	d := testhome.Run[parley.MessageStatusResult](t, h, "message", res.PromptMessageID).Deliveries[0]
	if d.State != parley.DeliveryHeld && d.ReasonCode != parley.HoldArgument {
		t.Errorf("its prompt is %s (%s), want it held, or still in its arguments", d.State, d.Reason)
	}
}

// The operator answers the question whether a directory may be trusted from outside, and what waits arrives.
func TestTrustIsGivenFromOutside(t *testing.T) {
	alone(t, theTrust, func(t *testing.T, program installed) {
		h := testhome.New(t)
		h.Env = append(h.Env, "PATH="+program.path+":"+os.Getenv("PATH"))
		model := modelserver.Start()
		t.Cleanup(model.Close)
		program.prepare(t, h, model.URL, program.distrusts[:]...)

		s := &onStage{T: t, Home: h, program: program, size: aloneAt, model: model}
		res := testhome.Run[parley.LaunchAgentResult](t, h, slices.Concat(
			[]string{"launch", "ann", "--size", s.size, "--prompt", "hello", "--", program.profile}, program.args)...)
		s.prompt = res.PromptMessageID
		s.inState(parley.StateWaiting)

		d := s.dialog()
		i := slices.IndexFunc(d.Options, func(o parley.DialogOption) bool { return strings.Contains(o.Label, program.trusts) })
		if i < 0 || len(model.Prompts()) > 0 {
			t.Fatalf("it asks %q and offers %s; the model was asked %q", d.Question, d.Choices(), model.Prompts())
		}
		s.answer(d, d.Options[i].Choice)
		s.begun(s.first())
	})
}
