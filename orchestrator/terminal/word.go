package terminal

import (
	"context"
	"fmt"
	"path/filepath"

	"parley"
	"parley/internal/sh"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/tmux"
)

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
