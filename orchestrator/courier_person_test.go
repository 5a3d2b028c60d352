package orchestrator

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// On the user's own tmux server, parley cannot hold back a person's keys.
func TestTextSubmittedWithAMessageIsReported(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	u := newUser(t, te)
	u.attach(120, 40)
	pane := u.pane()
	log := filepath.Join(t.TempDir(), "log")
	u.start(pane, tmuxtest.Agent{Log: log, Late: 2 * time.Second}.Argv()...)
	u.until("the agent composes",
		func() bool { return strings.Contains(u.run("capture-pane", "-p", "-t", pane), tmuxtest.Prompt) })

	u.adopt("coder", pane)
	te.inState("coder", parley.StateIdle)
	id := te.send("coder", "hello")
	u.until("it is entered", func() bool {
		return strings.HasSuffix(u.run("display-message", "-p", "-t", pane, "#{@parley_seq}"), ".2")
	})

	u.press("half a thought")
	d := te.reach(id, parley.DeliveryRead)
	if got := d.Steps[len(d.Steps)-2].Evidence; !strings.Contains(got, "“half a thought”") {
		t.Errorf("the evidence is %q", got)
	}
	if got := tmuxtest.WaitMessages(t, log, 1); !strings.HasSuffix(got[0].Text, ")half a thought") {
		t.Errorf("the agent got %+v, want theirs with ours", got)
	}

	tmuxtest.Poll(t, func() bool { return strings.Contains(te.told(), "“half a thought”") }, te.told)
}

// told returns the texts in the operator's inbox.
func (te *testTeam) told() string {
	te.t.Helper()
	res := must.Have(op.CheckInbox.Call(te.operator(), te, parley.CheckInboxRequest{IncludeRead: true}))(te.t)
	var all []string
	for _, m := range res.Messages {
		all = append(all, m.Content)
	}
	return strings.Join(all, "\n")
}

// press sends keys to the person's terminal.
func (u *userTmux) press(text string) {
	u.t.Helper()
	if out, err := u.command(u.screens, "send-keys", "-l", text).CombinedOutput(); err != nil {
		u.t.Fatalf("press: %v: %s", err, out)
	}
}

// tmux keeps the time of a person's last key while they are attached. It is no reason to wait for
// hours when the clock was set back after it.
func TestAClockSetBackHoldsNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t, tmuxtest.Agent{}, func(o *Options) {
		o.Now = func() time.Time { return time.Now().Add(-time.Hour) }
	})
	s.attach()
	s.reach(s.send("coder", "hello"), parley.DeliveryRead)
}

// The operator may say that what stands in a composer is no draft, and only by its exact text: it is left alone when it
// is another one, or has become another one, and nothing is submitted with it.
func TestADraftIsOverruledOnlyByItsExactText(t *testing.T) {
	t.Parallel()
	const ghost = `Try "fix the tests"`
	inSight := framedWith(t, "one_line: true") // the fake agent shows a placeholder in place of two lines
	s := newTeam(t, func(o *Options) { o.Settings.DraftAfter = time.Second }, inSight)
	log := s.launch("coder", "framed", tmuxtest.Agent{Ghost: ghost})
	s.inState("coder", parley.StateDrafting)
	overrule := func(id, text string) error {
		_, err := op.RetryDelivery.Call(s.operator(), s, parley.RetryDeliveryRequest{MessageID: id, Recipient: "coder",
			Draft: text})
		return err
	}

	id := s.send("coder", "hello")
	s.held(id, "draft")
	n := s.need(parley.NeedDraft)
	if want := `--to coder --over 'Try "fix the tests"'`; n.Draft != ghost || !offers(n, want) {
		t.Errorf("the need says %q, %+v, want %s", n.Draft, n.Acts, want)
	}
	for _, other := range []string{"Try", ghost + "!", " " + ghost} {
		if err := overrule(id, other); parley.ErrorCode(err) != parley.InvalidArgument ||
			parley.AsError(err).Details["draft"] != ghost {
			t.Errorf("%q: %v", other, err)
		}
	}
	if _, err := op.RetryDelivery.Call(s.operator(), s, parley.RetryDeliveryRequest{MessageID: id}); err != nil {
		t.Error(err)
	}
	s.held(id, "draft") // a retry alone overrules nothing
	s.wantMessages(log, 0)
	must.Do(t, overrule(id, ghost))
	if d := s.reach(id, parley.DeliveryRead); !strings.Contains(fmt.Sprint(d.Steps), "as the operator said") {
		t.Errorf("the evidence does not tell: %+v", d.Steps)
	}

	// It counted for that message. What a person types is another text.
	id = s.send("coder", "hello again")
	s.held(id, "draft")
	s.tmuxRun("send-keys", "-t", s.pane("coder").ID(), "-l", "half a thought")
	tmuxtest.WaitFor(t, s.pane("coder"), shows("half a thought"))
	if err := overrule(id, ghost); parley.ErrorCode(err) != parley.InvalidArgument {
		t.Errorf("a person has typed: %v", err)
	}

	// Even the operator's mistake submits nothing of theirs.
	must.Do(t, overrule(id, "half a thought"))
	s.wantMessages(log, 1)
	tmuxtest.WaitFor(t, s.pane("coder"),
		func(screen tmux.Screen) bool { return strings.Contains(screen.Text(), "half a thought[AGENT") })
	s.wantMessages(log, 1)
}
