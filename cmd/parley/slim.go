package main

import (
	"io"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// There is one `parley mcp` for each agent, and it mostly waits. So it collects garbage
// early, and while it has nothing to do it gives free memory back and drops the pages of
// the program from its memory: what is used again comes from the page cache. That takes
// time: a bridge that a call wakes took 38 ms to have its program again while 199 others
// did the same. So nothing is dropped while an answer is due, or before a long rest.

const (
	// slimAfter is how long nothing must have come in or gone out.
	slimAfter = 10 * time.Second
	// slimGarbage is how much garbage may be there, in percent of what is in use.
	slimGarbage = 25
	// slimProcessors is how many threads run the program at once. With two, each collection
	// wakes both, which took a third of the time of a call.
	slimProcessors = 1
)

// slimmer passes on what comes in and goes out, and makes the process small while it rests.
// It is safe for concurrent use.
type slimmer struct {
	in  io.Reader
	out io.Writer

	after time.Duration // of rest

	mu    sync.Mutex
	due   int // answers
	timer *time.Timer
}

// newSlimmer returns a slimmer that its caller stops. It calls slim after each rest so long.
func newSlimmer(in io.Reader, out io.Writer, after time.Duration, slim func()) *slimmer {
	return &slimmer{in: in, out: out, after: after, timer: time.AfterFunc(after, slim)}
}

func (s *slimmer) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	s.rest()
	return n, err
}

func (s *slimmer) Write(p []byte) (int, error) {
	n, err := s.out.Write(p)
	s.rest()
	return n, err
}

// noteDue notes how many answers are due.
func (s *slimmer) noteDue(n int) {
	s.mu.Lock()
	s.due = n
	s.mu.Unlock()
	s.rest()
}

// rest begins a rest, unless an answer is due.
func (s *slimmer) rest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.due > 0 {
		s.timer.Stop()
		return
	}
	s.timer.Reset(s.after)
}

func (s *slimmer) stop() { s.timer.Stop() }

// beginSlim makes the process one that mostly waits.
func beginSlim() {
	runtime.GOMAXPROCS(slimProcessors)
	debug.SetGCPercent(slimGarbage)
	debug.FreeOSMemory() // what the start of the program left
}

func slim() {
	debug.FreeOSMemory()
	dropProgram()
}
