package main

import (
	"slices"
	"testing"

	"parley"
)

// Agents that were stopped are not in the line; every other state is.
func TestStatusLineHasEveryLiveState(t *testing.T) {
	for _, state := range parley.AgentStates() {
		shown := slices.ContainsFunc(lineAgents, func(l lineState) bool { return l.state == string(state) })
		if want := state != parley.StateTerminated; shown != want {
			t.Errorf("%s is in the line: %v, want %v", state, shown, want)
		}
	}
}
