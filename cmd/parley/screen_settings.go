package main

import (
	"context"
	"os/exec"

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
	at, err := c.place()
	if err != nil {
		return nil
	}
	t, err := daemon.Load(at, c.env)
	if err != nil {
		return nil
	}
	set, err := t.ProfileSet()
	if err != nil {
		return nil
	}

	var tried, others []tui.Program
	for _, name := range set.Names() {
		p, err := set.Find(name)
		if err != nil || len(p.Command) == 0 {
			continue
		}
		_, err = exec.LookPath(p.Command[0])
		program := tui.Program{Name: p.Name, Command: p.Command, Installed: err == nil}
		if len(p.Tested) > 0 {
			tried = append(tried, program)
		} else {
			others = append(others, program)
		}
	}

	return append(tried, others...)
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
