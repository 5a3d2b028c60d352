package main

import (
	"cmp"
	"context"
	"errors"
	"net"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"parley"
	"parley/internal/daemon"
	"parley/orchestrator/terminal"
	"parley/tmux"
)

// newerTmux is the next step for a tmux that is missing or too old.
const newerTmux = "Install tmux 3.3 or later with your package manager (apt-get, dnf, pacman or brew install tmux)."

func checkTmux(ctx context.Context) (f findings) {
	v, err := tmux.CheckVersion(ctx, "")
	path, _ := exec.LookPath("tmux") // CheckVersion has found it
	switch {
	case errors.Is(err, tmux.ErrNotInstalled), errors.Is(err, tmux.ErrTooOld):
		f.bad("tmux", newerTmux, "%v", err)
	case err != nil:
		f.bad("tmux", "Run tmux -V.", "%v", err)
	case v.Recommended():
		f.ok("tmux", "%s (%s)", v, path)
	default:
		f.warn("tmux", "It works; 3.6 or later is better.", "%s (%s): %s", v, path, strings.Join(v.Known(), "; "))
	}

	return f
}

// tmuxChecks are the checks of the workspace's own tmux server.
type tmuxChecks struct {
	at  daemon.Place
	env daemon.Environ
}

// checkServer checks the workspace's own tmux server, if it runs, and its socket.
func (d tmuxChecks) checkServer(ctx context.Context) (f findings) {
	socket := d.at.TmuxSocket()
	running, err := tmux.Inspect(ctx, "tmux", socket, d.env.Scrubbed())
	binary, _ := tmux.CheckVersion(ctx, "") // checkTmux reports its errors
	switch {
	case errors.Is(err, tmux.ErrNotInstalled):
	case errors.Is(err, tmux.ErrNoServer) && tmux.Runs(socket):
		f.warn("tmux server", "The daemon has the server make it again; any command starts one. If it stays away: "+
			terminal.SocketAdvice,
			"it runs with its agents, and its socket %s was removed", socket)
	case errors.Is(err, tmux.ErrNoServer):
		f.ok("tmux server", "not running; the daemon starts it")
	case errors.Is(err, context.DeadlineExceeded):
		f.bad("tmux server", "End it and its agents with: parley down.", "%s does not answer", socket)
	case err != nil:
		f.bad("tmux server", "Try: tmux -S "+socket+" list-sessions", "%v", err)
	case len(running.Altered) > 0:
		f.warn("tmux server", "Restart the daemon, which sets them: parley down --keep-agents, then any command.",
			"options that parley needs were changed: %s", strings.Join(running.Altered, ", "))
	case running.Version != binary:
		f.warn("tmux server", "When the agents can be stopped: parley down.",
			"the server is %s, the installed program %s", running.Version, cmp.Or(binary.Text, "not found"))
	default:
		f.ok("tmux server", "%s, pid %d, socket %s", running.Version, running.PID, socket)
	}

	if err == nil && tmux.CanKeep && !tmux.Kept(running.PID) {
		f.warn("tmux server", "When the agents can be stopped: parley down; the next command starts it with a keeper.",
			"its keeper has ended: what loses its parent there counts as yours, not as an agent's")
	}
	if err == nil {
		f.serverMemory(running.Memory, running.History)
	}

	return f
}

// muchMemory is more than a tmux server needs for 200 panes, in bytes, apart from what
// scrolled off them.
const muchMemory = 100_000_000

// serverMemory says what grows in the tmux server. Nothing is said if its memory is unknown.
func (f *findings) serverMemory(all, history int64) {
	const check = "tmux memory"
	history = min(history, all)
	switch rest := all - history; {
	case all == 0:
	case rest > muchMemory:
		f.warn(check, "The server frees it only when it ends. When the agents can be stopped: parley down.",
			"%s, and %s of it is not what scrolled off the agents' terminals", size(all), size(rest))
	default:
		f.ok(check, "%s, of which %s scrolled off the agents' terminals", size(all), size(history))
	}
}

// listens returns nil if a port of loopback is free.
func listens(port int) error {
	l, err := daemon.ListenPort("127.0.0.1", port)
	if err != nil {
		return err
	}
	return l.Close()
}

// taken reports whether an error of listening means that the port is in use.
func taken(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && errors.Is(op, syscall.EADDRINUSE)
}

// checkSandbox tries whether agents can be launched in a sandbox. Nobody has to.
func checkSandbox(ctx context.Context) (f findings) {
	err := daemon.SandboxUsable(ctx)
	if err != nil {
		f.ok("sandbox", "none here, so --sandbox is refused: %s", parley.AsError(err).Message)
		return f
	}
	maker := "bubblewrap makes one"
	if runtime.GOOS == "darwin" {
		maker = "sandbox-exec makes one, which nobody has tried"
	}
	f.ok("sandbox", "%s: parley launch NAME --sandbox --worktree -- PROGRAM", maker)
	return f
}
