//go:build !linux && !darwin

package tmux

// Boot is not known on this system.
func Boot() string { return "" }
