package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"syscall"
	"time"

	"parley"
	"parley/tmux"
)

// killTime is how long the kernel has to end what SIGKILL was sent to.
const killTime = 5 * time.Second

// StopAgent implements parley.TerminalService. A mailbox can be stopped too: its
// key is worth nothing from then on.
func (o *Orchestrator) StopAgent(ctx context.Context, req parley.StopAgentRequest) (*parley.StopAgentResult, error) {
	m, err := o.roster.find(req.Agent)
	if err != nil {
		return nil, err
	}
	if m.kind == parley.KindHuman {
		return nil, parley.Errorf(parley.InvalidArgument, "%s is a person and cannot be stopped", m.name).
			Suggest("parley down stops the daemon and its agents.")
	}
	m.changing.Lock()
	defer m.changing.Unlock()
	evidence := "stopped by " + parley.CallerFrom(ctx).Name
	if req.Reason != "" {
		evidence += ": " + parley.CleanLine(req.Reason)
	}
	ended, err := o.end(ctx, m, evidence)
	if err != nil {
		return nil, err
	}
	return &parley.StopAgentResult{Answer: parley.OK, AgentID: m.id, Name: m.name, Ended: ended}, nil
}

// end ends a member's processes and its session, and records it as terminated.
// It returns how many processes there were. The caller holds m.changing.
func (o *Orchestrator) end(ctx context.Context, m *member, evidence string) (int, error) {
	ctx = context.WithoutCancel(ctx) // half a stop would leave processes behind
	t, ended := m.place(), 0
	if t != nil {
		t.ended.Store(true)
		tree := findTree(m.id, t.pid)
		ended = len(tree.living())
		if err := tree.end(ctx, o.opts.Settings.StopGrace); err != nil {
			t.ended.Store(false)
			return ended, fmt.Errorf("stop %s: %w", m.name, err)
		}
		if err := o.endSession(ctx, m, t); err != nil {
			return ended, err
		}
	}
	return ended, o.setState(ctx, m, parley.StateTerminated, evidence, nil)
}

// endSession takes the terminal away, after the message in hand.
func (o *Orchestrator) endSession(ctx context.Context, m *member, t *terminal) error {
	ctx, cancel := context.WithTimeout(ctx, typingTime)
	defer cancel()
	m.typing.Lock()
	defer m.typing.Unlock()
	if t.instance == o.tmux.Instance() {
		if err := o.tmux.KillSession(ctx, m.name); err != nil && !errors.Is(err, tmux.ErrNoSession) && !errors.Is(err, tmux.ErrNoServer) {
			return tmuxError(err)
		}
	}
	m.mu.Lock()
	m.terminal = nil
	m.mu.Unlock()
	return o.abandon(ctx, m, "the agent was stopped")
}

// tree is the processes of one agent: what descends from its program, and what
// carries its id in its environment (a daemon that an agent started descends
// from nobody).
type tree struct {
	id        string
	root      int
	processes map[int]string // pid → when it was born, since a pid may be given again
}

func findTree(id string, root int) *tree {
	t := &tree{id: id, root: root, processes: map[int]string{}}
	t.grow()
	t.add(marked("PARLEY_AGENT_ID=" + id))
	return t
}

// grow adds what has appeared since. A parent's death does not hide a child that
// was seen before.
func (t *tree) grow() {
	roots := append(slices.Collect(maps.Keys(t.processes)), t.root)
	if found, err := tmux.Descendants(roots...); err == nil {
		t.add(found)
	}
	t.add([]int{t.root})
}

func (t *tree) add(pids []int) {
	for _, pid := range pids {
		if _, known := t.processes[pid]; known || pid <= 1 || !tmux.Alive(pid) {
			continue
		}
		if born := birth(pid); born != "" {
			t.processes[pid] = born
		}
	}
}

// living returns those that still run.
func (t *tree) living() []int {
	var pids []int
	for pid, born := range t.processes {
		if tmux.Alive(pid) && birth(pid) == born {
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
	return poll(ctx, 20*time.Millisecond, func() (bool, error) {
		t.grow()
		t.signal(sig)
		if len(t.living()) == 0 { // what hid by leaving the tree is found by its mark
			t.add(marked("PARLEY_AGENT_ID=" + t.id))
		}
		return len(t.living()) == 0, nil
	})
}
