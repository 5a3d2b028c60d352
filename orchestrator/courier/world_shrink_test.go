package courier

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// shrink returns the shortest story that it finds which breaks the same promise.
func shrink(s *story, broken string, k *common) *story {
	fails := func(shorter *story) bool {
		b, _, _ := runStory(shorter, k, false)
		return b != nil && b.invariant == broken
	}

	best := *s
	for size := max(1, len(best.Events)/2); size > 0; size /= 2 {
		for at := 0; at < len(best.Events); {
			shorter := best
			shorter.Events = slices.Concat(best.Events[:at], best.Events[min(at+size, len(best.Events)):])
			if fails(&shorter) {
				best = shorter
			} else {
				at += size
			}
		}
	}

	for _, simpler := range simplifications {
		shorter := best
		shorter.Events = slices.Clone(best.Events)
		if simpler(&shorter); fails(&shorter) {
			best = shorter
		}
	}

	return &best
}

// simplifications make one thing about a story plainer.
var simplifications = []func(*story){
	func(s *story) { s.Lost = 0 },
	func(s *story) { s.Shared = false },
	func(s *story) { s.Back = 100 * time.Millisecond },
	func(s *story) { s.Traits.Read = 0 },
	func(s *story) { s.Traits.Draw = 0 },
	func(s *story) { s.Traits.Begin = 0 },
	func(s *story) { s.Traits.Gap = 0 },
	func(s *story) { s.Traits.Report = 0 },
	func(s *story) { s.Traits.Reports = s.Traits.DropsBegin }, // see teller.traits
	func(s *story) { s.Traits.Fold = 0 },
	func(s *story) { s.Traits.Joined = false },
	func(s *story) { s.Traits.Tools = 0 },
	func(s *story) { s.Traits.Wrote = 0 },
	func(s *story) { s.Traits.Prints = 0 },
	func(s *story) { s.Traits.Hooks = "" },
	func(s *story) { s.Traits.Width = 120 },
	func(s *story) { s.Traits.Work = time.Second },
	func(s *story) {
		for i := range s.Events {
			s.Events[i].At = s.Events[i].At.Truncate(time.Second)
			s.Events[i].For = s.Events[i].For.Truncate(time.Second)
		}
	},
}

// explain describes a violation: how to see it again, and the shortest story.
func explain(s *story, broken *violation, k *common) string {
	short := shrink(s, broken.invariant, k)
	last, _, log := runStory(short, k, true)
	if last != nil {
		broken = last
	}
	return fmt.Sprintf("BROKEN: %s: %s\nagain: go test ./orchestrator/courier -run 'TestSimulation$' -seed %d\n"+
		"the shortest story: %s%s",
		broken.invariant, broken.detail, s.Seed, short, strings.Join(log, "\n"))
}
