package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/op"
)

// way times messages from their acceptance until the program has them: on one host with a file, on one host with
// the server, and from one host to another. The program's profile waits for nothing.
func way(ctx context.Context, p plan) (said string, err error) {
	file, err := openTeam(false, "alone")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.close()) }()
	server, err := openTeam(true, "ann", "bob", "cleo")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, server.close()) }()

	for _, t := range []*team{file, server} {
		for _, h := range t.hosts {
			if err := h.launchReader(ctx); err != nil {
				return "", err
			}
			if err := t.awaitAgent(ctx, "on-"+h.name); err != nil {
				return "", err
			}
		}
	}

	ways := []struct {
		words    string
		from, to *host
	}{
		{"one host, its file", file.hosts[0], file.hosts[0]},
		{"one host, the server", server.hosts[0], server.hosts[0]},
		{"from one host to another", server.hosts[0], server.hosts[1]},
	}
	times := make([]timing, len(ways))
	for i := range p.timed { // in turn, so that all meet the same load
		for n, w := range ways {
			if err := times[n].one(ctx, w.from, w.to, i); err != nil {
				return "", fmt.Errorf("%s: %w", w.words, err)
			}
		}
	}

	var b strings.Builder
	b.WriteString("| way | accepted → typed, p50 | p95 | sent → typed, p50 | p95 |\n|---|---:|---:|---:|---:|\n")
	for n, w := range ways {
		t := times[n]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", w.words, part(t.accepted, 50), part(t.accepted, 95),
			part(t.sent, 50), part(t.sent, 95))
	}
	return b.String(), nil
}

// launchReader starts a program that only reads, and waits until it does.
func (h *host) launchReader(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	name := "on-" + h.name
	if _, err := op.LaunchAgent.Call(ctx, h.client, parley.LaunchAgentRequest{
		Name: name, Profile: "quick", Width: 100, Height: 30,
		Command: []string{"sh", "-c", `stty raw -echo; exec "$0" -reader "$1"`, self, h.log(name)},
	}); err != nil {
		return err
	}

	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return wait.Until(ctx, 20*time.Millisecond, func() (bool, error) {
		res, err := op.ReadTerminal.Call(ctx, h.client, parley.ReadTerminalRequest{Agent: name})
		return err == nil && strings.Contains(strings.Join(res.Lines, "\n"), "ready"), err
	})
}

// timing is the times of one way.
type timing struct {
	accepted []time.Duration // from the answer to the sender
	sent     []time.Duration // from the call
}

// one times one message.
func (t *timing) one(ctx context.Context, from, to *host, n int) error {
	log := to.log("on-" + to.name)
	before, err := entries(log)
	if err != nil {
		return err
	}

	sent := time.Now()
	res, err := op.SendMessage.Call(ctx, from.client, parley.SendMessageRequest{
		To: parley.Names{"on-" + to.name}, Text: fmt.Sprintf(note, n),
	})
	if err != nil {
		return err
	}
	accepted := time.Now()

	waiting, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var after []entry
	if err := wait.Until(waiting, 5*time.Millisecond, func() (bool, error) {
		after, err = entries(log)
		return len(after) > len(before), err
	}); err != nil {
		status, _ := op.GetMessageStatus.Call(ctx, from.client, parley.MessageStatusRequest{MessageID: res.MessageID})
		return fmt.Errorf("%w: %+v", err, status)
	}

	typed := after[len(before)].Time
	t.accepted = append(t.accepted, max(0, typed.Sub(accepted))) // it may be typed before the sender is told
	t.sent = append(t.sent, typed.Sub(sent))
	return nil
}

// part returns a percentile of times, in milliseconds.
func part(times []time.Duration, percent int) string {
	slices.Sort(times)
	return fmt.Sprintf("%.1f ms", times[len(times)*percent/100].Seconds()*1000)
}
