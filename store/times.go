package store

import (
	"time"
)

// nanos is how a time is stored; the zero time is 0.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func instant(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// moment is a time that may be none.
func moment(n int64) *time.Time {
	if n == 0 {
		return nil
	}
	t := instant(n)
	return &t
}
