package team

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/program/profile"
	"parley/tmux"
)

// takeSession takes what a report says of the program's session. Reports come out of order, and one
// from before the last change says nothing about the session of now. turns says that it has some.
func (r *Roster) takeSession(
	ctx context.Context, m *Member, req parley.ReportStateRequest, turns bool, at time.Time,
) error {
	t := m.Terminal()
	if req.Session == "" || t == nil || at.Before(t.Started) {
		return nil
	}

	m.Reports.session.Lock()
	defer m.Reports.session.Unlock()

	now := m.Agent().Session
	if at.Before(m.Reports.sessionAt) && req.Session != now.ID {
		return nil
	}

	said := parley.Said{ID: req.Session, Prompted: turns}
	if said.ID != now.ID {
		said.Own = t.IsOwnProcess(req.PID)
	}
	next := now.After(said)
	if next.ID != now.ID {
		m.Reports.sessionAt = at
	}

	return r.Records.SetSession(context.WithoutCancel(ctx), m, next)
}

// NotePrompt records that a member's program has taken a prompt: its session has turns, even if the report
// of that is lost.
func (r *Roster) NotePrompt(ctx context.Context, m *Member) error {
	m.Reports.session.Lock()
	defer m.Reports.session.Unlock()

	now := m.Agent().Session
	if now.State != parley.SessionChosen {
		return nil
	}
	return r.Records.SetSession(ctx, m, parley.Session{ID: now.ID, State: parley.SessionBegun})
}

// IsOwnProcess reports whether a process belongs to the agent's own program, and not to one of the
// same kind that this program has started as a tool.
func (t *Terminal) IsOwnProcess(pid int) bool {
	if pid <= 0 {
		return false
	}
	lineage, err := tmux.LineageOf(pid)
	if err != nil {
		return false
	}

	end := slices.IndexFunc(lineage.Line, func(p tmux.Process) bool { return p.PID == t.PID })
	if end < 0 {
		return false
	}

	var commands [][]string
	for _, p := range lineage.Line[:end+1] {
		commands = append(commands, p.Args)
	}

	return runsOnce(t.Profile, commands)
}

// runsOnce reports whether a line of processes, each the child of the next, runs the profile's program
// once at most. Several in a row count as one: many programs start themselves again. A package manager
// that starts it does not count.
func runsOnce(p *profile.Profile, commands [][]string) bool {
	times, before := 0, false
	for _, argv := range commands {
		runs := p.Runs(argv) && !profile.MayStart(argv)
		if runs && !before {
			times++
		}
		before = runs
	}
	return times <= 1
}
