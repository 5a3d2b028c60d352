package daemon

import (
	"fmt"
	"net"
	"net/http"
	"testing"

	"parley"
)

// from is a connection from an address.
type from struct {
	net.Conn
	address string
}

func (f *from) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.ParseIP(f.address), Port: 1}
}

// Nobody takes the connections that others need, and all together not the operator's.
func TestConnectionsHaveLimits(t *testing.T) {
	open := &connections{bounds: boundsFor(1024)}
	fill := func(most int, admit func(net.Conn) bool) (admitted []net.Conn) {
		for range most + 1 {
			conn := &from{address: "127.0.0.1"}
			if admit(conn) {
				admitted = append(admitted, conn)
			}
		}
		if len(admitted) != most {
			t.Errorf("%d connections were admitted, want %d", len(admitted), most)
		}
		return admitted
	}
	of := func(c parley.Caller) func(net.Conn) bool {
		return func(conn net.Conn) bool { return open.admitCaller(conn, c) }
	}

	first := fill(open.ofCaller, of(parley.Caller{ID: "a"}))
	fill(open.ofCaller, of(parley.Caller{Unplaced: true}))
	for i := range 2 {
		address := fmt.Sprint("192.0.2.", i)
		fill(open.ofAddress, func(net.Conn) bool { return open.admitAddress(&from{address: address}) })
	}
	fill(open.ofOthers-2*open.ofCaller-2*open.ofAddress, open.admitAddress)

	if open.admitCaller(&from{}, parley.Caller{ID: "b"}) {
		t.Error("there is no reserve for the operator")
	}
	if !open.admitCaller(&from{}, parley.Caller{ID: "o", Operator: true}) {
		t.Error("the operator is turned away")
	}

	for _, state := range []http.ConnState{http.StateActive, http.StateClosed, http.StateClosed} {
		open.note(first[0], state)
	}
	open.note(first[1], http.StateHijacked)
	fill(2, of(parley.Caller{ID: "a"}))
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
