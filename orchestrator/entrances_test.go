package orchestrator

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/orchestrator/door"
	"parley/profile"
)

// A profile may name the entrances that can be opened, and no others.
func TestProfilesKnowTheEntrancesThatCanBeOpened(t *testing.T) {
	if diff := cmp.Diff(door.Kinds(), profile.Doors); diff != "" {
		t.Errorf("(-opened +in profiles):\n%s", diff)
	}
}
