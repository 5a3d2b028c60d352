package door

import (
	"sync"
	"time"
)

// The pace that Claude Code and Qwen Code allow a sender. They drop what comes faster: of 60 messages at once, 30.
const (
	burst = 30
	every = 2 * time.Second
)

// pace says when another letter may go in, as the program counts.
type pace struct {
	now func() time.Time

	mu   sync.Mutex
	left float64
	last time.Time
}

// take takes a place, or returns how long none is free.
func (p *pace) take() (wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()

	now := p.now()
	if p.last.IsZero() {
		p.left = burst
	}
	p.left = min(burst, p.left+now.Sub(p.last).Seconds()/every.Seconds())
	p.last = now

	if p.left < 1 {
		return time.Duration((1 - p.left) * float64(every))
	}
	p.left--

	return 0
}

// tooFast returns the error of a letter that must wait.
func tooFast(wait time.Duration) error {
	return notNow("it takes %d messages at once and then one each %s: the next in %s",
		burst, every, wait.Round(time.Second/10))
}
