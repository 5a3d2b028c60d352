package ports_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/orchestrator/ports"
)

// list is the registry of a workspace, in a directory that stands for the user's.
func list(dir, owner string) *ports.Registry {
	gone := func(owner string) bool { return strings.HasPrefix(owner, "gone") }
	return &ports.Registry{Path: filepath.Join(dir, "ports"), Owner: owner, Gone: gone, First: 21000, Last: 24999}
}

func nobody(int) bool { return false }

// has reserves ports for an agent that had others before.
func has(t *testing.T, r *ports.Registry, agent string, had map[string]int, names ...string) map[string]int {
	t.Helper()
	none := func(string) bool { return false }
	return must.Have(r.Reserve(t.Context(),
		ports.Wish{Agent: agent, Names: names, Had: had, Own: nobody, Spare: none}))(t)
}

// listenOn takes a port, as a stranger does.
func listenOn(t *testing.T, port int) {
	t.Helper()
	l := must.Have(net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)))(t)
	t.Cleanup(func() { l.Close() })
}

func TestPortsStayWithTheirAgent(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(t *testing.T, r *ports.Registry, before map[string]int){
		"nothing happens": func(*testing.T, *ports.Registry, map[string]int) {},
		"others come": func(t *testing.T, r *ports.Registry, _ map[string]int) {
			has(t, r, "bob", nil, "PORT")
		},
		"the list is lost": func(t *testing.T, r *ports.Registry, _ map[string]int) {
			must.Do(t, os.Remove(r.Path))
		},
		"left-over ones are given back": func(t *testing.T, r *ports.Registry, _ map[string]int) { keep(t, r, "ann") },
		"the range is another": func(_ *testing.T, r *ports.Registry, _ map[string]int) {
			r.First, r.Last = 25000, 25010
		},
		"its name is written otherwise": func(t *testing.T, r *ports.Registry, before map[string]int) {
			if now := has(t, r, "Ann", before, "PORT", "API"); !maps.Equal(now, before) {
				t.Errorf("it has %v, want %v", now, before)
			}
		},
		"it asks for one more": func(t *testing.T, r *ports.Registry, before map[string]int) {
			has(t, r, "ann", before, "NEW", "PORT", "API")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := list(t.TempDir(), t.Name())
			before := has(t, r, "ann", nil, "PORT", "API")
			between(t, r, before)
			if now := has(t, r, "ann", before, "PORT", "API"); !maps.Equal(now, before) || now["PORT"] == now["API"] {
				t.Errorf("it has %v, want %v", now, before)
			}
		})
	}
}

// A list that was lost gives an agent the ports that it had, even if nobody remembers them.
func TestLostListGivesTheSamePorts(t *testing.T) {
	t.Parallel()
	r := list(t.TempDir(), t.Name())
	before := has(t, r, "ann", nil, "PORT")
	must.Do(t, os.Remove(r.Path))
	if now := has(t, r, "ann", nil, "PORT"); !maps.Equal(now, before) {
		t.Errorf("it has %v, want %v", now, before)
	}
}

func TestTakenPortGoesToNobody(t *testing.T) {
	t.Parallel()
	r := list(t.TempDir(), t.Name())
	before := has(t, r, "ann", nil, "PORT", "API")
	listenOn(t, before["PORT"])

	own := ports.Wish{
		Agent: "ann", Names: []string{"PORT", "API"}, Had: before, Own: func(p int) bool { return p == before["PORT"] },
	}
	if now := must.Have(r.Reserve(t.Context(), own))(t); !maps.Equal(now, before) {
		t.Errorf("its own server costs it %v, it has %v", before, now)
	}

	now := has(t, r, "ann", before, "PORT", "API")
	if now["PORT"] == before["PORT"] || now["API"] != before["API"] || now["PORT"] == now["API"] {
		t.Errorf("it has %v after %v, of which PORT was taken", now, before)
	}
	if again := has(t, r, "ann", before, "PORT", "API"); !maps.Equal(again, now) {
		t.Errorf("it has %v then, want %v again", again, now)
	}
}

