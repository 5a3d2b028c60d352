package orchestrator

import (
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"parley/internal/must"
)

const (
	recordedPage = "../docs/measured/benchmarks.md"
	// slower is how many times as long as recorded a message takes when something was added to its way: one commit
	// makes it three times as long. On busy machines the ratio fell, because the recipe commits.
	slower = 1.6
	// Where commits cost next to nothing, the ratio says little, and the bare typing counts: a message took
	// 1.7 to 3.3 times as long at rest, and 4.5 beside other work.
	overTyping = 7
	runsOfEach = 25 // half a minute where each message is too slow
	ofEachRun  = 30
)

// recordedRatio returns parley's time divided by the recipe's, as the page has it.
func recordedRatio(t *testing.T) float64 {
	t.Helper()
	page := must.Have(os.ReadFile(recordedPage))(t)
	m := regexp.MustCompile(`(?s)## AcceptedToEntered\n.*?parley ÷ recipe\*\* \| \*\*([0-9.]+)×`).FindSubmatch(page)
	if m == nil {
		t.Fatal(recordedPage, " has no ratio to the recipe")
	}
	return must.Have(strconv.ParseFloat(string(m[1]), 64))(t)
}

// One message takes no longer than the last recorded benchmarks say, measured by the recipe next to it. The best of
// several runs of each counts, and the first good pair is enough: a busy machine only makes it take longer.
func TestAMessageTakesNoLongerThanRecorded(t *testing.T) {
	if os.Getenv("PARLEY_TEST_BENCHES") == "" {
		t.Skip("make benches compares it")
	}

	bt, recorded := newBenchTeam(t, 2), recordedRatio(t)
	entered := make(chan time.Time, 1)
	bt.couriers.Entered = func() { bt.typed.Add(1); entered <- time.Now() }
	typing := func() time.Duration { // into another pane: each way numbers what it types
		start := time.Now()
		must.Do(t, bt.recipe(t.Context(), 1, &benchSeq))
		return time.Since(start)
	}
	committing := func() time.Duration {
		start := time.Now()
		for range 2 {
			must.Do(t, bt.commit(t.Context()))
		}
		return time.Since(start)
	}
	parley := func() time.Duration {
		bt.send(bt.names[0], benchText)
		accepted := time.Now()
		took := max(0, (<-entered).Sub(accepted))
		bt.wait(t, 1)
		return took
	}

	var best [3]time.Duration
	for range runsOfEach {
		for way, one := range []func() time.Duration{typing, committing, parley} {
			times := make([]time.Duration, ofEachRun)
			for i := range times {
				times[i] = one()
			}
			if p50 := middle(times); best[way] == 0 || p50 < best[way] {
				best[way] = p50
			}
		}

		recipe, message := best[0]+best[1], best[2]
		most := max(slower*recorded*recipe.Seconds(), overTyping*best[0].Seconds())
		if message.Seconds() <= most {
			t.Logf("a message takes %v, %.2f of the recipe's %v (recorded: %.2f)", message,
				message.Seconds()/recipe.Seconds(), recipe, recorded)
			return
		}
	}

	t.Errorf("a message takes %v typing alone %v, and the recipe %v: %.2f of it, where %s has %.2f",
		best[2], best[0], best[0]+best[1], best[2].Seconds()/(best[0]+best[1]).Seconds(), recordedPage, recorded)
}
