package daemon

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"

	"parley"
	"parley/internal/must"
)

// from is a connection from an address.
type from struct {
	net.Conn
	address string
	closed  bool
}

func (f *from) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.ParseIP(f.address), Port: 1}
}

func (f *from) LocalAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP("127.0.0.1"), Port: 2} }

func (f *from) Close() error {
	f.closed = true
	return nil
}

// room is a daemon's connections, and requests over them.
type room struct {
	*connections
	t *testing.T
}

// request opens a connection and returns a request over it.
func (o room) request(admit func(*connection)) (*http.Request, *from) {
	conn := &from{address: "127.0.0.1"}
	on := &connection{conn: conn}
	admit(on)
	ctx := context.WithValue(o.t.Context(), connectionKey{}, on)
	return must.Have(http.NewRequestWithContext(ctx, http.MethodGet, "/", nil))(o.t), conn
}

// of admits a connection of a caller's process.
func (o room) of(c parley.Caller) func(*connection) {
	return func(on *connection) { o.admitCaller(on, c) }
}

// ofUser admits a connection over TCP of a user of this machine.
func (o room) ofUser(user string) func(*connection) {
	return func(on *connection) { o.admit(on, "user "+user, o.ofCaller) }
}

// welcome reports whether a request over a new connection is answered.
func (o room) welcome(admit func(*connection)) bool {
	r, conn := o.request(admit)
	return !conn.closed && o.Begin(r) == nil
}

// Whoever has shown nothing takes nobody's place: however many connections strangers and other users keep,
// idle, half sent or answered, an agent with a key, a process of an agent and the operator get theirs.
func TestStrangersShutNobodyOut(t *testing.T) {
	stranger, agent := parley.Caller{Unplaced: true}, parley.Caller{ID: "a"}
	operator := parley.Caller{ID: "o", Operator: true}
	for what, each := range map[string]func(o room, r *http.Request, conn net.Conn){
		"idle":      func(room, *http.Request, net.Conn) {},
		"half sent": func(o room, _ *http.Request, conn net.Conn) { o.note(conn, http.StateActive) },
		"kept":      func(o room, r *http.Request, conn net.Conn) { _ = o.Begin(r); o.note(conn, http.StateIdle) },
		"with a lie": func(o room, r *http.Request, _ net.Conn) {
			_ = o.Begin(r)
			o.note(counted(r).conn,
				http.StateIdle)
		},
	} {
		o := room{&connections{bounds: boundsFor(1024)}, t}
		for range 300 {
			for _, admit := range []func(*connection){
				o.of(stranger), o.ofUser("1001"), o.ofUser("1002"), o.ofUser("1003"),
			} {
				r, conn := o.request(admit)
				each(o, r, conn)
			}
		}
		if n := len(o.connections.of) - o.open[turnedAway]; n > o.ofOthers {
			t.Errorf("%s: %d connections are open", what, n)
		}

		for name, admit := range map[string]func(*connection){
			"an agent's process": o.of(agent), "a stranger": o.of(stranger), "the operator": o.of(operator),
			"a fifth user": o.ofUser("1005"),
		} {
			if !o.welcome(admit) {
				t.Errorf("%s: %s is shut out", what, name)
			}
		}
		r, _ := o.request(o.ofUser("1004"))
		if err := errors.Join(o.Begin(r), o.Prove(r, agent)); err != nil || !o.Keeps(r) {
			t.Errorf("%s: the agent by key: %v", what, err)
		}
		r, conn := o.request(o.of(stranger))
		if err := errors.Join(o.Begin(r), o.Prove(r, operator)); err != nil || o.connections.of[conn] != nil {
			t.Errorf("%s: the operator by key: %v, or is counted", what, err)
		}
	}
}

// Nobody has more than its share, with a key or without, and what ends or becomes a stream is free again.
func TestConnectionsHaveLimits(t *testing.T) {
	o := room{&connections{bounds: boundsFor(1024)}, t}
	agent := parley.Caller{ID: "a"}
	var conns []*from
	for range o.ofCaller {
		r, conn := o.request(o.ofUser("1000"))
		if err := errors.Join(o.Begin(r), o.Prove(r, agent)); err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
	}

	r, _ := o.request(o.ofUser("1000"))
	if parley.ErrorCode(o.Prove(r, agent)) != parley.RateLimited || o.welcome(o.of(agent)) {
		t.Error("an agent has more than its share")
	}
	if o.open["user 1000"] > 1 || len(o.connections.of)-o.open[turnedAway] > o.ofCaller+1 {
		t.Errorf("open are %v", o.open)
	}

	for i, state := range []http.ConnState{http.StateClosed, http.StateHijacked, http.StateActive} {
		o.note(conns[i], state)
		o.note(conns[i], state)
	}
	for i, want := range []bool{true, true, false} {
		if got := o.welcome(o.of(agent)); got != want {
			t.Errorf("connection %d: got %v", i, got)
		}
	}

	for range o.ofAddress + 10 {
		o.admitAddress(&connection{conn: &from{address: "192.0.2.1"}})
	}
	if n := o.open["address 192.0.2.1"]; n != o.ofAddress {
		t.Errorf("another machine has %d", n)
	}
}

func TestConnectionsLeaveDescriptors(t *testing.T) {
	for descriptors, want := range map[int]bounds{
		0:       {0, 3, 3, 9},
		64:      {64, 5, 5, 16},
		256:     {256, 69, 64, 208},
		1024:    {1024, 200, 64, 600},
		1 << 20: {1 << 20, 200, 64, 600},
	} {
		if got := boundsFor(descriptors); got != want {
			t.Errorf("%d descriptors: got %+v, want %+v", descriptors, got, want)
		}
	}
}
