package daemon

import (
	"context"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"parley"
	"parley/internal/wait"
)

// callers identifies processes of this machine.
type callers interface {
	CallerOfProcess(pid int) parley.Caller
	CallerByID(id string) parley.Caller
	Placements() int64
	Launching() bool
}

// arrivals is a listener whose connections are looked at when they are first read, which each does in a goroutine of
// its own: whoever connects keeps nobody else waiting.
type arrivals struct{ net.Listener }

// Accept implements net.Listener.
func (l arrivals) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &arrival{Conn: conn}, nil
}

// arrival is a connection of which it is found out whose it is before it is read.
type arrival struct {
	net.Conn
	once sync.Once
	look func()
}

// Read implements net.Conn.
func (a *arrival) Read(p []byte) (int, error) {
	a.once.Do(a.look)
	return a.Conn.Read(p)
}

// CloseWrite lets the server end its half first.
func (a *arrival) CloseWrite() error {
	if c, ok := a.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return nil
}

// markPeer adds the caller of a unix connection to its context: the agent or the operator
// behind the process, or nobody. It closes connections of other users, of processes
// that have ended, since they can no longer be traced back, and those beyond the limits.
func markPeer(who callers, open *connections) func(context.Context, net.Conn) context.Context {
	return func(ctx context.Context, conn net.Conn) context.Context {
		a, on := conn.(*arrival), &connection{conn: conn}
		ctx = context.WithValue(ctx, connectionKey{}, on)

		switch conn := a.Conn.(type) {
		case agentConn:
			o := owner{who, conn.agentID}
			a.look = func() {
				if _, uid, err := peerOf(conn.UnixConn); err != nil || uid != os.Getuid() {
					_ = a.Close() // the peer sees it end; nobody else could be told
					return
				}
				open.admitCaller(on, who.CallerByID(o.id))
			}
			return context.WithValue(ctx, ownerKey{}, o)

		case *net.UnixConn:
			p := &process{who: who, conn: conn}
			a.look = func() {
				if !p.arrive() {
					_ = a.Close()
					return
				}
				open.admitCaller(on, p.first)
			}
			return context.WithValue(ctx, peerKey{}, p)

		default:
			a.look = func() { open.admitAddress(on) }
			return context.WithValue(ctx, farEndKey{}, farEndOf(who, conn))
		}
	}
}

type peerKey struct{}

// process is the other end of a connection. Its caller is determined when the
// connection arrives, and again after each launch and adoption of an agent: the process
// may belong to that agent. It never becomes the operator's, since all that it was started
// by may have ended meanwhile.
type process struct {
	who   callers
	conn  *net.UnixConn
	first parley.Caller
	pid   int

	mu         sync.Mutex
	caller     parley.Caller
	placements int64 // the count for which caller was determined
}

// arrive determines the caller, and reports whether it could: not for another user's process, nor for one that has
// ended by then, whose number may be another's.
func (p *process) arrive() bool {
	pid, uid, err := peerOf(p.conn)
	if err != nil || uid != os.Getuid() {
		return false
	}

	p.pid, p.placements = pid, p.who.Placements()
	p.first = p.who.CallerOfProcess(pid)
	p.caller = p.first

	return peerRuns(p.conn, pid)
}

// launchTime bounds how long a process waits for the launch that it may come from: as long as
// an overloaded machine may take from the start of a program to the answer of tmux.
const launchTime = 5 * time.Second

// current returns the caller as of now. What cannot be placed while an agent is launched may be that
// agent's: a program can call before its launch has heard that it runs.
func (p *process) current() parley.Caller {
	p.mu.Lock()
	defer p.mu.Unlock()

	ctx, cancel := context.WithTimeout(context.Background(), launchTime)
	defer cancel()
	_ = wait.Until(ctx, 10*time.Millisecond, func() (bool, error) {
		launching := p.who.Launching() // asked first: a launch that ends after this is in the count
		p.place()
		return !p.caller.Unplaced || !launching, nil
	})

	return p.caller
}

// place determines the caller again if it may have changed. The caller holds p.mu.
func (p *process) place() {
	n := p.who.Placements()
	if n == p.placements {
		return
	}
	p.caller, p.placements = p.first, n
	if now := p.who.CallerOfProcess(p.pid); !now.Nobody() && !now.Operator && peerRuns(p.conn, p.pid) {
		p.caller = now
	}
}

// peer returns the caller at the other end of the request's connection, which may be
// nobody; ok is false for TCP.
func peer(r *http.Request) (caller parley.Caller, ok bool) {
	if caller, ok := ownerOf(r.Context()); ok {
		return caller, true
	}
	p, ok := r.Context().Value(peerKey{}).(*process)
	if !ok {
		return parley.Caller{}, false
	}
	return p.current(), true
}
