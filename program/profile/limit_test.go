package profile_test

import (
	"path/filepath"
	"testing"
	"time"

	"parley/internal/must"
	"parley/program/profile"
)

func TestEndsOfLimitsAreRead(t *testing.T) {
	berlin := must.Have(time.LoadLocation("Europe/Berlin"))(t)
	tokyo := must.Have(time.LoadLocation("Asia/Tokyo"))(t)
	seen := time.Date(2026, 11, 22, 14, 30, 20, 0, berlin)
	for words, want := range map[string]string{
		"resets 3pm":                            "2026-11-22 15:00 CET",
		"resets 3:45pm (Europe/Berlin)":         "2026-11-22 15:45 CET",
		"resets 2pm":                            "2026-11-23 14:00 CET",
		"resets 2:30pm":                         "2026-11-22 14:30 CET",
		"resets 12am (UTC)":                     "2026-11-23 00:00 UTC",
		"resets 12pm (Asia/Tokyo)":              "2026-11-23 12:00 JST",
		"resets Nov 24, 9am":                    "2026-11-24 09:00 CET",
		"resets Jan 1, 2030, 12am (UTC)":        "2030-01-01 00:00 UTC",
		"resets Jan 2, 7am":                     "2027-01-02 07:00 CET",
		"try again at Jan 1st, 2030 12:00 AM":   "2030-01-01 00:00 CET",
		"try again at 3:41 PM":                  "2026-11-22 15:41 CET",
		"try again in 2h 14m":                   "2026-11-22 16:44 CET",
		"try again in 2h14m":                    "2026-11-22 16:44 CET",
		"try again in 2 days 3 hours 5 minutes": "2026-11-24 17:35 CET",
		"10800000ms":                            "2026-11-22 17:30 CET",
		"2hr 14min":                             "2026-11-22 16:44 CET",
		"99999999 days":                         "unknown",
		"Access resets at 3:04 PM GMT+1":        "2026-11-22 15:04 +0100",
		"Access resets at 15:04":                "2026-11-22 15:04 CET",
		"resets 3pm (Europe/Nowhere)":           "unknown",
		"resets 3pm (their time)":               "unknown",
		"resets 13pm":                           "unknown",
		"resets Mon 9am":                        "unknown",
		"resets tomorrow at 3pm":                "unknown",
		"resets 24 Nov, 9am":                    "unknown",
		"resets 2030-01-01 15:00":               "unknown",
		"resets 3pm or when you upgrade":        "unknown",
		"resets soon":                           "unknown",
		"try again later":                       "unknown",
		"try again in a moment":                 "unknown",
		"resets Feb 30, 9am":                    "unknown",
		"try again in 99999 days":               "unknown",
	} {
		got := "unknown"
		if at, ok := profile.ParseReset(words, seen, berlin); ok {
			got = at.Format("2006-01-02 15:04 MST")
		}
		if got != want {
			t.Errorf("%q ends %s, want %s", words, got, want)
		}
	}
	if at, ok := profile.ParseReset("resets 3pm", seen, tokyo); !ok || at.Format("2 15:04") != "23 15:00" {
		t.Errorf("in Tokyo, where it is 22:30, it ends %v, %v", at, ok)
	}
}

func TestScreensSayWhenALimitEnds(t *testing.T) {
	set := builtin(t)
	for name, want := range map[string]string{
		"claude/80x24-limit":            "resets Jan 1, 2030, 12am (UTC)",
		"claude/120x40-old-limit":       "resets Jan 1, 2030, 12am (UTC)",
		"claude/120x40-limit-continues": "resets 12:46pm (UTC)",
		"claude/80x24-credit":           "",
		"codex/80x24-limit":             "try again at Jan 1st, 2030 12:00 AM",
		"codex/120x40-limit":            "try again at Jan 1st, 2030 12:00 AM",
		"codex/120x40-quota":            "",
		"codex/120x40-idle":             "",
		"copilot/80x24-quota":           "",
		"omp/120x40-limited":            "10800000ms",
	} {
		want2, lines := readGolden(t, "testdata/"+name+".txt")
		r := find(t, set, filepath.Dir(name)).Read(profile.Screen{Lines: lines, Width: want2.Width})
		if r.LimitEnds != want {
			t.Errorf("%s: it ends %q, want %q", name, r.LimitEnds, want)
		}
	}
}

// A program that asks, or that tries again by itself, is at its limit too.
func TestLimitsAreKnownInEachState(t *testing.T) {
	set := builtin(t)
	for name, want := range map[string]profile.State{
		"omp/120x40-limited":         profile.Blocked,
		"gemini/80x24-limit-dialog":  profile.Dialog,
		"gemini/120x40-limit-dialog": profile.Dialog,
		"grok/120x40-limited":        profile.Busy,
		"opencode/120x40-retrying":   profile.Busy,
		"opencode/80x24-retrying":    profile.Busy,
		"kimi/100x30-retries":        profile.Busy,
		"qwen/80x24-retrying":        profile.Busy,
	} {
		golden, lines := readGolden(t, "testdata/"+name+".txt")
		r := find(t, set, filepath.Dir(name)).Read(profile.Screen{Lines: lines, Width: golden.Width})
		if r.Cause != profile.UsageLimit || r.Shows != want {
			t.Errorf("%s: %q, and it is %s, want %s", name, r.Cause, r.Shows, want)
		}
	}
	for _, name := range []string{"grok/100x30-retries", "kilo/100x30-retries", "opencode/120x40-retrying-500",
		"gemini/80x24-retrying", "pi/100x30-failed", "pi/100x30-retries"} {
		golden, lines := readGolden(t, "testdata/"+name+".txt")
		r := find(t, set, filepath.Dir(name)).Read(profile.Screen{Lines: lines, Width: golden.Width})
		if r.Cause == profile.UsageLimit {
			t.Errorf("%s is at no limit", name)
		}
	}
}

func TestScreensWarnOfAQuotaThatIsNearlyUsed(t *testing.T) {
	set := builtin(t)
	for name, want := range map[string]profile.Warning{
		"claude/80x24-quota":  {Used: 91, Name: "5-hour limit", Ends: "resets 7:48pm (UTC)"},
		"claude/80x24-idle":   {},
		"claude/120x40-limit": {},
		"codex/120x40-idle":   {},
	} {
		golden, lines := readGolden(t, "testdata/"+name+".txt")
		r := find(t, set, filepath.Dir(name)).Read(profile.Screen{Lines: lines, Width: golden.Width})
		if r.Quota != want {
			t.Errorf("%s: it warns %+v, want %+v", name, r.Quota, want)
		}
	}
}
