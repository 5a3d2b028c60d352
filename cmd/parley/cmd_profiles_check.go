package main

import (
	"cmp"
	"context"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley"
	"parley/internal/daemon"
	"parley/internal/place"
	"parley/internal/sh"
	"parley/orchestrator/trial"
	"parley/plain"
	"parley/program/profile"
)

type profileCheck struct {
	cli   *cli
	again string // the command that tries the program at another path

	// flags
	at, size string
	model    string // the URL of a scripted one
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

With --model it also tries what only a model can show: that a message is taken, that work and its end
are seen, that the program's queue takes a message, that its question and a failure of its model are
seen, that a message comes in by its own door beside a person's draft, and that a turn goes on
with one that a hook prints at its end. The program then runs in an empty home directory with a
configuration of the profile's (scripted), so neither your settings nor your keys are used. The model
must be a scripted one, which does what prompts say (SLEEP 5, CALL tool {…}, FAIL 401): parley's
source has one, make model.

What it finds is kept for this version of the program, and parley doctor shows it. The exit status
is 1 if something fails.

If the program asks something first, such as whether it may trust the directory, check it in a
directory that it trusts: --dir. With a COMMAND it tries that instead of the profile's.`,
		Example: `  parley profiles check claude
  parley profiles check gemini --dir . --size 80x24
  parley profiles check claude --model http://127.0.0.1:8399
  parley profiles check pi -- pi --offline`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return k.run(cmd.Context(), args[0], args[1:])
		},
	}

	k.flags(cmd.Flags())
	cmd.Flags().StringVar(&k.model, "model", "", "also try it with the scripted model at this URL")
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return completer{k.cli}.profiles(), cobra.ShellCompDirectiveNoFileComp
	}

	return cmd
}

func (k *profileCheck) flags(f *pflag.FlagSet) {
	f.StringVar(&k.at, "dir", "", "run the program in this directory, not in an empty one")
	f.StringVar(&k.size, "size", "120x40", "columns and rows of its terminal")
	f.DurationVar(&k.patience, "timeout", time.Minute, "longest wait until it rests")
}

// modelURL returns the URL of the model to try it with, "" if there is none.
func (k *profileCheck) modelURL() (string, error) {
	at, err := url.Parse(k.model)
	if k.model != "" && (err != nil || at.Host == "" || !strings.HasPrefix(at.Scheme, "http")) {
		return "", parley.Errorf(parley.InvalidArgument, "--model is %q, which is no URL",
			plain.CleanLine(k.model)).
			Suggest("Give the URL of a scripted model, such as http://127.0.0.1:8399.")
	}
	return strings.TrimRight(k.model, "/"), nil
}

func (k *profileCheck) run(ctx context.Context, name string, command []string) error {
	set, err := k.cli.profileSet()
	if err != nil {
		return err
	}
	p, err := set.Find(name)
	if err != nil {
		return err
	}
	checks := place.ChecksDir(k.cli.at.env)
	if checks == "" {
		return parley.Errorf(parley.InvalidArgument, "there is no directory to keep the result in").
			Suggest("Set HOME, or XDG_STATE_HOME to a directory that is kept.")
	}

	if len(command) == 0 {
		command = p.Command
	}
	k.again = "parley profiles check " + sh.Word(name)
	opts, err := k.options(ctx, p, command)
	if err != nil {
		return err
	}
	if opts.Model, err = k.modelURL(); err != nil {
		return err
	}
	if !k.cli.out.json {
		if err := k.cli.out.printLine(k.cli.out.paint(bold, strings.TrimSpace(name+" "+opts.Version)) + ": " +
			opts.Program); err != nil {
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
		at = filepath.Join(k.cli.at.dir, at)
	}

	version := ""
	starts, ok := profile.Starts(append([]string{program}, command[1:]...))
	if ok && !p.Runs([]string{"parley", "demo-agent"}) {
		version, _ = trial.VersionOf(ctx, p, starts, k.cli.at.env.Scrubbed()) // "" is kept too
	}
	return trial.Options{
		Profile: p, Program: program, Args: command[1:], Version: version, Dir: at, Env: k.cli.at.env.Scrubbed(),
		Width: width, Height: height, Patience: k.patience, Now: k.cli.out.now, Tell: k.tell,
	}, nil
}

// find returns the path of the program that a command runs.
func (k *profileCheck) find(p *profile.Profile, command []string) (string, error) {
	if len(command) == 0 {
		return "", parley.Errorf(parley.InvalidArgument, "the profile %s names no program", p.Name).
			Suggest("Give its command: %s -- COMMAND", k.again)
	}
	if command[0] == "parley" {
		return k.cli.program.executable, nil
	}
	path, ok := lookPath(k.cli.at.env, command[0], k.cli.at.dir)
	if !ok {
		return "", parley.Errorf(parley.InvalidArgument, "%s is not installed", command[0]).
			With("program", command[0]).
			Suggest("Install it, or give its path: %s -- /path/to/%s", k.again,
				sh.Word(filepath.Base(command[0])))
	}
	return path, nil
}

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
	if k.cli.out.json || f.Saw == trial.NoModel {
		return
	}
	line := "  " + pad(f.Guarantee.Words(), 12) + k.cli.out.paint(verdictStyle(f.Verdict), pad(string(f.Verdict), 9))
	if f.Saw != "" {
		line += "  " + plain.CleanLine(f.Saw)
	}
	_ = k.cli.out.printLine(strings.TrimRight(line, " ")) // the result tells if it cannot be written
}

// conclude says what holds for the version, and what to do about what does not.
func (k *profileCheck) conclude(res *trial.Result, fails bool) error {
	if err := k.cli.out.printLine(cmp.Or(res.Version, res.Profile) + ": " + res.Words()); err != nil || !fails {
		return err
	}
	does := "→ "
	beside := []trial.Guarantee{trial.Door, trial.Hooks}
	if !slices.ContainsFunc(res.Failed(), func(g trial.Guarantee) bool { return !slices.Contains(beside, g) }) {
		return k.cli.out.printLine("→ Messages to this version are typed.")
	}
	if res.Misread() {
		does = "→ Messages to this version are typed as carefully as to any program that parley does not know. "
	}
	return k.cli.out.printLine(does + "Correct the markers in parley.yaml: parley profiles " + res.Profile)
}

func (k *profileCheck) report(res *trial.Result) error {
	failed := res.Failed()
	if k.cli.out.json {
		if err := k.cli.out.printJSON(struct {
			parley.Answer
			trial.Result
		}{parley.OK, *res}); err != nil {
			return err
		}
	} else if err := k.conclude(res, len(failed) > 0); err != nil {
		return err
	}
	if len(failed) > 0 {
		return exitCode(1)
	}
	return nil
}
