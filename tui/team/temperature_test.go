package team

import (
	"testing"
	"time"

	"parley"
)

// A conversation is read again soon after something was said in it, and seldom while it only cools.
func TestASilentConversationIsReadSeldom(t *testing.T) {
	read := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	temperatures := NewTemperatures()
	due := func(after time.Duration) bool { return temperatures.Due("a,b", read.Add(after)) }
	if !due(0) {
		t.Error("a conversation that was never read is not due")
	}

	known := Temperature{State: &parley.ConversationStateResult{}, Read: read}
	temperatures.Known["a,b"] = known
	if due(coolingAge-time.Second) || !due(coolingAge) {
		t.Errorf("a silent conversation is due after %v: %v, and a second before: %v", coolingAge, due(coolingAge),
			due(coolingAge-time.Second))
	}

	temperatures.Note(&Row{FromID: "b", ToID: "a", At: read.Add(-time.Second)}) // the past
	if due(temperatureAge) {
		t.Error("a message from before it was read makes it due")
	}
	temperatures.Note(&Row{FromID: "b", ToID: "a", At: read.Add(time.Second)})
	if due(temperatureAge-time.Second) || !due(temperatureAge) {
		t.Error("a conversation in which something was said is not due after its time")
	}
}
