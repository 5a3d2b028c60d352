package orchestrator

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// stage is a team with one fake agent whose screen the test controls.
type stage struct {
	*testTeam
	log   string
	above string
}

func newStage(t *testing.T, a tmuxtest.Agent, change ...func(*Options)) *stage {
	s := &stage{testTeam: newTeam(t, change...)}
	s.above = filepath.Join(s.dir, "above")
	a.Above = s.above
	s.log = s.launch("coder", "framed", a)
	s.inState("coder", parley.StateIdle)
	return s
}

// show displays text above the agent's composer; "" removes it.
func (s *stage) show(text string) {
	s.t.Helper()
	must.Do(s.t, os.WriteFile(s.above, []byte(text), 0o600))
}

// sendAs sends with a priority.
func (s *stage) sendAs(p parley.Priority, text string) string {
	s.t.Helper()
	res := s.sends(s.operator(), parley.SendMessageRequest{To: parley.Names{"coder"}, Text: text, Priority: p})
	return res.MessageID
}

// wantMessages expects that the agent has got n messages in all.
func (s *stage) wantMessages(n int) {
	s.t.Helper()
	s.testTeam.wantMessages(s.log, n)
}

func shows(text string) func(tmux.Screen) bool {
	return func(s tmux.Screen) bool { return tmuxtest.Shows(s, text) }
}

// framedWith changes the profile of the fake agent.
func framedWith(t *testing.T, change string) func(*Options) {
	return func(o *Options) {
		o.Profiles = must.Have(o.Profiles.With("framed", []byte(change)))(t)
	}
}

func TestBusyAgentGetsImportantMessagesIntoItsOwnQueue(t *testing.T) {
	t.Parallel()
	s := newStage(t, tmuxtest.Agent{})
	s.show("working")
	s.inState("coder", parley.StateBusy)
	normal := s.send("coder", "when you are done")
	s.held(normal, "busy")
	high := s.sendAs(parley.PriorityUrgent, "stop the release")
	if d := s.reach(high, parley.DeliveryRead); !strings.Contains(d.Steps[len(d.Steps)-2].Evidence, "queue") {
		t.Errorf("the evidence says nothing of the queue: %+v", d.Steps)
	}

	got := tmuxtest.WaitMessages(t, s.log, 1)
	if len(got) != 1 || !got[0].Tab || !strings.Contains(got[0].Text, "stop the release") {
		t.Errorf("the working agent got %+v, want the urgent message with Tab", got)
	}

	s.show("")
	s.reach(normal, parley.DeliveryRead)
	if got := tmuxtest.WaitMessages(t, s.log, 2); got[1].Tab {
		t.Errorf("the idle agent got %+v, want Enter", got[1])
	}
}

func TestUrgentMessageInterruptsOnlyWhereTheOperatorAllowsIt(t *testing.T) {
	t.Parallel()
	s := newStage(t, tmuxtest.Agent{})
	m := s.roster.ByName("coder")
	a := m.Agent()
	a.Interruptible = true
	m.SetAgent(a)
	s.show("working")
	s.inState("coder", parley.StateBusy)
	high := s.sendAs(parley.PriorityHigh, "soon")
	s.reach(high, parley.DeliveryRead)
	s.reach(s.sendAs(parley.PriorityUrgent, "at once"), parley.DeliveryRead)
	if got := tmuxtest.WaitMessages(t, s.log, 2); !got[0].Tab || got[1].Tab {
		t.Errorf("got %+v, want the high one queued and the urgent one entered", got)
	}

	s.show("")
	s.tmuxRun("copy-mode", "-t", s.pane("coder").ID())
	normal := s.send("coder", "later")
	s.held(normal, "copy mode")
	s.reach(s.sendAs(parley.PriorityUrgent, "over here"), parley.DeliveryRead)
	s.reach(normal, parley.DeliveryRead)
}

func TestDialogAndDraftOfAWorkingAgentHoldUrgentMessagesToo(t *testing.T) {
	t.Parallel()
	dialog := filepath.Join(t.TempDir(), "dialog")
	s := newStage(t, tmuxtest.Agent{Dialog: dialog})
	s.show("working")
	s.inState("coder", parley.StateBusy)
	s.tmuxRun("send-keys", "-t", s.pane("coder").ID(), "-l", "half")
	tmuxtest.WaitFor(t, s.pane("coder"), shows("half"))
	id := s.sendAs(parley.PriorityUrgent, "now")
	s.held(id, "busy")
	must.Do(t, os.WriteFile(dialog, nil, 0o600))

	s.held(id, "dialog")
	s.wantMessages(0)
}

func TestBlockedAndUnknownScreensHoldMessages(t *testing.T) {
	t.Parallel()
	s := newStage(t, tmuxtest.Agent{})
	s.show("limit reached")
	if a := s.inState("coder", parley.StateBlocked); !strings.Contains(a.Evidence, "usage limit") ||
		a.Availability != parley.Unavailable {
		t.Errorf("got %+v", a)
	}

	id := s.sendAs(parley.PriorityUrgent, "hello")
	s.held(id, "usage limit")
	s.show(tmuxtest.HideComposer)
	s.inState("coder", parley.StateUnknown)
	s.held(id, "nothing that is known")
	s.show("")
	s.reach(id, parley.DeliveryRead)
	s.tmuxRun("send-keys", "-t", s.pane("coder").ID(), "-l", "half a thought")
	s.inState("coder", parley.StateDrafting)
}

