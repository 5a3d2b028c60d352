package orchestrator

import (
	"fmt"
	"testing"
	"time"

	"parley"
	"parley/internal/modelserver"
	"parley/op"
	"parley/store/storetest"
	"parley/tmux/tmuxtest"
)

// askingHost starts a host of a team that asks models.
func askingHost(t *testing.T, url, name string, declared ...parley.DeclaredResponder) *testTeam {
	t.Helper()
	return newTeam(t, asking(declared...), func(o *Options) { o.Store = openHost(t, url, name, o.Workspace) })
}

func TestHostLeavesTheRespondersOfOthersAlone(t *testing.T) {
	t.Parallel()
	s := modelserver.StartBare()
	t.Cleanup(s.Close)
	url := storetest.URL(t)
	ann := askingHost(t, url, "ann", answeredAt(s.URL))

	bob := askingHost(t, url, "bob") // its parley.yaml declares none
	bob.as("writer")
	ann.knows("writer")
	if a := ann.roster.ByName("DM").Agent(); a.State == parley.StateTerminated {
		t.Errorf("the start of another host ended it: %s", a.Evidence)
	}
	ann.tell(ann.operator(), "SAY all the same")

	// Its own host ends it.
	ann.reopen(func(o *Options) { asking()(o); o.Store = openHost(t, url, "ann", o.Workspace) })
	bob.inState("DM", parley.StateTerminated)
}

func TestQuestionUnderWayOnAnotherHostIsNotAskedAgain(t *testing.T) {
	t.Parallel()
	s := modelserver.StartBare()
	t.Cleanup(s.Close)
	url, clock := storetest.URL(t), new(clock)
	ann := askingHost(t, url, "ann", answeredAt(s.URL))
	bob := newTeam(t, asking(answeredAt(s.URL)), clock.option,
		func(o *Options) { o.Store = openHost(t, url, "bob", o.Workspace) })

	answered := make(chan error, 1)
	go func() {
		_, err := op.SendMessage.Call(ann.operator(), ann, parley.SendMessageRequest{To: parley.Names{"DM"},
			Text: "PAUSE hi"})
		answered <- err
	}()
	tmuxtest.Poll(t, func() bool { return len(s.Requests()) == 1 },
		func() string { return fmt.Sprintf("%d requests came", len(s.Requests())) })

	inbox, err := op.FindMessages.Call(bob.operator(), bob, parley.FindMessagesRequest{Query: "PAUSE"})
	if err != nil || len(inbox.Messages) != 1 {
		t.Fatalf("bob finds %+v, %v", inbox, err)
	}
	id := inbox.Messages[0].MessageID
	if needs := bob.needs(""); len(needs) != 0 {
		t.Errorf("while ann asks the model, bob needs %+v", needs)
	}
	_, err = op.RetryDelivery.Call(bob.operator(), bob, parley.RetryDeliveryRequest{MessageID: id})
	if parley.ReasonOf(err) != parley.ModelNotAnswering || parley.AsError(err).Details["retry_after_seconds"] == nil {
		t.Errorf("a retry meanwhile: %v", err)
	}

	clock.pass(time.Minute) // more than a model has
	if n := bob.need(parley.NeedUnanswered); n.MessageID != id {
		t.Errorf("when the time is over, bob needs %+v", n)
	}

	s.Release()
	if err := <-answered; err != nil || len(s.Requests()) != 1 {
		t.Errorf("the answer: %v, after %d requests", err, len(s.Requests()))
	}
}
