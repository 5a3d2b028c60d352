package orchestrator

import (
	"fmt"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/internal/notify"
	"parley/op"
	"parley/tmux/tmuxtest"
)

// A code of a notice chooses one option of one dialog, once, and of no other dialog.
func TestACodeAnswersOneDialogOnce(t *testing.T) {
	t.Parallel()
	clock := new(clock)
	codes := &notify.AnswerCodes{Now: clock.now}
	te := newTeam(t, func(o *Options) { o.Away.Codes = codes })
	te.start(parley.LaunchAgentRequest{Name: "coder", Command: []string{"sh", "-c",
		`while :; do printf 'Delete the file? [y/n] '; read -r x; printf 'it got %s\n' "$x"; sleep 1; done`}})

	asks := func() parley.Need {
		t.Helper()
		var res *parley.AnswerDialogResult
		tmuxtest.Poll(t, func() bool {
			res = must.Have(op.AnswerDialog.Call(te.operator(), te, parley.AnswerDialogRequest{Agent: "coder"}))(t)
			if res.Dialog == nil {
				return false
			}
			_, yes := res.Dialog.Find("y")
			return yes // and not what stood there before it asked
		}, func() string { return fmt.Sprintf("it asks nothing: %+v", res) })
		return parley.Need{AgentID: res.AgentID, Dialog: res.Dialog}
	}
	spent := func(what, code string) {
		t.Helper()
		if _, err := te.Keys.AnswerByCode(t.Context(), code); parley.ErrorCode(err) != parley.Unauthenticated {
			t.Errorf("%s: %v", what, err)
		}
	}

	need := asks()
	yes, no := codes.New(&need, "y"), codes.New(&need, "n")
	if yes == "" || yes == no || codes.New(&need, "maybe") != "" {
		t.Fatalf("the codes are %q and %q of %+v", yes, no, need.Dialog)
	}
	spent("none", "")
	spent("a wrong one", "answer_x")
	if res, err := te.Keys.AnswerByCode(t.Context(), no); err != nil || res.Answered == "" {
		t.Fatalf("got %+v, %v", res, err)
	}
	tmuxtest.WaitFor(t, te.pane("coder"), shows("it got n"))
	spent("the same again", no)
	spent("the other option", yes)

	need = asks()
	old := need
	changed := *need.Dialog
	changed.ID, old.Dialog = "0badcafe", &changed
	if _, err := te.Keys.AnswerByCode(t.Context(), codes.New(&old,
		"y")); parley.ErrorCode(err) != parley.DialogChanged {
		t.Errorf("for another dialog: %v", err)
	}
	late := codes.New(&need, "y")
	clock.pass(time.Hour + time.Second)
	spent("too late", late)

	secret := *need.Dialog
	secret.Secret = true
	if code := codes.New(&parley.Need{AgentID: need.AgentID, Dialog: &secret}, "y"); code != "" {
		t.Error("a secret has a button")
	}
}
