package daemon

import (
	"context"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
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

// markPeer adds the caller of a unix connection to its context: the agent or the operator
// behind the process, or nobody. It closes connections of other users, of processes
// that have ended, since they can no longer be traced back, and those beyond the limits.
func markPeer(who callers, open *connections) func(context.Context, net.Conn) context.Context {
	return func(ctx context.Context, conn net.Conn) context.Context {
		unixConn, ok := conn.(*net.UnixConn)
		own, isOwn := conn.(agentConn)
		if isOwn {
			unixConn, ok = own.UnixConn, true
		}
		if !ok {
			return context.WithValue(open.admitAddress(ctx, conn), farEndKey{}, farEndOf(who, conn))
		}

		pid, uid, err := peerOf(unixConn)
		if err != nil || uid != os.Getuid() {
			_ = conn.Close() // the peer sees it end; nobody else could be told
			return ctx
		}

		if isOwn {
			o := owner{who, own.agentID}
			return context.WithValue(open.admitCaller(ctx, conn, who.CallerByID(o.id)), ownerKey{}, o)
		}

		p := &process{who: who, pid: pid, placements: who.Placements()}
		p.first = who.CallerOfProcess(pid)
		if p.first.Unplaced && pid != 0 && syscall.Kill(pid, 0) != nil {
			_ = conn.Close()
			return ctx
		}
		p.caller = p.first
		return context.WithValue(open.admitCaller(ctx, conn, p.first), peerKey{}, p)
	}
}

type peerKey struct{}

// process is the other end of a connection. Its caller is determined when the
// connection is accepted, and again after each launch and adoption of an agent: the process
// may belong to that agent. It never becomes the operator's, since all that it was started
// by may have ended meanwhile.
type process struct {
	who   callers
	first parley.Caller
	pid   int

	mu         sync.Mutex
	caller     parley.Caller
	placements int64 // the count for which caller was determined
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
	if now := p.who.CallerOfProcess(p.pid); !now.Nobody() && !now.Operator {
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
