package daemon

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"testing"

	"parley"
	"parley/internal/must"
)

// pidTeam knows whose each process is; the rest are the operator's.
type pidTeam struct {
	of      map[int]parley.Caller
	changes int64
}

func (t *pidTeam) Placements() int64               { return t.changes }
func (t *pidTeam) CallerByID(string) parley.Caller { return parley.Caller{} }
func (t *pidTeam) Launching() bool                 { return false }
func (t *pidTeam) CallerOfProcess(pid int) parley.Caller {
	if c, ok := t.of[pid]; ok {
		return c
	}
	return parley.Caller{ID: "op", Operator: true}
}

// A key of the operator's counts by whose process shows it, over TCP as on the socket: on IPv4, on IPv6, and
// where one is mapped into the other.
func TestOperatorsKeyCountsByWhoShowsIt(t *testing.T) {
	operator := parley.Caller{ID: "op", Name: parley.OperatorName, Operator: true}
	agent, keeper := parley.Caller{ID: "coder", Name: "coder"}, parley.Caller{Unplaced: true}
	for name, test := range map[string]struct{ shown, want parley.Caller }{
		"the operator's process": {operator, operator},
		"an agent's":             {agent, agent},
		"one below the keeper":   {keeper, keeper},
	} {
		p := &process{who: &pidTeam{}, first: test.shown, caller: test.shown}
		if got := fenced(context.WithValue(t.Context(), peerKey{}, p), operator); got != test.want {
			t.Errorf("%s, on the socket: got %+v, want %+v", name, got, test.want)
		}

		for listen, dial := range map[string]string{
			"127.0.0.1:0": "127.0.0.1", "[::1]:0": "::1", "[::]:0": "127.0.0.1", "0.0.0.0:0": "127.0.0.5",
		} {
			team := &pidTeam{of: map[int]parley.Caller{os.Getpid(): test.shown}}
			if got := overTCP(t, team, listen, dial, operator); got != test.want {
				t.Errorf("%s, from %s to %s: got %+v, want %+v", name, dial, listen, got, test.want)
			}
		}
	}
}

// overTCP returns who calls with the operator's key in a connection of this process.
func overTCP(t *testing.T, team *pidTeam, listen, dial string, operator parley.Caller) parley.Caller {
	t.Helper()
	l, err := net.Listen("tcp", listen)
	if err != nil {
		t.Skipf("this machine has no %s: %v", listen, err)
	}

	got := make(chan parley.Caller, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got <- fenced(r.Context(), operator)
	}))
	server.Listener.Close()
	server.Listener, server.Config.ConnContext = arrivals{l}, markPeer(team, &connections{bounds: boundsFor(1024)})
	server.Start()
	defer server.Close()

	url := fmt.Sprintf("http://%s", net.JoinHostPort(dial, fmt.Sprint(l.Addr().(*net.TCPAddr).Port)))
	res := must.Have(http.Get(url))(t)
	res.Body.Close()
	return <-got
}

// A program that is adopted loses the key in the connections that it has.
func TestKeyIsLookedAtAgainAfterAdoption(t *testing.T) {
	operator := parley.Caller{ID: "op", Operator: true}
	l := must.Have(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	near := must.Have(net.Dial("tcp", l.Addr().String()))(t)
	defer near.Close()
	conn := must.Have(l.Accept())(t)
	defer conn.Close()

	team := &pidTeam{}
	ctx := context.WithValue(t.Context(), farEndKey{}, farEndOf(team, conn))
	if got := fenced(ctx, operator); got != operator {
		t.Errorf("before: got %+v", got)
	}
	team.of, team.changes = map[int]parley.Caller{os.Getpid(): {ID: "coder"}}, 1
	if got := fenced(ctx, operator); got.ID != "coder" {
		t.Errorf("after: got %+v", got)
	}
}

// What is on this machine and cannot be found counts as an agent's; what is elsewhere counts for its key.
func TestConnectionsThatCannotBeTracedAreNotBelieved(t *testing.T) {
	for from, want := range map[string]bool{"127.0.0.1": false, "::1": false, "192.0.2.5": true} {
		end := &farEnd{
			who: &pidTeam{}, from: netip.AddrPortFrom(netip.MustParseAddr(from), 9),
			to: netip.MustParseAddrPort("192.0.2.1:80"),
		}
		open := !slices.ContainsFunc(end.callers(), func(c parley.Caller) bool { return c.Unplaced })
		if open != want {
			t.Errorf("from %s: it counts: %t, want %t", from, open, want)
		}
	}
}
