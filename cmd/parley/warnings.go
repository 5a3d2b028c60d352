package main

import (
	"fmt"
	"sync"
)

// warnings are what a command has warned of. One that calls the daemon often says each only once.
type warnings struct {
	mu   sync.Mutex
	said map[string]bool
}

// print prints a warning, unless this command has printed it before.
func (w *warnings) print(o *output, form string, args ...any) {
	text := fmt.Sprintf(form, args...)
	if w.isNew(text) {
		fmt.Fprintf(o.err, "%s %s\n", o.paintFor(o.err, yellow, "parley:"), text)
	}
}

// isNew notes a warning, and reports whether it was not given before.
func (w *warnings) isNew(text string) bool {
	if w == nil {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.said[text] {
		return false
	}
	if w.said == nil {
		w.said = map[string]bool{}
	}
	w.said[text] = true
	return true
}
