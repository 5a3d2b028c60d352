package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/internal/disk"
	"parley/internal/place"
	"parley/internal/remote"
	"parley/internal/sh"
	"parley/internal/wait"
	"parley/op"
	"parley/plain"
)

// place returns the place of this command line's workspace, which must be on this machine.
func (s *surroundings) place() (place.Place, error) {
	if s.host != "" {
		return place.Place{}, notFromAfar(s.host)
	}
	if daemon.InSandbox() {
		return place.Place{}, parley.Errorf(parley.NotAuthorized, "this command does not work in a sandbox").
			Suggest("Run it outside, where the workspace is.")
	}
	root, err := place.FindWorkspace(s.workspace, s.env, s.dir)
	if err != nil {
		return place.Place{}, err
	}
	at := place.Locate(root, s.env)
	return at, at.RefuseOthers()
}

func (s *surroundings) clientOf(info *daemon.Info) *client.Client {
	return client.New(s.wayTo(info, reconnect))
}

// wayTo returns how a daemon is reached: by the agent's own socket, if this process has one there, where a key says
// nothing; else by that of the workspace, if it is the daemon that listens there.
func (s *surroundings) wayTo(info *daemon.Info, retry time.Duration) client.Options {
	if own, err := daemon.OwnDaemon(s.env.Get(parley.SocketVariable)); err == nil && own.PID == info.PID {
		return client.Options{Socket: own.Socket, Key: s.key(), Retry: retry}
	}
	return client.Options{Socket: info.Socket, Check: info.Check, Key: s.key(), Retry: retry}
}

// reportsTo returns the daemon that a hook reports to, nil if there is none, and the file where its report waits then.
func (s *surroundings) reportsTo() (info *daemon.Info, spool string, err error) {
	if daemon.InSandbox() {
		socket := s.env.Get(parley.SocketVariable)
		info, _ = daemon.OwnDaemon(socket)
		return info, daemon.OwnSpool(socket), nil
	}
	at, err := s.place()
	if err != nil {
		return nil, "", err
	}
	info, _ = daemon.ReadInfo(at)
	return info, at.Spool(), nil
}

// key returns the key in the environment: the caller's own, else the operator's.
func (s *surroundings) key() string {
	return cmp.Or(s.env.Get(parley.KeyVariable), s.env.Get(daemon.OperatorKey))
}

// notFromAfar refuses a command that works on this machine alone.
func notFromAfar(host string) error {
	h, err := remote.Parse(host)
	if err != nil {
		return err
	}
	return parley.Errorf(parley.InvalidArgument, "this command works only on the machine of the daemon").
		With("host", host).
		Suggest("Run it there: ssh -t %s, in the directory of the workspace", sh.Word(h.Address))
}

// reconnect is how long a call retries while the daemon restarts.
const reconnect = 5 * time.Second

// absolute returns a path of the command line as an absolute one.
func (s *surroundings) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.dir, path)
}

func (s *surroundings) hostOf() (remote.Host, error) {
	h, err := remote.Parse(s.host)
	if err != nil {
		return h, err
	}
	if s.workspace != "" {
		h.Workspace = s.workspace
	}

	h.Env = s.env
	if dir := s.env.Get("XDG_RUNTIME_DIR"); disk.Exists(dir) && len(dir) <= place.MaxSocketPath-controlName {
		h.Control = filepath.Join(dir, "parley-ssh-%C")
	}

	return h, nil
}

// controlName is how many bytes the name of the shared connection's socket has: with a hash of 40 for
// %C, and 17 that ssh adds while it makes it.
const controlName = len("/parley-ssh-") + 40 + 17

// serviceFromAfar returns a client of the daemon on another machine. It connects at once: ssh may have to
// ask for a passphrase, and what is wrong is said before a screen opens.
func (c *cli) serviceFromAfar(ctx context.Context) (*client.Client, error) {
	h, err := c.at.hostOf()
	if err != nil {
		return nil, err
	}
	kept, err := remote.Keys(place.HostsFile(c.at.env)).Of(h.String())
	if err != nil {
		return nil, err
	}
	first, err := h.Dial(ctx)
	if err != nil {
		return nil, err
	}

	if first.Version != buildVersion() {
		c.out.warned.print(c.out, "parley on %s is version %s, here it is %s",
			h.Address, plain.CleanLine(first.Version), buildVersion())
	}

	return clientOver(h, first, cmp.Or(c.at.env.Get(parley.KeyVariable), kept, c.at.env.Get(daemon.OperatorKey))), nil
}

