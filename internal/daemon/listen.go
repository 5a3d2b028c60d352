package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"parley"
	"parley/internal/place"
	"parley/internal/plainfile"
)

// listenUnix listens on the workspace's socket. The holder of the daemon's lock may
// replace the socket file of a daemon that crashed.
func listenUnix(ctx context.Context, at place.Place) (*socketListener, error) {
	// A daemon whose state was removed has no lock any more.
	if answers(ctx, at.Socket()) {
		return nil, place.Running(at.Root)
	}
	l := &socketListener{at: at}
	return l, l.make()
}

// socketListener listens on a workspace's socket, and goes on when that was removed and made again. Safe for
// concurrent use.
type socketListener struct {
	at place.Place

	mu     sync.Mutex
	now    *net.UnixListener
	closed bool
}

// make makes the socket, in place of one that nobody reaches any more.
func (s *socketListener) make() error {
	path := s.at.Socket()
	if err := place.PrivateDir(s.at.Runtime); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the old socket: %w", err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return fmt.Errorf("listen on the socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return errors.Join(fmt.Errorf("make the socket private: %w", err), l.Close())
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.now
	s.now = l
	if before != nil {
		before.SetUnlinkOnClose(false) // the path is that of the new one
		_ = before.Close()
	}
	if s.closed {
		return l.Close()
	}
	return nil
}

// Accept implements net.Listener.
func (s *socketListener) Accept() (net.Conn, error) {
	for {
		s.mu.Lock()
		l := s.now
		s.mu.Unlock()
		conn, err := l.Accept()
		if err == nil {
			return conn, nil
		}

		s.mu.Lock()
		replaced := l != s.now
		s.mu.Unlock()
		if !replaced {
			return nil, err
		}
	}
}

// Addr implements net.Listener.
func (s *socketListener) Addr() net.Addr {
	return &net.UnixAddr{Name: s.at.Socket(), Net: "unix"}
}

// keepName leaves the socket's file when the listener is closed.
func (s *socketListener) keepName() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.SetUnlinkOnClose(false)
}

// Close implements net.Listener.
func (s *socketListener) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.now.Close()
}

// listenTCP listens on the address of the settings, loopback by default. A port in
// the settings must be free. Without one, it takes the port that the workspace had
// before, or else any; moved says who has the one from before.
func listenTCP(at place.Place, s Settings) (l net.Listener, moved *parley.Error, err error) {
	fixed, listen := s.HTTPPort, func(port int) (net.Listener, error) { return ListenPort(s.HTTPAddress, port) }
	if fixed != 0 {
		l, err := listen(fixed)
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, nil, held(s.HTTPAddress, fixed,
				"Give http_port in parley.yaml another number, or leave it out to get a free one.")
		}
		return l, nil, err
	}

	if kept := KeptPort(at.Port()); kept != 0 {
		l, err := listen(kept)
		if err == nil {
			return l, nil, nil
		}
		if errors.Is(err, syscall.EADDRINUSE) {
			moved = held(s.HTTPAddress, kept, "The page was there, and has another address now. "+
				"Its sessions have ended: sign in again by parley web. What answers at the old address is not parley.")
		}
	}

	l, err = listen(0)
	return l, moved, err
}

// keepPort notes the port for the next daemon. moved reports that it is another one than before.
func keepPort(file string, l net.Listener, before int) (moved bool, err error) {
	port := l.Addr().(*net.TCPAddr).Port
	if port == before {
		return false, nil
	}
	if err := os.WriteFile(file, []byte(strconv.Itoa(port)+"\n"), 0o600); err != nil {
		return false, fmt.Errorf("keep the port: %w", err)
	}
	return before != 0, nil
}

// servedFile holds the address at which another program serves the page elsewhere.
const servedFile = "page-url"

// KeepServed notes for the next daemon that another program serves the page at an address.
func KeepServed(at place.Place, address string) error {
	return os.WriteFile(at.State(servedFile), []byte(address+"\n"), 0o600)
}

// servedAt returns the address at which another program serves the page elsewhere, "" if it serves no port, or another
// one.
func servedAt(file string, port int) string {
	kept, err := plainfile.Read(file, place.MaxNote)
	if err != nil {
		return ""
	}
	u, err := url.Parse(strings.TrimSpace(string(kept)))
	if err != nil || u.Port() != strconv.Itoa(port) {
		return ""
	}
	return u.String()
}

// held returns the error for a port that another process has.
func held(address string, port int, action string) *parley.Error {
	by := "another program"
	if uid := portUser(address, port); uid == strconv.Itoa(os.Getuid()) {
		by = "another program of yours"
	} else if uid != "" {
		by = "the user " + place.UserName(uid) + " of this machine"
	}
	return parley.Errorf(parley.AddressInUse, "port %d is in use by %s", port, by).With("port", port).Suggest("%s",
		action)
}

// portUser names the user whose process listens on a port, "" if the system does not tell.
func portUser(address string, port int) string {
	unspecified := netip.AddrPortFrom(netip.IPv4Unspecified(), 0)
	for _, at := range []string{address, "127.0.0.1", "0.0.0.0"} {
		ip, err := netip.ParseAddr(at)
		if err != nil {
			continue
		}
		if uid := connectionUser(netip.AddrPortFrom(ip, uint16(port)), unspecified); uid != "" {
			return uid
		}
	}
	return ""
}

// KeptPort returns the port of the workspace's last daemon, which a file keeps, 0 if none is known.
func KeptPort(file string) int {
	b, err := plainfile.Read(file, place.MaxNote)
	if err != nil {
		return 0
	}
	port, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || port < 0 || port > 65535 {
		return 0
	}
	return port
}

// ListenPort listens on a TCP port of an address of this machine; 0 is any port.
func ListenPort(address string, port int) (net.Listener, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(address, strconv.Itoa(port)))
	if errors.Is(err, syscall.EADDRNOTAVAIL) {
		return nil, parley.Errorf(parley.AddressInUse, "this machine has no address %s", address).
			With("address", address).
			Suggest("Give http_address one that it has, 0.0.0.0 for all of them, or leave it out for 127.0.0.1.")
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	return l, nil
}
