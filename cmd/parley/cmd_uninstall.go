package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley"
	"parley/internal/daemon"

	"github.com/spf13/cobra"
)

func uninstallCommand(c *cli) *cobra.Command {
	var yes, workspaces bool
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
		Args: usage(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return c.uninstall(yes, workspaces) },
	}

	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&workspaces, "workspaces", false,
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

func (c *cli) uninstall(yes, workspaces bool) error {
	if c.isAgent() {
		return parley.Errorf(parley.NotAuthorized, "an agent cannot uninstall parley").
			Suggest("The operator runs parley uninstall in a terminal of their own.")
	}
	if err := mustRest(c.env); err != nil {
		return err
	}

	res := uninstallResult{
		Answer: parley.OK, Removed: []daemon.Trace{}, Kept: []daemon.Trace{}, Program: c.executable,
	}
	for _, t := range daemon.Traces(c.env) {
		if t.Workspace && !workspaces {
			res.Kept = append(res.Kept, t)
			continue
		}
		res.Removed = append(res.Removed, t)
	}

	switch {
	case len(res.Removed) == 0:
	case !yes && !c.canAsk():
		return parley.Errorf(parley.InvalidArgument, "nobody can be asked: there is no terminal").
			With("would_remove", res.Removed).
			Suggest("Look at the list with --json, then run parley uninstall --yes.")
	case !yes && !mayRemove(c, res.Removed):
		return exitCode(1)
	}

	if err := removeTraces(res.Removed); err != nil {
		return err
	}
	return printUninstalled(&c.output, &res)
}

// mustRest returns an error while a daemon or agents of the user run: they use what is removed.
func mustRest(env daemon.Environ) error {
	for _, at := range daemon.Workspaces(env) {
		held, err := daemon.Locked(at) // also by one that starts or ends
		if err != nil {
			return err
		}
		if held || accepts(at.TmuxSocket(env)) {
			return parley.Errorf(parley.DaemonRunning, "a daemon or its agents run in %s", at.Root).
				Suggest("Stop them first: parley down --workspace %s", parley.ShellWord(at.Root))
		}
	}
	return nil
}

// mayRemove shows what would be removed and asks.
func mayRemove(c *cli, traces []daemon.Trace) bool {
	for _, t := range traces {
		fmt.Fprintf(c.err, "%s  %s\n", c.paintFor(c.err, bold, t.Path), t.What)
	}
	return c.agreed("Remove all this? [y/N] ")
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

func printUninstalled(o *output, res *uninstallResult) error {
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
