package main

import (
	"testing"
	"time"

	"parley"
)

func TestAgentsShowWhenAUsageLimitEnds(t *testing.T) {
	ends := time.Date(2030, 1, 2, 15, 4, 0, 0, time.Local)
	a := parley.AgentStatus{Agent: parley.Agent{State: parley.StateBlocked}}
	if got := stateWords(a); got != "blocked" {
		t.Errorf("without an end: %q", got)
	}
	a.LimitedUntil = &ends
	if got := stateWords(a); got != "blocked until 2 Jan 15:04" {
		t.Errorf("got %q", got)
	}
}
