package events

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// Who asks often waits for the others each time, and who gives up is passed over.
func TestTurnsGoRound(t *testing.T) {
	var all turns
	done, err := all.take(t.Context(), "first")
	if err != nil {
		t.Fatal(err)
	}

	greedy := []chan struct{}{all.ask("greedy"), all.ask("greedy"), all.ask("greedy")}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := all.take(gone, "gone"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	modest := all.ask("modest")

	var order []string
	for range 4 {
		done()
		for name, turn := range map[string]chan struct{}{"g0": greedy[0], "g1": greedy[1], "g2": greedy[2],
			"m": modest} {
			select {
			case <-turn:
				if !slices.Contains(order, name) {
					order = append(order, name)
				}
			default:
			}
		}
	}
	if want := []string{"g0", "m", "g1", "g2"}; !slices.Equal(order, want) {
		t.Errorf("the turns are %v, want %v", order, want)
	}

	done()
	if all.taken || len(all.waiting) > 0 || len(all.callers) > 0 {
		t.Errorf("%+v is left", &all)
	}
}
