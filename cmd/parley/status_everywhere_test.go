package main

import (
	"context"
	"slices"
	"testing"
	"time"

	"parley"
	"parley/client"
)

func TestWorkspaceThatAnswersTooLateSaysSo(t *testing.T) {
	late, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()

	var l workspaceLine
	l.fail(late, l.ask(late, client.New(client.Options{Socket: "/nowhere"})), 3*time.Second)
	if l.agents() != "no answer within 3s" {
		t.Errorf("its line says %q", l.agents())
	}
}

// Agents that were stopped are not in the line; every other state is.
func TestStatusLineHasEveryLiveState(t *testing.T) {
	for _, state := range parley.AgentStates() {
		shown := slices.ContainsFunc(lineAgents, func(l lineState) bool { return l.state == string(state) })
		if want := state != parley.StateTerminated; shown != want {
			t.Errorf("%s is in the line: %v, want %v", state, shown, want)
		}
	}
}
