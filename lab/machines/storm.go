package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"parley"
	"parley/internal/wait"
	"parley/op"
	"parley/store/postgrestest"
)

// The storm: agents of three hosts get messages from all of them, while daemons are killed and the server is
// stopped as if its machine had failed.
const sendersOfHost = 3

// note is the text of a message.
const note = "note %d of the storm"

// stormRun is one storm.
type stormRun struct {
	plan
	*team
	agents    []string // by their numbers
	at        []*host  // the hosts on which they are
	to        []int    // the recipient of each message
	accepted  []atomic.Bool
	count     atomic.Int64 // of those that were accepted
	refused   atomic.Int64 // calls that were told to try again
	unknown   atomic.Int64 // those that failed for good
	followers []*follower
}

// storm runs the storm and judges it.
func storm(ctx context.Context, p plan) (said string, err error) {
	t, err := openTeam(true, "ann", "bob", "cleo")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, t.close()) }()

	s := &stormRun{plan: p, team: t, to: make([]int, p.messages), accepted: make([]atomic.Bool, p.messages)}
	for i := range s.to {
		s.to[i] = rand.IntN(p.agents)
	}
	if err := s.launchAll(ctx); err != nil {
		return "", err
	}

	following, stop := context.WithCancel(ctx)
	defer stop()
	for _, h := range t.hosts {
		f := &follower{host: h}
		s.followers = append(s.followers, f)
		go f.follow(following)
	}

	begun := time.Now()
	var work errgroup.Group
	work.Go(func() error { s.send(ctx); return nil })
	work.Go(func() error { return s.trouble(ctx) })
	if err := work.Wait(); err != nil {
		return "", err
	}
	if err := s.settle(ctx); err != nil {
		return "", err
	}

	return s.judge(ctx, time.Since(begun))
}

// launchAll launches the agents, and waits until all hosts know them.
func (s *stormRun) launchAll(ctx context.Context) error {
	for i := range s.plan.agents {
		s.agents = append(s.agents, fmt.Sprintf("agent-%02d", i))
		s.at = append(s.at, s.hosts[i%len(s.hosts)])
	}

	launches, launching := errgroup.WithContext(ctx)
	for i, h := range s.hosts {
		launches.Go(func() error {
			for n := i; n < len(s.agents); n += len(s.hosts) {
				if err := h.launch(launching, s.agents[n], "demo"); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := launches.Wait(); err != nil {
		return err
	}

	return s.knows(ctx, s.agents...)
}

// send sends all messages, from all hosts at once.
func (s *stormRun) send(ctx context.Context) {
	var next atomic.Int64
	var senders sync.WaitGroup

	for n := range sendersOfHost * len(s.hosts) {
		from := s.hosts[n%len(s.hosts)]
		senders.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= s.messages {
					return
				}
				if err := s.sendOne(ctx, from, i); err != nil {
					s.unknown.Add(1)
					log.Printf("message %d from %s: %v", i, from.name, err)
					continue
				}
				s.accepted[i].Store(true)
				s.count.Add(1)
			}
		})
	}

	senders.Wait()
}

// sendOne sends a message until it is accepted, as an agent does that is told to try again.
func (s *stormRun) sendOne(ctx context.Context, from *host, i int) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var last error
	err := wait.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		_, last = op.SendMessage.Call(ctx, from.client, parley.SendMessageRequest{
			To: parley.Names{s.agents[s.to[i]]}, Text: fmt.Sprintf(note, i), IdempotencyKey: fmt.Sprintf("storm-%d", i),
		})
		if parley.ErrorCode(last) != parley.StorageUnavailable {
			return true, last
		}
		s.refused.Add(1)
		return false, nil
	})
	return errors.Join(err, last)
}

// trouble kills daemons and stops the server, at even parts of what is accepted and typed.
func (s *stormRun) trouble(ctx context.Context) error {
	all := make([]bool, s.kills+s.crashes) // true: the server
	for i := range s.crashes {
		all[i] = true
	}
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })

	for n, server := range all {
		if err := s.reach(ctx, float64(n+1)/float64(len(all)+1)); err != nil {
			return err
		}
		var err error
		if server {
			err = s.crash(ctx)
		} else {
			h := s.hosts[rand.IntN(len(s.hosts))]
			err = errors.Join(h.kill(), h.start(ctx))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// crash stops the server in the middle of everything, for up to two seconds.
func (s *stormRun) crash(ctx context.Context) error {
	if err := s.server.Crash(); err != nil {
		return err
	}
	if err := wait.Pause(ctx, time.Duration(rand.IntN(2000))*time.Millisecond); err != nil {
		return err
	}
	return s.server.Up()
}

// reach waits until a part of the work is done: a message counts half when it is accepted, half when it is typed.
func (s *stormRun) reach(ctx context.Context, part float64) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return wait.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		typed, err := s.typed()
		done := float64(s.count.Load()+int64(len(typed))) / float64(2*s.messages)
		return done >= part, err
	})
}

const unsettled = `SELECT count(*) FROM deliveries WHERE state IN ('queued', 'held', 'typing')`

// settle waits until every delivery has ended.
func (s *stormRun) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var left []int64
	var told time.Time
	err := wait.Until(ctx, time.Second, func() (open bool, err error) {
		left, err = postgrestest.Look[int64](ctx, s.url, unsettled)
		if err == nil && time.Since(told) > time.Minute {
			told = time.Now()
			log.Printf("%d of %d messages are accepted, %d deliveries are open", s.count.Load(), s.messages, left[0])
		}
		return err == nil && left[0] == 0, err
	})
	if err != nil {
		return fmt.Errorf("%v deliveries are still open: %w", left, err)
	}
	return nil
}
