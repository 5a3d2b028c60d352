package main

import (
	"context"
	"fmt"
	"log"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"parley/internal/wait"
)

// adapters are the -through flags: ways through programs that speak for other tools, as docs/measured/compare.md says.
type adapters struct{ ways []way }

func (a *adapters) String() string { return "" }

// Set adds NAME=ADAPTER.
func (a *adapters) Set(text string) error {
	name, program, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return fmt.Errorf("want NAME=ADAPTER, such as send-keys=lab/compare/adapters/send-keys")
	}
	path, err := exec.LookPath(program)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return fmt.Errorf("find the adapter: %w", err)
	}
	t := &through{program: path}
	a.ways = append(a.ways, way{name, t.prepare, t.send, t.restart})
	return nil
}

// through is a way through an adapter.
type through struct {
	program string
	sent    atomic.Int64
}

const (
	// outcome is how long the adapter may say that a message waits.
	outcome = 30 * time.Second
	// outcomeEvery is the time between two questions.
	outcomeEvery = 200 * time.Millisecond
)

func (t *through) run(s *stage, input string, args ...string) (string, error) {
	cmd := s.command(t.program, args...)
	cmd.Env = append(cmd.Env, "LADDER_SOCKET="+s.socket, "LADDER_TARGET="+s.target, "LADDER_SHELL="+shell)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// prepare makes the terminal known to the tool, or goes to the one that the tool has started.
func (t *through) prepare(s *stage) error {
	out, err := t.run(s, "", "prepare")
	if err != nil || out == "" {
		return err
	}
	socket, target, ok := strings.Cut(out, " ")
	if !ok {
		return fmt.Errorf("%s prepare printed %q, want a socket and a terminal, or nothing", t.program, out)
	}
	return s.move(context.Background(), socket, target)
}

// send hands a message over, and asks what came of it.
func (t *through) send(s *stage, text string) (says verdict) {
	id := fmt.Sprint(t.sent.Add(1))
	if _, err := t.run(s, text, "send", id); err != nil {
		return not
	}
	says = waits
	ctx, cancel := context.WithTimeout(context.Background(), outcome)
	defer cancel()
	err := wait.Until(ctx, outcomeEvery, func() (bool, error) {
		status, err := t.run(s, "", "status", id)
		if err != nil {
			return false, nil // it may be starting again
		}
		known := false
		if says, known = rungs[status]; !known {
			log.Printf("%s status printed %q, which is no rung of docs/measured/compare.md", t.program, status)
			says = waits
			return true, nil
		}
		return says != waits, nil
	})
	if err != nil {
		return waits
	}
	return says
}

// restart ends the tool as a crash would, and begins it again.
func (t *through) restart(s *stage) error {
	_, err := t.run(s, "", "restart")
	return err
}

// verdict is what a rung says of a message.
type verdict string

const (
	arrived verdict = "arrived"
	waits   verdict = "waits"
	not     verdict = "not" // as far as the tool knows
)

// rungs are the words of an adapter: those of docs/measured/compare.md, and one for an arrival of either kind.
var rungs = map[string]verdict{
	"accepted": waits, "waiting": waits, "submitted": arrived, "read": arrived, "delivered": arrived,
	"unknown": not, "failed": not,
}
