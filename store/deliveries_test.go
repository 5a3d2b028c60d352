package store

import (
	"slices"
	"testing"

	"parley"
)

func TestPendingIsUrgentFirstThenInOrder(t *testing.T) {
	s := openWith(t, 3)
	var want []string
	for i := range 6 {
		p := post(0, 1)
		if i >= 4 {
			p.Message.Priority = parley.PriorityUrgent
		}
		want = append(want, send(t, s, p).Message.ID)
	}

	send(t, s, post(0, 2))
	want = slices.Concat(want[4:], want[:4])
	jobs := pending(t, s, 1)
	var got []string
	for _, j := range jobs {
		got = append(got, j.Message.ID)
	}

	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}

	if last := jobs[2]; last.QueuedAt.IsZero() || last.Message.Sender != agentName(0) ||
		last.State != parley.DeliveryQueued {
		t.Errorf("the first that was not urgent: %+v", last)
	}

	if some, err := s.Deliveries.Pending(t.Context(), agentID(1), 2); err != nil || len(some) != 2 {
		t.Errorf("with a limit of 2: got %d, %v", len(some), err)
	}
}
