package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/internal/place"
	"parley/internal/testhome"
	"parley/internal/wait"
	"parley/op"
	"parley/store/postgrestest"
)

// patience bounds what must come by itself. It only matters when something is wrong.
const patience = 20 * time.Minute

// team is hosts that share a database, or one with a file.
type team struct {
	server *postgrestest.Server // nil for a file
	url    string
	hosts  []*host
}

// host is one daemon with its home.
type host struct {
	name   string
	home   *testhome.Home
	client *client.Client
}

// quick waits for nothing, so that a time is that of parley alone.
const quick = `profiles:
  quick: {programs: [machines, cat], settle: 1ms, startup: 0s, quiet: 0s, show_within: 0s, taken_within: 0s, one_line: false, inline_lines: 3}
`

// counted lets a server count its statements.
const counted = "shared_preload_libraries=pg_stat_statements"

// serve starts a server with an empty database.
func serve() (*postgrestest.Server, string, error) {
	server, err := postgrestest.Start(counted, "max_connections=1500")
	if err != nil {
		return nil, "", err
	}
	url, err := server.Create("team")
	if err == nil {
		err = postgrestest.Do(url, `CREATE EXTENSION pg_stat_statements`)
	}
	if err != nil {
		return nil, "", errors.Join(err, server.Close())
	}
	return server, url, nil
}

// openTeam starts hosts of these names with a new database, or with one name and no server a workspace in a file.
func openTeam(onServer bool, names ...string) (t *team, err error) {
	t = &team{}
	if onServer {
		if t.server, t.url, err = serve(); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		h, err := openHost(t.url, name)
		if h != nil {
			t.hosts = append(t.hosts, h)
		}
		if err != nil {
			return nil, errors.Join(err, t.close())
		}
	}
	return t, nil
}

func openHost(url, name string) (*host, error) {
	dir, err := os.MkdirTemp("", "machines")
	if err != nil {
		return nil, err
	}
	home, err := testhome.At(dir)
	if err != nil {
		return nil, err
	}

	h := &host{name: name, home: home}
	home.Env = append(home.Env, "PARLEY_MESSAGES_PER_MINUTE=1000000")
	if url != "" {
		home.Env = append(home.Env, "PARLEY_DATABASE="+url, "PARLEY_HOST="+name)
	}
	if err := os.WriteFile(filepath.Join(dir, "parley.yaml"), []byte(quick), 0o600); err != nil {
		return h, err
	}
	for _, args := range [][]string{{"trust", "--yes"}, {"serve"}} {
		if out, err := home.Command(args...).CombinedOutput(); err != nil {
			return h, fmt.Errorf("parley %v: %w\n%s", args, err, out)
		}
	}

	info, err := h.info()
	if err != nil {
		return h, err
	}
	h.client = client.New(client.Options{Socket: info.Socket, Key: testhome.OperatorKey, Retry: patience})
	return h, nil
}

// info reads what the host's last daemon wrote of itself.
func (h *host) info() (*daemon.Info, error) {
	return daemon.ReadInfo(place.Locate(place.RealPath(h.home.Workspace), daemon.Environ(h.home.Env)))
}

// log is where an agent writes what it was given.
func (h *host) log(agent string) string { return filepath.Join(h.home.Workspace, agent+".log") }

// launch starts a scripted agent.
func (h *host) launch(ctx context.Context, name, profile string) error {
	_, err := op.LaunchAgent.Call(ctx, h.client, parley.LaunchAgentRequest{
		Name: name, Profile: profile, Width: 100, Height: 30,
		Command: []string{"parley", "demo-agent", "--work", "5ms", "--log", h.log(name)},
	})
	return err
}

// kill ends the daemon with SIGKILL.
func (h *host) kill() error {
	info, err := h.info()
	if err != nil {
		return err
	}
	return syscall.Kill(info.PID, syscall.SIGKILL)
}

// start starts a daemon. While the server is away that takes several tries.
func (h *host) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var said []byte
	err := wait.Until(ctx, 200*time.Millisecond, func() (bool, error) {
		var err error
		said, err = h.home.Command("serve").CombinedOutput()
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("host %s does not start: %w\n%s", h.name, err, said)
	}
	return nil
}

// knows waits until every host knows an agent.
func (t *team) knows(ctx context.Context, names ...string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, h := range t.hosts {
		for _, name := range names {
			if err := wait.Until(ctx, 20*time.Millisecond, func() (bool, error) {
				res, err := op.GetAgentStatus.Call(ctx, h.client, parley.AgentStatusRequest{Agent: name})
				return err == nil && res.Agents[0].State == parley.StateIdle, nil
			}); err != nil {
				return fmt.Errorf("host %s does not see %s idle: %w", h.name, name, err)
			}
		}
	}
	return nil
}

// awaitAgent waits until every host knows an agent.
func (t *team) awaitAgent(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, h := range t.hosts {
		if err := wait.Until(ctx, 20*time.Millisecond, func() (bool, error) {
			_, err := op.GetAgentStatus.Call(ctx, h.client, parley.AgentStatusRequest{Agent: name})
			return err == nil, nil
		}); err != nil {
			return fmt.Errorf("host %s does not know %s: %w", h.name, name, err)
		}
	}
	return nil
}

// close ends the daemons, their agents and the server.
func (t *team) close() error {
	var errs []error
	for _, h := range t.hosts {
		if h.client != nil {
			h.client.Close()
		}
		errs = append(errs, h.home.End(), os.RemoveAll(h.home.Workspace))
	}
	if t.server != nil {
		errs = append(errs, t.server.Close())
	}
	return errors.Join(errs...)
}
