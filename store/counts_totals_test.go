package store

import (
	"testing"

	"parley/internal/must"
)

func TestTotalsContinueFromLastCount(t *testing.T) {
	s := openWith(t, 4)
	want := func(messages, deliveries int64) {
		t.Helper()
		if got, err := s.Workspace.Totals(t.Context()); err != nil || got != (Totals{messages, deliveries}) {
			t.Errorf("got %+v, %v, want %d messages and %d deliveries", got, err, messages, deliveries)
		}
	}

	want(0, 0)
	send(t, s, post(0, 1, 2, 3))
	send(t, s, post(0, 1))
	want(2, 4)
	want(2, 4)
	send(t, s, post(1, 2, 3))
	want(3, 6)
	must.Do(t, s.Workspace.Ping(t.Context()))
}
