// Command parley runs a team of AI coding agents in tmux and lets them talk.
// This package has one command for each operation: flags in, one call, words out.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"parley/internal/daemon"
	"parley/tmux"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := program{in: os.Stdin}
	p.out = output{out: os.Stdout, err: os.Stderr, now: timeNow, warned: &warnings{}}
	p.out.at.env = daemon.Environ(os.Environ())
	p.out.at.dir, _ = os.Getwd() // commands that need it report an unreadable directory
	p.executable, _ = os.Executable()
	if at, ok := tmux.StartedAt(os.Getpid()); ok {
		p.started = at
	}
	p.ended = ctx.Done()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program whatever it does
	os.Exit(p.run(ctx, os.Args[1:]))
}
