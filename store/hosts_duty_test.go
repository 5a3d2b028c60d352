package store

import (
	"testing"

	"parley/internal/must"
)

func TestOneHostHasADuty(t *testing.T) {
	hosts := openHosts(t, "ann", "bob")
	ann, bob := hosts[0], hosts[1]
	want := func(what string, s *Store, want bool) {
		t.Helper()
		if got := must.Have(s.Hosts.OnDuty(t.Context(), "tell"))(t); got != want {
			t.Errorf("%s: %s has the duty: %v", what, s.Hosts.Team().Own, got)
		}
	}

	want("the first to ask", bob, true)
	want("the second", ann, false)
	want("again", bob, true)
	must.Do(t, ann.Hosts.LeaveDuty(t.Context(), "tell"))
	want("one that does not have it leaves it", bob, true)
	must.Do(t, bob.Hosts.LeaveDuty(t.Context(), "tell"))
	want("it was left", ann, true)

	// One that is away loses it.
	must.Do(t, ann.Close())
	must.Become(t, "ann is away", func() bool { return bob.Hosts.Team().Host("ann").Away })
	want("ann is away", bob, true)
}

func TestAFileHasEachDuty(t *testing.T) {
	needsFile(t)
	s := openTest(t)
	if mine := must.Have(s.Hosts.OnDuty(t.Context(), "tell"))(t); !mine {
		t.Error("a file's daemon does not have it")
	}
	must.Do(t, s.Hosts.LeaveDuty(t.Context(), "tell"))
}
