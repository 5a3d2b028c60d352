package team

import (
	"slices"
	"testing"
	"time"

	"parley"
	"parley/tmux"
)

func TestUnreadableScreenIsRedrawnLessAndLessOften(t *testing.T) {
	const after = 10 * time.Second
	var r Redraws
	begin := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	look := func(seconds int, state parley.AgentState) bool {
		return r.Due(begin.Add(time.Duration(seconds)*time.Second), state, after)
	}

	var got []int
	for at := range 2000 {
		if look(at, parley.StateUnknown) {
			got = append(got, at)
		}
	}
	if want := []int{10, 30, 70, 150, 310, 630, 1230, 1830}; !slices.Equal(got, want) {
		t.Errorf("redrawn at %d, want %d", got, want)
	}

	// A screen that was readable for a moment is not redrawn sooner for that.
	look(2000, parley.StateIdle)
	if look(2001, parley.StateUnknown) || look(2020, parley.StateUnknown) {
		t.Error("redrawn again right after a redraw")
	}

	// One that was readable for long is.
	look(4000, parley.StateIdle)
	if look(4001, parley.StateDrafting) || !look(4011, parley.StateDrafting) {
		t.Error("a composer that holds something is redrawn too soon or not at all")
	}
}

func TestReadableScreenIsNotRedrawn(t *testing.T) {
	var r Redraws
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, state := range []parley.AgentState{parley.StateUnknown, parley.StateIdle, "", parley.StateBusy,
		parley.StateWaiting} {
		if r.Due(now, state, time.Second) {
			t.Errorf("redrawn when it is %q", state)
		}
		now = now.Add(time.Minute)
	}
}

func TestRedrawIsNoSignOfLife(t *testing.T) {
	begin := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	var term Terminal
	drawn := func(seconds int) time.Time {
		term.SetInfo(tmux.PaneInfo{Activity: begin.Add(time.Duration(seconds) * time.Second)})
		return time.Unix(0, term.LastOutput.Load()).UTC()
	}

	if got := drawn(0); !got.Equal(begin) {
		t.Errorf("the last output came at %v, want %v", got, begin)
	}
	term.RedrawnAt = begin.Add(time.Minute + time.Second/2)
	for _, at := range []int{60, 61, 66} {
		if got := drawn(at); !got.Equal(begin) {
			t.Errorf("a redraw after %d s counts: %v", at, got)
		}
	}
	if got, want := drawn(90), begin.Add(90*time.Second); !got.Equal(want) {
		t.Errorf("output after a redraw: got %v, want %v", got, want)
	}
}
