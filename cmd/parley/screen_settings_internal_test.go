package main

import (
	"testing"

	"parley/internal/daemon"
)

// What no file and no variable says is as the docs say.
func TestTheScreenHasItsDefaults(t *testing.T) {
	at := daemon.Locate(t.TempDir(), nil)
	s, _, err := new(surroundings).screenSettings(at)
	if err != nil || s.First != "agents" || s.Theme != "terminal" {
		t.Errorf("got %+v, %v", s, err)
	}
}
