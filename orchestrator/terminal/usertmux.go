package terminal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/tmux"
)

// joinedTime bounds one look at a tmux server that is not ours, which takes some
// milliseconds. One that hangs must not keep the others waiting for long.
const joinedTime = 3 * time.Second

// joined are the tmux servers that adopted agents live on, by the paths of their
// sockets. They are opened when needed and closed when nobody lives there.
type joined struct {
	mu      sync.Mutex
	servers map[string]*tmux.Server
	inUse   map[*tmux.Server]int // by calls under way

	tmux   tmux.Options // how parley's own server is reached
	roster *team.Roster
}

// join returns the server at a socket of the user's own, and what ends the call's use
// of it.
func (jo *joined) join(ctx context.Context, socket string) (*tmux.Server, func(), error) {
	path, err := ownSocket(socket)
	if err != nil {
		return nil, nil, err
	}

	jo.mu.Lock()
	defer jo.mu.Unlock()

	server := jo.servers[path]
	if server == nil {
		if server, err = jo.openJoined(ctx, path); err != nil {
			return nil, nil, err
		}
		if jo.servers == nil {
			jo.servers, jo.inUse = map[string]*tmux.Server{}, map[*tmux.Server]int{}
		}

		jo.servers[path] = server
	}

	jo.inUse[server]++

	return server, func() {
		jo.mu.Lock()
		defer jo.mu.Unlock()
		jo.inUse[server]--
	}, nil
}

func (jo *joined) openJoined(ctx context.Context, path string) (*tmux.Server, error) {
	ctx, cancel := context.WithTimeout(ctx, joinedTime)
	defer cancel()

	server, err := tmux.Open(
		ctx,
		tmux.Options{Binary: jo.tmux.Binary, Path: path, Join: true, Env: jo.tmux.Env, Dir: jo.tmux.Dir},
	)

	switch {
	case errors.Is(err, tmux.ErrNoServer):
		return nil, noServer(path)
	case err != nil:
		return nil, tmuxError(err)
	}

	return server, nil
}

func noServer(path string) error {
	return parley.Errorf(parley.InvalidArgument, "no tmux server is running on %s", path).
		Suggest("Run the command inside tmux, or give the socket that this prints there: tmux display-message -p '#{socket_path}'")
}

// ownSocket checks that a path leads to a socket of this user's, and resolves it.
func ownSocket(socket string) (string, error) {
	path, err := filepath.EvalSymlinks(socket)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", noServer(socket)
		}
		return "", parley.Errorf(parley.NotAuthorized, "the socket %s is not yours to reach: %w", socket, err).
			Suggest("Name the socket of a tmux of your own.")
	}

	info, err := os.Stat(path)
	if err != nil || info.Mode()&fs.ModeSocket == 0 {
		return "", parley.Errorf(parley.InvalidArgument, "%s is not the socket of a tmux server", socket).
			Suggest("Give the one that this prints there: tmux display-message -p '#{socket_path}'")
	}

	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Getuid() {
		return "", parley.Errorf(parley.NotAuthorized, "the tmux server on %s is another user's", socket).
			Suggest("Name the socket of a tmux of your own.")
	}

	return path, nil
}

// closeJoined lets go of the servers that nobody uses; of all with everything.
func (jo *joined) closeJoined(everything bool) error {
	jo.mu.Lock()
	defer jo.mu.Unlock()

	used := map[*tmux.Server]bool{} // who comes to one later is using it until then
	for _, m := range jo.roster.All() {
		if t := m.Terminal(); t != nil {
			used[t.Server] = true
		}
	}

	var err error
	for path, server := range jo.servers {
		if everything || !used[server] && jo.inUse[server] == 0 {
			err = errors.Join(err, server.Close())
			delete(jo.servers, path)
			delete(jo.inUse, server)
		}
	}

	return err
}

// rejoin finds the adopted agents of a daemon before this one again: by the pane that
// was stored and by its option, which dies with it.
func (ts *Terminals) rejoin(ctx context.Context) {
	for _, m := range ts.roster.All() {
		a := m.Agent()
		if !a.Adopted() || a.State == parley.StateTerminated {
			continue
		}
		if err := ts.rejoinOne(ctx, m, a); err != nil {
			ts.log.Warn("an adopted agent is not where it was", "agent", m.Name, "error", err)
		}
	}
}

func (ts *Terminals) rejoinOne(ctx context.Context, m *team.Member, a parley.Agent) error {
	ctx, cancel := context.WithTimeout(ctx, joinedTime)
	defer cancel()

	server, done, err := ts.joined.join(ctx, a.Socket)
	if err != nil {
		return err
	}
	defer done()

	info, err := server.Pane(a.Pane).Info(ctx)
	if err != nil {
		return err
	}
	if info.Owner != m.ID {
		return fmt.Errorf("pane %s is not its own any more", a.Pane)
	}

	p, err := ts.profileOf(m, a)
	if err != nil {
		return err
	}

	s := &seat{server: server, info: info, argv: a.Command}
	if pid, argv, err := tmux.ForegroundProcess(info.PID); err == nil && runs(p, a.Command)(argv) {
		s.pid = pid // else the watcher finds it when it comes
	}

	ts.sit(m, p, s)

	return nil
}

// closeIdleServers lets go of the joined servers on which no agent lives any longer.
func (ts *Terminals) closeIdleServers() {
	if err := ts.joined.closeJoined(false); err != nil {
		ts.log.Warn("let go of a tmux server", "error", err)
	}
}

// observeAdopted brings one agent's state up to date, if it is its program that has
// the terminal.
func (w *watcher) observeAdopted(
	ctx context.Context,
	m *team.Member,
	t *team.Terminal,
	info tmux.PaneInfo,
	there bool,
) error {
	if there && !info.Dead {
		pid, argv, err := tmux.ForegroundProcess(info.PID)
		switch {
		case err != nil: // as between two programs; nothing is typed meanwhile
		case !t.Runs(argv):
			return w.observeAway(ctx, m, t, info, argv)
		case pid != t.PID:
			return w.observeAgain(ctx, m, t, &seat{server: t.Server, info: info, pid: pid, argv: argv})
		}
	}
	return w.observe(ctx, m, t, info, there)
}

// observeAway records that something else has the terminal.
func (w *watcher) observeAway(
	ctx context.Context,
	m *team.Member,
	t *team.Terminal,
	info tmux.PaneInfo,
	argv []string,
) error {
	if !m.Changing.TryLock() {
		return nil
	}
	defer m.Changing.Unlock()

	if m.Terminal() != t {
		return nil
	}

	t.Saw(info)
	has := filepath.Base(argv[0]) + " has its terminal"
	if tmux.Alive(t.PID) && tmux.Birth(t.PID) == t.Born {
		return w.ts.roster.SetState(ctx, m, parley.StateUnknown, has, nil)
	}

	return w.ts.roster.SetState(ctx, m, parley.StateExited, "its program ended: "+has, nil)
}

// observeAgain takes a program that was started again in the pane for the agent.
func (w *watcher) observeAgain(ctx context.Context, m *team.Member, t *team.Terminal, s *seat) error {
	if !m.Changing.TryLock() {
		return nil
	}
	defer m.Changing.Unlock()
	if m.Terminal() != t {
		return nil
	}
	w.ts.sit(m, t.Profile, s)
	return w.ts.roster.SetState(ctx, m, parley.StateStarting, "its program was started again", nil)
}

// Adoptions changes whenever the processes that belong to agents may have.
func (ts *Terminals) Adoptions() int64 { return ts.adoptions.Load() }
