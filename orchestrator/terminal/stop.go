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
	"parley/plain"
	"parley/program/door"
	"parley/tmux"
)

// killTime bounds the wait for processes that were sent SIGKILL.
const killTime = 5 * time.Second

// StopAgent does op.StopAgent. A mailbox can be stopped too: its keys are invalid from
// then on.
func (ts *Terminals) StopAgent(ctx context.Context, req parley.StopAgentRequest) (*parley.StopAgentResult, error) {
	m, err := ts.roster.Find(req.Agent)
	if err != nil {
		return nil, err
	}

	if m.Kind == parley.KindHuman {
		return nil, parley.Errorf(parley.InvalidArgument, "%s is a person and cannot be stopped", m.Name).
			Suggest("parley down stops the daemon and its agents.")
	}

	if err := ts.roster.Hosts.RefuseElsewhere(m, "parley stop "+m.Name); err != nil {
		return nil, err
	}

	m.Changing.Lock()
	defer m.Changing.Unlock()

	evidence := "stopped by " + parley.CallerFrom(ctx).Label()
	if req.Reason != "" {
		evidence += ": " + plain.CleanLine(req.Reason)
	}

	a, ran := m.Agent(), m.Terminal() != nil
	ended, err := ts.stopper.end(ctx, m, parley.StateTerminated, evidence)
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
		HadEnded: a.State == parley.StateExited,
		Released: ran && a.Adopted(),
	}, nil
}

// end ends a member's processes and its session, and records the state that follows: terminated, or
// starting when the caller launches it again, so that messages wait for that. It returns how many
// processes there were. The caller holds m.Changing.
func (st *stopper) end(
	ctx context.Context, m *team.Member, next parley.AgentState, evidence string,
) (int, error) {
	ctx = context.WithoutCancel(ctx) // half a stop would leave processes behind
	t := m.Terminal()
	ended, err := st.endProcesses(ctx, m, t)
	if err == nil && t != nil && !t.Adopted() {
		err = st.endSession(ctx, m, t)
	}
	if err == nil {
		err = st.close(ctx, m, next, evidence)
	}
	if err != nil && t != nil {
		t.Stopping.Store(false) // the watcher observes it again
	}

	return ended, err
}

// endProcesses ends the processes of a member, also when it has lost its terminal, and returns how
// many there were. An adopted agent is released instead. The caller holds m.Changing.
func (st *stopper) endProcesses(ctx context.Context, m *team.Member, t *team.Terminal) (int, error) {
	if m.Kind != parley.KindTerminal {
		return 0, nil
	}
	if a := m.Agent(); a.Adopted() { // its processes belong to the user
		return 0, st.ts.adopter.release(ctx, m)
	}

	if err := st.ts.sessions.learn(ctx, m, t); err != nil {
		return 0, err
	}

	root, born := 0, ""
	if t != nil {
		t.Stopping.Store(true)
		root, born = t.PID, t.Born
	}

	tree := findTree(m.ID, root, born)
	ended := len(tree.living())
	if err := tree.end(ctx, st.ts.opts.StopGrace); err != nil {
		return ended, fmt.Errorf("stop %s: %w", m.Name, err)
	}

	return ended, nil
}

// endSession ends a member's session, once the courier has finished its message.
func (st *stopper) endSession(ctx context.Context, m *team.Member, t *team.Terminal) error {
	m.Typing.Lock()
	defer m.Typing.Unlock()

	if t.Instance != st.ts.tmux.Instance() {
		return nil
	}

	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()

	if err := st.kill(ctx, m, t.Pane); err != nil && !errors.Is(err, tmux.ErrNoServer) {
		return tmuxError(err)
	}
	return nil
}

// kill ends a member's session and its pane: a person can have renamed the session, or moved the pane to
// another.
func (st *stopper) kill(ctx context.Context, m *team.Member, pane *tmux.Pane) error {
	err := st.ts.tmux.KillSession(ctx, m.Name, m.ID)
	if err == nil || errors.Is(err, tmux.ErrNoSession) || errors.Is(err, tmux.ErrOtherSession) {
		err = pane.Kill(ctx, m.ID)
	}
	return err
}

// refuseOtherSession returns AGENT_EXISTS if a session on parley's tmux server has the name of an agent
// that is to be launched, and no pane of it. id is "" for a new agent.
func (la *launcher) refuseOtherSession(ctx context.Context, name, id string) error {
	_, err := la.ts.tmux.FindSession(ctx, name, id)
	if !errors.Is(err, tmux.ErrOtherSession) {
		return nil // what else is wrong, the launch tells
	}
	server := "tmux -S " + la.ts.tmux.SocketPath()
	return parley.Errorf(parley.AgentExists, "parley's tmux has a session %s, and it is not this agent's", name).
		With("agent", name).
		Suggest("Rename it: %[1]s rename-session -t '=%[2]s' NEW, or end it with all that runs there: "+
			"%[1]s kill-session -t '=%[2]s'", server, name)
}

