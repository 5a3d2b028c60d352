package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"syscall"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/orchestrator/team"
	"parley/tmux"
)

// killTime is how long the kernel has to end what SIGKILL was sent to.
const killTime = 5 * time.Second

// StopAgent implements parley.TerminalService. A mailbox can be stopped too: its
// key is worth nothing from then on.
func (o *Orchestrator) StopAgent(ctx context.Context, req parley.StopAgentRequest) (*parley.StopAgentResult, error) {
	m, err := o.roster.Find(req.Agent)
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
	ended, err := o.end(ctx, m, evidence)
	if err != nil {
		return nil, err
	}
	if _, err := o.swapKeys(context.WithoutCancel(ctx), m, nil, (*team.Key).IsAny); err != nil {
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
func (o *Orchestrator) end(ctx context.Context, m *team.Member, evidence string) (int, error) {
	ctx = context.WithoutCancel(ctx) // half a stop would leave processes behind
	t := m.Terminal()
	ended, err := o.endProcesses(ctx, m, t)
	if err == nil && t != nil && !t.Adopted() {
		err = o.endSession(ctx, m, t)
	}
	if err == nil {
		err = o.close(ctx, m, evidence)
	}
	if err != nil && t != nil {
		t.Ended.Store(false) // the watcher sees to its state again
	}

	return ended, err
}

// endProcesses ends what runs of a member, in its terminal or, when that was taken
// from under it, without one. An adopted one is let go instead.
func (o *Orchestrator) endProcesses(ctx context.Context, m *team.Member, t *team.Terminal) (int, error) {
	if m.Kind != parley.KindTerminal {
		return 0, nil
	}
	if a := m.Agent(); a.Adopted() { // its processes are not ours
		return 0, o.release(ctx, m)
	}

	root, born := 0, ""
	if t != nil {
		t.Ended.Store(true)
		root, born = t.PID, t.Born
	}

	tree := findTree(m.ID, root, born)
	ended := len(tree.living())
	if err := tree.end(ctx, o.opts.Settings.StopGrace); err != nil {
		return ended, fmt.Errorf("stop %s: %w", m.Name, err)
	}

	return ended, nil
}

// endSession ends the session, after the message in hand.
func (o *Orchestrator) endSession(ctx context.Context, m *team.Member, t *team.Terminal) error {
	m.Typing.Lock()
	defer m.Typing.Unlock()
	if t.Instance != o.tmux.Instance() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	if err := o.tmux.KillSession(ctx, m.Name); err != nil && !errors.Is(err, tmux.ErrNoSession) &&
		!errors.Is(err, tmux.ErrNoServer) {
		return tmuxError(err)
	}
	return nil
}

// close takes the terminal from a member that is at its end, and records that.
func (o *Orchestrator) close(ctx context.Context, m *team.Member, evidence string) error {
	m.Typing.Lock()
	defer m.Typing.Unlock()
	m.SetTerminal(nil)
	if err := o.couriers.Abandon(ctx, m, "the agent was stopped"); err != nil {
		return err
	}
	if err := os.RemoveAll(o.privateDir(m)); err != nil {
		return fmt.Errorf("remove the files of %s: %w", m.Name, err)
	}
	return o.roster.SetState(ctx, m, parley.StateTerminated, evidence, nil)
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
