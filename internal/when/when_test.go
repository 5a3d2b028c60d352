package when

import (
	"strings"
	"testing"
	"time"

	"parley/internal/must"
)

func TestTimesAsPeopleAndModelsWriteThem(t *testing.T) {
	zone := time.FixedZone("", 2*3600)
	now := time.Date(2026, 11, 26, 9, 30, 0, 0, zone)
	for text, want := range map[string][2]string{ // ahead, back
		"2026-12-01T10:00:00Z":        {"2026-12-01T10:00:00Z", "2026-12-01T10:00:00Z"},
		"2026-12-01T10:00:00.5+01:00": {"2026-12-01T10:00:00.5+01:00", "2026-12-01T10:00:00.5+01:00"},
		"2026-12-01t10:00:00z":        {"2026-12-01T10:00:00Z", "2026-12-01T10:00:00Z"},
		"2026-12-01 10:00:00Z":        {"2026-12-01T10:00:00Z", "2026-12-01T10:00:00Z"},
		"2026-12-01T10:00:00":         {"2026-12-01T10:00:00+02:00", "2026-12-01T10:00:00+02:00"},
		"2026-12-01T10:00":            {"2026-12-01T10:00:00+02:00", "2026-12-01T10:00:00+02:00"},
		"2026-12-01 10:00":            {"2026-12-01T10:00:00+02:00", "2026-12-01T10:00:00+02:00"},
		" 2026-12-01  10:00:30 ":      {"2026-12-01T10:00:30+02:00", "2026-12-01T10:00:30+02:00"},
		"2026-12-01":                  {"2026-12-01T23:59:59+02:00", "2026-12-01T00:00:00+02:00"},
		"tomorrow":                    {"2026-11-27T23:59:59+02:00", "2026-11-27T00:00:00+02:00"},
		"Tomorrow at 10:00":           {"2026-11-27T10:00:00+02:00", "2026-11-27T10:00:00+02:00"},
		"tomorrow 5pm":                {"2026-11-27T17:00:00+02:00", "2026-11-27T17:00:00+02:00"},
		"yesterday":                   {"2026-11-25T23:59:59+02:00", "2026-11-25T00:00:00+02:00"},
		"today, 14:00":                {"2026-11-26T14:00:00+02:00", "2026-11-26T14:00:00+02:00"},
		"14:30":                       {"2026-11-26T14:30:00+02:00", "2026-11-26T14:30:00+02:00"},
		"08:00":                       {"2026-11-27T08:00:00+02:00", "2026-11-26T08:00:00+02:00"},
		"now":                         {"2026-11-26T09:30:00+02:00", "2026-11-26T09:30:00+02:00"},
		"in 20 minutes":               {"2026-11-26T09:50:00+02:00", "2026-11-26T09:50:00+02:00"},
		"20 minutes ago":              {"2026-11-26T09:10:00+02:00", "2026-11-26T09:10:00+02:00"},
		"20 minutes":                  {"2026-11-26T09:50:00+02:00", "2026-11-26T09:10:00+02:00"},
		"20m":                         {"2026-11-26T09:50:00+02:00", "2026-11-26T09:10:00+02:00"},
		"1h30m":                       {"2026-11-26T11:00:00+02:00", "2026-11-26T08:00:00+02:00"},
		"2 days":                      {"2026-11-28T09:30:00+02:00", "2026-11-24T09:30:00+02:00"},
		"3d":                          {"2026-11-29T09:30:00+02:00", "2026-11-23T09:30:00+02:00"},
		"1200":                        {"2026-11-26T09:50:00+02:00", "2026-11-26T09:10:00+02:00"},
		"1795320912":                  {"2026-11-22T06:15:12+02:00", "2026-11-22T06:15:12+02:00"},
		"1795320912000":               {"2026-11-22T06:15:12+02:00", "2026-11-22T06:15:12+02:00"},
	} {
		for i, ahead := range []bool{true, false} {
			got, ok := Parse(text, now, ahead)
			if at := got.Format(time.RFC3339Nano); !ok || at != want[i] {
				t.Errorf("%q, ahead %v: got %s, %v, want %s", text, ahead, at, ok, want[i])
			}
		}
	}

	for _, text := range []string{
		"", " ", "soon", "next week", "2026-13-01", "2026-12-01 25:00", "25:00", "-5", "in -5 minutes", "NaN", "Inf",
		"1e300",
		"in", "ago", "tomorrow never", "99999999 weeks", "10:00 tomorrow, perhaps",
	} {
		if got, ok := Parse(text, now, true); ok {
			t.Errorf("%q is %s", text, got)
		}
	}
}

// In each zone, a day is a day and a time of day is that of its clocks, however these are changed.
func TestDaysAndTimesGoByTheClocks(t *testing.T) {
	const day = time.DateOnly
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Africa/Cairo", "America/Santiago",
		"Asia/Beirut", "Australia/Lord_Howe"} {
		zone := must.Have(time.LoadLocation(name))(t)
		for n := range 365 {
			noon := time.Date(2026, 1, 1+n, 12, 0, 0, 0, zone)
			today, next := noon.Format(day), time.Date(2026, 1, 2+n, 12, 0, 0, 0, zone).Format(day)
			begins := func(what string, at time.Time) {
				t.Helper()
				if at.Format(day) != today || at.Add(-time.Second).Format(day) == today {
					t.Errorf("%s in %s: %s begins at %s", what, name, today, at)
				}
			}
			ends := func(what string, at time.Time) {
				t.Helper()
				if at.Format(day) != today || at.Add(time.Second).Format(day) != next {
					t.Errorf("%s in %s: %s ends at %s", what, name, today, at)
				}
			}
			parse := func(text string, now time.Time, ahead bool) time.Time {
				t.Helper()
				at, ok := Parse(text, now, ahead)
				if !ok {
					t.Fatalf("%q is no time", text)
				}
				return at
			}

			begins("the day", parse(today, noon, false))
			ends("the day", parse(today, noon, true))
			begins("today", parse("today", noon, false))
			ends("today", parse("today", noon, true))
			ends("tomorrow", parse("tomorrow", noon.AddDate(0, 0, -1), true))
			for _, word := range []string{"today", today, noon.Format("2.1.2006"), noon.Format("Monday")} {
				at, _, _ := Past(strings.ToLower(word), noon)
				begins(word, at)
			}
			if at, _, _ := Past("yesterday", noon.AddDate(0, 0, 1)); true {
				begins("yesterday", at)
			}
			if at, _, _ := Past("09:30", noon); at.Format("15:04") != "09:30" || at.Format(day) != today {
				t.Errorf("09:30 in %s: got %s", name, at)
			}

			// What is left out comes as much later as the clocks jump, however one names it.
			for _, clock := range []string{"00:30", "02:15", "02:30"} {
				want := parse(next+" "+clock, noon, true)
				for _, text := range []string{clock, "tomorrow " + clock} {
					if at := parse(text, noon, true); !at.Equal(want) {
						t.Errorf("%s in %s on %s: got %s, want %s", text, name, today, at, want)
					}
				}
			}
		}
	}
}
