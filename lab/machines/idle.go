package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"parley"
	"parley/internal/wait"
	"parley/store"
	"parley/store/postgrestest"
)

// calm is how long idle hosts are watched.
const calm = 30 * time.Second

// burstOf is how many messages show who is woken.
const burstOf = 100

// idle counts the queries of idle hosts, and who is woken by one message and by one act.
func idle(ctx context.Context, p plan) (said string, err error) {
	daemons, err := idleDaemons(ctx)
	if err != nil {
		return "", err
	}

	server, url, err := serve()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	f := &field{url: url}
	defer f.close()
	if err := f.fill(ctx, p); err != nil {
		return "", err
	}

	quiet, err := f.queries(ctx, func() error { return wait.Pause(ctx, calm) })
	if err != nil {
		return "", err
	}
	second, other, err := f.burst(ctx, burstOf)
	if err != nil {
		return "", err
	}
	act, err := f.lookers(ctx)
	if err != nil {
		return "", err
	}

	return fmt.Sprintf(`| | |
|---|---:|
| an idle daemon with 10 agents: statements a second | %.2f |
| hosts that follow, with %d agents over them | %d |
| an idle one of these: statements a second | %.2f |
| %d messages to an agent of one host, 20 a second: that host takes what is new so often | %d |
| any other host, at most | %d |
| one act on an agent of another host: hosts that look for it, with the one that asks | %d |
`, daemons, p.rows, p.idlers, float64(quiet)/calm.Seconds()/float64(p.idlers), burstOf, second, other, act), nil
}

// idleDaemons returns how many statements a second an idle daemon makes.
func idleDaemons(ctx context.Context) (each float64, err error) {
	t, err := openTeam(true, "ann", "bob", "cleo")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	var names []string
	for _, h := range t.hosts {
		for i := range 10 {
			names = append(names, fmt.Sprintf("%s-%d", h.name, i))
			if err := h.launch(ctx, names[len(names)-1], "demo"); err != nil {
				return 0, err
			}
		}
	}
	if err := t.knows(ctx, names...); err != nil {
		return 0, err
	}

	f := field{url: t.url}
	if err := wait.Pause(ctx, 40*time.Second); err != nil { // what a launch leaves to do
		return 0, err
	}
	n, err := f.queries(ctx, func() error { return wait.Pause(ctx, calm) })
	f.tellStatements(ctx)
	return float64(n) / calm.Seconds() / float64(len(t.hosts)), err
}

// field is many hosts that do nothing but follow.
type field struct {
	url    string
	stores []*store.Store
	took   []atomic.Int64 // how often each took news
	agents []string       // the first one of each host
}

func (f *field) close() {
	var all errgroup.Group
	for _, s := range f.stores {
		all.Go(s.Close)
	}
	if err := all.Wait(); err != nil {
		log.Print(err)
	}
}

// fill opens the hosts, and gives them their agents.
func (f *field) fill(ctx context.Context, p plan) error {
	f.took = make([]atomic.Int64, p.idlers)
	for n := range p.idlers {
		s, err := openStore(ctx, f.url, fmt.Sprintf("host-%03d", n), func(*store.News) { f.took[n].Add(1) })
		if err != nil {
			return err
		}
		f.stores = append(f.stores, s)
		if err := f.addAgents(ctx, s, n, p.rows/p.idlers); err != nil {
			return err
		}
	}
	return wait.Pause(ctx, calm/3)
}

func (f *field) addAgents(ctx context.Context, s *store.Store, host, many int) error {
	var all errgroup.Group
	for i := range many {
		a := mailbox(fmt.Sprintf("agent-%03d-%02d", host, i))
		a.Kind, a.Host = parley.KindTerminal, s.Hosts.Team().Own
		if i == 0 {
			f.agents = append(f.agents, a.ID)
		}
		all.Go(func() error { return s.Agents.CreateAgent(ctx, a, nil) })
	}
	return all.Wait()
}

// statements are all of parley's in the database. BEGIN and COMMIT count, what looks at statements does not.
const statements = `SELECT coalesce(sum(calls), 0)::bigint
	FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
	WHERE d.datname = current_database() AND query NOT LIKE '%pg_stat_statements%'`

// queries returns how many statements are made meanwhile.
func (f *field) queries(ctx context.Context, meanwhile func() error) (int64, error) {
	if err := postgrestest.Do(f.url, `SELECT pg_stat_statements_reset()`); err != nil {
		return 0, err
	}
	if err := meanwhile(); err != nil {
		return 0, err
	}
	n, err := postgrestest.Look[int64](ctx, f.url, statements)
	if err != nil {
		return 0, err
	}
	return n[0], nil
}

// tellStatements prints what was asked most.
func (f *field) tellStatements(ctx context.Context) {
	most, err := postgrestest.Look[string](ctx, f.url, `
		SELECT calls || ' × ' || round(mean_exec_time::numeric, 2) || ' ms, ' || left(regexp_replace(query, '\s+', ' ', 'g'), 110)
		FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
		WHERE d.datname = current_database() AND query NOT LIKE '%pg_stat_statements%' ORDER BY calls DESC LIMIT 20`)
	log.Printf("%v\n%s", err, strings.Join(most, "\n"))
}

// looks are the statements of a host that was rung.
const looks = `SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_statements
	WHERE query LIKE '%FROM relays WHERE host%'`

// burst sends messages from the first host to an agent of the second, twenty a second. It returns how often the
// second takes what is new, and how often another one does at most.
func (f *field) burst(ctx context.Context, messages int) (second, other int64, err error) {
	for n := range f.took {
		f.took[n].Store(0)
	}
	for range messages {
		p := postTo(f.agents[0], f.agents[1])
		p.Deliveries[0].State, p.Deliveries[0].Cause = parley.DeliveryQueued, parley.Cause{}
		if _, err := f.stores[0].Messages.Append(ctx, p); err != nil {
			return 0, 0, err
		}
		if err := wait.Pause(ctx, 50*time.Millisecond); err != nil {
			return 0, 0, err
		}
	}
	for n := 2; n < len(f.took); n++ {
		other = max(other, f.took[n].Load())
	}
	return f.took[1].Load(), other, nil
}

// lookers returns how many hosts look for an act when one is asked for.
func (f *field) lookers(ctx context.Context) (int64, error) {
	if err := postgrestest.Do(f.url, `SELECT pg_stat_statements_reset()`); err != nil {
		return 0, err
	}
	if err := f.act(ctx); err != nil {
		return 0, err
	}
	n, err := postgrestest.Look[int64](ctx, f.url, looks)
	if err != nil {
		return 0, err
	}
	return n[0], nil
}

// act lets the third host ask something of the fourth, which answers. All hosts listen.
func (f *field) act(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, s := range f.stores {
		rings := s.Relays.RelaysRing()
		go func() {
			select {
			case <-rings:
			case <-ctx.Done():
				return
			}
			if r, err := s.Relays.TakeRelay(ctx); err == nil && r != nil {
				_ = s.Relays.AnswerRelay(ctx, *r, store.RelayAnswer{Text: "{}"}) // the asker says if it does not come
			}
		}()
	}

	_, err := f.stores[2].Relays.AskHost(ctx, store.Relay{
		Host: f.stores[3].Hosts.Team().Own, Operation: "read_terminal", AskerID: f.agents[2],
	})
	return err
}
