package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"parley/internal/wait"
	"parley/store/postgrestest"
)

// entry is a line of an agent's log.
type entry struct {
	Time time.Time `json:"time"`
	Text string    `json:"text"`

	agent int
}

// entries reads an agent's log. One that does not exist yet has none.
func entries(path string) (all []entry, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()

	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, e)
	}
	return all, lines.Err()
}

// typed returns what all agents got.
func (s *stormRun) typed() (all []entry, err error) {
	for i, name := range s.agents {
		its, err := entries(s.at[i].log(name))
		if err != nil {
			return nil, err
		}
		for _, e := range its {
			e.agent = i
			all = append(all, e)
		}
	}
	return all, nil
}

// follower follows the events of the team on one host.
type follower struct {
	host *host

	mu   sync.Mutex
	saw  []int64
	ends error
}

func (f *follower) follow(ctx context.Context) {
	for e, err := range f.host.client.Events(ctx, 0) {
		f.mu.Lock()
		if f.ends = err; err == nil {
			f.saw = append(f.saw, e.Seq)
		}
		f.mu.Unlock()
	}
}

// seen returns the numbers of the events that it saw, and why it saw no more, nil while it does.
func (f *follower) seen() ([]int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.saw), f.ends
}

// tally is what became of the messages of a storm.
type tally struct {
	accepted, unknown        int
	lost, twice, astray      int // of all messages
	mixed                    int // prompts that hold more than one message, or none
	acceptedTwice            int
	unconfirmed, undelivered int
}

var noteNumber = regexp.MustCompile(`note (\d+) of the storm`)

// count judges what agents got: messages has the recipient of each, accepted those that were acknowledged.
func count(to []int, accepted func(int) bool, got []entry) (c tally) {
	times := make([]int, len(to))
	for _, e := range got {
		found := noteNumber.FindAllStringSubmatch(e.Text, -1)
		if len(found) != 1 {
			c.mixed++
		}
		for _, m := range found {
			n, err := strconv.Atoi(m[1])
			if err != nil || n >= len(to) || to[n] != e.agent {
				c.astray++
				continue
			}
			times[n]++
		}
	}

	for n := range to {
		if accepted(n) {
			c.accepted++
		}
		switch {
		case times[n] > 1:
			c.twice++
		case times[n] == 0 && accepted(n):
			c.lost++
		}
	}
	return c
}

// judge compares what was accepted, what agents got, and what followers saw. A broken promise is an error.
func (s *stormRun) judge(ctx context.Context, took time.Duration) (string, error) {
	got, err := s.typed()
	if err != nil {
		return "", err
	}
	c := count(s.to, func(n int) bool { return s.accepted[n].Load() }, got)
	c.unknown = int(s.unknown.Load())
	for query, into := range map[string]*int{
		`SELECT count(*) - count(DISTINCT text) FROM messages WHERE text LIKE 'note %'`:                       &c.acceptedTwice,
		`SELECT count(*) FROM deliveries WHERE state = 'unconfirmed'`:                                         &c.unconfirmed,
		`SELECT count(*) FROM deliveries WHERE state NOT IN ('unconfirmed', 'submitted', 'read', 'answered')`: &c.undelivered,
	} {
		n, err := postgrestest.Look[int64](ctx, s.url, query)
		if err != nil {
			return "", err
		}
		*into = int(n[0])
	}

	events, seen, err := s.followed(ctx)
	if err != nil {
		return "", err
	}

	said := fmt.Sprintf(`| | |
|---|---|
| messages accepted, to %d agents on three hosts | %d |
| kill -9 of a daemon | %d |
| immediate stops of the server | %d |
| calls that were told that the server is away, and were made again with the same key | %d |
| calls that failed for good | %d |
| lost | %d |
| typed twice | %d |
| accepted twice | %d |
| typed into another agent, or together with another message | %d |
| unconfirmed | %d |
| not delivered | %d |
| events, numbered without a hole | %d |
| followers that saw every event once and in order | %s |
| took | %s |
`, len(s.agents), c.accepted, s.kills, s.crashes, s.refused.Load(), c.unknown, c.lost, c.twice, c.acceptedTwice,
		c.astray+c.mixed, c.unconfirmed, c.undelivered, events, seen, took.Round(time.Second))
	if c.lost+c.twice+c.acceptedTwice+c.astray+c.mixed > 0 {
		return said, fmt.Errorf("a promise is broken:\n%s", said)
	}
	return said, nil
}

// followed compares what the followers saw with the record.
func (s *stormRun) followed(ctx context.Context) (events int, words string, err error) {
	all, err := postgrestest.Look[int64](ctx, s.url, `SELECT seq FROM events ORDER BY seq`)
	if err != nil {
		return 0, "", err
	}
	for i, seq := range all {
		if seq != int64(i+1) {
			return 0, "", fmt.Errorf("event %d is followed by event %d", i, seq)
		}
	}
	shown, err := postgrestest.Look[int64](ctx, s.url, `SELECT seq FROM events WHERE type <> 'changed' ORDER BY seq`)
	if err != nil {
		return 0, "", err
	}

	right := 0
	for _, f := range s.followers {
		if f.complete(ctx, shown) {
			right++
		} else {
			saw, ends := f.seen()
			log.Printf("the follower on %s saw %d events of %d, %v", f.host.name, len(saw), len(shown), ends)
		}
	}
	words = fmt.Sprintf("%d of %d", right, len(s.followers))
	if right < len(s.followers) {
		err = fmt.Errorf("%s followers saw every event once and in order", words)
	}
	return len(all), words, err
}

// complete waits until a follower has seen as many events as there are, and reports whether they are these.
func (f *follower) complete(ctx context.Context, shown []int64) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var saw []int64
	_ = wait.Until(ctx, 100*time.Millisecond, func() (enough bool, err error) { // what it lacks is seen below
		saw, err = f.seen()
		return len(saw) >= len(shown), err
	})
	return slices.Equal(saw[:min(len(saw), len(shown))], shown)
}
