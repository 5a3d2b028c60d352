package main

import (
	"context"
	"path"
	"slices"

	"parley/internal/daemon"
	"parley/tui"
)

// elsewhere returns the caller in another workspace, which is a directory here, or a host. A key in the
// environment belongs to the workspace that the caller began in.
func (c screens) elsewhere(name string) screens {
	at := *c.cli
	at.host, at.workspace = name, ""
	if path.IsAbs(name) {
		at.host, at.workspace = "", name
	}
	if place, err := c.shownPlace(); err == nil && c.isShown(place, name) {
		return c
	}
	at.env = append(slices.Clone(c.env), "PARLEY_KEY=")

	return screens{&at}
}

// isShown reports whether a workspace is the one that c is in.
func (c screens) isShown(at daemon.Place, name string) bool {
	if c.host == "" {
		return name == at.Root
	}
	h, err := c.hostOf()
	return err == nil && h.String() == name
}

// workspaces returns the workspaces of the user, those that need the person first.
func (c screens) workspaces(ctx context.Context, at daemon.Place) ([]tui.Workspace, error) {
	lines, err := survey{&c.output}.everywhere(ctx)
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
			Opened: c.isShown(at, l.Workspace),
		})
	}

	return all, nil
}
