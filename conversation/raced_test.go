//go:build race

package conversation

// raced says that the race detector watches, which makes the simulations take minutes.
// They have one goroutine.
const raced = true
