package store

import (
	"context"
	"parley/store/engine"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// doorbell hears that another host has written. It has a connection to itself, on which it listens, and
// does not trust it before it has heard itself: a pooler may swallow what is said there. What is said is
// the name of a host, if it concerns a relay of that host; the hosts that what was written concerns, each within
// marks; or nothing, if that concerns all.
type doorbell struct {
	channel  string
	host     string
	ring     chan struct{} // holds one token when there may be something new
	rang     atomic.Bool
	works    atomic.Bool
	later    atomic.Bool  // there is something new that concerns others
	relays   signal       // rings when a relay may have come, or was answered
	attended atomic.Int64 // how many wait for events here
	end      context.CancelFunc
	ended    chan struct{}
}

const bellAgain = 5 * time.Second // between two tries to listen

// channelOf names the channel of a workspace.
func channelOf(workspace string) string { return "parley_" + strings.ReplaceAll(workspace, "-", "") }

// begin listens until close.
func (b *doorbell) begin(config *engine.ServerConfig, say func(context.Context) error, failed func(error)) {
	ctx, cancel := context.WithCancel(context.Background())
	b.end, b.ended = cancel, make(chan struct{})
	config = engine.WithSettings(config, map[string]string{"application_name": "parley listens"})

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
func (b *doorbell) listen(
	ctx context.Context, config *engine.ServerConfig, say func(context.Context) error,
) (heard bool, err error) {
	err = engine.ListenTo(ctx, config, b.channel, say, func(text string) {
		if heard {
			b.hear(text)
			return
		}
		heard = true
		b.works.Store(true)
		b.press()
		b.relays.ring()
	})
	return heard, err
}

// press wakes the writing goroutine. It never blocks.
func (b *doorbell) press() {
	b.rang.Store(true)
	select {
	case b.ring <- struct{}{}:
	default:
	}
}

// close ends listening, if it has begun.
func (b *doorbell) close() {
	if b.end != nil {
		b.end()
		<-b.ended
	}
}

// signal wakes all who wait for it. Safe for concurrent use.
type signal struct {
	mu   sync.Mutex
	next chan struct{}
}

// ringing returns a channel that the next ring closes.
func (s *signal) ringing() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = make(chan struct{})
	}
	return s.next
}

func (s *signal) ring() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil {
		close(s.next)
		s.next = nil
	}
}
