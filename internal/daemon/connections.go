package daemon

import (
	"context"
	"net"
	"net/http"
	"sync"

	"parley"

	"golang.org/x/sys/unix"
)

// bounds say how many connections may be open at once. An agent's bridge keeps a few; whoever opens
// more than this does not mean well. The operator's own are not counted, so that all others together
// cannot take the descriptors that the operator needs.
type bounds struct {
	descriptors int // that the daemon may have
	ofCaller    int // of one agent, of all strangers, or of all processes here over TCP
	ofAddress   int // of one other machine
	ofOthers    int // of all but the operator
}

// reserve is how many descriptors the others leave. The daemon has 27 open when nobody calls
// (measured); the rest is for what it opens for a moment, and for the operator.
const reserve = 48

// boundsFor returns the bounds of a daemon that may have so many descriptors.
func boundsFor(descriptors int) bounds {
	others := min(600, max(descriptors-reserve, 9))
	return bounds{descriptors: descriptors, ofCaller: others / 3, ofAddress: min(64, others/3), ofOthers: others}
}

// descriptors returns how many files this process may open.
func descriptors() int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return int(min(limit.Cur, 1<<20))
}

// connections counts open connections by whoever has opened them.
type connections struct {
	bounds
	mu   sync.Mutex
	of   map[net.Conn]string
	open map[string]int
}

// turnedAway owns the connections that are one too many and are told so. So few may wait for that.
const (
	turnedAway    = "turned away"
	maxTurnedAway = 4
)

type turnedAwayKey struct{}

// turnAway marks a connection that was not admitted: its requests are answered with the reason. Where
// enough of those wait, it is closed.
func (c *connections) turnAway(ctx context.Context, conn net.Conn) context.Context {
	if !c.admit(conn, turnedAway, maxTurnedAway) {
		_ = conn.Close()
		return ctx
	}
	return context.WithValue(ctx, turnedAwayKey{}, true)
}

// refuse returns why the connection of a request was turned away, nil if it was not.
func (c *connections) refuse(r *http.Request) error {
	if r.Context().Value(turnedAwayKey{}) == nil {
		return nil
	}
	return parley.Errorf(parley.RateLimited, "too many connections are open: one caller may have %d, and all but the "+
		"operator %d, since the daemon may open %d files", c.ofCaller, c.ofOthers, c.descriptors).
		Suggest("Close some of yours. More are allowed where the daemon may open more files: ulimit -n 1024, " +
			"then parley down --keep-agents and parley serve.")
}

// admit counts a connection of an owner, unless the owner or all together have too many.
func (c *connections) admit(conn net.Conn, owner string, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()

	others := len(c.of) - c.open[turnedAway]
	if c.open[owner] >= most || owner != turnedAway && others >= c.ofOthers {
		return false
	}
	if c.of == nil {
		c.of, c.open = map[net.Conn]string{}, map[string]int{}
	}
	c.of[conn] = owner
	c.open[owner]++

	return true
}

// admitCaller is admit for a connection of a process that is known.
func (c *connections) admitCaller(conn net.Conn, caller parley.Caller) bool {
	return caller.Operator || c.admit(conn, "caller "+caller.ID, c.ofCaller)
}

// admitAddress is admit for a connection over TCP.
func (c *connections) admitAddress(conn net.Conn) bool {
	host, _, err := net.SplitHostPort(conn.RemoteAddr().String())
	if ip := net.ParseIP(host); err != nil || ip == nil || ip.IsLoopback() {
		return c.admit(conn, "this machine", c.ofCaller)
	}
	return c.admit(conn, "address "+host, c.ofAddress)
}

// note is for http.Server.ConnState: it forgets a connection that ends. One that becomes a stream
// counts as a call from then on.
func (c *connections) note(conn net.Conn, state http.ConnState) {
	if state != http.StateClosed && state != http.StateHijacked {
		return
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	owner, counted := c.of[conn]
	if !counted {
		return
	}
	delete(c.of, conn)
	if c.open[owner]--; c.open[owner] == 0 {
		delete(c.open, owner)
	}
}
