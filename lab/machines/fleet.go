package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/op"
	"parley/store/postgrestest"
)

// sizes are how many hosts a fleet has when it is measured, up to that of the plan.
var sizes = []int{2, 5, 10, 20, 50}

// aftermath is what launches leave to do.
const aftermath = 30 * time.Second

// fleet measures whole daemons with quiet agents on one server, while they become more.
func fleet(ctx context.Context, p plan) (said string, err error) {
	t, err := openTeam(true)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, t.close()) }()

	var b strings.Builder
	b.WriteString("| hosts | agents | statements/s | of a host | rows/s of a host | server, cores | daemons, cores | a daemon |" +
		" connections | p50 | p99 | messages/s |\n|" + strings.Repeat("---:|", 12) + "\n")
	for _, n := range append(slices.DeleteFunc(slices.Clone(sizes), func(n int) bool { return n >= p.fleet }), p.fleet) {
		if err := t.grow(ctx, n, p.each); err != nil {
			return "", fmt.Errorf("%d hosts: %w", n, err)
		}
		row, err := t.measure(ctx, p)
		if err != nil {
			return "", fmt.Errorf("%d hosts: %w", n, err)
		}
		log.Print(row)
		b.WriteString(row)
	}
	return b.String(), nil
}

// grow gives a fleet so many hosts, each with so many agents: one that logs what it reads, and quiet ones.
func (t *team) grow(ctx context.Context, hosts, agents int) error {
	for n := len(t.hosts); n < hosts; n++ {
		h, err := openHost(t.url, fmt.Sprintf("host-%02d", n))
		if h != nil {
			t.hosts = append(t.hosts, h)
		}
		if err == nil {
			err = h.launchReader(ctx)
		}
		for i := 1; i < agents && err == nil; i++ {
			_, err = op.LaunchAgent.Call(ctx, h.client, parley.LaunchAgentRequest{
				Name: fmt.Sprintf("%s-%02d", h.name, i), Profile: "quick", Width: 40, Height: 5, Command: []string{"cat"},
			})
		}
		if err != nil {
			return err
		}
	}
	return t.awaitAgent(ctx, "on-"+t.hosts[hosts-1].name)
}

// measure returns the row of a fleet: what it does at rest, and what it can do.
func (t *team) measure(ctx context.Context, p plan) (string, error) {
	if err := wait.Pause(ctx, aftermath); err != nil {
		return "", err
	}
	daemons, err := t.daemons()
	if err != nil {
		return "", err
	}
	servers, err := t.backends(ctx)
	if err != nil {
		return "", err
	}

	f, began := field{url: t.url}, spent(append(servers, daemons...))
	calls, err := f.queries(ctx, func() error { return wait.Pause(ctx, calm) })
	if err != nil {
		return "", err
	}
	f.tellStatements(ctx)
	rows, err := postgrestest.Look[int64](ctx, t.url, strings.Replace(statements, "calls", "rows", 1))
	if err != nil {
		return "", err
	}
	if servers, err = t.backends(ctx); err != nil {
		return "", err
	}
	span, hosts := calm.Seconds(), float64(len(t.hosts))
	row := fmt.Sprintf("| %d | %d | %.0f | %.2f | %.0f | %.2f | %.2f | %.0f MB | %d |", len(t.hosts), len(t.hosts)*p.each,
		float64(calls)/span, float64(calls)/span/hosts, float64(rows[0])/span/hosts,
		spent(servers).since(began)/span, spent(daemons).since(began)/span, megabytes(daemons)/hosts, len(servers))

	var times timing
	for i := range p.timed {
		if err := times.one(ctx, t.hosts[i%len(t.hosts)], t.hosts[(i+1)%len(t.hosts)], i); err != nil {
			return "", err
		}
	}
	to := fmt.Sprintf("inbox-%d", len(t.hosts))
	if _, err := op.RegisterAgent.Call(ctx, t.hosts[0].client, parley.RegisterAgentRequest{Username: to}); err != nil {
		return "", err
	}
	if err := t.awaitAgent(ctx, to); err != nil {
		return "", err
	}
	if err := postgrestest.Do(t.url, `SELECT pg_stat_statements_reset()`); err != nil {
		return "", err
	}
	many, err := rate(ctx, p.second, len(t.hosts), max(1, 3*crowd/len(t.hosts)), func(n int) error {
		_, err := op.SendMessage.Call(ctx, t.hosts[n].client,
			parley.SendMessageRequest{To: parley.Names{to}, Text: strings.Repeat("0123456789 ", 18)})
		return err
	})
	f.tellStatements(ctx)
	return row + fmt.Sprintf(" %s | %s | %.0f |\n", part(times.accepted, 50), part(times.accepted, 99), many), err
}

// daemons returns the processes of the daemons.
func (t *team) daemons() (pids []int64, err error) {
	for _, h := range t.hosts {
		info, err := h.info()
		if err != nil {
			return nil, err
		}
		pids = append(pids, int64(info.PID))
	}
	return pids, nil
}

// backends returns the processes of the server that serve the team.
func (t *team) backends(ctx context.Context) ([]int64, error) {
	return postgrestest.Look[int64](ctx, t.url, `SELECT pid FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid()`)
}

// usage is the processor time of processes so far, in seconds.
type usage map[int64]float64

// ticks is how many ticks of Linux are a second.
const ticks = 100

func spent(pids []int64) usage {
	u := usage{}
	for _, pid := range pids {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // one that has ended uses nothing more
		_, after, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(after); len(fields) > 12 {
			user, _ := strconv.ParseFloat(fields[11], 64)
			system, _ := strconv.ParseFloat(fields[12], 64)
			u[pid] = (user + system) / ticks
		}
	}
	return u
}

// since returns what was used since then. A process that was not there has used all of it.
func (u usage) since(then usage) (seconds float64) {
	for pid, now := range u {
		seconds += now - then[pid]
	}
	return seconds
}

// megabytes returns the memory of processes, in which each has its part of what they share.
func megabytes(pids []int64) (sum float64) {
	for _, pid := range pids {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		for _, line := range strings.Split(string(text), "\n") {
			if kB, ok := strings.CutPrefix(line, "Pss:"); ok {
				n, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(kB), " kB"), 64)
				sum += n / 1000
			}
		}
	}
	return sum
}
