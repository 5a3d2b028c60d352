package postgrestest

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Proxy stands between a client and a server, as a network that fails. Safe for concurrent use.
type Proxy struct {
	// Deaf lets no notification through, as some poolers do.
	Deaf atomic.Bool

	listener         net.Listener
	network, address string // of the server
	serving          sync.WaitGroup

	mu      sync.Mutex
	flows   chan struct{} // closed while data flow
	conns   map[net.Conn]bool
	stalled bool
	closed  bool
}

// NewProxy returns a proxy to the server of a database, and the URL of the database through it. It ends with the test.
func NewProxy(t testing.TB, database string) (p *Proxy, through string) {
	t.Helper()
	config, err := pgx.ParseConfig(database)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/tmp", "pgproxy") // short: a socket is in it
	if err != nil {
		t.Fatal(err)
	}

	p = &Proxy{flows: make(chan struct{}), conns: map[net.Conn]bool{}}
	close(p.flows)
	p.network, p.address = pgconn.NetworkAddress(config.Host, config.Port)
	if p.listener, err = net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.close()
		_ = os.RemoveAll(dir) // nobody needs it
	})
	p.serving.Go(p.serve)

	u := url.URL{Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Path: "/" + config.Database,
		RawQuery: url.Values{"host": {dir}}.Encode()}
	return p, u.String()
}

// Stall lets nothing through until Flow is called.
func (p *Proxy) Stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stalled {
		p.stalled, p.flows = true, make(chan struct{})
	}
}

// Flow ends a stall.
func (p *Proxy) Flow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stalled {
		p.stalled = false
		close(p.flows)
	}
}

// Cut ends all connections. New ones can be made.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}

func (p *Proxy) close() {
	_ = p.listener.Close()
	p.Flow()
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.Cut()
	p.serving.Wait()
}

func (p *Proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial(p.network, p.address)
		if err != nil {
			_ = client.Close()
			continue
		}

		if !p.keep(client, server) {
			return
		}
		p.serving.Go(func() { p.pass(client, server, p.bytes) })
		p.serving.Go(func() { p.pass(server, client, p.messages) })
	}
}

// keep notes a pair of connections. It reports false, and ends them, if the proxy is closed.
func (p *Proxy) keep(pair ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range pair {
		if p.closed {
			_ = c.Close()
			continue
		}
		p.conns[c] = true
	}
	return !p.closed
}

// pass copies from one side to the other until one ends, and ends both.
func (p *Proxy) pass(from, to net.Conn, next func(io.Reader) ([]byte, error)) {
	var err error
	for err == nil {
		var b []byte
		if b, err = next(from); err == nil {
			p.mu.Lock()
			flows := p.flows
			p.mu.Unlock()
			<-flows
			_, err = to.Write(b)
		}
	}

	_ = errors.Join(from.Close(), to.Close())
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, from)
	delete(p.conns, to)
}

// bytes returns what a client says next.
func (p *Proxy) bytes(r io.Reader) ([]byte, error) {
	b := make([]byte, 64<<10)
	n, err := r.Read(b)
	return b[:n], err
}

// notification begins a message of the server that somebody listens for.
const notification = 'A'

// messages returns the next message of a server, nothing for one that is swallowed.
func (p *Proxy) messages(r io.Reader) ([]byte, error) {
	head := make([]byte, 5) // its type, and its length without that
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	message := make([]byte, 1+binary.BigEndian.Uint32(head[1:]))
	copy(message, head)
	if _, err := io.ReadFull(r, message[len(head):]); err != nil || head[0] == notification && p.Deaf.Load() {
		return nil, err
	}
	return message, nil
}
