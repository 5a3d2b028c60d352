package daemon

import (
	"net"
	"net/http"
	"sync"

	"parley"
)

// How many connections may be open at once. An agent's bridge keeps a few; whoever opens more than
// this does not mean well. The operator's own are not counted, so that all others together cannot
// take the descriptors that the operator needs.
const (
	maxOfCaller  = 200 // of one agent, of all strangers, or of all processes here over TCP
	maxOfAddress = 64  // of one other machine
	maxOfOthers  = 600 // of all but the operator
)

// connections counts open connections by whoever has opened them. The zero value is ready for use.
type connections struct {
	mu   sync.Mutex
	of   map[net.Conn]string
	open map[string]int
}

// admit counts a connection of an owner, unless the owner or all together have too many.
func (c *connections) admit(conn net.Conn, owner string, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()

	if c.open[owner] >= most || len(c.of) >= maxOfOthers {
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
	return caller.Operator || c.admit(conn, "caller "+caller.ID, maxOfCaller)
}

// admitAddress is admit for a connection over TCP.
func (c *connections) admitAddress(conn net.Conn) bool {
	host, _, err := net.SplitHostPort(conn.RemoteAddr().String())
	if ip := net.ParseIP(host); err != nil || ip == nil || ip.IsLoopback() {
		return c.admit(conn, "this machine", maxOfCaller)
	}
	return c.admit(conn, "address "+host, maxOfAddress)
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
