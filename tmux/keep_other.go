//go:build !linux

package tmux

import "fmt"

// CanKeep reports whether Keep works on this system.
const CanKeep = false

// Keep needs Linux: no other system gives orphans another parent than its first process.
func Keep([]string) error { return fmt.Errorf("keep the tmux server: %w", ErrUnsupported) }
