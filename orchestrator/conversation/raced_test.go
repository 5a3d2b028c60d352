//go:build race

package conversation

// raced says that the race detector runs, with which the simulations take minutes. They
// have one goroutine.
const raced = true
