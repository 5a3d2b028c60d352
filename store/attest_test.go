package store

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
)

func attest(t *testing.T, s *Store, n int, started time.Time, refs ...string) []string {
	t.Helper()
	return must.Have(s.Deliveries.Attest(t.Context(),
		Witness{RecipientID: agentID(n), Refs: refs, Evidence: "it says so", TurnStarted: started}))(t)
}

func TestAttestAdvancesTypedDeliveries(t *testing.T) {
	s := openWith(t, 2)
	started := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	end := func(states ...parley.DeliveryState) (changes []Change) {
		for _, state := range states {
			changes = append(changes, Change{State: state, Cause: parley.HoldRefused.With("x")})
		}
		return changes
	}

	refused := []Change{{State: parley.DeliveryUnconfirmed, Cause: parley.EndedRefused.In("x")}}

	for name, c := range map[string]struct {
		claim, announced bool
		changes          []Change
		want             string // the steps; an exclamation mark: with the start of the turn
	}{
		"queued":              {false, false, nil, "queued"},
		"read in its mailbox": {false, false, end("read"), "queued read"},
		"refused":             {true, false, end("held"), "queued typing held"},
		"failed":              {true, false, end("failed"), "queued typing failed"},
		"typing":              {true, false, nil, "queued typing submitted! read"},
		"unconfirmed":         {true, false, end("unconfirmed"), "queued typing unconfirmed submitted! read"},
		"to be retried": {true, false, end("unconfirmed"),
			"queued typing unconfirmed queued submitted! read"},
		"not taken":                {true, false, refused, "queued typing unconfirmed"},
		"not taken, to be retried": {true, false, refused, "queued typing unconfirmed queued"},
		"announcement":             {true, true, end("unconfirmed"), "queued typing unconfirmed submitted! submitted"},
		"submitted":                {true, false, end("submitted"), "queued typing submitted read!"},
		"announcement submitted":   {true, true, end("submitted"), "queued typing submitted submitted!"},
		"read":                     {true, false, end("submitted", "read"), "queued typing submitted read read!"},
	} {
		t.Run(name, func(t *testing.T) {
			done := send(t, s, post(0, 1))
			k := Key{done.Seq, agentID(1)}
			if c.claim {
				must.Do(t, s.Deliveries.Claim(t.Context(), k, 1, c.announced))
			}

			for _, change := range c.changes {
				must.Do(t, s.Deliveries.Advance(t.Context(), k, change))
			}

			if strings.HasSuffix(name, "to be retried") {
				must.Have(s.Deliveries.Retry(t.Context(), done.Message.ID, again(1)))(t)
			}

			for range 2 { // the second time changes nothing
				typed := attest(t, s, 1, started, parley.Short(done.Message.ID))
				if before := delivery(t, s, done.Message.ID, 1); (len(typed) == 1) != !before.TurnStarted().IsZero() ||
					len(typed) == 1 && typed[0] != done.Message.ID {
					t.Errorf("it was given %q; steps %+v", typed, before.Steps)
				}
			}

			var got []string
			for _, step := range delivery(t, s, done.Message.ID, 1).Steps {
				mark := ""
				if step.TurnStarted != nil {
					mark = "!"
					if !step.TurnStarted.Equal(started) || step.Evidence != "it says so" {
						t.Errorf("step %+v", step)
					}
				}

				got = append(got, string(step.State)+mark)
			}

			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAttestFindsOnlyTheRecipientsMessages(t *testing.T) {
	s := openWith(t, 3)
	done := send(t, s, post(0, 1))
	must.Do(t, s.Deliveries.Claim(t.Context(), Key{done.Seq, agentID(1)}, 1, false))
	for _, ref := range []string{done.Message.ID[:7], "", "zzzzzzzz", "%"} {
		if typed := attest(t, s, 1, time.Time{}, ref); len(typed) != 0 {
			t.Errorf("%q names %v", ref, typed)
		}
	}

	if typed := attest(t, s, 2, time.Time{}, done.Message.ID); len(typed) != 0 {
		t.Errorf("another agent named %v", typed)
	}
	if got := delivery(t, s, done.Message.ID, 1); got.State != parley.DeliveryTyping {
		t.Errorf("delivery is %s, want typing", got.State)
	}

	last := s.Events.LastEvent()
	if typed := attest(t, s, 1, time.Time{}, done.Message.ID); len(typed) != 1 {
		t.Errorf("its recipient named %v", typed)
	}

	if got := delivery(t, s, done.Message.ID, 1); got.State != parley.DeliveryRead || !got.TurnStarted().IsZero() ||
		s.Events.LastEvent() != last+2 {
		t.Errorf("delivery is %s with %+v, %d events; want read, no turn's start and 2 events", got.State, got.Steps,
			s.Events.LastEvent()-last)
	}
}

func TestAttestSaysThatItWasNotTyped(t *testing.T) {
	s := openWith(t, 2)
	done := send(t, s, post(0, 1))
	k := Key{done.Seq, agentID(1)}
	must.Do(t, s.Deliveries.ClaimDoor(t.Context(), k))
	attest(t, s, 1, time.Time{}, done.Message.ID)
	d := delivery(t, s, done.Message.ID, 1)
	if got := d.Steps[2].Evidence; d.State != parley.DeliveryRead || got != parley.ThroughDoor+", and it says so" {
		t.Errorf("got %s, %q", d.State, got)
	}
}
