package store

import (
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

func TestPauseIsKept(t *testing.T) {
	s := openWith(t, 1)
	want := parley.Pause{By: "operator", Since: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Reason: "lunch"}
	for range 2 {
		must.Do(t, s.Workspace.SetPause(t.Context(), agentID(0), &want, nil))
	}

	got, err := s.Workspace.Pause(t.Context())
	if err != nil || got == nil || *got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}

	must.Do(t, s.Workspace.SetPause(t.Context(), agentID(0), nil, nil))
	if got, err := s.Workspace.Pause(t.Context()); err != nil || got != nil {
		t.Errorf("after its end: got %+v, %v", got, err)
	}

	events := must.Have(s.Events.List(t.Context(), EventQuery{Last: 2}))(t)
	for i, state := range []string{"paused", "resumed"} {
		if e := events[i]; e.Type != parley.EventCommunication || e.State != state || e.Agent != agentName(0) {
			t.Errorf("event %d is %+v, want %s", i, e, state)
		}
	}
}
