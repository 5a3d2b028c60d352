package main

import (
	"context"
	"path"
	"runtime/debug"
	"slices"

	"parley"
	"parley/internal/daemon"
	"parley/tui"
)

// screenGC is the garbage collector's percentage for the screen. The screen keeps little
// compared to what it allocates for drawing: with 200 agents and 100,000 messages, paged
// through, it takes 53 MB, and 61 with Go's default of 100.
const screenGC = 40

// openScreens shows one screen after the other, as the person goes from workspace to workspace. Where the
// next cannot be shown, the one before is shown again, with the reason.
func openScreens(ctx context.Context, c *cli, link screenLink) error {
	if err := link.check(); err != nil {
		return err
	}
	if !link.plain && (!isTerminal(c.in) || !isTerminal(c.out)) {
		return parley.Errorf(parley.InvalidArgument, "the screen needs a terminal").
			Suggest("Use parley log -f to see the traffic without one, or parley tui --plain.")
	}
	if c.env.Get("GOGC") == "" {
		debug.SetGCPercent(screenGC)
	}

	var before *cli // that has been shown; nil for none
	var problem error
	for at := c; ; {
		next, err := openScreen(ctx, at, link, problem)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && before == nil:
			return err
		case err != nil:
			at, before, problem = before, nil, err
			continue
		case next == "":
			return nil
		}
		before, at, link, problem = at, inWorkspace(c, next), screenLink{}, nil
	}
}

// inWorkspace returns the caller in another workspace, which is a directory here, or a host. A key in the
// environment belongs to the workspace that the caller began in.
func inWorkspace(c *cli, name string) *cli {
	at := *c
	at.host, at.workspace = name, ""
	if path.IsAbs(name) {
		at.host, at.workspace = "", name
	}
	if place, err := screenPlace(c); err == nil && isShown(c, place, name) {
		return c
	}
	at.env = append(slices.Clone(c.env), "PARLEY_KEY=")

	return &at
}

// isShown reports whether a workspace is the one that c is in.
func isShown(c *cli, at daemon.Place, name string) bool {
	if c.host == "" {
		return name == at.Root
	}
	h, err := hostOf(c)
	return err == nil && h.String() == name
}

// screenWorkspaces returns the workspaces of the user, those that need the person first.
func screenWorkspaces(ctx context.Context, c *cli, at daemon.Place) ([]tui.Workspace, error) {
	lines, err := everywhere(ctx, c)
	if err != nil {
		return nil, err
	}

	var all []tui.Workspace
	for _, l := range lines {
		all = append(all, tui.Workspace{
			Name:   l.Workspace,
			Shown:  home(c.env, l.Workspace),
			State:  l.agents(),
			Needs:  l.needs(),
			Grave:  l.Problem != "",
			Opened: isShown(c, at, l.Workspace),
		})
	}

	return all, nil
}
