package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/must"
)

func TestExpireEndsOldDeliveries(t *testing.T) {
	s := openTest(t)
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s.db.base.Now = func() time.Time { return clock }
	addAgents(t, s, 2)
	const many = expireBatch + 20
	for range many {
		send(t, s, post(0, 1))
	}

	typed := pending(t, s, 1)[0].Key
	must.Do(t, s.Deliveries.Claim(t.Context(), typed, 1, false))
	clock = clock.Add(time.Hour)
	young := send(t, s, post(0, 1)).Message.ID

	keys, err := s.Deliveries.Expire(t.Context(), clock)
	if err != nil || len(keys) != many-1 {
		t.Fatalf("got %d keys, %v, want %d", len(keys), err, many-1)
	}
	if jobs := pending(t, s, 1); len(jobs) != 1 || jobs[0].Message.ID != young {
		t.Errorf("still pending: %+v", jobs)
	}

	counts, err := s.Workspace.DeliveryCounts(t.Context())
	want := map[string]int{"expired": many - 1, "typing": 1, "queued": 1}
	if diff := cmp.Diff(want, counts); diff != "" || err != nil {
		t.Errorf("DeliveryCounts: %v, -want +got:\n%s", err, diff)
	}
}
