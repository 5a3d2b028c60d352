package courier

import (
	"cmp"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley"
	"parley/orchestrator/sight"
	"parley/program/profile"
)

var (
	deliveriesFlag = flag.Int("deliveries", 0, "simulate so many deliveries")
	briefFlag      = flag.Bool("brief", false, "name only the promise that a story breaks")
	seedFlag       = flag.Uint64("seed", 0, "tell the story of this seed")
	afterFlag      = flag.Int64("after", 0, "tell the stories of the seeds after this one")
)

// runStory tells one story.
func runStory(s *story, k *common, keepLog bool) (broken *violation, deliveries int, log []string) {
	w := runWorld(s, k, keepLog)
	return w.broken, w.watch.deliveries, w.log
}

// runWorld tells one story. The clock must be that of a bubble.
func runWorld(s *story, k *common, keepLog bool) *world {
	time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second)))
	told := *s
	w := newWorld(&told, k, keepLog)
	w.tell()
	if w.daemon != nil {
		w.daemon.end()
	}
	return w
}

// proven returns how many deliveries count as submitted or read.
func (w *world) proven() (n int) {
	for _, r := range w.store.rows {
		if r.job.State == parley.DeliverySubmitted || r.job.State == parley.DeliveryRead {
			n++
		}
	}
	return n
}

func inBubble(t *testing.T, f func()) { synctest.Test(t, func(*testing.T) { f() }) }

func TestSimulation(t *testing.T) {
	k := newCommon()
	if *seedFlag != 0 {
		inBubble(t, func() {
			s := tell(*seedFlag, k.set)
			if broken, _, log := runStory(s, k, true); broken != nil {
				t.Errorf("%s\n%s\n%s", s, strings.Join(log, "\n"), explain(s, broken, k))
			} else {
				t.Logf("%s\n%s", s, strings.Join(log, "\n"))
			}
		})
		return
	}

	began := time.Now()
	size := extent{deliveries: *deliveriesFlag}
	switch {
	case size.deliveries > 0:
	case testing.Short():
		size.stories = 120
	default:
		size.stories = toldAlways
	}
	r := simulate(t, k, size)
	if *briefFlag {
		fmt.Printf("RESULT %d|%s|%v\n", r.deliveries, r.promise, time.Since(began))
	}
	t.Log(r)
	for _, b := range r.broken {
		t.Error(b)
	}
	if r.deliveries > 1000 && r.proven < r.deliveries/2 {
		t.Errorf("only %d of %d deliveries were proven: the world is too hard", r.proven, r.deliveries)
	}
}

// result is what a simulation came to.
type result struct {
	mu         sync.Mutex
	stories    int
	deliveries int
	proven     int
	broken     []string // explained
	promise    string   // the first that was broken
	took       time.Duration
	printed    int
}

func (r *result) String() string {
	return fmt.Sprintf("%d deliveries in %d stories, %d proven, %d violations, in %v",
		r.deliveries, r.stories, r.proven, len(r.broken), r.took.Round(100*time.Millisecond))
}

// common is what stories that are told in turn have in common.
type common struct {
	set     *profile.Set
	looks   *sight.Readings
	formats formats
}

func newCommon() *common {
	set := must(profile.Builtin())
	return commonOf(&set)
}

func commonOf(set *profile.Set) *common {
	return &common{set: set, looks: sight.NewReadings(manyScreens), formats: formats{}}
}

const (
	toldAlways  = 2_160 // stories, with some 20,000 deliveries; a check simulates 100,000
	manyScreens = 1_000 // remembered
	manyBroken  = 5     // enough
	longRun     = 200_000
)

// extent limits a simulation: to the stories of the first seeds, which are the same each time, or to
// a number of deliveries. 0 is no limit.
type extent struct{ stories, deliveries int }

// simulate tells the stories of the seeds from 1 on, until the extent is reached or enough promises
// are broken.
func simulate(t *testing.T, k *common, size extent) *result {
	defer debug.SetGCPercent(debug.SetGCPercent(1000))
	began := time.Now()
	r := &result{}
	var next atomic.Int64
	next.Store(*afterFlag)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			k := commonOf(k.set)
			for {
				seed := int(next.Add(1))
				if !r.wants(size, seed) {
					return
				}
				inBubble(t, func() { r.story(tell(uint64(seed), k.set), k) })
				r.progress(size.deliveries, began)
			}
		})
	}
	group.Wait()
	r.took = time.Since(began)
	return r
}

// wants reports whether the story of a seed belongs to the extent.
func (r *result) wants(size extent, seed int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	within := size.stories == 0 || seed <= size.stories
	return within && (size.deliveries == 0 || r.deliveries < size.deliveries) && len(r.broken) < enough()
}

// story tells one story and counts it.
func (r *result) story(s *story, k *common) {
	w := runWorld(s, k, false)
	words := ""
	if w.broken != nil {
		words = w.broken.invariant
		if !*briefFlag {
			words = explain(s, w.broken, k)
		}
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	r.stories++
	r.deliveries += w.watch.deliveries
	r.proven += w.proven()
	if w.broken != nil {
		r.broken = append(r.broken, words)
		if *deliveriesFlag > longRun {
			fmt.Println(words) // a long run does not wait for its end to tell
		}
		r.promise = cmp.Or(r.promise, w.broken.invariant)
	}
}

// enough returns how many broken promises end a simulation.
func enough() int {
	if *briefFlag {
		return 1
	}
	return manyBroken
}

// progress prints how far a long simulation is.
func (r *result) progress(deliveries int, began time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if part := r.deliveries / 100_000; deliveries > longRun && part > r.printed {
		r.printed = part
		fmt.Printf("%d deliveries, %d violations, %v\n", r.deliveries, len(r.broken),
			time.Since(began).Round(time.Second))
	}
}

func TestStoryIsToldTheSameWayEachTime(t *testing.T) {
	k := newCommon()
	for seed := range uint64(60) {
		var logs [2]string
		for i := range logs {
			inBubble(t, func() {
				_, _, log := runStory(tell(seed+1, k.set), k, true)
				logs[i] = strings.Join(log, "\n")
			})
		}
		if logs[0] != logs[1] {
			t.Fatalf("the story of seed %d:\n%s\n\nand then:\n%s", seed+1, logs[0], logs[1])
		}
	}
}

func TestShrinkerFindsWhatMatters(t *testing.T) {
	k := newCommon()
	inBubble(t, func() {
		s := tell(3, k.set)
		s.Events = append(s.Events, event{At: 90 * time.Second, Do: "impossible"})
		short := shrink(s, "nothing impossible happens", k)
		if len(short.Events) != 1 || short.Events[0].Do != "impossible" {
			t.Errorf("the shortest story is %v, want the impossible event alone", short)
		}
	})
}
