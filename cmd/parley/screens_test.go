package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"parley"
	"parley/internal/daemon"
	"parley/internal/must"
	"parley/internal/place"
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

// What no file and no variable says is as the docs say.
func TestTheScreenHasItsDefaults(t *testing.T) {
	at := place.Locate(t.TempDir(), daemon.Environ{})
	s, _, err := new(surroundings).screenSettings(at)
	if err != nil || s.First != "agents" || s.Theme != "terminal" {
		t.Errorf("got %+v, %v", s, err)
	}
}

// A key in the environment belongs to the workspace that the person began in, and goes nowhere else.
func TestGoingToAnotherWorkspace(t *testing.T) {
	here := must.Have(filepath.EvalSymlinks(t.TempDir()))(t)
	at := surroundings{workspace: here, env: daemon.Environ{"PARLEY_KEY=mine"}}
	c := screens{newCLI(program{out: output{at: at}})}
	for _, tt := range []struct{ to, workspace, host, key string }{
		{"/home/ann/api", "/home/ann/api", "", ""},
		{"box:src/api", "", "box:src/api", ""},
		{here, here, "", "mine"},
	} {
		got := c.elsewhere(tt.to)
		if got.cli.at.workspace != tt.workspace || got.cli.at.host != tt.host ||
			got.cli.at.env.Get("PARLEY_KEY") != tt.key {
			t.Errorf("to %s: workspace %q, host %q and key %q, want %q, %q, %q", tt.to,
				got.cli.at.workspace, got.cli.at.host, got.cli.at.env.Get("PARLEY_KEY"), tt.workspace, tt.host, tt.key)
		}
	}
}
