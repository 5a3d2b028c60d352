package main

import (
	"testing"
	"time"

	"parley/tui"
)

func TestScreenSettingsSayHowOneIsTold(t *testing.T) {
	for _, c := range []struct {
		env  environ
		want tui.Notify
	}{
		{nil, tui.Notify{Bell: true, Desktop: true}},
		{environ{"PARLEY_SCREEN_NOTIFY=none"}, tui.Notify{}},
		{environ{"PARLEY_SCREEN_NOTIFY=bell"}, tui.Notify{Bell: true}},
		{environ{"PARLEY_SCREEN_NOTIFY=desktop, bell", "PARLEY_SCREEN_QUIET_HOURS=22:30-07:00"},
			tui.Notify{Bell: true, Desktop: true, Quiet: tui.QuietHours{From: 22*time.Hour + 30*time.Minute, To: 7 * time.Hour}}},
	} {
		var s screenSettings
		if err := s.overrideFrom(c.env); err != nil {
			t.Errorf("%v: %v", c.env, err)
		}
		if got, err := s.notice("here"); got != c.want || err != nil {
			t.Errorf("%v: got %+v, %v, want %+v", c.env, got, err, c.want)
		}
	}
	for _, entry := range []string{"NOTIFY=horn", "QUIET_HOURS=22", "QUIET_HOURS=25:00-07:00", "REDUCED_MOTION=some"} {
		var s screenSettings
		if err := s.overrideFrom(environ{"PARLEY_SCREEN_" + entry}); err == nil {
			t.Errorf("%s was taken", entry)
		}
	}
	var s screenSettings
	if err := s.overrideFrom(environ{"PARLEY_SCREEN_REDUCED_MOTION=true"}); err != nil || !s.ReducedMotion {
		t.Errorf("reduced motion is %v, %v, want true", s.ReducedMotion, err)
	}
}
