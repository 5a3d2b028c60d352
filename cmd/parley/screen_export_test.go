package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/tui"
)

// What helps against a file that is there is said for the screen, which has no flags.
func TestScreenExportKeepsAFileThatIsThere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kept.md")
	must.Do(t, os.WriteFile(file, nil, 0o600))
	_, err := screens{newCLI(program{})}.export(t.Context(), nil, tui.Exported{}, file)
	var e *parley.Error
	if !errors.As(err, &e) || e.Action != "Use another name." {
		t.Errorf("the error is %v", err)
	}
}
