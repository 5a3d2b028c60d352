package main

import (
	"context"

	"parley/internal/daemon"
	"parley/tui"
)

// loadScreenSettings returns the settings of the screen. It ignores an invalid
// parley.yaml, which the daemon reports: one may look at the screen even so.
func loadScreenSettings(c *cli, at daemon.Place) (daemon.ScreenSettings, tui.Notify, error) {
	s := daemon.ScreenSettings{}
	if c.host == "" {
		if t, err := daemon.Load(at, c.env); err == nil {
			s = t.Screen
		}
	}
	if err := s.Override(c.env); err != nil {
		return s, tui.Notify{}, err
	}
	n, err := s.Notification("the screen")
	return s, n, err
}

// runDoctor returns the findings of parley doctor.
func runDoctor(ctx context.Context, c *cli) []tui.Finding {
	d := &doctor{cli: c}
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