// close takes the terminal from a member whose processes have ended, removes its files and records the
// state that follows. The caller holds m.Changing.
func (st *stopper) close(ctx context.Context, m *team.Member, next parley.AgentState, evidence string) error {
	m.Typing.Lock()
	defer m.Typing.Unlock()

	m.SetTerminal(nil)
	if err := st.ts.couriers.Abandon(ctx, m, "the agent was stopped"); err != nil {
		return err
	}
	dir := PrivateDir(st.ts.opts.LaunchDir, m.ID)
	if err := errors.Join(door.Remove(dir), os.RemoveAll(dir), os.RemoveAll(HookDir(st.ts.opts.LaunchDir, m.ID)),
		st.ts.opts.Boundary.Sockets.Remove(m.ID)); err != nil {
		return fmt.Errorf("remove the files of %s: %w", m.Name, err)
	}

	return st.ts.roster.Records.SetState(ctx, m, next, evidence, nil)
}

// EndTree returns a function that ends a process and all that descend from it, in kindness first, and after grace kills
// what is left. What it has started by now counts, even if it leaves the tree meanwhile.
func EndTree(root int) func(ctx context.Context, grace time.Duration) error {
	t := &tree{processes: map[int]string{}}
	t.add([]int{root})
	t.grow()
	return t.end
}

// tree holds the processes of one agent: the descendants of its program, and those with its id in
// their environment, since a daemon that an agent has started is no descendant.
type tree struct {
	id        string         // "" for one that has none
	processes map[int]string // pid → when it was born, since a pid may be reused
}

// findTree finds the processes of the agent with this id. root is the pid of its program, which counts
// only if it is still the process that was born then.
func findTree(id string, root int, born string) *tree {
	t := &tree{id: id, processes: map[int]string{}}
	if born != "" && tmux.Birth(root) == born {
		t.processes[root] = born
	}
	t.grow()
	t.addMarked()
	return t
}

// addMarked adds those with the agent's id in their environment.
func (t *tree) addMarked() {
	if t.id != "" {
		t.add(tmux.Marked(parley.AgentIDVariable + "=" + t.id))
	}
}

// grow adds descendants that have appeared since. A known child stays in the tree when its parent
// ends.
func (t *tree) grow() {
	if found, err := tmux.Descendants(slices.Collect(maps.Keys(t.processes))...); err == nil {
		t.add(found)
	}
}

// add adds processes that live and are not known yet.
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

// living returns the pids of the processes that still run, sorted.
func (t *tree) living() []int {
	var pids []int
	for pid, born := range t.processes {
		if tmux.StillAlive(pid, born) {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids
}

// signal sends a signal to all processes that still run.
func (t *tree) signal(sig syscall.Signal) {
	for _, pid := range t.living() {
		_ = syscall.Kill(pid, sig) // fails if it has just ended, which is harmless
	}
}

// end asks the processes to end and kills them after grace. It returns nil only when all have ended.
func (t *tree) end(ctx context.Context, grace time.Duration) error {
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGCONT} {
		t.signal(sig)
	}

	const noSignal = syscall.Signal(0)
	if t.waitUntilGone(ctx, grace, noSignal) == nil || t.waitUntilGone(ctx, killTime, syscall.SIGKILL) == nil {
		return nil
	}

	return fmt.Errorf("processes %v do not end", t.living())
}

// waitUntilGone waits until no process is left, at most for patience, and sends each of them sig at every look.
func (t *tree) waitUntilGone(ctx context.Context, patience time.Duration, sig syscall.Signal) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return wait.Until(ctx, 20*time.Millisecond, func() (bool, error) {
		t.grow()
		t.signal(sig)
		if len(t.living()) == 0 { // find those that left the tree by the id in their environment
			t.addMarked()
		}
		return len(t.living()) == 0, nil
	})
}

// EndAll ends all agents and parley's own tmux server. It returns the names of the stopped agents, and
// of the adopted ones that run on. It waits for launches in progress; later ones are refused, unless
// it fails.
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

		if m.Kind == parley.KindTerminal && ts.roster.Hosts.Here(m) &&
			(m.Terminal() != nil || m.Agent().State != parley.StateTerminated) {
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
			_, err := ts.stopper.endProcesses(ctx, m, m.Terminal())
			if a := m.Agent(); err != nil && a.Adopted() { // options left on its pane are harmless
				ts.log.Warn("let an adopted agent go", "agent", m.Name, "error", err)
				return nil
			}
			return err
		})
	}

	if err := ends.Wait(); err != nil {
		for _, m := range members {
			if t := m.Terminal(); t != nil {
				t.Stopping.Store(false) // the watcher observes them again
			}
		}
		return nil, nil, err
	}

	// The sessions end with the server, even with one that no longer answers.
	if err := ts.tmux.Shutdown(ctx); err != nil && !errors.Is(err, tmux.ErrNoServer) {
		return nil, nil, tmuxError(err)
	}

	for _, m := range members {
		err = errors.Join(err, ts.stopper.close(ctx, m, parley.StateTerminated, evidence))
	}

	return stopped, left, err
}
