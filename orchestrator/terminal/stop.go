package terminal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"parley"
	"parley/internal/wait"
	"parley/orchestrator/team"
	"parley/tmux"
)

// killTime is how long the kernel has to end what SIGKILL was sent to.
const killTime = 5 * time.Second

// StopAgent implements parley.TerminalService. A mailbox can be stopped too: its
// key is worth nothing from then on.
func (ts *Terminals) StopAgent(ctx context.Context, req parley.StopAgentRequest) (*parley.StopAgentResult, error) {
	m, err := ts.roster.Find(req.Agent)
	if err != nil {
		return nil, err
	}

	if m.Kind == parley.KindHuman {
		return nil, parley.Errorf(parley.InvalidArgument, "%s is a person and cannot be stopped", m.Name).
			Suggest("parley down stops the daemon and its agents.")
	}

	m.Changing.Lock()
	defer m.Changing.Unlock()

	evidence := "stopped by " + parley.CallerFrom(ctx).Name
	if req.Reason != "" {
		evidence += ": " + parley.CleanLine(req.Reason)
	}

	a, ran := m.Agent(), m.Terminal() != nil
	ended, err := ts.end(ctx, m, evidence)
	if err != nil {
		return nil, err
	}
	if _, err := ts.roster.SwapKeys(context.WithoutCancel(ctx), m, nil, (*team.Key).IsAny); err != nil {
		return nil, err
	}

	return &parley.StopAgentResult{
		Answer:   parley.OK,
		AgentID:  m.ID,
		Name:     m.Name,
		Ended:    ended,
		Released: ran && a.Adopted(),
	}, nil
}

// end ends a member's processes and its session, and records it as terminated.
// It returns how many processes there were. The caller holds m.changing.
func (ts *Terminals) end(ctx context.Context, m *team.Member, evidence string) (int, error) {
	ctx = context.WithoutCancel(ctx) // half a stop would leave processes behind
	t := m.Terminal()
	ended, err := ts.endProcesses(ctx, m, t)
	if err == nil && t != nil && !t.Adopted() {
		err = ts.endSession(ctx, m, t)
	}
	if err == nil {
		err = ts.close(ctx, m, evidence)
	}
	if err != nil && t != nil {
		t.Ended.Store(false) // the watcher sees to its state again
	}

	return ended, err
}

// endProcesses ends what runs of a member, in its terminal or, when that was taken
// from under it, without one. An adopted one is let go instead.
func (ts *Terminals) endProcesses(ctx context.Context, m *team.Member, t *team.Terminal) (int, error) {
	if m.Kind != parley.KindTerminal {
		return 0, nil
	}
	if a := m.Agent(); a.Adopted() { // its processes are not ours
		return 0, ts.release(ctx, m)
	}

	root, born := 0, ""
	if t != nil {
		t.Ended.Store(true)
		root, born = t.PID, t.Born
	}

	tree := findTree(m.ID, root, born)
	ended := len(tree.living())
	if err := tree.end(ctx, ts.opts.StopGrace); err != nil {
		return ended, fmt.Errorf("stop %s: %w", m.Name, err)
	}

	return ended, nil
}

// endSession ends the session, after the message in hand.
func (ts *Terminals) endSession(ctx context.Context, m *team.Member, t *team.Terminal) error {
	m.Typing.Lock()
	defer m.Typing.Unlock()
	if t.Instance != ts.tmux.Instance() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	if err := ts.tmux.KillSession(ctx, m.Name); err != nil && !errors.Is(err, tmux.ErrNoSession) &&
		!errors.Is(err, tmux.ErrNoServer) {
		return tmuxError(err)
	}
	return nil
}

// close takes the terminal from a member that is at its end, and records that.
func (ts *Terminals) close(ctx context.Context, m *team.Member, evidence string) error {
	m.Typing.Lock()
	defer m.Typing.Unlock()
	m.SetTerminal(nil)
	if err := ts.couriers.Abandon(ctx, m, "the agent was stopped"); err != nil {
		return err
	}
	if err := os.RemoveAll(ts.privateDir(m)); err != nil {
		return fmt.Errorf("remove the files of %s: %w", m.Name, err)
	}
	return ts.roster.SetState(ctx, m, parley.StateTerminated, evidence, nil)
}

