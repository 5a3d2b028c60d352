package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/daemon"
	"parley/orchestrator/trial"
	"parley/profile"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// profileCheck is one run of profiles check.
type profileCheck struct {
	*cli

	// flags
	at, size string
	patience time.Duration
}

func (k *profileCheck) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check NAME [-- COMMAND...]",
		Short: "Try whether parley reads an installed program as it is",
		Long: `Starts the program in a terminal that nobody else sees, in an empty directory, and tries what
parley relies on when it types a message: that it recognises when the program rests, that it reads a
draft that a person types, and what of a message stands in the composer. It presses no Enter: no
model is asked, and no token is used. It changes nothing of the program's settings and answers no
question. It takes half a minute.

What it finds is kept for this version of the program, and parley doctor shows it. The exit status
is 1 if something fails.

If the program asks something first, such as whether it may trust the directory, check it in a
directory that it trusts: --dir. With a COMMAND it tries that instead of the profile's.`,
		Example: `  parley profiles check claude
  parley profiles check gemini --dir . --size 80x24
  parley profiles check pi -- pi --offline`,
		Args: usage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return k.run(cmd.Context(), args[0], args[1:])
		},
	}

	k.flags(cmd.Flags())
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return completeProfiles(k.cli), cobra.ShellCompDirectiveNoFileComp
	}

	return cmd
}

func (k *profileCheck) flags(f *pflag.FlagSet) {
	f.StringVar(&k.at, "dir", "", "run the program in this directory, not in an empty one")
	f.StringVar(&k.size, "size", "120x40", "columns and rows of its terminal")
	f.DurationVar(&k.patience, "timeout", time.Minute, "longest wait until it rests")
}

func (k *profileCheck) run(ctx context.Context, name string, command []string) error {
	set, err := k.profileSet()
	if err != nil {
		return err
	}
	p, err := set.Find(name)
	if err != nil {
		return err
	}
	checks := daemon.ChecksDir(k.env)
	if checks == "" {
		return parley.Errorf(parley.InvalidArgument, "there is no directory to keep the result in").
			Suggest("Set HOME, or XDG_STATE_HOME to a directory that is kept.")
	}

	if len(command) == 0 {
		command = p.Command
	}
	opts, err := k.options(ctx, p, command)
	if err != nil {
		return err
	}
	if !k.json {
		if err := k.printLine(k.paint(bold, strings.TrimSpace(name+" "+opts.Version)) + ": " + opts.Program); err != nil {
			return err
		}
	}

	res, err := trial.Run(ctx, opts)
	if err != nil {
		return err
	}
	// What was found of another command says nothing of the profile's program.
	if p.Runs(append([]string{opts.Program}, command[1:]...)) || slices.Equal(command, p.Command) {
		if err := trial.Keep(checks, res); err != nil {
			return err
		}
	}

	return k.report(&res)
}

// options returns how a command is tried with a profile.
func (k *profileCheck) options(ctx context.Context, p *profile.Profile, command []string) (o trial.Options, err error) {
	width, height, err := daemon.ParseSize(k.size)
	if err != nil {
		return o, err
	}
	program, err := k.find(p, command)
	if err != nil {
		return o, err
	}
	at := k.at
	if at != "" && !filepath.IsAbs(at) {
		at = filepath.Join(k.dir, at)
	}

	version := ""
	if !p.Runs([]string{"parley", "demo-agent"}) {
		version, _ = trial.VersionOf(ctx, p, program, k.env.Scrubbed()) // "" is kept too
	}
	return trial.Options{
		Profile: p, Program: program, Args: command[1:], Version: version, Dir: at, Env: k.env.Scrubbed(),
		Width: width, Height: height, Patience: k.patience, Now: k.now, Tell: k.tell,
	}, nil
}

// find returns the path of the program that a command runs.
func (k *profileCheck) find(p *profile.Profile, command []string) (string, error) {
	if len(command) == 0 {
		return "", parley.Errorf(parley.InvalidArgument, "the profile %s names no program", p.Name).
			Suggest("Give its command: parley profiles check %s -- COMMAND", p.Name)
	}
	if command[0] == "parley" {
		return k.executable, nil
	}
	path, ok := (&doctor{cli: k.cli}).lookPath(command[0], k.dir)
	if !ok {
		return "", parley.Errorf(parley.InvalidArgument, "%s is not installed", command[0]).
			With("program", command[0]).
			Suggest("Install it, or give its path: parley profiles check %s -- /path/to/%s",
				parley.ShellWord(p.Name), parley.ShellWord(filepath.Base(command[0])))
	}
	return path, nil
}

// verdictStyle returns how a verdict is drawn.
func verdictStyle(v trial.Verdict) string {
	switch v {
	case trial.Holds:
		return green
	case trial.Fails:
		return red
	}
	return faint
}

// tell shows one finding as it comes.
func (k *profileCheck) tell(f trial.Finding) {
	if k.json {
		return
	}
	line := "  " + pad(string(f.Guarantee), 12) + k.paint(verdictStyle(f.Verdict), pad(string(f.Verdict), 9))
	if f.Saw != "" {
		line += "  " + parley.CleanLine(f.Saw)
	}
	_ = k.printLine(strings.TrimRight(line, " ")) // the result tells if it cannot be written
}

func (k *profileCheck) report(res *trial.Result) error {
	failed := res.Failed()
	if k.json {
		if err := k.printJSON(struct {
			parley.Answer
			trial.Result
		}{parley.OK, *res}); err != nil {
			return err
		}
	} else if len(failed) > 0 {
		if err := k.printLine("→ Messages to this version may wait. Correct the markers in parley.yaml: parley profiles " +
			res.Profile); err != nil {
			return err
		}
	}
	if len(failed) > 0 {
		return exitCode(1)
	}
	return nil
}
