package main

import (
	"context"
	"os/exec"
	"path"
	"slices"

	"parley/internal/daemon"
	"parley/internal/setting"
	"parley/tui"
)

// screenSettings returns the settings of the screen. It ignores an invalid
// parley.yaml, which the daemon reports: one may look at the screen even so.
func (s *surroundings) screenSettings(at daemon.Place) (daemon.ScreenSettings, tui.Notify, error) {
	screen := daemon.ScreenSettings{}
	if s.host == "" {
		if t, err := daemon.Load(at, s.env); err == nil {
			screen = t.Screen
		}
	}
	setting.Fill(&screen)
	if err := screen.Override(s.env); err != nil {
		return screen, tui.Notify{}, err
	}
	n, err := screen.Notification("the screen")
	return screen, n, err
}

// programs returns the profiles, those that were tried first, and whether their programs are
// installed here.
func (c screens) programs() []tui.Program {
	at, err := c.cli.at.place()
	if err != nil {
		return nil
	}
	t, err := daemon.Load(at, c.cli.at.env)
	if err != nil {
		return nil
	}
	set, err := t.ProfileSet()
	if err != nil {
		return nil
	}

	var all []tui.Program
	for _, p := range set.Launchable() {
		_, err := exec.LookPath(p.Command[0])
		all = append(all, tui.Program{Name: p.Name, Command: p.Command, Installed: err == nil})
	}
	return all
}

// examine returns the findings of parley doctor.
func (c screens) examine(ctx context.Context) []tui.Finding {
	d := &doctor{cli: c.cli}
	var all []tui.Finding
	for _, f := range examine(ctx, d.checks(), func([]string) {}) {
		all = append(all, tui.Finding{
			Check:  f.Check,
			Detail: f.Detail,
			Action: f.Action,
			Bad:    f.Level == problem,
			Well:   f.Level == fine,
		})
	}

	return all
}

// elsewhere returns the caller in another workspace, which is a directory here, or a host. A key in the
// environment belongs to the workspace that the caller began in.
func (c screens) elsewhere(name string) screens {
	there := newCLI(c.cli.program)
	there.at.host, there.at.workspace = name, ""
	if path.IsAbs(name) {
		there.at.host, there.at.workspace = "", name
	}
	if place, err := c.shownPlace(); err == nil && c.isShown(place, name) {
		return c
	}
	there.at.env = append(slices.Clone(c.cli.at.env), "PARLEY_KEY=")

	return screens{there}
}

// isShown reports whether a workspace is the one that c is in.
func (c screens) isShown(at daemon.Place, name string) bool {
	if c.cli.at.host == "" {
		return name == at.Root
	}
	h, err := c.cli.at.hostOf()
	return err == nil && h.String() == name
}

// workspaces returns the workspaces of the user, those that need the person first.
func (c screens) workspaces(ctx context.Context, at daemon.Place) ([]tui.Workspace, error) {
	lines, err := survey{c.cli.out}.everywhere(ctx)
	if err != nil {
		return nil, err
	}

	var all []tui.Workspace
	for _, l := range lines {
		all = append(all, tui.Workspace{
			Name:   l.Workspace,
			Shown:  home(c.cli.at.env, l.Workspace),
			State:  l.agents(),
			Needs:  l.needs(),
			Grave:  l.Problem != "",
			Opened: c.isShown(at, l.Workspace),
		})
	}

	return all, nil
}