// tree is the processes of one agent: what descends from its program, and what
// carries its id in its environment (a daemon that an agent started descends
// from nobody).
type tree struct {
	id        string
	processes map[int]string // pid → when it was born, since a pid may be given again
}

// findTree looks for them. root is the program, if it is still the process that was
// born then.
func findTree(id string, root int, born string) *tree {
	t := &tree{id: id, processes: map[int]string{}}
	if born != "" && tmux.Birth(root) == born {
		t.processes[root] = born
	}
	t.grow()
	t.add(tmux.Marked("PARLEY_AGENT_ID=" + id))
	return t
}

// grow adds what has appeared since. A parent's death does not hide a child that
// was seen before.
func (t *tree) grow() {
	if found, err := tmux.Descendants(slices.Collect(maps.Keys(t.processes))...); err == nil {
		t.add(found)
	}
}

func (t *tree) add(pids []int) {
	for _, pid := range pids {
		if _, known := t.processes[pid]; known || pid <= 1 || !tmux.Alive(pid) {
			continue
		}
		if born := tmux.Birth(pid); born != "" {
			t.processes[pid] = born
		}
	}
}

// living returns those that still run.
func (t *tree) living() []int {
	var pids []int
	for pid, born := range t.processes {
		if tmux.Alive(pid) && tmux.Birth(pid) == born {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}

func (t *tree) signal(sig syscall.Signal) {
	for _, pid := range t.living() {
		_ = syscall.Kill(pid, sig) // gone meanwhile is as good
	}
}

// end asks the processes to end, and after grace makes them. It returns nil
// only when all are gone.
func (t *tree) end(ctx context.Context, grace time.Duration) error {
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGCONT} {
		t.signal(sig)
	}
	const nothing = syscall.Signal(0)
	if t.gone(ctx, grace, nothing) == nil || t.gone(ctx, killTime, syscall.SIGKILL) == nil {
		return nil
	}
	return fmt.Errorf("processes %v do not end", t.living())
}

// gone waits until no process is left, sending each a signal at every look.
func (t *tree) gone(ctx context.Context, patience time.Duration, sig syscall.Signal) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return wait.Until(ctx, 20*time.Millisecond, func() (bool, error) {
		t.grow()
		t.signal(sig)
		if len(t.living()) == 0 { // what hid by leaving the tree is found by its mark
			t.add(tmux.Marked("PARLEY_AGENT_ID=" + t.id))
		}
		return len(t.living()) == 0, nil
	})
}

// endAll ends all agents and the tmux server, and returns whom, and which adopted ones run
// on without it. Launches under way are waited for, later ones are refused.
func (ts *Terminals) EndAll(ctx context.Context, evidence string) (stopped, left []string, err error) {
	ts.ending.Store(true)
	defer func() {
		if err != nil {
			ts.ending.Store(false)
		}
	}()

	var members []*team.Member
	for _, m := range ts.roster.All() {
		m.Changing.Lock()
		defer m.Changing.Unlock()

		if m.Kind == parley.KindTerminal && (m.Terminal() != nil || m.Agent().State != parley.StateTerminated) {
			members = append(members, m)
			if a := m.Agent(); a.Adopted() && m.Terminal() != nil {
				left = append(left, m.Name)
			} else {
				stopped = append(stopped, m.Name)
			}
		}
	}

	var ends errgroup.Group
	for _, m := range members {
		ends.Go(func() error {
			_, err := ts.endProcesses(ctx, m, m.Terminal())
			if a := m.Agent(); err != nil && a.Adopted() { // what is left there harms nobody
				ts.log.Warn("let an adopted agent go", "agent", m.Name, "error", err)
				return nil
			}
			return err
		})
	}

	if err := ends.Wait(); err != nil {
		for _, m := range members {
			if t := m.Terminal(); t != nil {
				t.Ended.Store(false) // the watcher sees to their states again
			}
		}
		return nil, nil, err
	}

	// The sessions go with the server, even with one that answers nobody any more.
	if err := ts.tmux.Shutdown(ctx); err != nil && !errors.Is(err, tmux.ErrNoServer) {
		return nil, nil, tmuxError(err)
	}

	for _, m := range members {
		err = errors.Join(err, ts.close(ctx, m, evidence))
	}

	return stopped, left, err
}
