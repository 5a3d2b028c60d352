package daemon

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"parley"
	"parley/internal/must"
)

// changingTeam has at most one agent, from which every process descends, or else an operator.
type changingTeam struct {
	agent    *parley.Caller
	operator bool // who is not an agent is the operator
	changes  int64

	// launched, if not nil, is asked once more by each call, and returns true when a launch has ended.
	launched func() bool
}

func (c *changingTeam) Placements() int64               { return c.changes }
func (c *changingTeam) CallerByID(string) parley.Caller { return parley.Caller{} }
func (c *changingTeam) Launching() bool                 { return c.launched != nil && !c.launched() }
func (c *changingTeam) CallerOfProcess(int) parley.Caller {
	switch {
	case c.agent != nil:
		return *c.agent
	case c.operator:
		return parley.Caller{ID: "op", Operator: true}
	}
	return parley.Caller{Unplaced: true}
}

// connect returns the caller of a connection of this process to a daemon with this team, each time
// it is called.
func connect(t *testing.T, team *changingTeam) func() parley.Caller {
	t.Helper()
	dir := shortDir(t)

	path := filepath.Join(dir, "s") // short: it is the path of a socket
	l := must.Have(net.Listen("unix", path))(t)
	t.Cleanup(func() { l.Close() })

	near := must.Have(net.Dial("unix", path))(t)
	t.Cleanup(func() { near.Close() })

	conn := must.Have(l.Accept())(t)
	t.Cleanup(func() { conn.Close() })

	mark := markPeer(team, &connections{bounds: boundsFor(1024)})
	a := &arrival{Conn: conn}
	p, ok := mark(context.Background(), a).Value(peerKey{}).(*process)
	if !ok {
		t.Fatal("the connection has no process")
	}
	must.Have(near.Write([]byte("x")))(t)
	if _, err := a.Read(make([]byte, 1)); err != nil {
		t.Fatalf("the connection was turned away: %v", err)
	}

	return p.current
}

// A connection from before an adoption belongs to the agent after it.
func TestCallerIsDeterminedAgainAfterAdoption(t *testing.T) {
	team := &changingTeam{operator: true}
	who := connect(t, team)
	if got := who().ID; got != "op" {
		t.Errorf("before: got %s, want the operator", got)
	}

	team.agent, team.changes = &parley.Caller{ID: "coder"}, 1
	if got := who().ID; got != "coder" {
		t.Errorf("after: got %s, want coder", got)
	}

	team.agent, team.changes = nil, 2
	if got := who().ID; got != "op" {
		t.Errorf("after it left: got %s, want the operator", got)
	}
}

func TestProcessThatCannotBePlacedIsNobody(t *testing.T) {
	team := &changingTeam{}
	who := connect(t, team)
	if got := who(); !got.Nobody() || !got.Unplaced {
		t.Errorf("got %+v, want nobody", got)
	}

	team.operator, team.changes = true, 1
	if got := who(); !got.Nobody() {
		t.Errorf("after an adoption: got %+v, want nobody still", got)
	}
}

// A program may call before its launch has heard that it runs.
func TestCallDuringALaunchIsTheAgents(t *testing.T) {
	team := &changingTeam{}
	who := connect(t, team)

	asked := 0
	team.launched = func() bool {
		if asked++; asked == 3 {
			team.agent, team.changes = &parley.Caller{ID: "coder"}, 1
		}
		return asked > 3
	}
	if got := who(); got.ID != "coder" || asked != 3 {
		t.Errorf("got %+v after %d looks, want coder after 3", got, asked)
	}
}

// slowTeam finds out who the first process is when it is let.
type slowTeam struct {
	changingTeam
	asked    atomic.Int32
	let, saw chan struct{}
}

func (s *slowTeam) CallerOfProcess(int) parley.Caller {
	if s.asked.Add(1) == 1 {
		close(s.saw)
		<-s.let
	}
	return parley.Caller{ID: "coder"}
}

// Whose a connection is, is found out where it is served: it keeps no other one waiting.
func TestAnArrivalKeepsNobodyWaiting(t *testing.T) {
	path := filepath.Join(shortDir(t), "s")
	l := must.Have(net.Listen("unix", path))(t)
	team := &slowTeam{let: make(chan struct{}), saw: make(chan struct{})}
	server := &http.Server{
		Handler:     http.NotFoundHandler(),
		ConnContext: markPeer(team, &connections{bounds: boundsFor(1024)}),
	}
	go func() { _ = server.Serve(arrivals{l}) }()
	defer server.Close()

	answer := func() <-chan string {
		near := must.Have(net.Dial("unix", path))(t)
		t.Cleanup(func() { near.Close() })
		must.Have(near.Write([]byte("GET / HTTP/1.0\r\n\r\n")))(t)
		got := make(chan string, 1)
		go func() {
			line, _ := bufio.NewReader(near).ReadString('\n')
			got <- line
		}()
		return got
	}

	slow := answer()
	<-team.saw
	if got := <-answer(); !strings.Contains(got, "404") {
		t.Errorf("the second one: %q", got)
	}
	close(team.let)
	if got := <-slow; !strings.Contains(got, "404") {
		t.Errorf("the first one: %q", got)
	}
}
