//go:build !linux && !darwin

package tmux

// arguments is not supported on this system.
func arguments(int) (args, env []string) { return nil, nil }
