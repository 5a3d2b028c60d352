// Package ports reserves TCP ports for agents. All daemons of a user on a machine share one list of them.
package ports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"parley"
	"parley/internal/disk"
	"parley/internal/wait"
)

// Registry is the view that one workspace has of the user's list of reserved ports. A port is in it from the first
// launch of its agent until that is given back, whether or not anything listens there. Whoever changes the list
// replaces its file whole, under a lock that ends with the process, so a crash leaves the list as it was before or
// after.
type Registry struct {
	Path        string                  // of the file, beside which is that of its lock
	Owner       string                  // the workspace; the same as long as it is
	Gone        func(owner string) bool // reports whether another workspace is no more; nil: none is
	First, Last int                     // what is given
}

// Wish is what an agent is to have.
type Wish struct {
	Agent string
	Names []string            // of the variables
	Had   map[string]int      // what it has according to the database
	Own   func(port int) bool // whether what listens there is the agent's own
	Spare func(agent string) bool
}

// claim says whose a port is.
type claim struct {
	Owner string `json:"owner"`
	Agent string `json:"agent"`
	Name  string `json:"name"`
}

const (
	lockTime = 10 * time.Second // how long other daemons may take, each some milliseconds
	lockLook = 5 * time.Millisecond

	// A program that was ended just now, or another user's look for a free port, is given so long.
	leaveTime = time.Second
	leaveLook = 50 * time.Millisecond
)

// Reserve gives an agent a port for each name, and takes from it what it has for others. It has what it had before,
// unless something that is not its own listens there. If all are taken, those of agents that it may spare are given.
func (r *Registry) Reserve(ctx context.Context, w Wish) (given map[string]int, err error) {
	w.Agent = strings.ToLower(w.Agent)
	err = r.change(ctx, func(all map[int]claim) error {
		given, err = r.give(ctx, all, w)
		return err
	})
	return given, err
}

// Keep gives back what no agent has.
func (r *Registry) Keep(ctx context.Context, known func(agent string) bool) error {
	return r.change(ctx, func(all map[int]claim) error {
		for port, c := range all {
			if c.Owner == r.Owner && !known(c.Agent) {
				delete(all, port)
			}
		}
		return nil
	})
}

func (r *Registry) give(ctx context.Context, all map[int]claim, w Wish) (map[string]int, error) {
	given, had := map[string]int{}, map[string]int{}
	for port, c := range all {
		if c.Owner == r.Owner && c.Agent == w.Agent {
			had[c.Name] = port
			delete(all, port)
		}
	}

	for name, port := range w.Had {
		if _, listed := had[name]; !listed {
			had[name] = port
		}
	}
	for _, name := range w.Names { // before others get a new one
		c := claim{r.Owner, w.Agent, name}
		if port := had[name]; port > 0 && r.open(all, port, nil) && leaves(ctx, port, w.Own) {
			all[port], given[name] = c, port
		}
	}
	for _, name := range w.Names {
		if given[name] > 0 {
			continue
		}
		port := r.find(all, w)
		if port == 0 {
			return nil, r.full()
		}
		all[port], given[name] = claim{r.Owner, w.Agent, name}, port
	}
	return given, nil
}

// leaves reports whether a port is free soon, or taken by its own agent.
func leaves(ctx context.Context, port int, own func(port int) bool) bool {
	ctx, cancel := context.WithTimeout(ctx, leaveTime)
	defer cancel()
	return wait.Until(ctx, leaveLook, func() (bool, error) { return Free(port) || own(port), nil }) == nil
}

// find returns a port that nobody has, 0 for none. It begins where only this agent does, so that users who do not see
// each other's lists seldom meet, and an agent has its ports again if the list is lost.
func (r *Registry) find(all map[int]claim, w Wish) int {
	n := r.Last - r.First + 1
	if n < 1 {
		return 0
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(r.Owner + "\x00" + w.Agent)) // it does not fail
	start := int(h.Sum32() % uint32(n))

	for _, spare := range []func(string) bool{nil, w.Spare} {
		for i := range n {
			if port := r.First + (start+i)%n; r.open(all, port, spare) && Free(port) {
				return port
			}
		}
	}
	return 0
}

// open reports whether a port may be given, as far as the list says.
func (r *Registry) open(all map[int]claim, port int, spare func(agent string) bool) bool {
	c, has := all[port]
	switch {
	case !has:
		return true
	case c.Owner != r.Owner:
		return r.Gone != nil && r.Gone(c.Owner)
	}
	return spare != nil && spare(c.Agent)
}

func (r *Registry) full() error {
	return parley.Errorf(parley.InvalidArgument, "no port from %d to %d is free", r.First, r.Last).
		Suggest("Remove a worktree with its agent (parley stop NAME --remove), or widen ports_from and ports_to.")
}

// Free reports whether nothing listens on a port, whatever its address.
func Free(port int) bool {
	for _, at := range []struct{ network, host string }{
		{"tcp4", "127.0.0.1"}, {"tcp6", "::1"}, {"tcp4", ""}, {"tcp6", ""},
	} {
		l, err := net.Listen(at.network, net.JoinHostPort(at.host, strconv.Itoa(port)))
		if err == nil {
			_ = l.Close() // nobody has connected
		} else if !errors.Is(err, syscall.EADDRNOTAVAIL) && !errors.Is(err, syscall.EAFNOSUPPORT) {
			return false
		}
	}
	return true
}

// change reads the list, and stores what has become of it.
func (r *Registry) change(ctx context.Context, do func(all map[int]claim) error) error {
	lock, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer lock.Close()

	old, err := os.ReadFile(r.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the reserved ports: %w", err)
	}
	all := map[int]claim{}
	if err == nil && json.Unmarshal(old, &all) != nil {
		return parley.Errorf(parley.StorageUnavailable, "the list of reserved ports cannot be read: %s", r.Path).
			Suggest("Move it away. Agents then have their ports again, if those are still free.")
	}
	if err := do(all); err != nil {
		return err
	}

	now, err := json.Marshal(all)
	if err != nil || string(now) == string(old) || len(old) == 0 && len(all) == 0 {
		return err
	}
	if err := disk.Replace(r.Path, now); err != nil {
		return fmt.Errorf("store the reserved ports: %w", err)
	}
	return nil
}

// lock takes the lock of the list, which the system releases when the process ends.
func (r *Registry) lock(ctx context.Context) (*os.File, error) {
	ctx, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()

	f, err := os.OpenFile(r.Path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the reserved ports: %w", err)
	}
	err = wait.Until(ctx, lockLook, func() (bool, error) {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		default:
			return err == nil, err
		}
	})
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock the reserved ports: %w", err)
	}
	return f, nil
}
