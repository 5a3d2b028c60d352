// Package demoagent is a scripted agent that behaves like an agent CLI: it has a
// composer in its terminal, takes framed pastes, thinks, asks for permission, and talks
// to the team. The demo and the tests run it; it uses no model. The profile `demo`
// describes its screen.
package demoagent

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/term"

	"parley"
)

// Program is the process that Main runs in.
type Program struct {
	Args          []string // without the program's name
	Stdin, Stdout *os.File // the terminal
	Stderr        io.Writer
	Team          parley.Service // nil: it is on no team
}

// Main runs the agent until its input ends, a rule or a signal ends it, or ctx ends. It
// restores the terminal and returns the exit status.
func Main(ctx context.Context, p Program) int {
	opts, err := parse(p.Args, p.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}

	if err != nil {
		fmt.Fprintln(p.Stderr, "demo-agent:", err)
		return 2
	}

	signals := []os.Signal{syscall.SIGTERM, syscall.SIGHUP}
	if opts.ignoreHangup {
		signal.Ignore(syscall.SIGHUP)
		signals = signals[:1]
	}

	ctx, stop := signal.NotifyContext(ctx, signals...)
	defer stop()

	if err := run(ctx, p, opts); err != nil {
		fmt.Fprintln(p.Stderr, "demo-agent:", err)
		return 1
	}

	return 0
}

func run(ctx context.Context, p Program, opts options) error {
	if !term.IsTerminal(int(p.Stdin.Fd())) {
		return errors.New("stdin is not a terminal; start me in one, for example with " +
			"`parley launch NAME --profile demo`")
	}

	tty, err := openTerminal(p.Stdin, p.Stdout)
	if err != nil {
		return err
	}
	defer tty.restore()

	a := &agent{opts: opts, screen: screen{tty: tty, label: opts.label()}, team: p.Team,
		log: logFile{path: opts.log, now: time.Now}}
	return a.run(ctx, tty)
}

// entry is one line of the log: a submitted prompt, an answered dialog, or the hangup of
// a terminal that the agent outlives.
type entry struct {
	Time   time.Time `json:"time"`
	Text   string    `json:"text,omitempty"`
	Dialog string    `json:"dialog,omitempty"` // yes or no
	Hangup bool      `json:"hangup,omitempty"`
}

type logFile struct {
	path string
	now  func() time.Time
}

// add appends a line in one write, so that the lines of several agents do not mix.
func (l logFile) add(e entry) error {
	if l.path == "" {
		return nil
	}

	e.Time = l.now()
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}

	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}

	if _, err := f.Write(append(line, '\n')); err != nil {
		f.Close()
		return fmt.Errorf("log: %w", err)
	}

	return f.Close()
}
