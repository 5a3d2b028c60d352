package store

import (
	"slices"
	"testing"

	"parley/internal/must"
)

// What the operator says of a program holds on the host where it runs.
func TestPlacesAreOfTheirHost(t *testing.T) {
	hosts := openHosts(t, "ann", "bob")
	ann, bob := hosts[0], hosts[1]
	prompt, menu := Place{"/bin/tool", ""}, Place{"/bin/tool", "menu>"}
	must.Do(t, ann.Workspace.AddPlace(t.Context(), prompt))
	must.Do(t, ann.Workspace.AddPlace(t.Context(), prompt))
	must.Do(t, bob.Workspace.AddPlace(t.Context(), menu))
	want := func(s *Store, want ...Place) {
		t.Helper()
		if got := must.Have(s.Workspace.Places(t.Context()))(t); !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", s.Hosts.Team().Own, got, want)
		}
	}
	want(ann, prompt)
	want(bob, menu)
	must.Do(t, bob.Workspace.ForgetPlaces(t.Context(), "/bin/tool"))
	want(ann, prompt)
	want(bob)
}
