package tmux

import "golang.org/x/sys/unix"

// withOlder adds the system calls that newer architectures lack.
func withOlder(calls map[int]limit) map[int]limit {
	calls[unix.SYS_EPOLL_WAIT] = limit{3, false}
	calls[unix.SYS_POLL] = limit{2, false}
	calls[unix.SYS_SELECT] = limit{4, true}
	return calls
}
