package terminal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/sh"
	"parley/internal/wait"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/program/profile"
	"parley/store"
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

// maxUnknownLooks is the number of looks for which a process that is just ending may have no command line and
// still count as alive.
const maxUnknownLooks = 20

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

// firstPrompt stores the first prompt of a launch, if it can be the program's argument or goes before what waits. Until
// end, the member's courier leaves it alone. The caller holds m.Changing.
func (la *launcher) firstPrompt(
	ctx context.Context, m *team.Member, p *profile.Profile, l *launch,
) (first Prompt, end func()) {
	argument := !l.begin.resumed && p.TakesPrompt(l.Argv)
	if l.first.Text == "" || la.ts.opts.Prompt == nil || !argument && l.first.Key == "" {
		return Prompt{}, func() {}
	}

	m.Typing.Lock()
	first = la.ts.opts.Prompt(ctx, m, p, l.first, argument)
	return first, func() {
		m.Started.Store(true) // also after an error, which may be that of a claim
		m.Typing.Unlock()
		m.Wake()
	}
}

// unsaid records what became of the first prompt of a launch that failed. full is nil if it failed before the start.
func (la *launcher) unsaid(ctx context.Context, first Prompt, full *launch) error {
	if first.Text == "" {
		return nil
	}

	fate := store.Change{State: parley.DeliveryFailed, Cause: parley.EndedTerminated.With("")}
	if full != nil && full.ran {
		silent := parley.EndedArgumentSilent.With("its launch failed")
		fate = store.Change{State: parley.DeliveryUnconfirmed, Cause: silent}
	}
	err := la.ts.store.Deliveries.Advance(ctx, first.Key, fate)
	if errors.Is(err, store.ErrStale) {
		return nil
	}
	return err
}

// say notes whether the operator has named the profile of a launch, by which they say that the program takes messages.
func (c choice) say(ctx context.Context, ts *Terminals, name string) choice {
	by, err := ts.roster.Caller(ctx)
	c.said = name != "" && err == nil && by.Kind == parley.KindHuman
	return c
}

// giveWord keeps that the program of a launch takes messages, if the operator has said so. Of a bare shell that would
// hold in every terminal that ends in one.
func (la *launcher) giveWord(ctx context.Context, p choice, l *launch) error {
	if !p.said || p.Name != profile.Default && p.Runs(l.Argv) || sh.IsShell(l.Argv) {
		return nil
	}
	return la.ts.places.Add(ctx, team.ProgramID(programAtEnd(l)), profile.Place{})
}

// tellWord says in the result of a launch that messages wait for its agent, if they do.
func (la *launcher) tellWord(res *parley.LaunchAgentResult, l *launch) {
	if res.Profile == profile.Default && !la.ts.places.Has(team.ProgramID(programAtEnd(l)), profile.Place{}) {
		res.Warning, res.Unknown = wordWarning(res.Name, l), !sh.IsShell(l.Argv)
	}
}

func wordWarning(name string, l *launch) string {
	if sh.IsShell(l.Argv) {
		return name + " is a shell, which would run messages as commands: they wait until a program that parley " +
			"knows reads there"
	}
	return fmt.Sprintf("parley does not know this program: messages to %s wait until one that it knows reads there, "+
		"or you say that this one takes them (parley answer %s messages; or --profile %s at the launch)",
		name, name, profile.Default)
}

// programAtEnd returns what a launch runs in the end: behind wrappers that name it, and the interpreter of a script.
func programAtEnd(l *launch) tmux.Program {
	argv := profile.Unwrapped(l.Argv)
	p := tmux.Program{Args: argv, Dir: l.Dir, File: l.path}
	for range deepest {
		if found, err := lookPath(p.Args[0], l.Dir, l.Env); err == nil {
			p.File = found
		}
		words := profile.InterpreterOf(p.File)
		if len(words) == 0 {
			break
		}
		p.Args = profile.Unwrapped(append(append(words, p.File), p.Args[1:]...))
	}

	if file, err := filepath.EvalSymlinks(p.File); err == nil {
		p.File = file
	}
	return p
}

// deepest is how many interpreters may be scripts themselves, as the kernel has it.
const deepest = 4
