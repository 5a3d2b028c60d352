package main

import (
	"cmp"
	"path/filepath"
	"time"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/internal/remote"
	"parley/internal/sh"
)

// place returns the place of this command line's workspace, which must be on this machine.
func (s *surroundings) place() (daemon.Place, error) {
	if s.host != "" {
		return daemon.Place{}, notFromAfar(s.host)
	}
	if daemon.InSandbox() {
		return daemon.Place{}, parley.Errorf(parley.NotAuthorized, "this command does not work in a sandbox").
			Suggest("Run it outside, where the workspace is.")
	}
	root, err := daemon.FindWorkspace(s.workspace, s.env, s.dir)
	if err != nil {
		return daemon.Place{}, err
	}
	at := daemon.Locate(root, s.env)
	return at, at.RefuseOthers()
}

// clientOf returns a client of a daemon.
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