func TestOperatorsRetryPassesABlockOnceAndAllThatWaits(t *testing.T) {
	t.Parallel()
	s := newStage(t, tmuxtest.Agent{})
	s.show("limit reached")
	s.inState("coder", parley.StateBlocked)
	first := s.send("coder", "message 0")
	for n := range batch + 1 { // more than the courier reads at once
		s.send("coder", fmt.Sprintf("message %d", n+1))
	}

	id := s.send("coder", "go on")
	urgent := s.sendAs(parley.PriorityUrgent, "now")
	s.held(urgent, "usage limit")
	s.retry(id)
	s.reach(id, parley.DeliveryRead)
	s.held(urgent, "usage limit")
	if got := tmuxtest.WaitMessages(t, s.log, 1); len(got) != 1 || !strings.Contains(got[0].Text, "go on") {
		t.Errorf("got %+v, want the one that was retried", got)
	}

	s.show("")
	s.reach(urgent, parley.DeliveryRead)
	s.reach(first, parley.DeliveryRead)
}

// attach attaches a person to the agent's terminal and returns a function that sends keys there.
func (s *stage) attach() (press func(keys ...string)) {
	s.t.Helper()
	outer := tmuxtest.Start(s.t)
	info := must.Have(outer.NewSession(context.Background(), tmux.SessionOptions{Name: "outer", Owner: "test",
		Argv: append([]string{"env", "-u", "TMUX"}, append(tmuxCommand(s.testTeam).Args, "attach", "-t",
			"coder")...)}))(s.t)

	tmuxtest.WaitFor(s.t, outer.Pane(info.ID), shows(tmuxtest.Prompt))

	return func(keys ...string) {
		s.t.Helper()
		must.Do(s.t, tmuxCommandOn(outer, append([]string{"send-keys", "-t", info.ID}, keys...)...).Run())
	}
}

func TestKeysOfAnAttachedPersonHold(t *testing.T) {
	t.Parallel()
	s := newStage(t, tmuxtest.Agent{})
	press := s.attach()
	began := time.Now()
	press("C-b", "Escape") // these keys do not reach the agent
	id := s.send("coder", "hello")
	s.reach(id, parley.DeliveryRead)
	if waited := time.Since(began); waited < typingPause/2 {
		t.Errorf("it was typed %v after their key", waited)
	}
}

// says reports an event as the agent's program.
func (s *stage) says(event string, ids ...string) {
	s.t.Helper()
	m := s.roster.ByName("coder")
	ctx := parley.WithCaller(context.Background(), parley.Caller{ID: m.ID, Name: m.Name})
	must.Have(op.ReportState.Call(ctx, s, parley.ReportStateRequest{Event: event, MessageIDs: ids}))(s.t)
}

const reporting = "reports: {Ask: waiting, Stop: idle, Limit: 'blocked: usage limit'}\ntitles: {busy: '^works'}"

func TestBroadcastIsStaggeredByTheProfile(t *testing.T) {
	t.Parallel()
	te := newTeam(t, framedWith(t, "stagger: 1500ms"))
	for _, name := range []string{"ann", "bob", "eve"} {
		te.launch(name, "framed", tmuxtest.Agent{})
		te.inState(name, parley.StateIdle)
	}

	res := must.Have(op.BroadcastMessage.Call(te.operator(), te, parley.BroadcastMessageRequest{Text: "hello"}))(t)

	te.reach(res.MessageID, parley.DeliveryRead)
	var typed []time.Time
	tmuxtest.Poll(t, func() bool {
		status, err := op.GetMessageStatus.Call(te.operator(), te,
			parley.MessageStatusRequest{MessageID: res.MessageID})
		typed = nil
		for _, d := range status.Deliveries {
			for _, step := range d.Steps {
				if step.State == parley.DeliveryTyping {
					typed = append(typed, step.At)
				}
			}
		}

		return err == nil && len(typed) == 3
	}, func() string { return "not all were typed" })

	slices.SortFunc(typed, time.Time.Compare)
	for i, gap := range []time.Duration{typed[1].Sub(typed[0]), typed[2].Sub(typed[1])} {
		if gap < 500*time.Millisecond { // each is recorded some time after its turn came
			t.Errorf("turn %d began %v after the one before", i+1, gap)
		}
	}
}

func TestTitleHolds(t *testing.T) {
	t.Parallel()
	s := newStage(t, tmuxtest.Agent{}, framedWith(t, reporting))
	s.tmuxRun("select-pane", "-t", s.pane("coder").ID(), "-T", "works on it")
	id := s.send("coder", "hello")
	s.held(id, "busy")
	s.inState("coder", parley.StateBusy)
	s.tmuxRun("select-pane", "-t", s.pane("coder").ID(), "-T", "coder")
	s.reach(id, parley.DeliveryRead)
}
