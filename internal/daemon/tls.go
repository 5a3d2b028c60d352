package daemon

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/internal/place"
	"parley/orchestrator/settings"
)

// certificate reads a certificate and its key from files, again whenever one of them has changed: a renewed one needs
// no restart. Safe for concurrent use.
type certificate struct {
	file, key string

	mu      sync.Mutex
	changed [2]time.Time
	known   *tls.Certificate
}

// certificateOf returns the certificate of the settings, nil if they name none. Relative paths begin at root.
func certificateOf(s *settings.PageSettings, root string) (*certificate, error) {
	if s.Certificate == "" {
		return nil, nil
	}
	at := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(root, path)
	}
	c := &certificate{file: at(s.Certificate), key: at(s.CertificateKey)}
	if _, err := c.get(nil); err != nil {
		return nil, parley.Errorf(parley.InvalidArgument, "the certificate of the page cannot be used: %w",
			place.PathCause(err)).
			With("setting", "certificate").
			Suggest("Give web: in parley.yaml a certificate and the key that belongs to it, both as PEM files.")
	}
	return c, nil
}

// get returns the certificate as the files have it. While they cannot be used, as in the middle of a renewal, it is
// the one from before.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()

	var changed [2]time.Time
	for i, path := range []string{c.file, c.key} {
		if info, err := os.Stat(path); err == nil {
			changed[i] = info.ModTime()
		}
	}
	if c.known != nil && changed == c.changed {
		return c.known, nil
	}

	read, err := tls.LoadX509KeyPair(c.file, c.key)
	if err == nil {
		c.known, c.changed = &read, changed
	}
	if c.known != nil {
		return c.known, nil
	}
	return nil, err
}

// secured speaks TLS with whoever begins so. What is not encrypted counts only from this machine.
type secured struct {
	net.Listener
	config *tls.Config
}

// secure returns a listener that also speaks TLS, l itself without a certificate.
func secure(l net.Listener, c *certificate) net.Listener {
	if c == nil {
		return l
	}
	return &secured{l, &tls.Config{
		GetCertificate: c.get, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
	}}
}

// Accept implements net.Listener. It waits for no byte: one that never comes would keep all others away.
func (l *secured) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &eitherConn{Conn: conn, config: l.config}, nil
}

// eitherConn is a connection whose first byte tells whether it is encrypted.
type eitherConn struct {
	net.Conn
	config *tls.Config

	once sync.Once
	over atomic.Pointer[net.Conn] // what is read and written; nil before the first byte
	err  error
}

const (
	handshake = 22 // the type of a TLS record that begins a connection
	plainWord = "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n" +
		"From another machine, this address begins with https://\n"
)

// Read implements net.Conn.
func (c *eitherConn) Read(p []byte) (int, error) {
	c.once.Do(c.begin)
	if c.err != nil {
		return 0, c.err
	}
	return (*c.over.Load()).Read(p)
}

// Write implements net.Conn. Nothing is written before the first byte has come, but for an error.
func (c *eitherConn) Write(p []byte) (int, error) {
	return c.now().Write(p)
}

// Close implements net.Conn.
func (c *eitherConn) Close() error {
	return c.now().Close()
}

func (c *eitherConn) now() net.Conn {
	if over := c.over.Load(); over != nil {
		return *over
	}
	return c.Conn
}

func (c *eitherConn) begin() {
	first := make([]byte, 1)
	if _, c.err = io.ReadFull(c.Conn, first); c.err != nil {
		return
	}

	var begun net.Conn = &begunConn{c.Conn, first}
	switch {
	case first[0] == handshake:
		begun = tls.Server(begun, c.config)
		c.over.Store(&begun)
	case isLoopback(c.RemoteAddr()):
		c.over.Store(&begun)
	default:
		_, _ = c.Conn.Write([]byte(plainWord))
		c.err = errors.New("a connection from another machine is not encrypted")
	}
}

func isLoopback(a net.Addr) bool {
	at, err := netip.ParseAddrPort(a.String())
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// begunConn is a connection of which some bytes are read already.
type begunConn struct {
	net.Conn
	first []byte
}

// Read implements net.Conn.
func (c *begunConn) Read(p []byte) (int, error) {
	if len(c.first) > 0 {
		n := copy(p, c.first)
		c.first = c.first[n:]
		return n, nil
	}
	return c.Conn.Read(p)
}
