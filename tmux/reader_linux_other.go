//go:build linux && !amd64

package tmux

// withOlder adds nothing: see the file for amd64.
func withOlder(calls map[int]limit) map[int]limit { return calls }
