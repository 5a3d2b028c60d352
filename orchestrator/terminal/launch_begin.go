package terminal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/tmux"
)

// waitForProgram waits until the process that tmux started has become the program: it has then removed its
// launch file and replaced itself.
func (la *launcher) waitForProgram(ctx context.Context, info tmux.PaneInfo, file string) error {
	pane, unknown := la.ts.tmux.Pane(info.ID), 0
	return wait.Until(ctx, 5*time.Millisecond, func() (bool, error) {
		now, err := pane.Info(ctx)
		if err != nil {
			return false, err
		}
		if now.Dead {
			return la.diedAtOnce(ctx, pane, now)
		}
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}

		argv, err := tmux.Foreground(info.PID)
		if err != nil { // its command line cannot be read; but while it lives, it is no longer parley
			unknown++
			return unknown > maxUnknownLooks && tmux.Alive(info.PID), nil
		}

		return !slices.Contains(argv, file), nil
	})
}

// diedAtOnce distinguishes a program that ended quickly, which is not an error, from one that could
// not be started: then `parley _exec` has said why and ended with ExecFailed.
func (la *launcher) diedAtOnce(ctx context.Context, pane *tmux.Pane, info tmux.PaneInfo) (bool, error) {
	if !info.ExitKnown {
		return false, nil // tmux was told to look again
	}
	if info.ExitStatus != ExecFailed || info.Signal != "" {
		return true, nil
	}

	screen, err := pane.Screen(ctx, tmux.ScreenOptions{Tail: 5, Join: true})
	if err != nil {
		return false, err
	}

	said := plain.CleanLine(strings.Join(screen.Lines, " "))

	return false, parley.Errorf(parley.InvalidArgument, "the program could not be started: %s", said).
		Suggest("Correct the command and launch again.")
}

// cleanUp ends the processes and the session that a failed launch may have left. Without a pane in info
// there may be no session, and no error of ending it counts.
func (la *launcher) cleanUp(ctx context.Context, m *team.Member, info tmux.PaneInfo) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()

	pid := info.PID
	if pid == 0 {
		pid = la.begun(ctx, m)
	}

	err := findTree(m.ID, pid, tmux.Birth(pid)).end(ctx, la.ts.opts.StopGrace)
	killed := la.ts.stopper.kill(ctx, m, la.ts.tmux.Pane(info.ID))
	if info.ID == "" {
		return err
	}
	return errors.Join(err, killed)
}

// begun returns the process of a member's session that tmux has made, although its answer did not come, or 0.
func (la *launcher) begun(ctx context.Context, m *team.Member) int {
	panes, err := la.ts.tmux.Panes(ctx)
	if err != nil {
		return 0
	}

	for _, p := range panes {
		if p.Session == m.Name && p.Owner == m.ID {
			return p.PID
		}
	}

	return 0
}
