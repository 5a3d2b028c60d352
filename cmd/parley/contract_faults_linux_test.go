package main

import (
	"testing"

	"golang.org/x/sys/unix"

	"parley/internal/must"
)

// takeTheDisk lets the daemon write no more to any file.
func takeTheDisk(t *testing.T, s *stage) func() {
	var before unix.Rlimit
	set := func(now, old *unix.Rlimit) {
		must.Do(t, unix.Prlimit(s.info.PID, unix.RLIMIT_FSIZE, now, old))
	}
	set(nil, &before)
	set(&unix.Rlimit{Cur: 0, Max: before.Max}, nil)
	return func() { set(&before, nil) }
}
