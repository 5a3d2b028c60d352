package daemon

import (
	"net"
	"net/http"
	"sync"

	"golang.org/x/sys/unix"

	"parley"
)

// bounds say how many connections may be open at once. An agent's bridge keeps a few; whoever opens
// more than this does not mean well. The operator's own are not counted, so that all others together
// cannot take the descriptors that the operator needs.
type bounds struct {
	descriptors int // that the daemon may have
	ofCaller    int // of one agent, of all strangers, or of one user's processes here over TCP
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

// connections counts open connections by whoever has opened them: first by the process or the user at the
// other end, and by the holder of a key once one is shown. Those that have shown nothing are the first to
// go: where there is no room, the oldest of them that is not being answered is closed.
type connections struct {
	bounds
	mu       sync.Mutex
	of       map[net.Conn]*connection
	open     map[string]int // by owner
	unproven []*connection  // the oldest first
}

// connection is one that is counted, unless it is the operator's.
type connection struct {
	conn   net.Conn
	owner  string // "" if it is not counted
	proven bool   // its caller is known, by its process or by a key
	served bool   // a request of it is being answered
}

// turnedAway owns the connections that are one too many and are told so. So few may wait for that.
const (
	turnedAway    = "turned away"
	maxTurnedAway = 4
)

type connectionKey struct{}

// counted returns the counted connection of a request, nil if it is not counted.
func counted(r *http.Request) *connection {
	c, ok := r.Context().Value(connectionKey{}).(*connection)
	if !ok || c.owner == "" {
		return nil
	}
	return c
}

// Begin notes that a request is being answered. It returns an error if its connection was turned away.
func (c *connections) Begin(r *http.Request) error {
	on := counted(r)
	if on == nil {
		return nil
	}

	c.mu.Lock()
	on.served = true
	refused := on.owner == turnedAway
	c.mu.Unlock()

	if refused {
		return c.tooMany()
	}
	return nil
}

func (c *connections) tooMany() error {
	return parley.Errorf(parley.RateLimited, "too many connections are open: one caller may have %d, and all but the "+
		"operator %d, since the daemon may open %d files", c.ofCaller, c.ofOthers, c.descriptors).
		Suggest("Close some of yours. More are allowed where the daemon may open more files: ulimit -n 1024, " +
			"then parley down --keep-agents and parley serve.")
}

// Keeps reports whether the connection of a request may stay open for the next one without a key.
func (c *connections) Keeps(r *http.Request) bool {
	on := counted(r)
	if on == nil { // the operator's
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return on.proven
}

// Prove counts the connection of a request as its caller's, who has shown a key. The operator's is counted
// no longer.
func (c *connections) Prove(r *http.Request, caller parley.Caller) error {
	on, owner := counted(r), "caller "+caller.ID
	if on == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()

	switch {
	case caller.Operator:
		c.forget(on)
	case on.proven && on.owner == owner || c.of[on.conn] != on:
	case on.owner == turnedAway || c.open[owner] >= c.ofCaller:
		return c.tooMany()
	default:
		c.forget(on)
		on.proven, on.owner = true, owner
		c.add(on)
	}

	return nil
}

// admit counts a connection of an owner who may have so many. If there is no room, it takes that of one that has shown
// nothing: of the same owner, or of all. Else the connection is turned away: its requests are answered with the reason.
func (c *connections) admit(on *connection, owner string, most int) {
	c.mu.Lock()
	defer c.mu.Unlock()

	on.owner = owner
	full := func() bool { return len(c.of)-c.open[turnedAway] >= c.ofOthers }
	if c.open[owner] >= most {
		c.evict(owner)
	}
	if full() {
		c.evict("")
	}

	if c.open[owner] >= most || full() {
		on.owner, on.proven = turnedAway, false
		if c.open[turnedAway] >= maxTurnedAway {
			c.evict(turnedAway)
		}
		if c.open[turnedAway] >= maxTurnedAway {
			_ = on.conn.Close()
			return
		}
	}
	c.add(on)
}

// add counts a connection. The caller holds c.mu.
func (c *connections) add(on *connection) {
	if c.of == nil {
		c.of, c.open = map[net.Conn]*connection{}, map[string]int{}
	}
	c.of[on.conn] = on
	c.open[on.owner]++
	if !on.proven {
		c.unproven = append(c.unproven, on)
	}
}

// evict closes the oldest connection of an owner, "" for any, that has shown nothing and is not being
// answered. The caller holds c.mu.
func (c *connections) evict(owner string) {
	for _, on := range c.unproven {
		if !on.served && (on.owner == owner || owner == "" && on.owner != turnedAway) {
			c.forget(on)
			_ = on.conn.Close()
			return
		}
	}
}

// forget ends the count of a connection. The caller holds c.mu.
func (c *connections) forget(on *connection) {
	if c.of[on.conn] != on {
		return
	}

	delete(c.of, on.conn)
	if c.open[on.owner]--; c.open[on.owner] == 0 {
		delete(c.open, on.owner)
	}
	for i, other := range c.unproven {
		if other == on {
			c.unproven = append(c.unproven[:i], c.unproven[i+1:]...)
			break
		}
	}
}

// admitCaller is admit for a connection of a process: the operator's is not counted.
func (c *connections) admitCaller(on *connection, caller parley.Caller) {
	if !caller.Operator {
		on.proven = !caller.Nobody()
		c.admit(on, "caller "+caller.ID, c.ofCaller)
	}
}

// admitAddress is admit for a connection over TCP.
func (c *connections) admitAddress(on *connection) {
	host, _, err := net.SplitHostPort(on.conn.RemoteAddr().String())
	if ip := net.ParseIP(host); err != nil || ip == nil || ip.IsLoopback() {
		c.admit(on, "user "+userOf(on.conn), c.ofCaller)
		return
	}
	c.admit(on, "address "+host, c.ofAddress)
}

// note is for http.Server.ConnState: it forgets a connection that ends. One that becomes a stream
// counts as a call from then on.
func (c *connections) note(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()

	on := c.of[conn]
	if on == nil {
		return
	}
	switch state {
	case http.StateIdle:
		on.served = false
	case http.StateClosed, http.StateHijacked:
		c.forget(on)
	case http.StateNew, http.StateActive: // one byte makes it active, and no caller of it
	}
}
