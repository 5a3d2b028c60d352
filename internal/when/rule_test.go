package when

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
)

// times returns the next times of a rule, each as the clocks of the zone show it.
func times(t *testing.T, rule, zone, from string, n int) (got []string) {
	t.Helper()
	r := must.Have(ParseRule(rule))(t)
	z := must.Have(time.LoadLocation(zone))(t)
	at := must.Have(time.ParseInLocation(time.DateTime, from, z))(t)
	anchor := at
	for range n {
		next := r.Next(at, anchor, z)
		if !next.After(at) {
			t.Fatalf("%s after %s is %s", rule, at, next)
		}
		at = next
		got = append(got, at.Format("Mon 02 15:04 -07"))
	}
	return got
}

func TestRulesGoByTheClocksOfTheirZone(t *testing.T) {
	const berlin, newYork = "Europe/Berlin", "America/New_York"
	for _, c := range []struct{ rule, zone, from, want string }{
		// A time of day stays where it is when the clocks change.
		{"weekdays 9:00", berlin, "2026-03-26 10:00:00", "Fri 27 09:00 +01, Mon 30 09:00 +02, Tue 31 09:00 +02"},
		{"weekdays 9:00", berlin, "2026-10-22 10:00:00", "Fri 23 09:00 +02, Mon 26 09:00 +01, Tue 27 09:00 +01"},
		{"weekdays 9:00", newYork, "2026-03-05 10:00:00", "Fri 06 09:00 -05, Mon 09 09:00 -04"},
		{"weekdays 9:00", newYork, "2026-10-29 10:00:00", "Fri 30 09:00 -04, Mon 02 09:00 -05"},

		// One that does not exist comes as much later as the clocks jump.
		{"daily 2:30", berlin, "2026-03-27 12:00:00", "Sat 28 02:30 +01, Sun 29 03:30 +02, Mon 30 02:30 +02"},
		{"daily 2:30", newYork, "2026-03-07 12:00:00", "Sun 08 03:30 -04, Mon 09 02:30 -04"},
		{"daily 2:30", berlin, "2026-03-29 03:10:00", "Sun 29 03:30 +02, Mon 30 02:30 +02"},
		{"daily 0:00", "America/Sao_Paulo", "2018-11-03 12:00:00", "Sun 04 01:00 -02, Mon 05 00:00 -02"},
		{"daily 2:15", "Australia/Lord_Howe", "2026-10-03 12:00:00", "Sun 04 02:45 +11, Mon 05 02:15 +11"},

		// One that comes twice counts the first time.
		{"daily 2:30", berlin, "2026-10-24 12:00:00", "Sun 25 02:30 +02, Mon 26 02:30 +01, Tue 27 02:30 +01"},
		{"daily 1:30", newYork, "2026-10-31 12:00:00", "Sun 01 01:30 -04, Mon 02 01:30 -05"},
		{"30 2,3 * * *", berlin, "2026-10-24 12:00:00", "Sun 25 02:30 +02, Sun 25 03:30 +01, Mon 26 02:30 +01"},

		// Spans, and rules of each hour, go by the time that passes.
		{"30m", berlin, "2026-10-25 01:40:00",
			"Sun 25 02:10 +02, Sun 25 02:40 +02, Sun 25 02:10 +01, Sun 25 02:40 +01, Sun 25 03:10 +01"},
		{"0,30 * * * *", berlin, "2026-10-25 01:40:00",
			"Sun 25 02:00 +02, Sun 25 02:30 +02, Sun 25 02:00 +01, Sun 25 02:30 +01, Sun 25 03:00 +01"},
		{"30 * * * *", berlin, "2026-03-29 01:00:00", "Sun 29 01:30 +01, Sun 29 03:30 +02, Sun 29 04:30 +02"},

		{"every 2h", "UTC", "2026-11-30 23:00:00", "Tue 01 01:00 +00, Tue 01 03:00 +00"},
		{"Mon,Thursday at 10am", "UTC", "2026-11-30 12:00:00", "Thu 03 10:00 +00, Mon 07 10:00 +00"},
		{"tue-thu 9:15", "UTC", "2026-11-30 12:00:00", "Tue 01 09:15 +00, Wed 02 09:15 +00, Thu 03 09:15 +00"},
		{"weekends 11:00", "UTC", "2026-11-30 12:00:00", "Sat 05 11:00 +00, Sun 06 11:00 +00"},
		{"0 9 1 * mon", "UTC", "2026-11-30 12:00:00", "Tue 01 09:00 +00, Mon 07 09:00 +00"}, // as cron has it: or
		{"0 9 29 2 *", "UTC", "2026-11-30 12:00:00", "Tue 29 09:00 +00"},
	} {
		want := strings.Split(c.want, ", ")
		if got := times(t, c.rule, c.zone, c.from, len(want)); !slices.Equal(got, want) {
			t.Errorf("%s in %s after %s:\n got %s\nwant %s", c.rule, c.zone, c.from, strings.Join(got, ", "), c.want)
		}
	}
}

// In each zone, a time of day comes once on each day of a year.
func TestEachDayHasItsTime(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca",
		"America/Santiago", "Asia/Kolkata", "Europe/London", "Africa/Cairo"} {
		zone := must.Have(time.LoadLocation(name))(t)
		for _, clock := range []string{"0:00", "0:30", "1:30", "2:00", "2:30", "3:00", "23:59"} {
			rule := must.Have(ParseRule("daily " + clock))(t)
			at := time.Date(2025, 12, 31, 23, 59, 59, 0, zone)
			for day := range 365 {
				at = rule.Next(at, at, zone)
				want := time.Date(2026, 1, 1+day, 12, 0, 0, 0, zone).Format(time.DateOnly)
				if got := at.Format(time.DateOnly); got != want {
					t.Fatalf("daily %s in %s: %s comes where %s is due", clock, name, at, want)
				}
			}
		}
	}
}

func TestWhatIsNoRule(t *testing.T) {
	for _, text := range []string{"", "soon", "daily", "9:00", "month 9:00", "weekdays 25:00", "30s", "0s", "-5m",
		"* * * *", "0 9 31 2 *", "60 9 * * *", "@daily", "TZ=UTC 0 9 * * *", "CRON_TZ=UTC 0 9 * *",
		"0 9 * * 1-5 2026", "every"} {
		if r, err := ParseRule(text); err == nil {
			t.Errorf("%q is %v", text, r)
		}
	}
}

func TestTheLocalZoneHasAName(t *testing.T) {
	for variable, want := range map[string]string{
		"Europe/Berlin": "Europe/Berlin", ":America/New_York": "America/New_York",
		"/usr/share/zoneinfo/Asia/Tokyo": "Asia/Tokyo", "No/Such": ""} {
		if got := ZoneName(variable); got != want {
			t.Errorf("TZ=%s: got %q, want %q", variable, got, want)
		}
	}
	if _, err := os.Stat("/etc/localtime"); err == nil && ZoneName("") == "" {
		t.Error("the zone of this machine has no name")
	}
}
