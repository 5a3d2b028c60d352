package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// followed is how far this daemon has taken what others wrote. Only the writing goroutine uses it.
type followed struct {
	take   func(q Querier, after, last int64) (int64, error) // nil: nobody takes it yet
	last   int64                                             // the last event that was taken, or written here
	began  int64                                             // the last event before the transaction
	behind bool                                              // Watch is to look, though nobody has rung
}

// ManyEvents is how far behind a transaction may begin. What it has to take first, it takes while others
// wait for it.
const ManyEvents = 200

// Follow sets who takes the news, which begin with what was written since Open.
func (s *ServerSession) Follow(take func(q Querier, after, last int64) (int64, error)) {
	set := func(*Tx) error { s.followed.take = take; return nil }
	if err := s.Base.Write(context.Background(), Round{}, set); err != nil {
		s.Base.Log.Error("follow other hosts", "error", err)
	}

	s.Base.Doorbell.Begin(s.Config, func(ctx context.Context) error {
		_, err := s.Base.ReaderPool.ExecContext(ctx, `SELECT pg_notify($1, '')`, s.Base.Doorbell.Channel)
		return err
	}, func(err error) {
		s.Base.Log.Warn("what other hosts write is looked for each second, since the server does not tell of it",
			"error",
			err)
	})
}

// catchUp takes, in a transaction, what others have written before it.
func (s *ServerSession) catchUp(t *Tx) error {
	last := s.began.EventSeq
	f := &s.followed
	f.began = last
	switch {
	case f.take == nil, f.last == last:
		return nil
	case last-f.last > ManyEvents:
		f.behind = true
		return errBehind
	}
	return s.followTo(t, last)
}

// followTo takes the events up to a number.
func (s *ServerSession) followTo(q Querier, last int64) error {
	for f := &s.followed; f.last < last; {
		to, err := f.take(q, f.last, last)
		if errors.Is(err, ErrGap) {
			return s.refuse(&MissedError{Place: s.Base.Path})
		}
		if err != nil {
			return err
		}

		f.last = to
		s.Base.Events.Publish(to)
	}
	return nil
}

// wroteUpTo notes that a transaction of this daemon was committed, which began after it had caught up.
func (s *ServerSession) wroteUpTo(last int64) {
	if s.followed.last == s.followed.began {
		s.followed.last = last
	}
}

// Watch takes what others have written.
func (s *ServerSession) Watch() error {
	if s.followed.take == nil || s.Base.Safety.Refusal() != nil {
		return nil
	}
	if !s.Base.Doorbell.Heard() && s.Base.Doorbell.Works() && !s.followed.behind {
		return nil // Confirm looks from time to time
	}

	s.followed.behind = false
	var last int64
	err := s.Base.Reader.Query(&last, Postgres.LastEvent)
	if err == nil {
		err = s.followTo(s.Base.Reader, last)
	}
	if err == nil || s.Base.Safety.Refusal() != nil {
		return nil
	}

	s.Base.Log.Warn("other hosts cannot be followed now", "error", err)
	return fmt.Errorf("following other hosts: %w", err)
}

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

// listenTest is how long a connection that listens may take to hear itself.
const listenTest = 3 * time.Second

// ListenTo calls heard with each text that is said on a channel, until the context or the connection ends. The first is
// what say says, on another connection: a pooler may swallow it, which is an error.
func ListenTo(
	ctx context.Context, config *ServerConfig, channel string, say func(context.Context) error, heard func(text string),
) error {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))

	if _, err := conn.Exec(ctx, `LISTEN `+pgx.Identifier{channel}.Sanitize()); err != nil {
		return err
	}
	if err := say(ctx); err != nil {
		return err
	}

	testing, cancel := context.WithTimeout(ctx, listenTest)
	defer cancel()
	n, err := conn.WaitForNotification(testing)
	if err != nil {
		return fmt.Errorf("the server's notifications do not arrive: %w", err)
	}

	for err == nil {
		heard(n.Payload)
		n, err = conn.WaitForNotification(ctx)
	}

	return err
}
