package orchestrator

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/orchestrator/team"
	"parley/tmux/tmuxtest"
)

// dying is a team in which what is sent to terminals waits behind a dialog, with a clock that the test moves.
type dying struct {
	*due
	names []string
}

func newDying(t *testing.T, terminals int) *dying {
	d := &due{clock: new(clock)}
	d.testTeam = newTeam(t, d.clock.option)
	d.planner = d.as("planner")
	dying := &dying{due: d}
	for i := range terminals {
		name := fmt.Sprintf("t%02d", i)
		d.launch(name, "framed", tmuxtest.Agent{Dialog: d.dialog()})
		dying.names = append(dying.names, name)
	}
	return dying
}

// die lets everything that waits expire, and tells of it.
func (d *dying) die() {
	d.t.Helper()
	d.clock.pass(time.Hour)
	must.Have(d.store.Deliveries.Expire(d.t.Context(), d.now()))(d.t)
	d.services.operator.Losses.Tell(context.Background())
	d.services.operator.Losses.Tell(context.Background()) // each once
}

func (d *dying) from(as context.Context, text string, to ...string) string {
	d.t.Helper()
	return d.sends(as, parley.SendMessageRequest{To: to, Text: text}).MessageID
}

// undelivered returns the operator's needs of messages that did not arrive.
func (d *dying) undeliveredNeeds(dismiss string) (found []parley.Need) {
	d.t.Helper()
	for _, n := range d.needs(dismiss) {
		if n.Kind == parley.NeedUndelivered {
			found = append(found, n)
		}
	}
	return found
}

func TestSenderIsToldOnceOfWhatDidNotArrive(t *testing.T) {
	t.Parallel()
	d := newDying(t, 3)
	one := d.from(d.planner, "does it build?", d.names...)
	d.die()
	got := d.notices("planner")
	if len(got) != 1 {
		t.Fatalf("one message with three recipients: planner is told %q", got)
	}
	for _, part := range []string{"message " + parley.Short(one) + " did not arrive",
		"to t00, t01, t02: it waited too long", "“does it build?”"} {
		if !strings.Contains(got[0], part) {
			t.Errorf("planner is told %q, want %q", got[0], part)
		}
	}

	var ids []string
	for i := range 7 {
		ids = append(ids, parley.Short(d.from(d.planner, fmt.Sprintf("number %d", i), "t00")))
	}
	d.die()
	d.restart()
	d.die()
	got = d.notices("planner")
	if len(got) != 2 || !strings.HasPrefix(got[1], "7 messages of yours did not arrive: "+ids[0]+", to t00") ||
		!strings.Contains(got[1], "and 2 more.") {
		t.Errorf("seven messages: planner is told %q", got)
	}
	if got := d.undeliveredNeeds(""); len(got) != 0 {
		t.Errorf("the operator is told too: %+v", got)
	}
}

func TestNoticeThatDiesMakesNoNotice(t *testing.T) {
	t.Parallel()
	d := newDying(t, 1)
	t00 := d.roster.ByName("t00")
	must.Do(t, d.rooms.admission.Notify(t.Context(), []*team.Member{t00}, "to t00", nil, ""))
	d.die()
	if left := must.Have(d.store.Needs.Undelivered(t.Context()))(t); len(left) != 0 {
		t.Errorf("it is still to be told: %+v", left)
	}
	for _, name := range []string{"planner", "t00"} {
		for _, text := range d.notices(name) {
			if text != "to t00" {
				t.Errorf("%s is told %q", name, text)
			}
		}
	}
	if got := d.undeliveredNeeds(""); len(got) != 0 {
		t.Errorf("the operator is told: %+v", got)
	}
}

func TestOperatorIsToldOfWhatDidNotArriveUntilTheyHaveSeenTo(t *testing.T) {
	t.Parallel()
	d := newDying(t, 2)
	mine := d.from(d.operator(), "stop now", d.names...)
	gone := d.as("gone")
	orphan := d.from(gone, "my last words", "t00")
	d.stop("gone")
	d.die()

	got := d.undeliveredNeeds("")
	if len(got) != 2 || got[0].MessageID != mine || got[1].MessageID != orphan {
		t.Fatalf("needs %+v, want those of %s and %s", got, mine, orphan)
	}
	if want := "from operator did not arrive, to t00, t01: it waited too long: “stop now”"; !strings.Contains(
		got[0].Text, want) {
		t.Errorf("it says %q, want %q", got[0].Text, want)
	}
	if texts := d.notices(parley.OperatorName); len(texts) != 0 {
		t.Errorf("the operator also has the notices %q", texts)
	}

	d.restart()
	if got := d.undeliveredNeeds(mine); len(got) != 1 || got[0].MessageID != orphan {
		t.Errorf("after dismissing one: %+v", got)
	}
	must.Have(op.RetryDelivery.Call(d.operator(), d, parley.RetryDeliveryRequest{MessageID: mine}))(t)
	d.die()
	if got := d.undeliveredNeeds(""); len(got) != 2 {
		t.Errorf("after a retry that expired too: %+v", got)
	}
	if got := d.undeliveredNeeds(string(parley.NeedUndelivered)); len(got) != 0 {
		t.Errorf("after dismissing all: %+v", got)
	}
}

func TestPauseHoldsBackWhatDidNotArrive(t *testing.T) {
	t.Parallel()
	d := newDying(t, 1)
	d.from(d.planner, "does it build?", "t00")
	must.Have(op.PauseCommunication.Call(d.operator(), d, parley.PauseCommunicationRequest{Paused: true}))(t)
	d.die()
	if got := d.notices("planner"); len(got) != 0 {
		t.Errorf("while paused: %q", got)
	}
	must.Have(op.PauseCommunication.Call(d.operator(), d, parley.PauseCommunicationRequest{}))(t)
	d.die()
	if got := d.notices("planner"); len(got) != 1 {
		t.Errorf("afterwards: %q", got)
	}
}
