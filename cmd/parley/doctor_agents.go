package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"parley"
	"parley/internal/daemon"
	"parley/internal/place"
	"parley/internal/sh"
	"parley/op"
	"parley/orchestrator/terminal"
	"parley/orchestrator/trial"
	"parley/program/profile"
	"parley/tmux"
)

// agentChecks returns a check for each program that a profile launches and that is installed.
func (d *doctor) agentChecks() (all []check) {
	var missing []string
	for _, name := range d.set.Names() {
		p, err := d.set.Find(name)
		if err != nil || len(p.Command) == 0 || p.Command[0] == "parley" {
			continue
		}
		if _, found := lookPath(d.cli.at.env, p.Command[0], d.cli.at.dir); !found {
			missing = append(missing, p.Command[0])
			continue
		}
		all = append(all, check{name, patiently, func(ctx context.Context) findings { return d.checkAgent(ctx, p) }})
	}
	if missing != nil {
		var f findings
		f.ok("programs", "not installed: %s", strings.Join(missing, ", "))
		all = append(all, check{"programs", promptly, told(f)})
	}
	return append(all, check{"handover", promptly, d.checkHandover})
}

// checkAgent checks a profile's program, which is installed: its version, and whether it will read the settings
// that parley passes to it.
func (d *doctor) checkAgent(ctx context.Context, p *profile.Profile) (f findings) {
	path, _ := lookPath(d.cli.at.env, p.Command[0], d.cli.at.dir)
	version, err := trial.VersionOf(ctx, p, []string{path}, d.cli.at.env.Scrubbed())
	switch {
	case err != nil:
		f.warn(p.Name, "Run "+path+" "+strings.Join(p.Version, " ")+".", "%s does not print its version: %v", path, err)
	default:
		checkVersion(&f, place.ChecksDir(d.cli.at.env), p, version, path)
	}

	d.checkSettingsDir(&f, p)

	return f
}

// checkVersion tells whether parley reads the screen of this version: by what profiles check has found here, or
// else by the versions that the profile was tried with.
func checkVersion(f *findings, checks string, p *profile.Profile, version, path string) {
	found, checked := trial.Of(checks, p.Name, version)
	switch {
	case checked && len(found.Failed()) > 0:
		until := ""
		if found.Misread() {
			until = ". Until then messages to it are typed as carefully as to any program."
		}
		f.warn(p.Name, "Correct the markers in parley.yaml: parley profiles "+p.Name+until,
			"%s (%s), checked on %s: %s", version, path, found.At.Format(time.DateOnly), found.Words())
	case checked:
		f.ok(p.Name, "%s (%s), checked on %s: %s; %s", version, path, found.At.Format(time.DateOnly), found.Words(),
			selfReport(p))
	case p.Covers(version):
		f.ok(p.Name, "%s (%s); %s", version, path, selfReport(p))
	default:
		f.warn(p.Name, "Check it, which costs no token: parley profiles check "+p.Name+
			". Or watch its first messages with parley attach.",
			"%s (%s) is outside of the versions that the profile was tested with: %s", version, path,
			strings.Join(p.Tested, ", "))
	}
}

// selfReport tells how parley learns the state of a profile's program.
func selfReport(p *profile.Profile) string {
	switch {
	case len(p.Reports) > 0:
		return "it reports its state"
	case len(p.Titles) > 0:
		return "its terminal's title tells its state"
	}
	return "it does not report its state"
}

// strictSettings lists the variables that name settings files of Gemini CLI and its
// forks. They ignore a file that other users could replace.
var strictSettings = []string{"GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "GEMINI_CLI_SYSTEM_SETTINGS_PATH"}

func (d *doctor) checkSettingsDir(f *findings, p *profile.Profile) {
	strict := slices.ContainsFunc(strictSettings, func(name string) bool { return p.Handover.Env[name] != "" })
	if !strict || d.at.Home == "" {
		return
	}

	dir := openAbove(existing(d.at.Home))
	if dir == "" {
		return
	}

	next := "Set XDG_STATE_HOME to a directory that only you can write to, such as one in your home directory."
	if home := d.cli.at.env.Get("HOME"); home != "" && (dir == home || strings.HasPrefix(dir, home+"/")) {
		next = "Make it yours alone: chmod go-w " + dir
	}

	f.warn(p.Name, next,
		"it would silently start without parley's tools: it ignores settings in %s, because others may write to %s",
		d.at.Home, dir)
}

// checkHandover checks that agents can start this program from its path.
func (d *doctor) checkHandover(context.Context) (f findings) {
	switch {
	case d.cli.program.executable == "" || !isProgram(strings.TrimSuffix(d.cli.program.executable, " (deleted)")):
		f.bad("handover", "Install parley again, and restart the daemon: parley down --keep-agents.",
			"this program has been moved or removed, so agents cannot call it")
	case strings.Contains(d.cli.program.executable, "/go-build"): // of `go run`
		f.warn("handover", "Install it: make install.", "this program is a temporary file: %s",
			d.cli.program.executable)
	default:
		f.ok("handover", "agents call %s", d.cli.program.executable)
	}

	return f
}

// checkProfiles checks that the running agents whose programs are known have the profiles of
// those. Without a daemon it finds nothing.
func (d *doctor) checkProfiles(ctx context.Context) (f findings) {
	info := daemon.Running(ctx, d.at)
	if info == nil {
		return nil
	}

	service := d.cli.at.clientOf(info)
	defer service.Close()

	needs, err := op.GetNeeds.Call(ctx, service, parley.GetNeedsRequest{})
	if err != nil {
		return nil // for other checks
	}
	for _, n := range needs.Needs {
		if n.Kind == parley.NeedProfile {
			f.warn("profiles", fmt.Sprintf("%s (%s)", n.Action, n.Command), "%s: %s", n.Agent, n.Text)
		}
	}

	status, err := op.GetAgentStatus.Call(ctx, service, parley.AgentStatusRequest{})
	if err != nil {
		return f
	}
	for _, a := range status.Agents {
		d.checkGeneric(&f, &a.Agent)
	}

	return f
}

// checkGeneric warns about a program that is known and was launched as any program.
func (d *doctor) checkGeneric(f *findings, a *parley.Agent) {
	if !a.State.Live() || a.Profile != profile.Default || a.Runs != "" || sh.IsShell(a.Command) {
		return
	}
	if p, ok := d.set.Running(a.Command); ok {
		f.warn("profiles", "Unless you want that: parley restart "+a.Name+" --profile "+p.Name,
			"%s runs %s as %s: without parley's tools and briefing, and a message may answer its questions",
			a.Name, p.Name, profile.Default)
	}
}

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
	at  place.Place
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
		maker = "sandbox-exec makes one (untried)"
	}
	f.ok("sandbox", "%s: parley launch NAME --sandbox --worktree -- PROGRAM", maker)
	return f
}
