package main

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A process becomes small after a rest, and not while something comes in, goes out or is due.
func TestABridgeIsMadeSmallOnlyAfterARest(t *testing.T) {
	for name, c := range map[string]struct {
		act  func(s *slimmer) // in the middle of the rest
		want time.Duration    // from the beginning; 0: never
	}{
		"nothing happens":      {func(*slimmer) {}, slimAfter},
		"something comes in":   {func(s *slimmer) { _, _ = s.Read(make([]byte, 1)) }, slimAfter * 3 / 2},
		"something goes out":   {func(s *slimmer) { _, _ = s.Write([]byte{'x'}) }, slimAfter * 3 / 2},
		"an answer is due":     {func(s *slimmer) { s.noteDue(1) }, 0},
		"words on what is due": {func(s *slimmer) { s.noteDue(1); _, _ = s.Write([]byte{'x'}) }, 0},
		"an answer was due":    {func(s *slimmer) { s.noteDue(1); s.noteDue(0) }, slimAfter * 3 / 2},
		"it is stopped":        {(*slimmer).stop, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, got := time.Now(), time.Duration(0)
				s := newSlimmer(strings.NewReader("in"), io.Discard, slimAfter, func() { got = time.Since(began) })
				time.Sleep(slimAfter / 2)
				c.act(s)
				time.Sleep(time.Hour)
				synctest.Wait()
				if got != c.want {
					t.Errorf("it is made small after %v, want %v", got, c.want)
				}
			})
		})
	}
}
