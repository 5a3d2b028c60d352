package daemon

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"

	"parley"
	"parley/internal/must"
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
	dir := must.Have(os.MkdirTemp("/tmp", "pt"))(t)
	defer os.RemoveAll(dir)

	path := filepath.Join(dir, "s") // short: it is the path of a socket
	l := must.Have(net.Listen("unix", path))(t)
	defer l.Close()

	near := must.Have(net.Dial("unix", path))(t)
	defer near.Close()

	conn := must.Have(l.Accept())(t)
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
