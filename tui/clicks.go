package tui

import "time"

// clicks knows when a click is the second of two.
type clicks struct {
	at   time.Time // of the last one; zero after a second one
	x, y int
}

// second reports whether a click is the second of two at one place.
func (c *clicks) second(x, y int, now time.Time) bool {
	again := !c.at.IsZero() && now.Sub(c.at) <= doubleClick && y == c.y && max(x-c.x, c.x-x) <= 1
	*c = clicks{at: now, x: x, y: y}
	if again {
		c.at = time.Time{}
	}
	return again
}

// doubleClick is how soon the second click of two comes, as in most desktops.
const doubleClick = 400 * time.Millisecond
