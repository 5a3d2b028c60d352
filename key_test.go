package parley

import (
	"testing"
	"time"
)

func TestKeyLife(t *testing.T) {
	for text, want := range map[string]time.Duration{"": 0, "30d": 720 * time.Hour, "12h": 12 * time.Hour,
		"1m": time.Minute} {
		if got, err := KeyLife(text); err != nil || got != want {
			t.Errorf("%q: got %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"0d", "-1d", "3651d", "99999999999999999999d", "d", "soon", "59s", "30", "1.5d",
		"-12h"} {
		if got, err := KeyLife(text); ErrorCode(err) != InvalidArgument {
			t.Errorf("%q: got %s, %v, want %s", text, got, err, InvalidArgument)
		}
	}
}
