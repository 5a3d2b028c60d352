//go:build !race

package conversation

// raced says that the race detector watches.
const raced = false
