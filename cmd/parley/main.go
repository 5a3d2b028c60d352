// Command parley runs a team of AI coding agents in tmux and lets them talk.
// This package owns the settings, the wiring of the daemon, its signals, and
// one command for each operation; it decides nothing that the service decides.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"parley/internal/daemon"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := program{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: daemon.Environ(os.Environ()), now: timeNow}
	p.dir, _ = os.Getwd() // an unreadable directory is reported by those who need one
	p.executable, _ = os.Executable()
	os.Exit(p.run(ctx, os.Args[1:]))
}
