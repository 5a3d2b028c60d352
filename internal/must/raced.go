//go:build race

package must

// Raced says that the race detector runs. It makes code five to ten times slower: a test of one goroutine is left to
// the run without it.
const Raced = true
