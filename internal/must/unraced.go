//go:build !race

package must

// Raced says that the race detector runs.
const Raced = false
