package engine

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Doorbell hears that another host has written. It has a connection to itself, on which it listens, and
// does not trust it before it has heard itself: a pooler may swallow what is said there. What is said is
// the name of a host, if it concerns a relay of that host; the hosts that what was written concerns, each within
// marks; or nothing, if that concerns all.
type Doorbell struct {
	Channel  string // of the workspace
	host     string
	ring     chan struct{} // holds one token when there may be something new
	rang     atomic.Bool
	works    atomic.Bool
	later    atomic.Bool  // there is something new that concerns others
	Relays   Signal       // rings when a relay may have come, or was answered
	attended atomic.Int64 // how many wait for events here
	end      context.CancelFunc
	ended    chan struct{}
}

const bellAgain = 5 * time.Second // between two tries to listen

// ChannelOf names the channel of a workspace.
func ChannelOf(workspace string) string { return "parley_" + strings.ReplaceAll(workspace, "-", "") }

// Begin listens until Close.
func (b *Doorbell) Begin(config *ServerConfig, say func(context.Context) error, failed func(error)) {
	ctx, cancel := context.WithCancel(context.Background())
	b.end, b.ended = cancel, make(chan struct{})
	config = WithSettings(config, map[string]string{"application_name": "parley listens"})

	go func() {
		defer close(b.ended)
		for told := false; ctx.Err() == nil; {
			heard, err := b.listen(ctx, config, say)
			b.works.Store(false)
			b.press() // something may have been missed
			if told = told && !heard; !told && ctx.Err() == nil {
				told = true
				failed(err)
			}

			select {
			case <-ctx.Done():
			case <-time.After(bellAgain):
			}
		}
	}()
}

// listen listens on a connection until it ends. It reports whether it heard anything.
func (b *Doorbell) listen(
	ctx context.Context, config *ServerConfig, say func(context.Context) error,
) (heard bool, err error) {
	err = ListenTo(ctx, config, b.Channel, say, func(text string) {
		if heard {
			b.Hear(text)
			return
		}
		heard = true
		b.works.Store(true)
		b.press()
		b.Relays.ring()
	})
	return heard, err
}

// Prepare lets it ring at a host. Without that it never rings, as for a file.
func (b *Doorbell) Prepare(host string) { b.host, b.ring = host, make(chan struct{}, 1) }

// Rings returns a channel that holds a token when there may be something new.
func (b *Doorbell) Rings() <-chan struct{} { return b.ring }

// Works reports whether it hears what is said.
func (b *Doorbell) Works() bool { return b.works.Load() }

// Heard reports whether there is something new since it was last asked, and begins again.
func (b *Doorbell) Heard() bool {
	rang, later := b.rang.Swap(false), b.later.Swap(false)
	return rang || later
}

// press wakes the writing goroutine. It never blocks.
func (b *Doorbell) press() {
	b.rang.Store(true)
	select {
	case b.ring <- struct{}{}:
	default:
	}
}

// Close ends listening, if it has begun.
func (b *Doorbell) Close() {
	if b.end != nil {
		b.end()
		<-b.ended
	}
}

// Signal wakes all who wait for it. Safe for concurrent use.
type Signal struct {
	mu   sync.Mutex
	next chan struct{}
}

// Ringing returns a channel that the next ring closes.
func (s *Signal) Ringing() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = make(chan struct{})
	}
	return s.next
}

func (s *Signal) ring() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil {
		close(s.next)
		s.next = nil
	}
}

// concernMark stands around each name of a host that a ring concerns. No name holds it.
const concernMark = "\n"

// Hear takes what was said on the channel.
func (b *Doorbell) Hear(said string) {
	switch {
	case said == "":
		b.press()
	case said == b.host:
		b.Relays.ring()
	case !strings.HasPrefix(said, concernMark): // a relay of another host
	case strings.Contains(said, concernMark+b.host+concernMark), b.attended.Load() > 0:
		b.press()
	default:
		b.later.Store(true)
	}
}

// Attend notes that somebody waits for events, until the returned function is called.
func (b *Doorbell) Attend() (leave func()) {
	b.attended.Add(1)
	if b.later.Load() {
		b.press()
	}
	return func() { b.attended.Add(-1) }
}
