package store

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
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

const (
	bellTest  = 3 * time.Second // how long the doorbell may take to hear itself
	bellAgain = 5 * time.Second // between two tries to listen
)

// channelOf names the channel of a workspace.
func channelOf(workspace string) string { return "parley_" + strings.ReplaceAll(workspace, "-", "") }

// begin listens until close.
func (b *doorbell) begin(config *pgx.ConnConfig, say func(context.Context) error, failed func(error)) {
	ctx, cancel := context.WithCancel(context.Background())
	b.end, b.ended = cancel, make(chan struct{})
	config = withSettings(config, map[string]string{"application_name": "parley listens"})

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
	ctx context.Context, config *pgx.ConnConfig, say func(context.Context) error,
) (heard bool, err error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return false, err
	}
	defer conn.Close(context.WithoutCancel(ctx))

	if _, err := conn.Exec(ctx, `LISTEN `+pgx.Identifier{b.channel}.Sanitize()); err != nil {
		return false, err
	}
	if err := say(ctx); err != nil {
		return false, err
	}

	testing, cancel := context.WithTimeout(ctx, bellTest)
	defer cancel()
	if _, err := conn.WaitForNotification(testing); err != nil {
		return false, fmt.Errorf("the server's notifications do not arrive: %w", err)
	}

	b.works.Store(true)
	b.press()
	b.relays.ring()
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return true, err
		}
		b.hear(n.Payload)
	}
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
