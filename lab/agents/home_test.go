package agents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/must"
	"parley/internal/testhome"
)

// configure writes a file of the test's own home directory.
func configure(t *testing.T, h *testhome.Home, name, text string) {
	t.Helper()
	path := filepath.Join(h.Dir, "h", name)
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
}

// variable returns a variable of the test's environment, where the last entry counts.
func variable(h *testhome.Home, name string) (value string) {
	for _, entry := range h.Env {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}