// clientOver returns a client whose first connection is there already.
func clientOver(h remote.Host, first *remote.Link, key string) *client.Client {
	var made atomic.Pointer[remote.Link]
	made.Store(first)
	dial := func(ctx context.Context) (net.Conn, error) {
		if l := made.Swap(nil); l != nil {
			return l, nil
		}
		return h.Dial(ctx)
	}

	return client.New(client.Options{Dial: dial, Where: h.String(), Key: key, Retry: reconnect})
}

// aboutHost says how the daemon of another machine comes to know the caller.
func (s *surroundings) aboutHost(err error) error {
	if s.host == "" || parley.ErrorCode(err) != parley.Unauthenticated {
		return err
	}
	const words = "%s does not know you: there is no key of it here, or it has ended"
	return parley.Errorf(parley.Unauthenticated, words, s.host).
		Suggest("Make one, in a terminal: parley host add %s", sh.Word(s.host))
}

// thereOnTerminal returns a run of parley on the other machine that has this terminal.
func (s *surroundings) thereOnTerminal(ctx context.Context, args ...string) (*exec.Cmd, error) {
	h, err := s.hostOf()
	if err != nil {
		return nil, err
	}
	cmd := h.Command(ctx, true, args...)
	return cmd, cmd.Err
}

// sharesDatabase reports whether the workspace has its database on a server, where others may use it.
func (s *surroundings) sharesDatabase() bool {
	at, err := s.place()
	if err != nil || s.host != "" {
		return s.host != ""
	}
	_, err = os.Stat(at.DatabaseNote())
	return err == nil
}

// teamHosts are the machines that share the workspace's database.
type teamHosts struct{ cli *cli }

// list returns them; none if the database is a file.
func (c teamHosts) list(ctx context.Context) ([]parley.Host, error) {
	if !c.cli.at.sharesDatabase() {
		return nil, nil
	}
	service, err := c.cli.service(ctx)
	if err != nil {
		return nil, err
	}
	defer service.Close()

	res, err := op.ListHosts.Call(ctx, service, parley.ListHostsRequest{})
	if err != nil {
		return nil, err
	}
	return res.Hosts, nil
}

// print prints a line for each machine of the team.
func (c teamHosts) print(hosts []parley.Host) {
	var t table
	for _, h := range hosts {
		state := c.cli.out.paint(green, "at work")
		switch {
		case h.Away && h.AwaySince != nil:
			state = c.cli.out.paint(yellow, "away for "+c.cli.out.ago(*h.AwaySince))
		case h.Away:
			state = c.cli.out.paint(yellow, "away")
		case h.Here:
			state = c.cli.out.paint(green, "here")
		}
		t.add(h.Name, state, strings.Join(h.Agents, ", "))
	}
	t.print(c.cli.out)
}

// remove takes a machine out of the team.
func (c teamHosts) remove(ctx context.Context, name string) error {
	service, err := c.cli.service(ctx)
	if err != nil {
		return err
	}
	defer service.Close()

	res, err := op.RemoveHost.Call(ctx, service, parley.RemoveHostRequest{Name: name})
	if err != nil {
		return err
	}
	if c.cli.out.json {
		return c.cli.out.printJSON(res)
	}

	words := res.Message
	if n := len(res.Terminated); n > 0 {
		words += fmt.Sprintf(" Stopped: %s.", strings.Join(res.Terminated, ", "))
	}
	if res.Failed > 0 {
		words += fmt.Sprintf(" Failed: %s.", count(res.Failed, "message"))
	}
	return c.cli.out.printLine(words)
}

// hostsNow returns the names of the team's machines, as a running daemon knows them.
func (c completer) hostsNow(ctx context.Context) (names []string) {
	if !c.cli.at.sharesDatabase() {
		return nil
	}
	c.ask(ctx, func(ctx context.Context, service *client.Client) {
		res, err := op.ListHosts.Call(ctx, service, parley.ListHostsRequest{})
		if err != nil {
			return
		}
		for _, h := range res.Hosts {
			names = append(names, h.Name)
		}
	})
	return names
}

func (p *program) starter() daemon.Starter {
	return daemon.Starter{Executable: p.executable, Env: p.out.at.env, Now: p.out.now}
}

// ensureDaemon returns the workspace's daemon. Like tmux, it starts one if none runs.
func (p *program) ensureDaemon(ctx context.Context, at place.Place) (*daemon.Info, error) {
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

func (p *program) startDaemon(ctx context.Context, at place.Place) (*daemon.Info, error) {
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
