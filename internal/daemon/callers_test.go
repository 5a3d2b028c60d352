package daemon

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"

	"parley"
)

// changingTeam has at most one agent, from which every process descends.
type changingTeam struct {
	agent   *parley.Caller
	changes int64
}

func (c *changingTeam) Operator() parley.Caller { return parley.Caller{ID: "op", Operator: true} }
func (c *changingTeam) Adoptions() int64        { return c.changes }
func (c *changingTeam) CallerOfProcess(int) (parley.Caller, bool) {
	if c.agent == nil {
		return parley.Caller{}, false
	}
	return *c.agent, true
}

// A connection from before an adoption belongs to the agent after it.
func TestCallerIsDeterminedAgainAfterAdoption(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "pt")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)

	path := filepath.Join(dir, "s") // short: it is the path of a socket
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()

	near, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()

	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	team := &changingTeam{}
	ctx := markPeer(team)(context.Background(), conn)
	who := func() string {
		p, ok := ctx.Value(peerKey{}).(*process)
		if !ok {
			t.Fatal("the connection was turned away")
		}
		return p.current().ID
	}

	if got := who(); got != "op" {
		t.Errorf("before: got %s, want the operator", got)
	}

	team.agent, team.changes = &parley.Caller{ID: "coder"}, 1
	if got := who(); got != "coder" {
		t.Errorf("after: got %s, want coder", got)
	}

	team.agent, team.changes = nil, 2
	if got := who(); got != "op" {
		t.Errorf("after it left: got %s, want the operator", got)
	}
}
