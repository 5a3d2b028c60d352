package courier

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/profile"
)

var (
	deliveriesFlag = flag.Int("deliveries", 0, "simulate so many deliveries")
	seedFlag       = flag.Uint64("seed", 0, "tell the story of this seed")
)

// runStory tells one story. The clock must be that of a bubble.
func runStory(s *story, set *profile.Set, looks *readings, keepLog bool) (broken *violation, deliveries int, log []string) {
	time.Sleep(time.Now().Truncate(time.Second).Add(time.Second).Sub(time.Now()))
	told := *s
	w := newWorld(&told, set, looks, keepLog)
	broken = w.tell()
	if w.daemon != nil {
		w.daemon.end()
	}
	return broken, w.watch.deliveries, w.log
}

func inBubble(t *testing.T, f func()) { synctest.Test(t, func(*testing.T) { f() }) }

func TestSimulation(t *testing.T) {
	set := must(profile.Builtin())
	if *seedFlag != 0 {
		inBubble(t, func() {
			s := tell(*seedFlag, &set)
			broken, n, log := runStory(s, &set, &readings{limit: 50_000}, true)
			t.Logf("%s\n%s\n%d deliveries", s, strings.Join(log, "\n"), n)
			if broken != nil {
				t.Errorf("%s: %s", broken.invariant, broken.detail)
			}
		})
		return
	}

	want := max(*deliveriesFlag, 200)
	var done, next atomic.Int64
	var failed sync.Map
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			looks := &readings{limit: 50_000}
			for done.Load() < int64(want) {
				first := next.Add(50) - 50
				inBubble(t, func() {
					for seed := uint64(first) + 1; seed <= uint64(first)+50 && done.Load() < int64(want); seed++ {
						broken, n, _ := runStory(tell(seed, &set), &set, looks, false)
						done.Add(int64(n))
						if broken != nil {
							failed.Store(seed, broken)
						}
					}
				})
			}
		})
	}
	wg.Wait()
	count := map[string]int{}
	sample := map[string]string{}
	failed.Range(func(k, v any) bool {
		b := v.(*violation)
		count[b.invariant]++
		sample[b.invariant] = fmt.Sprintf("seed %d: %s", k, b.detail)
		return true
	})
	for k, n := range count {
		t.Errorf("%d times: %s; %s", n, k, sample[k])
	}
	t.Logf("%d deliveries in %d stories", done.Load(), next.Load())
}
