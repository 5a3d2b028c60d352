package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"parley"
)

// listenUnix listens on the workspace's socket. Whoever holds the daemon's lock
// may replace a socket file that a dead daemon left.
func listenUnix(at place) (net.Listener, error) {
	path := at.socket()
	if len(path) > maxSocketPath {
		return nil, parley.Errorf(parley.StorageUnavailable, "the socket's path %s is longer than %d bytes", path, maxSocketPath).
			Suggest("Set XDG_RUNTIME_DIR or TMPDIR to a shorter directory.")
	}

	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove the old socket: %w", err)
	}

	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen on the socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("make the socket private: %w", err), l.Close())
	}

	return l, nil
}

// listenTCP listens on the address of the settings, which is loopback unless told
// otherwise: on the port of the settings, which must be free, else on the one that the
// workspace had before, else on any.
func listenTCP(at place, s settings) (net.Listener, error) {
	fixed, listenPort := s.HTTPPort, func(port int) (net.Listener, error) { return listenPort(s.HTTPAddress, port) }
	if fixed != 0 {
		l, err := listenPort(fixed)
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, parley.Errorf(parley.AddressInUse, "port %d is in use", fixed).With("port", fixed).
				Suggest("Give http_port in parley.yaml another number, or leave it out to get a free one.")
		}
		return l, err
	}

	if b, err := os.ReadFile(at.port()); err == nil {
		if port, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil && port > 0 {
			if l, err := listenPort(port); err == nil {
				return l, nil
			}
		}
	}

	l, err := listenPort(0)
	if err != nil {
		return nil, err
	}

	port := l.Addr().(*net.TCPAddr).Port
	if err := os.WriteFile(at.port(), []byte(strconv.Itoa(port)+"\n"), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("remember the port: %w", err), l.Close())
	}

	return l, nil
}

func listenPort(address string, port int) (net.Listener, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(address, strconv.Itoa(port)))
	if errors.Is(err, syscall.EADDRNOTAVAIL) {
		return nil, parley.Errorf(parley.AddressInUse, "this machine has no address %s", address).
			With("address", address).
			Suggest("Give http_address one of its own, 0.0.0.0 for all, or leave it out for 127.0.0.1.")
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	return l, nil
}

// callers tells the daemon who its own machine's processes are.
type callers interface {
	Operator() parley.Caller
	CallerOfProcess(pid int) (parley.Caller, bool)
	Adoptions() int64
}

// markPeer puts into a connection's context who made it: an agent, if the process
// descends from one, else the operator. Another user is turned away, and so is a
// process that is gone already, since whose child it was can no longer be told.
func markPeer(who callers) func(context.Context, net.Conn) context.Context {
	return func(ctx context.Context, conn net.Conn) context.Context {
		unixConn, ok := conn.(*net.UnixConn)
		if !ok {
			return ctx
		}

		pid, uid, err := peerOf(unixConn)
		if err != nil || uid != os.Getuid() {
			_ = conn.Close() // the peer sees it end; there is nobody else to tell
			return ctx
		}

		at := who.Adoptions()
		if agent, ok := who.CallerOfProcess(pid); ok {
			return context.WithValue(ctx, peerKey{}, &process{who: who, first: agent, caller: agent, at: at, pid: pid})
		}

		if pid != 0 && syscall.Kill(pid, 0) != nil {
			_ = conn.Close()
			return ctx
		}

		operator := who.Operator()

		return context.WithValue(
			ctx,
			peerKey{},
			&process{who: who, first: operator, caller: operator, at: at, pid: pid},
		)
	}
}

type peerKey struct{}

// process is the other end of a connection. Who it is was decided when it was
// accepted, and is decided again when an agent was adopted since: the process may
// belong to it.
type process struct {
	who   callers
	first parley.Caller
	pid   int

	mu     sync.Mutex
	caller parley.Caller
	at     int64 // of Adoptions, when caller was decided
}

func (p *process) now() parley.Caller {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := p.who.Adoptions(); at != p.at {
		p.caller, p.at = p.first, at
		if agent, ok := p.who.CallerOfProcess(p.pid); ok {
			p.caller = agent
		}
	}
	return p.caller
}

// peer is who made the request's connection.
func peer(r *http.Request) (parley.Caller, bool) {
	p, ok := r.Context().Value(peerKey{}).(*process)
	if !ok {
		return parley.Caller{}, false
	}
	return p.now(), true
}
