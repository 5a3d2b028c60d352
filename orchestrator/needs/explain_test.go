package needs

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/plain"
)

var accepted = time.Date(2026, 1, 2, 14, 5, 12, 0, time.UTC)

func step(seconds float64, state parley.DeliveryState, evidence string) parley.Step {
	return parley.Step{
		State:    state,
		At:       accepted.Add(time.Duration(seconds * float64(time.Second))),
		Evidence: evidence,
	}
}

func TestExplainTellsTheWholeStory(t *testing.T) {
	msg := &parley.Message{
		ID:        "5f0c21aa-0000-4000-8000-000000000000",
		Kind:      parley.KindDirect,
		Type:      parley.TypeRequest,
		Priority:  parley.PriorityUrgent,
		Sender:    "planner",
		Text:      "please\nrebase",
		Timestamp: accepted,
	}

	ds := []parley.Delivery{
		{
			Recipient:   "coder",
			RecipientID: "c0de",
			State:       parley.DeliveryUnconfirmed,
			Reason:      "typed and entered, but its program has not read it yet",
			Steps: []parley.Step{step(0, parley.DeliveryQueued, "stored"), step(0.25, parley.DeliveryTyping, ""),
				step(5.5, parley.DeliveryUnconfirmed, "typed and entered, but its program has not read it yet")},
		},
	}

	agentOf := func(d *parley.Delivery) parley.Agent { return parley.Agent{Name: d.Recipient} }
	got := explain(msg, ds, agentOf, accepted.Add(3*time.Minute), time.UTC)
	want := strings.Split(
		`planner sent an urgent direct request (5f0c21aa) to coder at 14:05:12 on 2 January 2026, 3 min ago.
“please rebase”

coder: unconfirmed
  after 0.0 s: It was stored and waited for its turn.
  after 0.2 s: parley began to type it.
  after 5.5 s: What came of the typing could not be proven: typed and entered, but its program has not read it yet.
  → What is known: typed and entered, but its program has not read it yet.
  → coder may have got it, or its program may have dropped it.
  → Look at its screen: parley screen coder, or parley attach coder. If the text arrived, leave it. If it did not: parley retry 5f0c21aa --to coder types it again; nothing else does.`,
		"\n",
	)

	if diff := cmp.Diff(want, got.Story); diff != "" {
		t.Errorf("story (-want +got):\n%s", diff)
	}

	d := got.Deliveries[0]
	if got.Summary != want[0] || d.Agent != "coder" || d.AgentID != "c0de" || len(d.Rungs) != 3 ||
		d.Rungs[2].Seconds != 5.5 ||
		len(d.Outlook) != 3 {
		t.Errorf("the fields say something else: %+v", got)
	}
}

func TestExplainDescribesEveryState(t *testing.T) {
	for _, c := range []struct {
		state  parley.DeliveryState
		code   parley.ReasonCode
		reason string
		want   []string // substrings, one per line
	}{
		{parley.DeliveryRead, "", "", []string{"coder has it. Nothing is left to do."}},
		{parley.DeliverySubmitted, "", "", []string{"coder has it.", "not proven"}},
		{parley.DeliveryQueued, "", "", []string{"waits for its turn"}},
		{parley.DeliveryTyping, "", "", []string{"in hand right now."}},
		{parley.DeliveryTyping, "", "pasted; Enter waits: a dialog opened in its terminal",
			[]string{"right now: pasted; Enter waits"}},
		{parley.DeliveryFailed, "", "the agent is terminated", []string{"not delivered", "parley restart coder",
			"parley retry 5f0c21aa --to coder"}},
		{parley.DeliveryExpired, "", "it waited too long",
			[]string{"expire_after", "parley retry 5f0c21aa --to coder"}},
		{parley.DeliveryUnconfirmed, parley.EndedNotEntered, "pasted, but Enter was not pressed: a dialog opened",
			[]string{"stand unsent in coder's composer", "parley attach coder", "parley retry 5f0c21aa --to coder"}},
		{parley.DeliveryUnconfirmed, parley.EndedRefused, "refused by the program: its screen shows a missing sign-in",
			[]string{"It was refused by the program", "No model has it", "parley retry 5f0c21aa --to coder"}},
		{parley.DeliveryHeld, parley.HoldDialog, "a dialog is open", []string{"It waits: a dialog is open.",
			"when the dialog is answered: parley answer coder"}},
		{parley.DeliveryHeld, "", "something new", []string{"It waits: something new.", "when that has passed",
			"parley screen coder"}},
	} {
		d := parley.Delivery{Recipient: "coder", State: c.state, ReasonCode: c.code, Reason: c.reason}
		got := outlook(&d, parley.Agent{Name: "coder"}, "5f0c21aa")
		for _, want := range c.want {
			if !strings.Contains(strings.Join(got, "\n"), want) {
				t.Errorf("%s (%s): no %q in %q", c.state, c.reason, want, got)
			}
		}
	}
}

func TestExplainSaysWhatIsNotKnownOfAProgram(t *testing.T) {
	d := parley.Delivery{Recipient: "coder", State: parley.DeliverySubmitted, Steps: []parley.Step{
		{State: parley.DeliverySubmitted, Code: parley.ProofRead},
	}}
	got := strings.Join(outlook(&d, parley.Agent{Name: "coder"}, "5f0c21aa"), "\n")
	if !strings.Contains(got, "parley does not know coder's program") || !strings.Contains(got, "parley screen coder") {
		t.Errorf("got %q", got)
	}
}

func TestRungsAreToldInSentences(t *testing.T) {
	for _, c := range []struct {
		step  parley.Step
		first bool
		want  string
	}{
		{step(0, parley.DeliveryQueued, "stored"), true, "It was stored and waited for its turn."},
		{step(0, parley.DeliverySubmitted, "stored in its inbox"), true, "It was delivered: stored in its inbox."},
		{step(1, parley.DeliveryQueued, retried), false, "It was queued again: retried by the operator."},
		{step(1, parley.DeliveryHeld, "it is busy"), false, "It was held back: it is busy."},
		{step(1, parley.DeliveryTyping, "pasted; Enter waits."),
			false, "It was still being typed: pasted; Enter waits."},
		{step(1, parley.DeliveryRead, "its full text was submitted and confirmed"),
			false, "It counts as read: its full text was submitted and confirmed."},
		{parley.Step{State: parley.DeliveryUnconfirmed, Evidence: "refused by the program: why",
			Code: parley.EndedRefused}, false, "It was refused by the program: why."},
		{step(1, parley.DeliveryFailed, "the agent is terminated"), true, "It was given up: the agent is terminated."},
		{step(1, parley.DeliveryAnswered, "message 5f0c21aa"), false, "It was answered: message 5f0c21aa."},
		{step(1, "pondered", ""), false, "It came to pondered."},
	} {
		if got := rungText(c.step, c.first); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestFormatDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{-time.Second: "0.0 s", 1500 * time.Millisecond: "1.5 s",
		119 * time.Second: "119 s",
		2 * time.Minute:   "2 min", 119 * time.Minute: "119 min", 47 * time.Hour: "47 h", 72 * time.Hour: "3 days"} {
		if got := plain.FormatDuration(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}
