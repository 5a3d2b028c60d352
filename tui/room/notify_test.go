package room

import (
	"testing"
	"time"
)

func TestQuietHoursSpanMidnight(t *testing.T) {
	q := QuietHours{22 * time.Hour, 7 * time.Hour}
	for hour, want := range map[int]bool{21: false, 22: true, 0: true, 6: true, 7: false} {
		at := time.Date(2026, 11, 21, hour, 0, 0, 0, time.UTC)
		if got := q.at(at); got != want {
			t.Errorf("at %d: %v, want %v", hour, got, want)
		}
	}
}
