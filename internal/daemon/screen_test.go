package daemon

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"parley"
	"parley/internal/setting"
	"parley/tui"
)

func TestSchemaAndScreenAgreeOnQuietHours(t *testing.T) {
	form := regexp.MustCompile(setting.Find(reflect.TypeFor[ScreenSettings](), "quiet_hours").Pattern)
	taken := 0
	for _, from := range []string{"0:00", "7:30", "07:30", "23:59", "24:00", "24:01", "25:00", "29:00", "7:60", "7",
		"", " 9:05"} {
		for _, to := range []string{"0:00", "7:00", "23:59", "24:00", "24:30", "25:00", "12:5", " 19:00 "} {
			s := ScreenSettings{QuietHours: from + "-" + to}
			n, err := s.Notification("here")
			if got, want := err == nil, form.MatchString(s.QuietHours); got != want {
				t.Errorf("%q is taken: %v, by the schema: %v", s.QuietHours, got, want)
			}
			if err == nil {
				taken++
			}
			if to == "24:00" && err == nil && n.Quiet.To != 24*time.Hour {
				t.Errorf("%q ends at %v", s.QuietHours, n.Quiet.To)
			}
		}
	}

	if got, want := taken, 5*5; got != want {
		t.Errorf("%d were taken, want %d", got, want)
	}
}

func TestScreenSettingsChooseNotifications(t *testing.T) {
	for _, c := range []struct {
		env  Environ
		want tui.Notify
	}{
		{nil, tui.Notify{Bell: true, Desktop: true}},
		{Environ{"PARLEY_SCREEN_NOTIFY=none"}, tui.Notify{}},
		{Environ{"PARLEY_SCREEN_NOTIFY=bell"}, tui.Notify{Bell: true}},
		{Environ{"PARLEY_SCREEN_NOTIFY=desktop, bell", "PARLEY_SCREEN_QUIET_HOURS=22:30-07:00"},
			tui.Notify{Bell: true, Desktop: true, Quiet: tui.QuietHours{From: 22*time.Hour + 30*time.Minute,
				To: 7 * time.Hour}}},
	} {
		var s ScreenSettings
		if err := s.Override(c.env); err != nil {
			t.Errorf("%v: %v", c.env, err)
		}
		if got, err := s.Notification("here"); got != c.want || err != nil {
			t.Errorf("%v: got %+v, %v, want %+v", c.env, got, err, c.want)
		}
	}

	for _, entry := range []string{"NOTIFY=horn", "QUIET_HOURS=22", "QUIET_HOURS=25:00-07:00", "REDUCED_MOTION=some",
		"DETAIL_WIDTH=wide", "DETAIL_WIDTH=95", "AGENT_COLUMNS=x"} {
		var s ScreenSettings
		if err := s.Override(Environ{"PARLEY_SCREEN_" + entry}); err == nil {
			t.Errorf("%s was taken", entry)
		}
	}

	var s ScreenSettings
	if err := s.Override(Environ{"PARLEY_SCREEN_REDUCED_MOTION=true", "PARLEY_SCREEN_MOUSE=1"}); err != nil ||
		!s.ReducedMotion ||
		!s.Mouse {
		t.Errorf("reduced motion is %v, the mouse %v, %v; want both", s.ReducedMotion, s.Mouse, err)
	}
}

func TestScreenSettingsSayWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		s    ScreenSettings
		want string
	}{
		{ScreenSettings{Theme: "dark", First: "needs", Keys: map[string]string{"tiles": "f5"}}, ""},
		{ScreenSettings{Theme: "pink"}, "here: theme is pink: Give terminal, light, dark, contrast, none."},
		{ScreenSettings{First: "home"}, "here: first is home: Give traffic, agents, threads, needs, health."},
		{ScreenSettings{Keys: map[string]string{"tile": "x"}},
			`here: screen: keys has "tile", which is no action: Did you mean tiles? The table of keys in docs/screen.md names the actions.`},
		{ScreenSettings{AgentColumns: "waiting, Last-Hour", TrafficColumns: "state", DetailWidth: 40,
			DetailHeight: 80}, ""},
		{ScreenSettings{AgentColumns: "for, rol"},
			`here: screen: agent_columns has "rol", which is no column: Did you mean role? ` +
				`There are for, branch, context, today, quota, messages, talk, runs, role, host, ports, pull-request, directory, last-hour, work.`},
		{ScreenSettings{TrafficColumns: "time, 水"},
			`here: screen: traffic_columns has "水", which is no column: There are time, route, state, tag.`},
		{ScreenSettings{TrafficColumns: "time time"}, "here: screen: traffic_columns has time twice: Name it once."},
		{ScreenSettings{DetailWidth: 90}, "here: screen: detail_width is 90: Give 20 to 80, in percent, or 0."},
		{ScreenSettings{DetailHeight: 5}, "here: screen: detail_height is 5: Give 20 to 80, in percent, or 0."},
		{ScreenSettings{Filters: map[string]string{"a": ""}},
			`here: screen: filters has "a": Give it what the filter line takes, such as is:held to:coder.`},
	} {
		got := ""
		if err := c.s.check("here"); err != nil {
			e := parley.AsError(err)
			got = e.Message + ": " + e.Action
		}
		if got != c.want {
			t.Errorf("%+v: got %q, want %q", c.s, got, c.want)
		}
	}
}

// The screen and the settings know the same screens and themes.
func TestScreenSettingsNameWhatThereIs(t *testing.T) {
	for name, want := range map[string][]string{"first": tui.Screens, "theme": tui.Themes} {
		if got := setting.Find(reflect.TypeFor[ScreenSettings](), name).Enum; !slices.Equal(got, want) {
			t.Errorf("%s may be %q, want %q", name, got, want)
		}
	}
}

// Somebody else's keys count only once the user trusts the file.
func TestUntrustedKeysAreLeftOut(t *testing.T) {
	before := map[string]string{"tiles": "f5"}
	file := &Team{Screen: ScreenSettings{Keys: map[string]string{"tiles": "f5", "agents.stop": "enter"}}}
	file.Claims = file.keyClaims(before)
	if got, want := file.Claims, (Claim{"screen",
		"screen sets keys: agents.stop is enter, tiles is f5"}); len(got) != 1 || got[0] != want {
		t.Errorf("claims %v, want %v", got, want)
	}

	file.withhold(&Team{Screen: ScreenSettings{Keys: before}})
	if !maps.Equal(file.Screen.Keys, before) || len(file.Withheld) != 1 {
		t.Errorf("keeps %v and withholds %v", file.Screen.Keys, file.Withheld)
	}
	if again := file.keyClaims(before); again != nil {
		t.Errorf("the user's own keys are claimed: %v", again)
	}
}
