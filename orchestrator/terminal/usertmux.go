package terminal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/tmux"
)

// userLookTime bounds one look at a tmux server of the user's, which takes some milliseconds. One that
// hangs must not delay the others for long.
const userLookTime = 3 * time.Second

// use returns the server at a socket of the user's, connected, and a function that ends the use of
// it, which the caller must call. The error is INVALID_ARGUMENT or NOT_AUTHORIZED when the socket
// cannot be used.
func (jo *userServers) use(ctx context.Context, socket string) (*tmux.Server, func(), error) {
	path, err := ownSocket(socket)
	if err != nil {
		return nil, nil, err
	}

	jo.mu.Lock()
	defer jo.mu.Unlock()

	server := jo.servers[path]
	if server == nil {
		if server, err = jo.open(ctx, path); err != nil {
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

func (jo *userServers) open(ctx context.Context, path string) (*tmux.Server, error) {
	ctx, cancel := context.WithTimeout(ctx, userLookTime)
	defer cancel()

	opts := tmux.Options{Binary: jo.tmux.Binary, Path: path, Join: true, Env: jo.tmux.Env, Dir: jo.tmux.Dir}
	server, err := tmux.Open(ctx, opts)
	switch {
	case errors.Is(err, tmux.ErrNoServer):
		return nil, noServer(path)
	case err != nil:
		return nil, tmuxError(err)
	}

	return server, nil
}

// noServer refuses a socket on which no tmux server listens.
func noServer(path string) error {
	return parley.Errorf(parley.InvalidArgument, "no tmux server is running on %s", path).
		Suggest("Run the command inside tmux, or give the socket that this prints there: " +
			"tmux display-message -p '#{socket_path}'")
}

// ownSocket resolves a path and checks that a socket of this user's is there.
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

// closeUnused disconnects from the servers that no agent and no call uses, or from all of them with
// everything.
func (jo *userServers) closeUnused(everything bool) error {
	jo.mu.Lock()
	defer jo.mu.Unlock()

	used := map[*tmux.Server]bool{} // a call that gives an agent a server uses it until then
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

// observeAdopted brings the state of an adopted agent up to date, whether its program or another one
// has the terminal.
func (w *watcher) observeAdopted(
	ctx context.Context, m *team.Member, t *team.Terminal, info tmux.PaneInfo, there bool,
) error {
	if there && !info.Dead {
		pid, argv, err := tmux.ForegroundProcess(info.PID)
		switch {
		case err != nil: // between two programs, when the courier types nothing
		case !t.IsProgram(argv):
			return w.observeOtherProgram(ctx, m, t, info, argv)
		case pid != t.PID:
			return w.observeRestarted(ctx, m, t, &adoptedPane{server: t.Server, info: info, pid: pid, argv: argv})
		}
	}
	return w.observe(ctx, m, t, info, there)
}

// observeOtherProgram records that another program, with these arguments, has the terminal.
func (w *watcher) observeOtherProgram(
	ctx context.Context, m *team.Member, t *team.Terminal, info tmux.PaneInfo, argv []string,
) error {
	if !m.Changing.TryLock() {
		return nil
	}
	defer m.Changing.Unlock()

	if m.Terminal() != t {
		return nil
	}

	t.SetInfo(info)
	has := filepath.Base(argv[0]) + " has its terminal"
	if tmux.StillAlive(t.PID, t.Born) {
		return w.ts.roster.Records.SetState(ctx, m, parley.StateUnknown, has, nil)
	}

	return w.ts.roster.Records.SetState(ctx, m, parley.StateExited, "its program ended: "+has, nil)
}

// observeRestarted gives the agent the terminal of a program that was started again in its pane.
func (w *watcher) observeRestarted(ctx context.Context, m *team.Member, t *team.Terminal, s *adoptedPane) error {
	if !m.Changing.TryLock() {
		return nil
	}
	defer m.Changing.Unlock()

	if m.Terminal() != t {
		return nil
	}
	w.ts.adopter.give(m, t.Profile, s)

	return w.ts.roster.Records.SetState(ctx, m, parley.StateStarting, "its program was started again", nil)
}
