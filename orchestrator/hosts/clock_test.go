package hosts

import (
	"testing"
	"time"
)

func TestAJumpOfTheClockIsBelievedLate(t *testing.T) {
	start := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	const year = 365 * 24 * time.Hour
	type look struct{ wall, passed, want time.Duration }

	for name, looks := range map[string][]look{
		"a steady clock": {
			{0, 0, 0}, {time.Hour, time.Hour, time.Hour}, {year, year, year},
		},
		"one that is set by seconds": {
			{0, 0, 0}, {70 * time.Second, time.Minute, 70 * time.Second},
			{100 * time.Second, 2 * time.Minute, 100 * time.Second},
		},
		"a jump ahead that stays": {
			{0, 0, 0},
			{year, time.Minute, time.Minute},
			{year + 30*time.Minute, 31 * time.Minute, 31 * time.Minute},
			{year + time.Hour, 61 * time.Minute, year + time.Hour},
		},
		"a jump ahead that is put right": {
			{0, 0, 0}, {year, time.Minute, time.Minute}, {3 * time.Minute, 3 * time.Minute, 3 * time.Minute},
			{year, 2 * time.Hour, 2 * time.Hour},
		},
		"two jumps ahead": {
			{0, 0, 0}, {year, time.Minute, time.Minute}, {2 * year, 2 * time.Minute, 2 * time.Minute},
		},
		"a jump back": {
			{0, 0, 0}, {-year, time.Minute, -year}, {-year + time.Hour, time.Hour + time.Minute, -year + time.Hour},
		},
	} {
		var c cautiousClock
		for i, l := range looks {
			if got := c.look(start.Add(l.wall), l.passed).Sub(start); got != l.want {
				t.Errorf("%s, look %d: the time is %v after the start, want %v", name, i, got, l.want)
			}
		}
	}
}
