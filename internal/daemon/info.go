package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
	"time"

	"parley"
	"parley/internal/place"
	"parley/internal/plainfile"
	"parley/tmux"
)

// Info tells clients where a daemon is reached and what it offers. The daemon
// writes it to [Place.Info] once it is ready and removes it before it ends.
type Info struct {
	PID       int       `json:"pid"`
	Socket    string    `json:"socket"`
	HTTP      string    `json:"http,omitempty"`
	Version   string    `json:"version"`
	StartedAt time.Time `json:"started_at"`
	Toolsets  string    `json:"toolsets,omitempty"` // the mcp_toolsets setting, for parley mcp

	// AgentToolsets holds the toolsets of agents that are offered fewer, by name.
	AgentToolsets map[string]string `json:"agent_toolsets,omitempty"`

	// Withheld names the parts of parley.yaml that this daemon ignores, because the file was not
	// trusted when it started.
	Withheld string `json:"withheld,omitempty"`

	at place.Place // where it was read
}

// Check returns an error unless a connection leads to the workspace's daemon, as it is now: the holder of the lock,
// who alone writes its number. Nothing is sent to another process. A process of another namespace has no number here.
func (i *Info) Check(conn net.Conn) error {
	unixConn, ok := conn.(*net.UnixConn)
	if !ok {
		return nil
	}
	pid, uid, err := peerOf(unixConn)
	if err == nil && uid == os.Getuid() && pid == 0 {
		return nil
	}

	now, err2 := readInfo(i.at, i.Socket)
	held, err3 := i.at.Lock().Held()
	if err := errors.Join(err, err2, err3); err != nil || uid != os.Getuid() || !held || now.PID != pid {
		return parley.Errorf(parley.DaemonUnavailable, "what listens on %s is not the daemon, and was sent nothing",
			i.Socket).
			With("pid", pid).
			Suggest("Look which process it is: ps -p %d. Without it, parley serve starts the daemon.", pid)
	}

	return nil
}

// ReadInfo reads what the workspace's last daemon wrote. That daemon may have
// crashed since.
func ReadInfo(at place.Place) (*Info, error) { return readInfo(at, at.Socket()) }

// readInfo reads what the daemon behind a socket wrote into the home.
func readInfo(p place.Place, socket string) (*Info, error) {
	info := new(Info)
	b, err := plainfile.Read(p.Info(), place.MaxNote)
	if err == nil {
		err = json.Unmarshal(b, info)
	}
	if err == nil {
		err = checkSocket(p, info.Socket, socket)
	}
	info.at = p
	if err != nil {
		return nil, err
	}
	return info, nil
}

// checkSocket refuses a socket that no daemon of this workspace and user can have made. The file that
// names it may be an old one, and who listens there would be sent keys.
func checkSocket(p place.Place, socket, own string) error {
	if socket != own {
		return fmt.Errorf("the socket %q is not of this workspace", socket)
	}

	dir := p.Runtime
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // and nobody listens
	}
	if err != nil {
		return err
	}
	if !info.IsDir() || !place.IsOwn(info) || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("the directory of the socket %q is not yours alone", socket)
	}

	return nil
}

// Running returns the workspace's daemon, or nil if none accepts connections.
func Running(ctx context.Context, at place.Place) *Info {
	info, err := ReadInfo(at)
	if err != nil || !answers(ctx, info.Socket) {
		return nil
	}
	return info
}

// writeInfo writes info so that readers see all of it or nothing.
func writeInfo(path string, info Info) error {
	b, err := json.Marshal(info)
	if err != nil {
		return fmt.Errorf("encode %s: %w", path, err)
	}

	if err := os.WriteFile(path+".part", append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("write the daemon's address: %w", err)
	}
	return os.Rename(path+".part", path)
}

// answers reports whether a process accepts connections on a unix socket.
func answers(ctx context.Context, socket string) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

// refuses reports whether no process listens on a socket. A process that is
// merely slow to accept does not count: it may answer the next call.
func refuses(ctx context.Context, socket string) bool {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err == nil {
		conn.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, os.ErrNotExist)
}

// deafAfter is how long a daemon may run without listening on its socket. A
// daemon does so for a moment while it starts and while it ends.
const deafAfter = 3 * time.Second

// deafness observes a daemon that runs and does not listen on its socket.
type deafness struct {
	pid   int
	since time.Time // not listening at any look since then
}

// look returns an error once a daemon has run without its socket for deafAfter,
// as when a person cleared the runtime directory.
func (d *deafness) look(ctx context.Context, at place.Place, now time.Time) error {
	info, err := ReadInfo(at)
	if err != nil || !tmux.Alive(info.PID) || !refuses(ctx, info.Socket) {
		*d = deafness{}
		return nil
	}

	if d.pid != info.PID {
		*d = deafness{info.PID, now}
	}
	if now.Sub(d.since) < deafAfter {
		return nil
	}

	return parley.Errorf(
		parley.DaemonUnavailable, "the daemon (pid %d) runs, but its socket %s does not answer", info.PID, info.Socket,
	).Suggest(
		"End it with: kill %d. The agents stay, and the next command starts a new daemon that finds them.", info.PID,
	)
}

// forgetNotice removes what happened to the workspace, once a daemon has told it. Another notice is for the next one.
func forgetNotice(notice, told string) error {
	if told == "" || place.ReadNote(notice) != told {
		return nil
	}
	return os.Remove(notice)
}
