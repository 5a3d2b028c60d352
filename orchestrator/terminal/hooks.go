package terminal

import (
	"context"
	"path/filepath"
	"time"

	"parley"
	"parley/orchestrator/courier"
	"parley/orchestrator/team"
	"parley/program/door"
)

// hookWithin bounds how long a hook waits for a message that is there for its program. The courier looks at the screen
// and claims the message meanwhile.
const hookWithin = 900 * time.Millisecond

// HookDir returns the directory of what hooks of an agent took, below that of launches.
func HookDir(launches, agentID string) string { return filepath.Join(launches, "hooked", agentID) }

// give lets a hook that waits take the message that its program may have now, and returns what it prints. It is empty
// without one.
func (ts *Terminals) give(
	ctx context.Context, m *team.Member, req *parley.ReportStateRequest,
) (print string, err error) {
	t, file := m.Terminal(), m.Reports.Transcript()
	if t == nil || !req.Waits || m.Agent().Door == courier.DoorNever {
		return "", nil
	}
	hooks := &t.Profile.Door.Hooks
	hook, takes := hooks.Of(req.Event)
	if !takes || !hook.IsReported() && file == "" {
		return "", nil
	}

	jobs, err := ts.store.Deliveries.Pending(ctx, m.ID, 1)
	if err != nil || len(jobs) == 0 || !hook.IsEnd() && !team.IsUrgent(jobs[0]) {
		return "", err
	}
	if hooks.File != "" {
		file = filepath.Join(filepath.Dir(file), hooks.File)
	}

	ctx, cancel := context.WithTimeout(ctx, hookWithin)
	defer cancel()
	at := door.Moment{AtEnd: hook.IsEnd(), Marks: hook.Marks, Alters: hook.IsAltered}
	call := door.NewCall(HookDir(ts.opts.LaunchDir, m.ID), hook.Kind(), file, at, ctx.Done())

	l, taken := ts.couriers.Call(ctx, m, call, req.Continued)
	if !taken {
		return "", nil
	}
	return hook.Print(l.Text)
}

// isReported reports whether a program reports what a hook of an event gave it, as a prompt that begins then.
func isReported(m *team.Member, event string) bool {
	t := m.Terminal()
	if t == nil {
		return false
	}
	hook, ok := t.Profile.Door.Hooks.Of(event)
	return ok && hook.IsReported()
}
