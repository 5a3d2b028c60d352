package hosts

import (
	"testing"
	"time"
)

func TestChecksTakeASmallShareOfTheTime(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{
		0: time.Hour, time.Second: time.Hour, time.Minute: 200 * time.Minute,
	} {
		if got := nextCheck(took); got != want {
			t.Errorf("after a check of %v: got %v, want %v", took, got, want)
		}
	}
}
