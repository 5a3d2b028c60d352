package store

import "time"

// nanos returns a time as it is stored: in nanoseconds since 1970, 0 for the zero time.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
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
