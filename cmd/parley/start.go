package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"parley/internal/daemon"
	"parley/internal/wait"
)

func (p *program) starter() daemon.Starter {
	return daemon.Starter{Executable: p.executable, Env: p.out.at.env, Now: p.out.now}
}

// ensureDaemon returns the workspace's daemon. Like tmux, it starts one if none runs.
func (p *program) ensureDaemon(ctx context.Context, at daemon.Place) (*daemon.Info, error) {
	if info := daemon.Running(ctx, at); info != nil {
		p.out.warnOfVersion(info)
		p.out.warnOfTrust(at, info)
		return info, nil
	}

	p.consent(at)
	info, err := p.startDaemon(ctx, at)
	p.out.warnOfTrust(at, info)

	return info, err
}

func (p *program) startDaemon(ctx context.Context, at daemon.Place) (*daemon.Info, error) {
	stop := p.out.noticeStart(ctx)
	defer stop()
	return p.starter().Ensure(ctx, at)
}

// noticeStart tells a person at the terminal that the daemon is starting, if that
// takes more than a second. The caller must call stop.
func (o *output) noticeStart(ctx context.Context) (stop func()) {
	if !isTerminal(o.err) {
		return func() {}
	}

	ctx, cancel := context.WithCancel(ctx)
	var noticed sync.WaitGroup
	noticed.Go(func() {
		if wait.Pause(ctx, time.Second) == nil {
			fmt.Fprintln(o.err, o.paintFor(o.err, faint, "parley: the daemon is starting…"))
		}
	})

	return func() { cancel(); noticed.Wait() }
}

// warnOfVersion warns when the daemon was started by another build.
func (o *output) warnOfVersion(info *daemon.Info) {
	if info.Version == buildVersion() {
		return
	}
	o.warned.print(o, "the daemon is version %s, this command is %s\n"+
		"  → parley down --keep-agents lets the next command start the new one; the agents stay.",
		info.Version, buildVersion())
}

// progressAfter is how long a command runs before it shows progress.
const progressAfter = time.Second
