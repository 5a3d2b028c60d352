package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/daemon"
	"parley/internal/place"
	"parley/internal/sh"
	"parley/tmux"
)

// uninstallCommand removes what parley wrote for the user.
type uninstallCommand struct{ yes, workspaces bool }

func (u *uninstallCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove what parley wrote for you, after showing it",
		Long: `Shows what parley wrote on this machine for you, asks, and removes it: what you trust, keys of
other machines, sockets, manual pages and completions. The messages, files and backups of
workspaces stay, unless you name them with --workspaces. What you wrote stays in any case. parley
changes no settings of agent programs, so there is nothing to take back. The program itself is
removed by what installed it: the package manager, or install.sh uninstall.`,
		Example: `  parley uninstall
  parley uninstall --yes                  # without asking
  parley uninstall --workspaces           # also the messages of all workspaces`,
		RunE: func(*cobra.Command, []string) error { return u.run(&c.program) },
	}

	cmd.Flags().BoolVar(&u.yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&u.workspaces, "workspaces", false,
		"also remove the messages, files and backups of all workspaces")
	return cmd
}

// uninstallResult is what a removal did.
type uninstallResult struct {
	parley.Answer
	Removed []daemon.Trace `json:"removed"`
	Kept    []daemon.Trace `json:"kept"`
	Program string         `json:"program"`
}

func (u *uninstallCommand) run(p *program) error {
	if p.out.at.isAgent() {
		return parley.Errorf(parley.NotAuthorized, "an agent cannot uninstall parley").
			Suggest("The operator runs parley uninstall in a terminal of their own.")
	}
	if err := mustRest(p.out.at.env); err != nil {
		return err
	}

	res := uninstallResult{
		Answer: parley.OK, Removed: []daemon.Trace{}, Kept: []daemon.Trace{}, Program: p.executable,
	}
	for _, t := range daemon.Traces(p.out.at.env) {
		if t.Workspace && !u.workspaces {
			res.Kept = append(res.Kept, t)
			continue
		}
		res.Removed = append(res.Removed, t)
	}

	switch {
	case len(res.Removed) == 0:
	case !u.yes && !p.canAsk():
		return parley.Errorf(parley.InvalidArgument, "parley cannot ask: there is no terminal").
			With("would_remove", res.Removed).
			Suggest("Look at the list with --json, then run parley uninstall --yes.")
	case !u.yes && !u.mayRemove(p, res.Removed):
		return exitCode(1)
	}

	if err := removeTraces(res.Removed); err != nil {
		return err
	}
	return u.report(&p.out, &res)
}

// mustRest returns an error while a daemon or agents of the user run: they use what is removed.
func mustRest(env daemon.Environ) error {
	for _, at := range place.Workspaces(env) {
		held, err := at.Lock().Held() // also by one that starts or ends
		if err != nil {
			return err
		}
		if held || tmux.Runs(at.TmuxSocket()) {
			return parley.Errorf(parley.DaemonRunning, "a daemon or its agents run in %s", at.Root).
				Suggest("Stop them first: parley down --workspace %s", sh.Word(at.Root))
		}
	}
	return nil
}

// mayRemove shows what would be removed and asks.
func (*uninstallCommand) mayRemove(p *program, traces []daemon.Trace) bool {
	for _, t := range traces {
		fmt.Fprintf(p.out.err, "%s  %s\n", p.out.paintFor(p.out.err, bold, t.Path), t.What)
	}
	return p.agreed("Remove all this? [y/N] ")
}

// removeTraces removes what is listed, and the directory of parley's state if it is empty then.
func removeTraces(traces []daemon.Trace) error {
	var failed error
	for _, t := range traces {
		if err := os.RemoveAll(t.Path); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if above := filepath.Dir(t.Path); strings.HasPrefix(filepath.Base(above), "parley") {
			_ = os.Remove(above) // only if it is empty
		}
	}

	if failed != nil {
		return parley.Errorf(parley.StorageUnavailable, "not everything was removed: %w", failed).
			Suggest("Remove the rest by hand.")
	}
	return nil
}

func (*uninstallCommand) report(o *output, res *uninstallResult) error {
	if o.json {
		return o.printJSON(res)
	}

	for _, t := range res.Removed {
		o.printf("removed  %s\n", t.Path)
	}
	for _, t := range res.Kept {
		o.printf("kept     %s  %s\n", t.Path, t.What)
	}
	if len(res.Kept) > 0 {
		o.printf("parley uninstall --workspaces removes these too.\n")
	}

	return o.printLine("The program is " + res.Program + "; what installed it removes it.")
}
