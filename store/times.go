package store

import (
	"math"
	"time"
)

// nanos returns a time as it is stored: in nanoseconds since 1970, 0 for the zero time. One that
// 64 bits do not reach, before 1677 or after 2262, becomes the nearest that they reach.
func nanos(t time.Time) int64 {
	switch {
	case t.IsZero():
		return 0
	case t.Before(time.Unix(0, math.MinInt64)):
		return math.MinInt64
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	}
	return t.UnixNano()
}

// instant returns a stored time, the zero time for 0.
func instant(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// instantOrNil returns a stored time, nil for 0.
func instantOrNil(n int64) *time.Time {
	if n == 0 {
		return nil
	}
	t := instant(n)
	return &t
}