func TestPortsAreGivenBack(t *testing.T) {
	t.Parallel()
	for name, free := range map[string]func(t *testing.T, r *ports.Registry){
		"the agent names none":       func(t *testing.T, r *ports.Registry) { has(t, r, "ann", nil) },
		"nobody knows the agent":     func(t *testing.T, r *ports.Registry) { keep(t, r) },
		"its workspace is gone":      func(_ *testing.T, r *ports.Registry) { r.Owner = "two" },
		"the agent may be done with": func(*testing.T, *ports.Registry) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := list(t.TempDir(), "gone "+name)
			port := has(t, r, "ann", nil, "PORT")["PORT"]
			free(t, r)
			r.First, r.Last = port, port
			spare := func(agent string) bool { return agent == "ann" }
			bob := ports.Wish{Agent: "bob", Names: []string{"PORT"}, Own: nobody, Spare: spare}
			got, err := r.Reserve(t.Context(), bob)
			if err != nil || got["PORT"] != port {
				t.Errorf("another agent has %v, %v; want %d", got, err, port)
			}
		})
	}
}

func TestFullRangeIsRefusedAndChangesNothing(t *testing.T) {
	t.Parallel()
	r := list(t.TempDir(), t.Name())
	port := has(t, r, "ann", nil, "PORT")["PORT"]
	r.First, r.Last = port, port
	text := must.Have(os.ReadFile(r.Path))(t)

	none := func(string) bool { return false }
	_, err := r.Reserve(t.Context(), ports.Wish{Agent: "bob", Names: []string{"PORT"}, Own: nobody, Spare: none})
	if e := parley.AsError(err); e.Code != parley.InvalidArgument || e.Action == "" {
		t.Errorf("got %v, want INVALID_ARGUMENT with a next step", err)
	}
	if now := must.Have(os.ReadFile(r.Path))(t); string(now) != string(text) {
		t.Errorf("the list is %s, want %s", now, text)
	}
}

func TestUnreadableListIsRefused(t *testing.T) {
	t.Parallel()
	r := list(t.TempDir(), t.Name())
	must.Do(t, os.WriteFile(r.Path, []byte("{half"), 0o600))
	_, err := r.Reserve(t.Context(), ports.Wish{Agent: "bob", Names: []string{"PORT"}, Own: nobody})
	if e := parley.AsError(err); e.Code != parley.StorageUnavailable || e.Action == "" {
		t.Errorf("got %v, want STORAGE_UNAVAILABLE with a next step", err)
	}
}

// Daemons that reserve in the same moment never give one port twice.
func TestWorkspacesNeverMeet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const workspaces, agents = 4, 10
	var mu sync.Mutex
	var all []int
	var group sync.WaitGroup
	for w := range workspaces {
		r := list(dir, fmt.Sprint("workspace ", w))
		r.Last = r.First + 2*workspaces*agents + 20 // so that they meet
		for a := range agents {
			group.Go(func() {
				wish := ports.Wish{Agent: fmt.Sprint("agent-", a), Names: []string{"PORT", "API"}, Own: nobody}
				given, err := r.Reserve(context.WithoutCancel(t.Context()), wish)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				all = append(all, slices.Collect(maps.Values(given))...)
			})
		}
	}
	group.Wait()

	slices.Sort(all)
	if n := len(all); n != 2*workspaces*agents || len(slices.Compact(all)) != n {
		t.Errorf("%d ports, %d different ones; want %d", n, len(slices.Compact(all)), 2*workspaces*agents)
	}
}

// keep gives back all ports but those of some agents.
func keep(t *testing.T, r *ports.Registry, agents ...string) {
	t.Helper()
	must.Do(t, r.Keep(t.Context(), func(agent string) bool { return slices.Contains(agents, agent) }))
}
