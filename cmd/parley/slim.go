package main

import (
	"io"
	"runtime/debug"
	"time"
)

// There is one `parley mcp` for each agent, and it mostly waits. So it collects garbage
// early, and while it has nothing to do it gives free memory back and drops the pages of
// the program from its memory: what is used again comes from the page cache.

const (
	// slimAfter is how long nothing must have come in.
	slimAfter = 2 * time.Second
	// slimGarbage is how much garbage may be there, in percent of what is in use.
	slimGarbage = 25
)

// slimReader reads from in, and makes the process small after each time that it waits for
// more.
type slimReader struct {
	in    io.Reader
	timer *time.Timer
}

// newSlimReader returns a reader that its caller stops.
func newSlimReader(in io.Reader) *slimReader {
	debug.SetGCPercent(slimGarbage)
	debug.FreeOSMemory() // what the start of the program left
	return &slimReader{in: in, timer: time.AfterFunc(slimAfter, slim)}
}

func (r *slimReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	r.timer.Reset(slimAfter)
	return n, err
}

func (r *slimReader) stop() { r.timer.Stop() }

func slim() {
	debug.FreeOSMemory()
	dropProgram()
}
