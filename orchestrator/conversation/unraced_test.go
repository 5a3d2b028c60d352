//go:build !race

package conversation

// raced says that the race detector runs.
const raced = false
